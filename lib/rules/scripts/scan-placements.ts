import type { JudgedPlaceholder } from './placeholders.ts'

interface Scan<State> {
  initialState: State
  script: string
  placeholders: readonly JudgedPlaceholder[]
  /** Return the state after the text at `index`, and the length of that text. */
  scan(state: State, script: string, index: number): { state: State; length: number }
  visitPlaceholder(state: State, placeholder: JudgedPlaceholder): void
  /** Visit other text. The state is that before the text, or the one that the text opens. */
  visitText(state: State, text: string): void
}

/** Scan a script in a language whose quoting can be followed with one state. Return the state at its end. */
export function scanPlacements<State>({
  initialState,
  script,
  placeholders,
  scan,
  visitPlaceholder,
  visitText,
}: Scan<State>): State {
  const placeholderByStart = new Map(placeholders.map((placeholder) => [placeholder.start, placeholder]))
  let state = initialState
  for (let index = 0; index < script.length; ) {
    const placeholder = placeholderByStart.get(index)
    if (placeholder) {
      visitPlaceholder(state, placeholder)
      index = placeholder.end
      continue
    }
    const step = scan(state, script, index)
    // An escape or the brace of a name must not take the first brace of a placeholder with it.
    let length = 1
    while (length < step.length && !placeholderByStart.has(index + length)) length++
    const text = script.slice(index, index + length)
    visitText(state === initialState ? step.state : state, text)
    state = step.state
    index += length
  }
  return state
}
