import { spendBytes } from '#rules/budget.ts'
import { parseListDepth, type Style, walkDocxXml } from './docx-parts.ts'

// The numbers of Word's lists and headings are not in the text: each level of a list says how to write them
// (ECMA-376, part 1, 17.9).

interface Level {
  /** `decimal`, `lowerLetter`, …; `bullet` and `none` have no numbers. */
  format: string
  /** Such as `%1.%2.` or `Step %1:`. */
  text: string
  start: number
  /** The style whose paragraphs are on this level. */
  styleId: string
}

interface List {
  definition: string
  /** Numbers with which this list starts again, by depth. */
  starts: Map<number, number>
}

export interface Numbering {
  /** Return the depth that a list has for a style, or null. */
  findDepth(listId: string, styleId: string): number | null
  isOrdered(listId: string, depth: number): boolean
  /** Return the text of a level, which is the bullet of one without numbers. */
  getBullet(listId: string, depth: number): string
  /**
   * Return the number of the next paragraph, as a count and as the document writes it. Deeper levels start
   * again.
   */
  take(listId: string, depth: number): { count: number; label: string }
}

const maxLabelText = 50
const maxCount = 1_000_000
/** Bytes of memory of a list and of a level. */
const [listBytes, levelBytes] = [500, 250]

/** Read the lists of a document. Lists of one definition go on counting, unless one starts again. */
export function parseNumbering(xml: string | undefined, styles: ReadonlyMap<string, Style>): Numbering {
  const levels = new Map<string, Level>()
  const lists = new Map<string, List>()
  /** The styles whose list a definition takes. */
  const styleByDefinition = new Map<string, string>()
  let [definition, depth] = ['', 0]
  let level: Level | null = null
  let list: List | null = null
  walkDocxXml(xml, {
    onOpenTag: (name, attributes) => {
      const value = attributes['w:val'] ?? ''
      if (name === 'w:abstractNum') definition = attributes['w:abstractNumId'] ?? ''
      else if (name === 'w:num') {
        spendBytes(listBytes)
        list = { definition: '', starts: new Map() }
        lists.set(attributes['w:numId'] ?? '', list)
      } else if (name === 'w:abstractNumId' && list) list.definition = value
      else if (name === 'w:lvlOverride') depth = parseListDepth(attributes['w:ilvl'])
      else if (name === 'w:startOverride') list?.starts.set(depth, parseCount(value))
      else if (name === 'w:numStyleLink') styleByDefinition.set(definition, value)
      else if (name === 'w:lvl') {
        spendBytes(levelBytes)
        level = { format: 'none', text: '', start: 1, styleId: '' }
        // An override replaces a level of one list only, which is rare; its numbers are those of the
        // definition.
        if (!list) levels.set(`${definition} ${parseListDepth(attributes['w:ilvl'])}`, level)
      } else if (level) readLevel(level, name, value)
    },
    onCloseTag: (name) => {
      if (name === 'w:lvl') level = null
      if (name === 'w:num') list = null
    },
  })
  const findDefinition = (listId: string): string => {
    const own = lists.get(listId)?.definition ?? ''
    return lists.get(styles.get(styleByDefinition.get(own) ?? '')?.listId ?? '')?.definition ?? own
  }
  const findLevel = (listId: string, at: number) => levels.get(`${findDefinition(listId)} ${at}`)
  const countsByDefinition = new Map<string, number[]>()
  return {
    findDepth(listId, styleId) {
      const found = depths.find((at) => styleId !== '' && findLevel(listId, at)?.styleId === styleId)
      return found ?? null
    },
    isOrdered: (listId, at) => !/^(?:bullet|none)$/.test(findLevel(listId, at)?.format ?? 'none'),
    getBullet: (listId, at) => findLevel(listId, at)?.text ?? '',
    take(listId, at) {
      const key = lists.has(listId) ? findDefinition(listId) : `list ${listId}`
      const counts = countsByDefinition.get(key) ?? []
      countsByDefinition.set(key, counts)
      const starts = lists.get(listId)?.starts
      const restart = starts?.get(at)
      starts?.delete(at)
      counts.length = Math.min(counts.length, at + 1)
      for (const depth of depths.slice(0, at)) counts[depth] ??= findLevel(listId, depth)?.start ?? 1
      const count =
        restart ?? (counts[at] === undefined ? (findLevel(listId, at)?.start ?? 1) : counts[at] + 1)
      counts[at] = count
      const own = findLevel(listId, at)
      const label = (own?.text ?? '').replace(/%([1-9])/g, (_, place: string) => {
        const shown = Number(place) - 1
        return formatCount(counts[shown] ?? 1, findLevel(listId, shown)?.format ?? 'decimal')
      })
      return { count, label: label.trim() }
    },
  }
}

const depths = [0, 1, 2, 3, 4, 5, 6, 7, 8]

function readLevel(level: Level, name: string, value: string): void {
  if (name === 'w:numFmt') level.format = value || 'none'
  else if (name === 'w:lvlText') level.text = value.slice(0, maxLabelText)
  else if (name === 'w:start') level.start = parseCount(value)
  else if (name === 'w:pStyle') level.styleId = value
}

function parseCount(value: string): number {
  return /^\d{1,7}$/.test(value) ? Math.min(Number(value), maxCount) : 1
}

const numerals: [number, string][] = [
  ...([
    [1000, 'm'],
    [900, 'cm'],
    [500, 'd'],
    [400, 'cd'],
    [100, 'c'],
    [90, 'xc'],
  ] as [number, string][]),
  ...([
    [50, 'l'],
    [40, 'xl'],
    [10, 'x'],
    [9, 'ix'],
    [5, 'v'],
    [4, 'iv'],
    [1, 'i'],
  ] as [number, string][]),
]

/** Write a count in a format of Word. One that is not known is written in digits. */
function formatCount(count: number, format: string): string {
  if (format === 'decimalZero') return String(count).padStart(2, '0')
  if (count < 1 || count > 3999) return String(count)
  const letter = String.fromCharCode(97 + ((count - 1) % 26)).repeat(Math.ceil(count / 26))
  if (format === 'lowerLetter') return letter
  if (format === 'upperLetter') return letter.toUpperCase()
  if (format === 'lowerRoman') return toRoman(count)
  return format === 'upperRoman' ? toRoman(count).toUpperCase() : String(count)
}

function toRoman(count: number): string {
  let [rest, text] = [count, '']
  for (const [value, sign] of numerals)
    while (rest >= value) {
      text += sign
      rest -= value
    }
  return text
}
