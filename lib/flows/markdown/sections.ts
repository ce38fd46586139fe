import { caps, type IntakeField } from '../structure.ts'
import { code, endless, fencesOf } from './fences.ts'
import { type Row, readIntake } from './intake.ts'
import { type Attributes, filled, plainLine, plainTitle, readAttributes, type Say, type Scanner, scanner, splitLabel } from './lines.ts'

// The file below its front matter, cut into sections: what stands under each heading, not yet what it means to the others.

const kinds = {
  decision: { type: 'decision', hashes: '##', of: 'tree' },
  action: { type: 'action', hashes: '##', of: 'tree' },
  solution: { type: 'solution', hashes: '##', of: 'tree' },
  step: { type: 'procedure_step', hashes: '##', of: 'steps' },
  section: { type: 'section_header', hashes: '##', of: 'steps' },
  end: { type: 'procedure_end', hashes: '##', of: 'steps' },
  fallback: { type: 'fallback', hashes: '###', of: 'steps' },
} as const
export type Kind = (typeof kinds)[keyof typeof kinds]

const mostHeadings = caps.steps * 51 + 100
const mostOptions = 100
const mostAttachments = 20

/** A link as it was written; a loose one only names its target, which stands elsewhere or nowhere. */
export interface Link {
  line: number
  id?: string | undefined
  label: string
  target: string | null
  loose: boolean
}
export interface Section {
  line: number
  /** The word of its heading, as `Step`. */
  word: string
  kind: Kind
  title: string
  /** Empty when none is given. */
  id: string
  values: Attributes['values']
  description: string
  attachments: { line: number; title: string; url: string }[]
  options: Link[]
  next: Link | null
}
export interface Body {
  sections: Section[]
  intake: { field: IntakeField; line: number }[]
}

/** A heading's line and the lines below it: indices, since a file may have millions of lines. */
interface Part {
  heading: number
  end: number
}
interface File {
  lines: readonly string[]
  fences: Uint8Array
}

/** Reads every line from index `start` on, of as many headings as the caps of flows allow. */
export function readSections(lines: readonly string[], start: number, say: Say): Body {
  const file = { lines, fences: fencesOf(lines, start) }
  const headings = findHeadings(file, start)
  const early = lines.findIndex((line, index) => index >= start && filled(line))
  if (early >= 0 && early < (headings[0] ?? lines.length))
    say(early + 1, 'Text stands before the first heading; the flow’s description belongs into the front matter')
  for (let index = file.fences.indexOf(endless); index >= 0; index = file.fences.indexOf(endless, index + 1))
    say(index + 1, 'The code that begins here never ends; a line ``` closes it, a backslash before it makes it text')
  const surplus = headings[mostHeadings]
  if (surplus !== undefined) say(surplus + 1, `The file has ${headings.length} headings: more than any flow may have`)
  const parts = headings.slice(0, mostHeadings).map((heading, index) => ({ heading, end: headings[index + 1] ?? lines.length }))
  return readParts(file, parts, say)
}

function readParts(file: File, parts: readonly Part[], say: Say): Body {
  const body: Body = { sections: [], intake: [] }
  let [intakes, nodes] = [0, 0]
  for (const part of parts) {
    const heading = { line: part.heading + 1, text: file.lines[part.heading] ?? '' }
    if (/^ {0,3}##[ \t]+intake:?[ \t]*$/i.test(heading.text)) {
      if (++intakes > 1) say(heading.line, 'There is more than one Intake')
      else body.intake = readIntake(rowsOf(file, part), say)
      continue
    }
    const section = readHeading(heading, say)
    if (!section) continue
    body.sections.push(section)
    // What lies beyond the cap is counted, not read.
    if (section.kind.of === 'steps' || ++nodes <= caps.nodes) readBody(section, file, part, say)
  }
  return body
}

function findHeadings({ lines, fences }: File, start: number): number[] {
  const found: number[] = []
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (fences[index] !== code && line.includes('##') && /^ {0,3}#{2,3}(?:[ \t]|$)/.test(line)) found.push(index)
  }
  return found
}

function* rowsOf({ lines }: File, { heading, end }: Part): Generator<Row> {
  for (let index = heading + 1; index < end; index++) {
    const text = lines[index] ?? ''
    if (filled(text)) yield { line: index + 1, text }
  }
}

function readHeading({ line, text }: Row, say: Say): Section | null {
  const [, hashes, word = '', rest = ''] = /^ {0,3}(#{2,3})[ \t]*([A-Za-z]*)[ \t]*(?::|(?=\{#)|$)(.*)$/s.exec(text) ?? []
  const known = word.toLowerCase()
  const kind = Object.hasOwn(kinds, known) ? kinds[known as keyof typeof kinds] : undefined
  if (!kind) {
    say(
      line,
      'A heading begins with Intake, Decision:, Action:, Solution:, Step:, Section:, Fallback: or End:; a backslash before it makes it text',
    )
    return null
  }
  if (hashes !== kind.hashes) say(line, `Write ${kind.hashes} ${word}: with ${kind.hashes.length} #`)
  const at = rest.indexOf('{#')
  const attributes = at < 0 ? { id: '', values: new Map<string, string | true>() } : readAttributes(scanner(rest.slice(at)))
  if (!attributes) say(line, 'What follows {# cannot be read: it is {#id} or {#id name=value}, and ends the line; in a title write {\\#')
  const title = plainTitle(at < 0 ? rest : rest.slice(0, at))
  const { id = '', values = new Map() } = attributes ?? {}
  return { line, word, kind, title, id, values, description: '', attachments: [], options: [], next: null }
}

function readBody(section: Section, { lines, fences }: File, { heading, end }: Part, say: Say): void {
  const texts: string[] = []
  let kept = 0
  for (let index = heading + 1; index < end; index++) {
    const text = lines[index] ?? ''
    const isCode = fences[index] === code
    if (!isCode && mayMean(text) && readMarked(section, { line: index + 1, text }, say)) continue
    const blank = !filled(text)
    if (blank && texts.length === 0) continue
    texts.push(isCode ? text : plainLine(text))
    if (!blank) kept = texts.length
  }
  section.description = texts.slice(0, kept).join('\n')
}

/** Rules most lines out without a regular expression. */
function mayMean(line: string): boolean {
  const char = line[0]
  return char === '-' || char === ' ' || char === 'A' || char === '*' || char === '+'
}

/** Reads a line that means something; false when it is text. */
function readMarked(section: Section, { line, text }: Row, say: Say): boolean {
  const [, mark = '', rest = ''] = /^ {0,3}(->(?=[ \t]*(?:#|\{#|$))|[-*+](?=[ \t])|Attachment:[ \t]*(?="))(.*)$/s.exec(text) ?? []
  if (mark.startsWith('Attachment')) readAttachment(section, line, rest, say)
  else if (mark === '->') readNext(section, line, rest, say)
  else {
    const parts = mark ? splitLabel(rest) : null
    if (!parts) return false
    // One more than there may be is kept, to be refused by its number.
    if (section.options.length > mostOptions) return true
    const link = readTarget(line, parts.label, scanner(parts.rest))
    if (link) section.options.push(link)
    else say(line, 'This option cannot be read; write - Label -> #id')
  }
  return true
}

function readNext(section: Section, line: number, rest: string, say: Say): void {
  const link = readTarget(line, '', scanner(rest.trim()))
  if (!link?.target || link.id !== undefined) say(line, 'This link cannot be read; write -> #id')
  else if (section.next) say(line, `This ${section.word} leads on already, in line ${section.next.line}`)
  else section.next = link
}

function readTarget(line: number, label: string, scan: Scanner): Link | null {
  const target = scan.take(/#/y) === undefined ? null : scan.value()
  if (target === undefined || target === '') return null
  scan.take(/[ \t]*/y)
  if (scan.take(/\{loose\}/y) !== undefined) return scan.done() ? { line, label, target, loose: true } : null
  if (scan.done()) return { line, label, target, loose: false }
  const attributes = readAttributes(scan)
  const known = attributes && [...attributes.values].every(([name, value]) => name === 'loose' && value === true)
  return known ? { line, id: attributes.id, label, target, loose: attributes.values.has('loose') } : null
}

function readAttachment(section: Section, line: number, rest: string, say: Say): void {
  if (section.attachments.length > mostAttachments) return
  const scan = scanner(rest.trim())
  const title = scan.value()
  scan.take(/[ \t]*/y)
  const url = scan.take(/<[^<>\s]*>/y)?.slice(1, -1) ?? scan.value()
  if (title === undefined || url === undefined || !scan.done())
    say(line, 'This attachment cannot be read; write Attachment: "title" <address>')
  else section.attachments.push({ line, title, url })
}
