import type { SourceLine } from './intake-table.ts'
import {
  createLineScanner,
  type LineScanner,
  parseStorableObject,
  type ReportProblem,
  readAttributes,
  splitLink,
} from './line-syntax.ts'
import type { Link, Section } from './section.ts'

// Reads the lines of a section that have a meaning: links, options, attachments, sub-flows, evidence and
// approvals.

const maxOptions = 100
const maxAttachments = 20
const maxEvidence = 10

/** Return whether a line could be a marked line. A cheap check before the regular expression. */
export function mayBeMarked(line: string): boolean {
  const char = line[0]
  return (
    char === '-' ||
    char === ' ' ||
    char === 'A' ||
    char === 'E' ||
    char === 'S' ||
    char === '*' ||
    char === '+'
  )
}

const marks =
  /^ {0,3}(->(?=[ \t]*(?:#|\{#|$))|[-*+](?=[ \t])|Attachment:[ \t]*(?=")|Subflow:[ \t]*(?=\{)|Evidence:[ \t]*(?=\w+[ \t]+\w+[ \t]*")|Approval:(?=[ \t][\w \t-]*minutes=))(.*)$/s

/** Read a marked line into the section. Return false if the line is text of the description. */
export function readMarkedLine(section: Section, { line, text }: SourceLine, report: ReportProblem): boolean {
  const [, mark = '', rest = ''] = marks.exec(text) ?? []
  if (mark === '') return false
  const [name = ''] = mark.split(':')
  const read = readers[name]
  if (!read) return readOption(section, line, rest, report)
  read(section, line, rest, report)
  return true
}

type ReadRest = (section: Section, line: number, text: string, report: ReportProblem) => void
const readers: Readonly<Partial<Record<string, ReadRest>>> = {
  '->': readNextLink,
  Attachment: readAttachment,
  Subflow: readSubflow,
  Evidence: readEvidence,
  Approval: readApproval,
}

/** Read an option of a decision. Return false if the line is a list item of the description. */
function readOption(section: Section, line: number, text: string, report: ReportProblem): boolean {
  const parts = splitLink(text)
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
  else if (section.nextLink)
    report(line, `This ${section.word} already has a link in line ${section.nextLink.line}`)
  else section.nextLink = link
}

/** Read `#target`, then `{loose}` or an attribute block. Return null if the text is invalid. */
function readLinkTarget(line: number, label: string, scanner: LineScanner): Link | null {
  const target = scanner.take(/#/y) === undefined ? null : scanner.takeWord()
  if (target === undefined || target === '') return null
  scanner.take(/[ \t]*/y)
  if (scanner.take(/\{loose\}/y) !== undefined)
    return scanner.isAtEnd() ? { line, label, target, isLoose: true } : null
  if (scanner.isAtEnd()) return { line, label, target, isLoose: false }
  const attributes = readAttributes(scanner)
  const isValid =
    attributes && [...attributes.values].every(([name, value]) => name === 'loose' && value === true)
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

function readEvidence(section: Section, line: number, text: string, report: ReportProblem): void {
  // One requirement above the limit is stored, so that the schema reports the limit.
  if (section.evidence.length > maxEvidence) return
  const scanner = createLineScanner(text.trim())
  const words: string[] = []
  for (
    let word = scanner.takeWord();
    word !== undefined && words.length < maxOptions + 4;
    word = scanner.takeWord()
  ) {
    words.push(word)
    scanner.take(/[ \t]*/y)
  }
  const [type = '', key, label, ...options] = words
  if (key === undefined || label === undefined || !scanner.isAtEnd())
    report(line, 'This evidence is invalid; write Evidence: type key "label"')
  else section.evidence.push({ line, type, key, label, options })
}

function readApproval(section: Section, line: number, text: string, report: ReportProblem): void {
  const [, names = '', minutes] = /^([\w \t-]*?)[ \t]minutes=(\d{0,9})[ \t]*$/.exec(text) ?? []
  if (minutes === undefined) report(line, 'This approval is invalid; write Approval: role minutes=60')
  else if (section.approval)
    report(line, `This ${section.word} already has an approval in line ${section.approval.line}`)
  else {
    const words = names.split(/[ \t]+/).filter(Boolean)
    // Only an id contains a dash.
    const isId = (word: string) => word.includes('-')
    const roles = words.filter((word) => !isId(word))
    section.approval = { line, roles, user_ids: words.filter(isId), expires_after_minutes: minutes }
  }
}

function readSubflow(section: Section, line: number, text: string, report: ReportProblem): void {
  const value = parseStorableObject(text.trim())
  if (section.subflow)
    report(line, `This ${section.word} already has a sub-flow in line ${section.subflow.line}`)
  else if (value === undefined) report(line, 'This sub-flow is invalid; write Subflow: {"tree_id":"…"}')
  else section.subflow = { line, value }
}
