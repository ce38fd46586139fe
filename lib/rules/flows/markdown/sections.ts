import { flowLimits, type IntakeField } from '#rules/flows/structure.ts'
import { classifyLines, codeLine, unclosedFence } from '#rules/text/code-fences.ts'
import { readIntakeTable, type SourceLine } from './intake-table.ts'
import {
  createLineScanner,
  hasText,
  type ReportProblem,
  readAttributes,
  unescapeLine,
  unescapeTitle,
} from './line-syntax.ts'
import { mayBeMarked, readMarkedLine } from './marked-lines.ts'
import { type Section, sectionKinds } from './section.ts'

// Cuts the file below the front matter into sections, one per heading. Each section is read on its own: links
// are not followed here.

/** Every step with its 50 fallback steps, and 100 other headings. */
const maxHeadings = flowLimits.maxSteps * 51 + 100

export interface FileBody {
  sections: Section[]
  intake: { field: IntakeField; line: number }[]
}

interface SourceFile {
  lines: readonly string[]
  /** The kind of each line, as `classifyLines` returns it. */
  lineKinds: Uint8Array
}
/**
 * The index of a heading, and of the line after its section. The lines are not copied, because a file may
 * have millions.
 */
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
  const ranges = headings
    .slice(0, maxHeadings)
    .map((heading, index) => ({ heading, end: headings[index + 1] ?? lines.length }))
  return readRanges(file, ranges, report)
}

function reportTextBeforeFirstHeading(
  lines: readonly string[],
  start: number,
  firstHeading: number,
  report: ReportProblem,
): void {
  for (let index = start; index < firstHeading; index++) {
    if (!hasText(lines[index] ?? '')) continue
    report(
      index + 1,
      'Text before the first heading is not allowed; put the description of the flow into the front matter',
    )
    return
  }
}

function reportUnclosedFences({ lineKinds }: SourceFile, report: ReportProblem): void {
  for (
    let index = lineKinds.indexOf(unclosedFence);
    index >= 0;
    index = lineKinds.indexOf(unclosedFence, index + 1)
  )
    report(
      index + 1,
      'This code block is not closed; close it with a line ```, or put a backslash before this line',
    )
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
    if (nodeCount <= flowLimits.maxNodes || section.kind.structure === 'steps')
      readBody(section, file, range, report)
  }
  return body
}

function findHeadings({ lines, lineKinds }: SourceFile, start: number): number[] {
  const headings: number[] = []
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (lineKinds[index] !== codeLine && line.includes('##') && /^ {0,3}#{2,3}(?:[ \t]|$)/.test(line))
      headings.push(index)
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
  const [, hashes, word = '', rest = ''] =
    /^ {0,3}(#{2,3})[ \t]*(?![ \t])([A-Za-z]*)[ \t]*(?::|(?=\{#)|$)(.*)$/s.exec(text) ?? []
  const kindName = word.toLowerCase()
  const kind = Object.hasOwn(sectionKinds, kindName)
    ? sectionKinds[kindName as keyof typeof sectionKinds]
    : undefined
  if (!kind) {
    report(
      line,
      'A heading must start with Intake, Decision:, Action:, Solution:, Step:, Section:, Fallback: or End:; put a backslash before ## to start a line of text',
    )
    return null
  }
  if (hashes !== kind.hashes) report(line, `This heading must start with ${kind.hashes} ${word}:`)
  const attributesStart = rest.indexOf('{#')
  const attributes =
    attributesStart < 0
      ? { id: '', values: new Map() }
      : readAttributes(createLineScanner(rest.slice(attributesStart)))
  if (!attributes)
    report(
      line,
      'The attributes after {# are invalid; end the line with {#id} or {#id name=value}, and write {# in a title as {\\#',
    )
  return {
    line,
    word,
    kind,
    title: unescapeTitle(attributesStart < 0 ? rest : rest.slice(0, attributesStart)),
    id: attributes?.id ?? '',
    attributes: attributes?.values ?? new Map(),
    description: '',
    attachments: [],
    evidence: [],
    approval: null,
    subflow: null,
    options: [],
    nextLink: null,
  }
}

/** Read the description and the marked lines of a section. */
function readBody(
  section: Section,
  { lines, lineKinds }: SourceFile,
  { heading, end }: SectionRange,
  report: ReportProblem,
): void {
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
