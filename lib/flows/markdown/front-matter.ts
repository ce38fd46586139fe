import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml'
import type { z } from 'zod'
import { storable } from '../../text/json.ts'
import { Envelope, type FlowContent } from '../envelope.ts'
import { jsonText, parseJson, type Say, unusual } from './lines.ts'
import { sayIssues } from './vocabulary.ts'

// The front matter: what a flow is called and how it is found. Every value is text, whatever YAML would make of it.

type Head = Pick<FlowContent, 'name' | 'tree_type' | 'category' | 'tags' | 'description'>
const shape = Envelope.shape.flow.shape
const keys: Record<string, z.ZodType> = {
  name: shape.name,
  type: shape.tree_type,
  category: shape.category,
  tags: shape.tags,
  description: shape.description,
}

const mostLines = 1000
const mostYaml = 32_000

const plain = /^\p{L}[\p{L}\p{N} _()/.-]*$/u
const meansMore = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n'])
const asItIs = (text: string) => plain.test(text) && text.trim() === text && !meansMore.has(text.toLowerCase())
const scalar = (text: string) => (asItIs(text) ? text : jsonText(text))

export function writeHead({ name, tree_type, category, tags, description }: Head): string {
  const lines = [`name: ${scalar(name)}`, `type: ${tree_type}`]
  if (category) lines.push(`category: ${scalar(category)}`)
  if (tags?.length) lines.push(`tags: [${tags.map(scalar).join(', ')}]`)
  if (description) lines.push(`description: ${isBlock(description) ? asBlock(description) : scalar(description)}`)
  return ['---', ...lines, '---'].join('\n')
}

/** Whether a text of several lines may stand as it is, indented: nothing at its edges, no line of blanks, no unusual character. */
function isBlock(text: string): boolean {
  const lines = text.split('\n')
  if (text.trim() !== text || lines.length === 1 || lines.length > 200) return false
  return lines.every((line) => line === '' || (line.trim() && !unusual.test(line)))
}

function asBlock(text: string): string {
  return ['|-', ...text.split('\n').map((line) => (line ? `  ${line}` : ''))].join('\n')
}

/** What the front matter says, as far as it can be used, and the index of the first line after it. */
export function readHead(lines: readonly string[], say: Say): { head: Partial<Head>; next: number } {
  if (lines[0]?.trimEnd() !== '---') {
    say(1, 'The file begins with front matter: a line ---, then name: and type:, then a line ---')
    return { head: {}, next: 0 }
  }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  const heading = lines.findIndex((line) => line.startsWith('## '))
  if (end < 0) say(1, 'The front matter that begins here is never closed by a line ---')
  const next = end < 0 ? (heading < 0 ? lines.length : heading) : end
  const found = readEntries(lines.slice(1, Math.min(next, mostLines)), say)
  if (next > mostLines) say(mostLines, `The front matter is too long: at most ${mostLines} lines`)
  const { type, ...rest } = checked(found, say)
  return { head: { ...rest, ...(type ? { tree_type: type } : {}) } as Partial<Head>, next: end < 0 ? next : end + 1 }
}

interface Entry {
  line: number
  value: unknown
}

/** Values written as JSON are taken as such; YAML is asked for the rest, which may be 32,000 characters: it is slow on what is broken. */
function readEntries(lines: readonly string[], say: Say): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  const add = (key: string, line: number, value: unknown) => {
    if (!Object.hasOwn(keys, key)) say(line, `The front matter has name, type, category, tags and description, but no ${key.slice(0, 60)}`)
    else if (entries.has(key)) say(line, `The front matter says ${key} twice`)
    else entries.set(key, { line, value })
  }
  const rest = lines.map((line, index) => {
    const [, key = '', json = ''] = /^([a-z]+):[ \t]+(["[].*)$/s.exec(line) ?? []
    const value = json ? parseJson(json) : undefined
    if (value === undefined) return line
    add(key, index + 2, value)
    return ''
  })
  const yaml = rest.join('\n')
  if (yaml.length > mostYaml) say(1, 'The front matter is too long: at most 32,000 characters')
  else readYaml(yaml, add, say)
  return entries
}

function readYaml(source: string, add: (key: string, line: number, value: unknown) => void, say: Say): void {
  const lineCounter = new LineCounter()
  const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent', lineCounter } as const
  const lineOf = (offset: number) => lineCounter.linePos(offset).line + 1
  try {
    const { contents, errors } = parseDocument(source, options)
    for (const { pos, message } of errors.slice(0, 20)) say(lineOf(pos[0]), `The front matter is not YAML: ${message}`)
    if (isMap(contents)) for (const pair of contents.items as Pair<Node, Node | null>[]) addPair(pair, lineOf, add)
    else if (contents && errors.length === 0) say(2, 'The front matter is lines of the form name: value')
  } catch {
    // Only a stack can fail here: how deep it goes differs between runtimes.
    say(1, 'The front matter nests too deep')
  }
}

function addPair({ key, value }: Pair<Node, Node | null>, lineOf: (offset: number) => number, add: Parameters<typeof readYaml>[1]): void {
  const line = lineOf(key.range?.[0] ?? 0)
  add(isScalar(key) ? String(key.value) : 'list as a name', line, textsOf(value))
}

/** A text or a list of texts; undefined for nothing, null for what is neither. */
function textsOf(node: Node | null): unknown {
  if (isSeq(node)) return node.items.map((item) => (isScalar(item) ? item.value : null))
  if (!node || (isScalar(node) && node.type === 'PLAIN' && ['', '~', 'null'].includes(String(node.value)))) return undefined
  return isScalar(node) ? node.value : null
}

function checked(found: Map<string, Entry>, say: Say): Record<string, unknown> {
  for (const key of ['name', 'type'])
    if (found.get(key)?.value === undefined) say(found.get(key)?.line ?? 1, `The front matter has no ${key}`)
  const head: Record<string, unknown> = {}
  for (const [key, { line, value }] of found) {
    if (value === undefined) continue
    const given = key === 'tags' && typeof value === 'string' ? value.split(',') : value
    const parsed = keys[key]?.safeParse(given)
    const whole = [given].flat().every((item) => typeof item !== 'string' || storable(item))
    if (!whole) say(line, `The value of ${key} holds a character that cannot be stored`)
    else if (parsed?.success) head[key] = parsed.data
    else if (parsed) sayIssues(parsed.error.issues, key, () => line, say)
  }
  return head
}
