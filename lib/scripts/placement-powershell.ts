import type { FindUnsafePlaces } from './placeholders.ts'

const single = "'‘’‚‛"
const double = '"“”„'

type State = 'code' | 'comment' | 'block' | 'single' | 'double' | 'here-single' | 'here-double' | 'variable' | 'verbatim'
const inString = 'stands in a quoted string: leave the quotes out, the value brings its own'
const reasonOf: Record<Exclude<State, 'code'>, string> = {
  comment: 'stands in a comment',
  block: 'stands in a comment',
  single: inString,
  double: inString,
  'here-single': 'stands in a here-string',
  'here-double': 'stands in a here-string',
  variable: 'stands in the name of a variable',
  verbatim: 'stands behind --%, where nothing is quoted',
}

/** Walks PowerShell as far as strings, here-strings and comments go. Every kind of quotation mark that it takes for one counts. */
export const powershellPlaces: FindUnsafePlaces = (body, placeholders) => {
  const reasons = new Map<number, string>()
  const starts = new Map(placeholders.map((placeholder) => [placeholder.start, placeholder]))
  let state: State = 'code'
  for (let at = 0; at < body.length; ) {
    const placeholder = starts.get(at)
    if (placeholder) {
      const reason = state === 'code' ? besides(body, at, placeholder.end) : reasonOf[state]
      if (reason) reasons.set(at, reason)
      at = placeholder.end
      continue
    }
    const [next, length] = step(state, body, at)
    state = next
    at += length
  }
  return reasons
}

/** What a placeholder in code must not have beside it. */
function besides(body: string, start: number, end: number): string | undefined {
  const before = body[start - 1] ?? ''
  if (before && /[\w$@`\\/.%~?'"‘’‚‛“”„)\]}-]/.test(before)) return 'does not stand by itself: what is before it would change its meaning'
  const after = body[end] ?? ''
  if (after && /[\w$`\\/'"‘’‚‛“”„({-]/.test(after)) return 'does not stand by itself: what is after it would become a part of it'
  const line = body.slice(Math.max(0, start - 2000), start).replace(/`\r?\n/g, ' ')
  if (/(^|[\s;|({=&,])[&.][ \t]*$/.test(line) || /\b(iex|invoke-expression)\s*$/i.test(line))
    return 'stands where a command is named: its value would be run'
  return undefined
}

function step(state: State, body: string, at: number): [State, number] {
  const char = body[at] ?? ''
  switch (state) {
    case 'code':
      return code(body, at, char)
    case 'comment':
    case 'verbatim':
      return [char === '\n' ? 'code' : state, 1]
    case 'block':
      return body.startsWith('#>', at) ? ['code', 2] : [state, 1]
    case 'single':
      if (!single.includes(char)) return [state, 1]
      return single.includes(body[at + 1] ?? ' ') ? [state, 2] : ['code', 1]
    case 'double':
      if (char === '`') return [state, 2]
      if (!double.includes(char)) return [state, 1]
      return double.includes(body[at + 1] ?? ' ') ? [state, 2] : ['code', 1]
    case 'here-single':
    case 'here-double': {
      const marks = state === 'here-single' ? single : double
      return char === '\n' && marks.includes(body[at + 1] ?? ' ') && body[at + 2] === '@' ? ['code', 3] : [state, 1]
    }
    case 'variable':
      return [char === '}' ? 'code' : state, char === '`' ? 2 : 1]
  }
}

function code(body: string, at: number, char: string): [State, number] {
  if (char === '`') return ['code', 2]
  if (body.startsWith('<#', at)) return ['block', 2]
  if (body.startsWith('--%', at) && /^[\s|]?$/.test(body[at + 3] ?? '')) return ['verbatim', 3]
  // In the middle of a word the sign is a part of it.
  if (char === '#' && !/[\w\-#]/.test(body[at - 1] ?? '')) return ['comment', 1]
  const after = body[at + 1] ?? ''
  if (char === '@' && after && (single + double).includes(after) && /^[ \t]*\r?\n/.test(body.slice(at + 2, at + 200)))
    return [single.includes(after) ? 'here-single' : 'here-double', 2]
  if (char === '$' && after === '{') return ['variable', 2]
  if (single.includes(char)) return ['single', 1]
  if (double.includes(char)) return ['double', 1]
  return ['code', 1]
}
