import { canSpend, spend } from '#rules/budget.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { colourByCategory, parseStrokeWidth, readDashes } from './appearance.ts'
import { toLine } from './drawio-labels.ts'
import { findGroupIds } from './groups.ts'
import {
  type DeviceCategory,
  type DiagramContent,
  type DiagramEdge,
  type DiagramNode,
  deviceCategories,
  getCategory,
  getLabel,
} from './schema.ts'

const stepsPerPart = 500
/** Lines that are drawn at least this wide. */
export const thickWidth = 3

/** The signs around the label of a device: https://mermaid.js.org/syntax/flowchart.html#node-shapes */
const shapeByCategory: Record<DeviceCategory, readonly [string, string]> = {
  network: ['[', ']'],
  compute: ['[[', ']]'],
  storage: ['[(', ')]'],
  cloud: ['([', '])'],
  endpoint: ['(', ')'],
  infrastructure: ['[/', '/]'],
  security: ['{{', '}}'],
}
const reservedIds = new Set(
  'end graph flowchart subgraph direction style linkstyle classdef class click call href default interpolate acctitle accdescr'.split(
    ' ',
  ),
)

/**
 * Write a diagram as a mermaid flowchart. It has no positions, and no data but labels and categories. What
 * takes too much work is left out, with a mark.
 */
export function writeMermaid(name: string, { nodes, edges }: DiagramContent): string {
  const take = (steps: number): boolean => {
    if (!canSpend(steps)) return false
    spend(steps)
    return true
  }
  const writtenNodes = nodes.filter((node) => take(stepsPerPart + getLabel(node).length))
  const writtenEdges = edges.filter(({ label = '' }) => take(stepsPerPart + label.length))
  const isCut = writtenNodes.length < nodes.length || writtenEdges.length < edges.length
  const idById = chooseIds(writtenNodes)
  const links = writtenEdges.flatMap((edge) => {
    const [source, target] = [idById.get(edge.source), idById.get(edge.target)]
    return source && target ? [`  ${source} ${writeLink(edge)} ${target}`] : []
  })
  const classes = deviceCategories.map(
    (category) => `  classDef ${category} stroke:${colourByCategory[category]}`,
  )
  return [
    '---',
    `title: ${JSON.stringify(toLine(name))}`,
    '---',
    'flowchart TB',
    ...writeNodes(writtenNodes, idById),
    ...links,
    ...classes,
    ...(isCut ? [`  %% ${shortenedMark}`] : []),
    '',
  ].join('\n')
}

/** Keep the ids that mermaid can read, and number the others. */
function chooseIds(nodes: readonly DiagramNode[]): Map<string, string> {
  const usedIds = new Set(nodes.map(({ id }) => id))
  let number = 0
  return new Map(
    nodes.map(({ id }) => {
      if (/^[A-Za-z][A-Za-z0-9_]*$/.test(id) && !reservedIds.has(id.toLowerCase())) return [id, id]
      do number++
      while (usedIds.has(`n${number}`))
      return [id, `n${number}`]
    }),
  )
}

function writeNodes(nodes: readonly DiagramNode[], idById: ReadonlyMap<string, string>): string[] {
  const groupIds = findGroupIds(nodes)
  const childrenById = Map.groupBy(nodes, ({ parent_id }) =>
    parent_id !== undefined && idById.has(parent_id) ? parent_id : undefined,
  )
  // At most as deep as groups may be.
  const writeChildren = (parentId: string | undefined, indent: string): string[] =>
    (childrenById.get(parentId) ?? []).flatMap((node) => {
      const [id, label] = [idById.get(node.id), `"${escapeLabel(getLabel(node))}"`]
      if (groupIds.has(node.id))
        return [`${indent}subgraph ${id}[${label}]`, ...writeChildren(node.id, `${indent}  `), `${indent}end`]
      const category = getCategory(node)
      const [open, close] = shapeByCategory[category]
      return [`${indent}${id}${open}${label}${close}:::${category}`]
    })
  return writeChildren(undefined, '  ')
}

function writeLink({ label = '', style = {} }: DiagramEdge): string {
  const link = readDashes(style) ? '-.-' : parseStrokeWidth(style) >= thickWidth ? '===' : '---'
  return label.trim() ? `${link}|"${escapeLabel(label)}"|` : link
}

/**
 * Write the characters that mermaid or HTML would read as entity codes:
 * https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
 */
function escapeLabel(text: string): string {
  return toLine(text).replace(/[^\p{L}\p{M}\p{N} ,.()/+_-]/gu, (char) => `#${char.codePointAt(0)};`)
}
