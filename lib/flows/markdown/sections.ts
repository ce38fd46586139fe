import { classifyLines, codeLine, unclosedFence } from '../../text/code-fences.ts'
import { flowLimits, type IntakeField } from '../structure.ts'
import { readIntakeTable, type SourceLine } from './intake-table.ts'
import {
  type Attributes,
  createLineScanner,
  hasText,
  type LineScanner,
  type ReportProblem,
  readAttributes,
  splitLink,
  unescapeLine,
  unescapeTitle,
} from './line-syntax.ts'

// Cuts the file below the front matter into sections, one per heading. Each section is read on its own: links are not followed here.

const sectionKinds = {
  decision: { type: 'decision', hashes: '##', structure: 'tree' },
  action: { type: 'action', hashes: '##', structure: 'tree' },
  solution: { type: 'solution', hashes: '##', structure: 'tree' },
  step: { type: 'procedure_step', hashes: '##', structure: 'steps' },
  section: { type: 'section_header', hashes: '##', structure: 'steps' },
  end: { type: 'procedure_end', hashes: '##', structure: 'steps' },
  fallback: { type: 'fallback', hashes: '###', structure: 'steps' },
} as const
export type SectionKind = (typeof sectionKinds)[keyof typeof sectionKinds]

/** Every step with its 50 fallback steps, and 100 other headings. */
const maxHeadings = flowLimits.maxSteps * 51 + 100
const maxOptions = 100
const maxAttachments = 20

export interface Link {
  line: number
  id?: string | undefined
  label: string
  target: string | null
  /** A loose link does not make its target a child of this node. Drafts can have such links. */
  isLoose: boolean
}
export interface Section {
  line: number
  /** The first word of the heading, such as `Step`. */
  word: string
  kind: SectionKind
  title: string
  /** Empty if the heading has no id. */
  id: string
  attributes: Attributes['values']
  description: string
  attachments: { line: number; title: string; url: string }[]
  options: Link[]
  nextLink: Link | null
}
export interface FileBody {
  sections: Section[]
  intake: { field: IntakeField; line: number }[]
}

interface SourceFile {
  lines: readonly string[]
  /** The kind of each line, as `classifyLines` returns it. */
  lineKinds: Uint8Array
}
/** The index of a heading, and of the line after its section. The lines are not copied, because a file may have millions. */
interface SectionRange {
  heading: number
  end: number
}

/** Read the sections from line index `start` on. Headings beyond what the flow limits allow are not read. */
export function readSections(lines: readonly string[], start: number, report: ReportProblem): FileBody {
  const file = { lines, lineKinds: classifyLines(lines, start) }
  const headings = findHeadings(file, start)
  reportTextBeforeFirstHeading(lines, start, headings[0] ?? lines.length, report)
  reportUnclosedFences(file, report)
  const surplusHeading = headings[maxHeadings]
  if (surplusHeading !== undefined)
    report(surplusHeading + 1, `The file has ${headings.length} headings; at most ${maxHeadings} are allowed`)
  const ranges = headings.slice(0, maxHeadings).map((heading, index) => ({ heading, end: headings[index + 1] ?? lines.length }))
  return readRanges(file, ranges, report)
}

function reportTextBeforeFirstHeading(lines: readonly string[], start: number, firstHeading: number, report: ReportProblem): void {
  const firstText = lines.findIndex((line, index) => index >= start && hasText(line))
  if (firstText >= 0 && firstText < firstHeading)
    report(firstText + 1, 'Text before the first heading is not allowed; put the description of the flow into the front matter')
}

function reportUnclosedFences({ lineKinds }: SourceFile, report: ReportProblem): void {
  for (let index = lineKinds.indexOf(unclosedFence); index >= 0; index = lineKinds.indexOf(unclosedFence, index + 1))
    report(index + 1, 'This code block is not closed; close it with a line ```, or put a backslash before this line')
}

function readRanges(file: SourceFile, ranges: readonly SectionRange[], report: ReportProblem): FileBody {
  const body: FileBody = { sections: [], intake: [] }
  let intakeCount = 0
  let nodeCount = 0
  for (const range of ranges) {
    const heading = { line: range.heading + 1, text: file.lines[range.heading] ?? '' }
    if (/^ {0,3}##[ \t]+intake:?[ \t]*$/i.test(heading.text)) {
      intakeCount++
      if (intakeCount > 1) report(heading.line, 'There is more than one Intake section')
      else body.intake = readIntakeTable(iterateTextLines(file, range), report)
      continue
    }
    const section = readHeading(heading, report)
    if (!section) continue
    body.sections.push(section)
    if (section.kind.structure === 'tree') nodeCount++
    // The body of tree nodes beyond the limit is not read. Their headings suffice to report the limit.
    if (nodeCount <= flowLimits.maxNodes || section.kind.structure === 'steps') readBody(section, file, range, report)
  }
  return body
}

function findHeadings({ lines, lineKinds }: SourceFile, start: number): number[] {
  const headings: number[] = []
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (lineKinds[index] !== codeLine && line.includes('##') && /^ {0,3}#{2,3}(?:[ \t]|$)/.test(line)) headings.push(index)
  }
  return headings
}

function* iterateTextLines({ lines }: SourceFile, { heading, end }: SectionRange): Generator<SourceLine> {
  for (let index = heading + 1; index < end; index++) {
    const text = lines[index] ?? ''
    if (hasText(text)) yield { line: index + 1, text }
  }
}

function readHeading({ line, text }: SourceLine, report: ReportProblem): Section | null {
  const [, hashes, word = '', rest = ''] = /^ {0,3}(#{2,3})[ \t]*([A-Za-z]*)[ \t]*(?::|(?=\{#)|$)(.*)$/s.exec(text) ?? []
  const kindName = word.toLowerCase()
  const kind = Object.hasOwn(sectionKinds, kindName) ? sectionKinds[kindName as keyof typeof sectionKinds] : undefined
  if (!kind) {
    report(
      line,
      'A heading must start with Intake, Decision:, Action:, Solution:, Step:, Section:, Fallback: or End:; put a backslash before ## to start a line of text',
    )
    return null
  }
  if (hashes !== kind.hashes) report(line, `This heading must start with ${kind.hashes} ${word}:`)
  const attributesStart = rest.indexOf('{#')
  const attributes = attributesStart < 0 ? { id: '', values: new Map() } : readAttributes(createLineScanner(rest.slice(attributesStart)))
  if (!attributes)
    report(line, 'The attributes after {# are invalid; end the line with {#id} or {#id name=value}, and write {# in a title as {\\#')
  return {
    line,
    word,
    kind,
    title: unescapeTitle(attributesStart < 0 ? rest : rest.slice(0, attributesStart)),
    id: attributes?.id ?? '',
    attributes: attributes?.values ?? new Map(),
    description: '',
    attachments: [],
    options: [],
    nextLink: null,
  }
}

/** Read the description, the links and the attachments of a section. */
function readBody(section: Section, { lines, lineKinds }: SourceFile, { heading, end }: SectionRange, report: ReportProblem): void {
  const descriptionLines: string[] = []
  /** Without blank lines at the end. */
  let descriptionLength = 0
  for (let index = heading + 1; index < end; index++) {
    const text = lines[index] ?? ''
    const isCode = lineKinds[index] === codeLine
    if (!isCode && mayBeMarked(text) && readMarkedLine(section, { line: index + 1, text }, report)) continue
    const isBlank = !hasText(text)
    if (isBlank && descriptionLines.length === 0) continue
    descriptionLines.push(isCode ? text : unescapeLine(text))
    if (!isBlank) descriptionLength = descriptionLines.length
  }
  section.description = descriptionLines.slice(0, descriptionLength).join('\n')
}

/** Return whether a line could be a link, an option or an attachment. A cheap check before the regular expression. */
function mayBeMarked(line: string): boolean {
  const char = line[0]
  return char === '-' || char === ' ' || char === 'A' || char === '*' || char === '+'
}

/** Read a link, an option or an attachment into the section. Return false if the line is text of the description. */
function readMarkedLine(section: Section, { line, text }: SourceLine, report: ReportProblem): boolean {
  const [, mark = '', rest = ''] = /^ {0,3}(->(?=[ \t]*(?:#|\{#|$))|[-*+](?=[ \t])|Attachment:[ \t]*(?="))(.*)$/s.exec(text) ?? []
  if (mark === '') return false
  if (mark.startsWith('Attachment')) {
    readAttachment(section, line, rest, report)
    return true
  }
  if (mark === '->') {
    readNextLink(section, line, rest, report)
    return true
  }
  const parts = splitLink(rest)
  if (!parts) return false
  // One option above the limit is stored, so that the schema reports the limit.
  if (section.options.length > maxOptions) return true
  const option = readLinkTarget(line, parts.label, createLineScanner(parts.target))
  if (option) section.options.push(option)
  else report(line, 'This option is invalid; write - Label -> #id')
  return true
}

function readNextLink(section: Section, line: number, text: string, report: ReportProblem): void {
  const link = readLinkTarget(line, '', createLineScanner(text.trim()))
  if (!link?.target || link.id !== undefined) report(line, 'This link is invalid; write -> #id')
  else if (section.nextLink) report(line, `This ${section.word} already has a link in line ${section.nextLink.line}`)
  else section.nextLink = link
}

/** Read `#target`, then `{loose}` or an attribute block. Return null if the text is invalid. */
function readLinkTarget(line: number, label: string, scanner: LineScanner): Link | null {
  const target = scanner.take(/#/y) === undefined ? null : scanner.takeWord()
  if (target === undefined || target === '') return null
  scanner.take(/[ \t]*/y)
  if (scanner.take(/\{loose\}/y) !== undefined) return scanner.isAtEnd() ? { line, label, target, isLoose: true } : null
  if (scanner.isAtEnd()) return { line, label, target, isLoose: false }
  const attributes = readAttributes(scanner)
  const isValid = attributes && [...attributes.values].every(([name, value]) => name === 'loose' && value === true)
  return isValid ? { line, id: attributes.id, label, target, isLoose: attributes.values.has('loose') } : null
}

function readAttachment(section: Section, line: number, text: string, report: ReportProblem): void {
  // One attachment above the limit is stored, so that the schema reports the limit.
  if (section.attachments.length > maxAttachments) return
  const scanner = createLineScanner(text.trim())
  const title = scanner.takeWord()
  scanner.take(/[ \t]*/y)
  const url = scanner.take(/<[^<>\s]*>/y)?.slice(1, -1) ?? scanner.takeWord()
  if (title === undefined || url === undefined || !scanner.isAtEnd())
    report(line, 'This attachment is invalid; write Attachment: "title" <address>')
  else section.attachments.push({ line, title, url })
}
