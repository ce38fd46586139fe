import type { FindUnsafePlacements } from './placeholders.ts'

interface PlacementRules<State> {
  initialState: State
  /** Return the state after the text at `index`, and the length of that text. */
  scan(state: State, script: string, index: number): { state: State; length: number }
  /** Return why a placeholder from `start` to `end` cannot be quoted safely in `state`, or undefined. */
  findReason(state: State, script: string, start: number, end: number): string | undefined
}

/** Create a search for unsafe placeholders in a language whose quoting can be followed with one state. */
export function createPlacementScanner<State>({ initialState, scan, findReason }: PlacementRules<State>): FindUnsafePlacements {
  return (script, placeholders) => {
    const reasons = new Map<number, string>()
    const placeholderByStart = new Map(placeholders.map((placeholder) => [placeholder.start, placeholder]))
    let state = initialState
    for (let index = 0; index < script.length; ) {
      const placeholder = placeholderByStart.get(index)
      if (placeholder) {
        const reason = findReason(state, script, index, placeholder.end)
        if (reason) reasons.set(index, reason)
        index = placeholder.end
        continue
      }
      const step = scan(state, script, index)
      state = step.state
      index += step.length
    }
    return reasons
  }
}
