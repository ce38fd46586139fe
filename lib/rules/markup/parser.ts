import MarkdownIt, { type StateInline } from 'markdown-it'

/**
 * The parser drops what is nested deeper than `maxNesting`. A line that starts with so many markers or spaces
 * is rare, and stays plain text.
 */
export const deepLine = /^[ \t>*+\-\d.)]{80}/m

/**
 * Create a parser of descriptions. Raw HTML stays text. Without the rule `reference`, link definitions stay
 * in the text.
 */
export function createMarkdownParser(
  isLinkAllowed: (address: string) => boolean,
): InstanceType<typeof MarkdownIt> {
  const parser = new MarkdownIt({ html: false, maxNesting: 100 })
  parser.block.ruler.disable('reference')
  parser.inline.ruler.before('escape', 'backslashes', keepBackslashes)
  parser.validateLink = isLinkAllowed
  parser.normalizeLink = (address) => address
  return parser
}

const maxPathLength = 260
/** A drive, a share or a variable, perhaps after the mark of an emphasis. */
const pathStart = /^['(]{0,3}(\*{0,3})(?:[a-z]:(?:\\|$)|\\\\[\w$.-]|%\w{1,40}%(?:\\|$))/i
/** A name, or a pattern such as `*.log`. */
const nameStart = /^\\[!#$%&'()+,.;=@[\]^_{}~*-]/

/**
 * Keep the backslashes that an author typed as part of a Windows path, and show the character after them.
 * CommonMark would take them as escapes. Two or more in a row stay as well: paths of shares start with two.
 */
function keepBackslashes(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x5c) return false
  const [run = ''] =
    /^\\{2,}/.exec(state.src.slice(state.pos, Math.min(state.posMax, state.pos + maxPathLength))) ?? []
  const kept = run || readPathPart(state)
  if (kept === '') return false
  if (!silent) state.pending += kept
  state.pos += kept.length
  return true
}

function readPathPart({ src, pos, posMax }: StateInline): string {
  const [part = ''] = nameStart.exec(src.slice(pos, Math.min(posMax, pos + 2))) ?? []
  const [, emphasis] = (part && pathStart.exec(readLastWord(src, pos))) || []
  if (emphasis === undefined) return ''
  return emphasis !== '' && src.startsWith(emphasis, pos + 1) ? '\\' : part
}

/** Return the characters without a space or a quotation mark before an index, as many as a path can have. */
export function readLastWord(text: string, end: number): string {
  let start = end
  while (start > Math.max(0, end - maxPathLength) && !/[\s"]/.test(text[start - 1] as string)) start--
  return text.slice(start, end)
}
