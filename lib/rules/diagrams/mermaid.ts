import { spend, spendBytes } from '#rules/budget.ts'
import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'
import { htmlToText, toLine } from './drawio-labels.ts'
import { DiagramFileError } from './file-error.ts'
import { groupType } from './groups.ts'
import { layOutNodes } from './layout-groups.ts'
import {
  type Cursor,
  type MermaidLink,
  type MermaidNode,
  read,
  readLink,
  readNode,
  skipSpaces,
} from './mermaid-lexer.ts'
import { thickWidth } from './mermaid-write.ts'
import {
  type DeviceCategory,
  type DiagramEdge,
  type DiagramNode,
  deviceCategories,
  diagramLimits,
  guessCategory,
  maxGroupDepth,
  validateDiagram,
} from './schema.ts'

// Reads a flowchart of mermaid: https://mermaid.js.org/syntax/flowchart.html

export interface MermaidDiagram {
  name: string | null
  nodes: DiagramNode[]
  edges: DiagramEdge[]
  /** The parts of the text that were not imported, each with the reason. */
  skipped: string[]
}

const stepsPerCharacter = 50
const maxIdLength = 100
const maxListedParts = 100

interface Part {
  label: string | undefined
  shape: string | undefined
  className: string | undefined
  parentId: string | undefined
  isGroup: boolean
}

interface Chart {
  parts: Map<string, Part>
  edges: DiagramEdge[]
  /** The ids of the groups that are open, the innermost last. */
  openGroupIds: string[]
  skipped: string[]
  skippedCount: number
  cursor: Cursor
}

/**
 * Parse a mermaid flowchart and lay it out. Throw a DiagramFileError if it is none. What it does not
 * understand is left out, and named.
 */
export function parseMermaid(content: string): MermaidDiagram {
  spend(content.length * stepsPerCharacter)
  const cursor: Cursor = { text: normaliseLineBreaks(content.replace(/^\uFEFF/, '')), index: 0 }
  const chart: Chart = {
    parts: new Map(),
    edges: [],
    openGroupIds: [],
    skipped: [],
    skippedCount: 0,
    cursor,
  }
  const name = readStart(cursor)
  while (skipBlank(cursor)) readNextLine(chart)
  const nodes = Array.from(chart.parts, ([id, part]) => createNode(id, part))
  // A group can be put into another one when it has groups already.
  if (validateDiagram({ nodes, edges: chart.edges }).length > 0) throw createDepthError()
  const skipped = [...chart.skipped]
  if (chart.skippedCount > skipped.length)
    skipped.push(`${(chart.skippedCount - skipped.length).toLocaleString('en')} more parts`)
  return { name, nodes: layOutNodes(nodes, chart.edges), edges: chart.edges, skipped }
}

/** Read the front matter and the first line. Return the title. */
function readStart(cursor: Cursor): string | null {
  read(cursor, /\s*(?:```+ *mermaid *\n)?\s*/y)
  const title = read(cursor, /---[ \t]*\n((?:(?!---[ \t]*\n)[^\n]*\n)*)---[ \t]*\n/y)
  skipBlank(cursor)
  if (!read(cursor, /(?:flowchart|graph)(?:-elk)?\b(?:[ \t]+(?:TB|TD|BT|RL|LR)\b)?/y)) {
    const reason = 'This is no mermaid flowchart: its first line must start with flowchart or graph'
    throw new DiagramFileError(reason)
  }
  const text = /(?:^|\n)title:[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|([^\n]*))/.exec(title?.[1] ?? '')
  return toLine(text?.[1]?.replace(/\\(.)/g, '$1') ?? text?.[2] ?? '') || null
}

/** Skip white space, comments and the ends of statements. Return whether anything follows. */
function skipBlank(cursor: Cursor): boolean {
  while (read(cursor, /[\s;]+|%%[^\n]*|```+[^\n]*/y));
  return cursor.index < cursor.text.length
}

/** The colours of the categories, as this service writes them. */
const categoryColour = new RegExp(`classDef[ \\t]+(?:${deviceCategories.join('|')})[ \\t][^\\n]*`, 'y')
const ignoredStatement = /(?:style|linkStyle|classDef|class|click|accTitle|accDescr)(?=[ \t:{])/y

function readNextLine(chart: Chart): void {
  const { cursor } = chart
  const start = cursor.index
  if (read(cursor, /end(?![\w-])/y)) {
    if (chart.openGroupIds.pop() === undefined) skipRest(chart, start, 'there is no subgraph to end')
  } else if (read(cursor, /subgraph(?![\w-])/y)) openGroup(chart)
  else if (read(cursor, categoryColour) ?? read(cursor, /direction[ \t]+(?:TB|TD|BT|RL|LR)\b/y)) return
  else if (read(cursor, ignoredStatement)) skipRest(chart, start, 'this kind of line is not imported')
  else if (!readChain(chart)) skipRest(chart, start, 'it is not understood')
}

/** Name the line from `start` as skipped, and go to its end. */
function skipRest(chart: Chart, start: number, reason: string): void {
  const { cursor } = chart
  // After a label of several lines, the cursor is on a later one.
  const end = cursor.text.indexOf('\n', Math.max(start, cursor.index))
  addSkipped(
    chart,
    `Line “${toLine(cursor.text.slice(start, start + 80).split('\n', 1)[0] ?? '')}”: ${reason}`,
  )
  cursor.index = end < 0 ? cursor.text.length : end
}

function addSkipped(chart: Chart, description: string): void {
  chart.skippedCount++
  if (chart.skipped.length < maxListedParts) chart.skipped.push(description)
}

/** Read `subgraph id [title]`, `subgraph id` and `subgraph A title`. */
function openGroup(chart: Chart): void {
  const { cursor } = chart
  skipSpaces(cursor)
  const start = cursor.index
  const node = readNode(cursor)
  if (node && node.label === undefined) readTitle(cursor, node)
  skipSpaces(cursor)
  const isWhole = node && /^(?:$|[\n;]|%%)/.test(cursor.text.slice(cursor.index, cursor.index + 2))
  if (!isWhole) cursor.index = start
  const title = isWhole ? undefined : (read(cursor, /[^\n;]*/y)?.[0] ?? '').trim().replace(/^"(.*)"$/s, '$1')
  const id = isWhole ? node.id : createGroupId(chart)
  const part = addPart(chart, {
    id,
    label: isWhole ? node.label : title,
    shape: undefined,
    className: undefined,
  })
  if (part) part.isGroup = true
  chart.openGroupIds.push(id)
  if (chart.openGroupIds.length > maxGroupDepth) throw createDepthError()
}

const createDepthError = () =>
  new DiagramFileError(`The flowchart has more than ${maxGroupDepth} levels of subgraphs`)

/** Read a title after a space. */
function readTitle(cursor: Cursor, node: MermaidNode): void {
  const title = read(cursor, /[ \t]+\[(?:\s*"([^"]*)"\s*|([^\]\n]*))\]/y)
  if (title) node.label = title[1] ?? title[2]
}

function createGroupId({ parts }: Chart): string {
  let number = parts.size
  while (parts.has(`subgraph${number}`)) number++
  return `subgraph${number}`
}

/** Read nodes with the links between them. Return false when something is left on the line. */
function readChain(chart: Chart): boolean {
  const { cursor } = chart
  let sources = readNodes(chart)
  if (sources.length === 0) return false
  for (;;) {
    skipSpaces(cursor)
    const link = readLink(cursor)
    if (!link) return /^(?:$|[\n;]|%%)/.test(cursor.text.slice(cursor.index, cursor.index + 2))
    skipSpaces(cursor)
    // The next node may be on the next line.
    read(cursor, /\s*/y)
    const targets = readNodes(chart)
    if (targets.length === 0) return false
    if (link.kind === 'invisible')
      addSkipped(chart, `Line from “${sources[0]}” to “${targets[0]}”: it is invisible`)
    else addEdges(chart, sources, targets, link)
    sources = targets
  }
}

/** Read `a & b`. */
function readNodes(chart: Chart): string[] {
  const ids: string[] = []
  do {
    const node = readNode(chart.cursor)
    if (!node) return []
    if (addPart(chart, node)) ids.push(node.id)
  } while (read(chart.cursor, /\s+&\s+/y))
  return ids
}

function addPart(chart: Chart, { id, label, shape, className }: MermaidNode): Part | undefined {
  const { parts, openGroupIds } = chart
  if (id.length > maxIdLength) {
    addSkipped(chart, `Node “${toLine(id).slice(0, 80)}”: its id is too long`)
    return undefined
  }
  const part = parts.get(id) ?? {
    label: undefined,
    shape: undefined,
    className: undefined,
    parentId: undefined,
    isGroup: false,
  }
  if (parts.size >= diagramLimits.maxNodes && !parts.has(id))
    throw new DiagramFileError(`The flowchart has more than ${diagramLimits.maxNodes} nodes and subgraphs`)
  parts.set(id, part)
  part.label = label ?? part.label
  part.shape = shape ?? part.shape
  part.className = className ?? part.className
  const parentId = openGroupIds.at(-1)
  if (part.parentId === undefined && parentId !== undefined && !isInGroup(parentId, id, parts))
    part.parentId = parentId
  return part
}

/** Return whether a group is another one, or in it. Throw when it is in too many. */
function isInGroup(id: string, outerId: string, parts: ReadonlyMap<string, Part>): boolean {
  let current: string | undefined = id
  for (let depth = 1; current !== undefined && current !== outerId; depth++) {
    if (depth > maxGroupDepth) throw createDepthError()
    current = parts.get(current)?.parentId
  }
  return current === outerId
}

/** Link each source to each target. All have the label of the link, which is read once. */
function addEdges(
  { edges }: Chart,
  sources: readonly string[],
  targets: readonly string[],
  { label, kind }: MermaidLink,
): void {
  const count = sources.length * targets.length
  if (edges.length + count > diagramLimits.maxEdges)
    throw new DiagramFileError(`The flowchart has more than ${diagramLimits.maxEdges} links`)
  const text = readText(label)
  spendBytes(count * text.length)
  const style =
    kind === 'dotted'
      ? { strokeDasharray: '6 4' }
      : kind === 'thick'
        ? { strokeWidth: thickWidth }
        : undefined
  for (const source of sources)
    for (const target of targets)
      edges.push({
        id: `e${edges.length + 1}`,
        source,
        target,
        ...(text ? { label: text } : {}),
        ...(style ? { style } : {}),
      })
}

function createNode(id: string, { label = id, shape, className, parentId, isGroup }: Part): DiagramNode {
  const text = readText(label) || id
  const place = { position: { x: 0, y: 0 }, ...(parentId === undefined ? {} : { parent_id: parentId }) }
  if (isGroup) return { id, type: groupType, ...place, data: { label: text } }
  const category = findCategory(`${label} ${id}`, shape, className)
  return { id, type: category, ...place, data: { label: text, category } }
}

/**
 * Return the category that the class names, that the words mean, or that the shape has in the pictures of
 * mermaid.
 */
function findCategory(words: string, shape = '', className = ''): DeviceCategory {
  const named = deviceCategories.find((category) => category === className)
  const guessed = guessCategory(words)
  return (
    named ??
    (guessed === 'compute' && /^(?:\[\(|cyl|database|db|das|disk|lin-cyl)/.test(shape) ? 'storage' : guessed)
  )
}

/** Convert a label with entity codes, tags and icons to one line of text. */
function readText(label: string): string {
  const html = label
    .replace(/^\s*`|`\s*$/g, '')
    .replace(/#(\d{1,7}|[a-z]\w{1,10});/gi, (_, code: string) =>
      /^\d/.test(code) ? `&#${code};` : `&${code};`,
    )
    .replace(/\bfa[a-z]?:fa-[\w-]+/g, ' ')
  return toLine(htmlToText(html))
}
