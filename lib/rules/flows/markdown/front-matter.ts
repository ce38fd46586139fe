import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml'
import type * as z from 'zod'
import { spend } from '#rules/budget.ts'
import { columnDefaults, contentFields, type FlowContent } from '#rules/flows/rfflow.ts'
import { cut } from '#rules/text/clip.ts'
import { isStorable } from '#rules/text/json.ts'
import { parseStorableJson, type ReportProblem, toPlainJson, unusualCharacter } from './line-syntax.ts'
import { reportSchemaIssues } from './schema-messages.ts'

// The YAML front matter: name, type, category, tags and description of the flow. Every value is read as text:
// `yes` and `1.0` too.

type FrontMatter = Pick<FlowContent, keyof typeof contentFields>
const fields = Object.keys(contentFields) as (keyof FrontMatter)[]
const getKey = (field: keyof FrontMatter) => (field === 'tree_type' ? 'type' : field)
export const schemaByKey: Record<string, z.ZodType> = Object.fromEntries(
  fields.map((field) => [getKey(field), contentFields[field]]),
)
const listedKeys = new Intl.ListFormat('en-GB').format(Object.keys(schemaByKey))
const defaults: Partial<FrontMatter> = columnDefaults

const maxLines = 1000
const maxYamlLength = 32_000
const stepsPerYamlCharacter = 300
const maxBlockLines = 200
const maxYamlErrors = 20

const unquotedText = /^\p{L}[\p{L}\p{N} _()/.-]*$/u
/** Other YAML readers take these words for booleans or null. */
const reservedWords = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n'])

function needsNoQuotes(text: string): boolean {
  return unquotedText.test(text) && text.trim() === text && !reservedWords.has(text.toLowerCase())
}

function formatScalar(text: string): string {
  return needsNoQuotes(text) ? text : toPlainJson(text)
}

/** Return the front matter with its `---` lines. */
export function writeFrontMatter(flow: FrontMatter): string {
  const written = fields.filter((field) => flow[field]?.length && flow[field] !== defaults[field])
  return [
    '---',
    ...written.map((field) => `${getKey(field)}: ${formatValue(flow[field] ?? '')}`),
    '---',
  ].join('\n')
}

function formatValue(value: string | readonly string[]): string {
  if (typeof value !== 'string') return `[${value.map(formatScalar).join(', ')}]`
  return canBeBlock(value) ? formatBlock(value) : formatScalar(value)
}

/** Return whether YAML reads the text unchanged from an indented block. */
function canBeBlock(text: string): boolean {
  const lines = text.split('\n')
  if (text.trim() !== text || lines.length === 1 || lines.length > maxBlockLines) return false
  return lines.every((line) => line === '' || (line.trim() && !unusualCharacter.test(line)))
}

function formatBlock(text: string): string {
  return ['|-', ...text.split('\n').map((line) => (line ? `  ${line}` : ''))].join('\n')
}

/** Return the valid values of the front matter, and the index of the first line after it. */
export function readFrontMatter(
  lines: readonly string[],
  report: ReportProblem,
): { frontMatter: Partial<FrontMatter>; nextLine: number } {
  if (lines[0]?.trimEnd() !== '---') {
    report(1, 'The file must start with front matter: a line ---, then name: and type:, then a line ---')
    return { frontMatter: {}, nextLine: 0 }
  }
  const closingLine = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  const isClosed = closingLine > 0
  if (!isClosed) report(1, 'The front matter that starts here needs a closing line ---')
  const end = isClosed ? closingLine : findFirstHeading(lines)
  const entries = readEntries(lines.slice(1, Math.min(end, maxLines)), report)
  if (end > maxLines) report(maxLines, `The front matter is too long: at most ${maxLines} lines are allowed`)
  const values = validateEntries(entries, report)
  const given = fields.filter((field) => getKey(field) in values)
  const frontMatter = Object.fromEntries(
    given.map((field) => [field, values[getKey(field)]]),
  ) as Partial<FrontMatter>
  return { frontMatter, nextLine: isClosed ? end + 1 : end }
}

function findFirstHeading(lines: readonly string[]): number {
  const index = lines.findIndex((line) => line.startsWith('## '))
  return index < 0 ? lines.length : index
}

interface Entry {
  line: number
  value: unknown
}
type AddEntry = (key: string, line: number, value: unknown) => void

/**
 * Return the entries by key. JSON values are parsed as JSON, the rest as YAML. The length of the YAML is
 * limited, because its parser is slow on invalid input.
 */
function readEntries(lines: readonly string[], report: ReportProblem): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  const addEntry: AddEntry = (key, line, value) => {
    if (!Object.hasOwn(schemaByKey, key))
      report(line, `Unknown key ${cut(key, 60)} in the front matter; the keys are ${listedKeys}`)
    else if (entries.has(key)) report(line, `The front matter has ${key} twice`)
    else entries.set(key, { line, value })
  }
  const remainingLines = lines.map((line, index) => {
    const [, key = '', json = ''] = /^([a-z]+):[ \t]+(["[].*)$/s.exec(line) ?? []
    const value = json ? parseStorableJson(json) : undefined
    if (value === undefined) return line
    addEntry(key, index + 2, value)
    return ''
  })
  const yaml = remainingLines.join('\n')
  if (yaml.length > maxYamlLength)
    report(1, 'The front matter is too long: at most 32,000 characters are allowed')
  else {
    spend(yaml.length * stepsPerYamlCharacter)
    readYaml(yaml, addEntry, report)
  }
  return entries
}

function readYaml(source: string, addEntry: AddEntry, report: ReportProblem): void {
  const lineCounter = new LineCounter()
  const options = {
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter,
  } as const
  const getLine = (offset: number) => lineCounter.linePos(offset).line + 1
  try {
    const { contents, errors } = parseDocument(source, options)
    for (const { pos, message } of errors.slice(0, maxYamlErrors))
      report(getLine(pos[0]), `The front matter is not valid YAML: ${message}`)
    if (isMap(contents))
      for (const pair of contents.items as Pair<Node, Node | null>[]) addYamlPair(pair, getLine, addEntry)
    else if (contents && errors.length === 0)
      report(2, 'The front matter must have lines of the form name: value')
  } catch {
    // The parser throws only on a stack overflow. The nesting depth at which this happens differs between
    // runtimes.
    report(1, 'The front matter is nested too deeply')
  }
}

function addYamlPair(
  { key, value }: Pair<Node, Node | null>,
  getLine: (offset: number) => number,
  addEntry: AddEntry,
): void {
  const line = getLine(key.range?.[0] ?? 0)
  addEntry(isScalar(key) ? String(key.value) : 'a list or map as a key', line, readYamlValue(value))
}

/**
 * Return a string, or a list of strings with null for other items. Return undefined for an empty value, and
 * null for any other value.
 */
function readYamlValue(node: Node | null): unknown {
  if (isSeq(node)) return node.items.map((item) => (isScalar(item) ? item.value : null))
  if (!node || (isScalar(node) && node.type === 'PLAIN' && ['', '~', 'null'].includes(String(node.value))))
    return undefined
  return isScalar(node) ? node.value : null
}

/** Return the valid values by key, and report the others. */
function validateEntries(entries: Map<string, Entry>, report: ReportProblem): Record<string, unknown> {
  for (const key of ['name', 'type'])
    if (entries.get(key)?.value === undefined)
      report(entries.get(key)?.line ?? 1, `The front matter has no ${key}`)
  const validValues: Record<string, unknown> = {}
  for (const [key, entry] of entries) {
    if (entry.value === undefined) continue
    const value = key === 'tags' && typeof entry.value === 'string' ? entry.value.split(',') : entry.value
    const parsed = schemaByKey[key]?.safeParse(value)
    const canBeStored = [value].flat().every((item) => typeof item !== 'string' || isStorable(item))
    if (!canBeStored) report(entry.line, `The value of ${key} contains a character that cannot be stored`)
    else if (parsed?.success) validValues[key] = parsed.data
    else if (parsed) reportSchemaIssues(parsed.error.issues, key, () => entry.line, report)
  }
  return validValues
}
