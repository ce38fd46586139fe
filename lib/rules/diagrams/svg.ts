import { canSpend, spend } from '#rules/budget.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { escapeXml } from '#rules/text/xml.ts'
import { parseStrokeWidth, readDashes, readEdgeColour, readNodeColours } from './appearance.ts'
import { computeViewBox, lineHeight, wrapText } from './boxes.ts'
import { createLabelBox, createLabelPlacer, formatLabel } from './edge-labels.ts'
import {
  type Box,
  createCurvedPath,
  createLoopPath,
  createStepPath,
  createStraightPath,
  moveAside,
  type Point,
  round,
} from './edge-paths.ts'
import { computeBoxes, computeDepths, findGroupIds } from './groups.ts'
import {
  type DeviceCategory,
  type DiagramContent,
  type DiagramEdge,
  type DiagramNode,
  getCategory,
  getLabel,
} from './schema.ts'

// Renders a diagram as SVG. The result is safe to open: it contains only numbers, colours and escaped text
// from the diagram.

/** The icons are paths in a square of 24 by 24. */
const iconByCategory: Record<DeviceCategory, string> = {
  network: 'M2 9h20v6H2zM6 12h.01M10 12h.01M14 12h4M7 9V5M17 9V5M7 15v4M17 15v4',
  compute: 'M4 3h16v6H4zM4 10h16v6H4zM7 6h.01M7 13h.01M12 16v5M8 21h8',
  storage: 'M4 6c0-4 16-4 16 0s-16 4-16 0v12c0 4 16 4 16 0V6M4 12c0 4 16 4 16 0',
  cloud: 'M7 19a5 5 0 0 1-1-9.9A6.5 6.5 0 0 1 18.500 8.500 5.300 5.300 0 0 1 18 19z',
  endpoint: 'M3 4h18v12H3zM9 20h6M12 16v4',
  infrastructure: 'M13 2 5 14h6l-1 8 9-13h-6z',
  security: 'M12 2l8 3v6c0 6-4 9-8 11-4-2-8-5-8-11V5zM9 12l2 2 4-4',
}
const pathByRouting = { straight: createStraightPath, curved: createCurvedPath, step: createStepPath }
const fontFamily = 'font-family="system-ui, sans-serif"'

// Measured, with the search for the place of a label.
const stepsPerNode = 2000
const stepsPerEdge = 1000
const stepsPerLabel = 2500

/**
 * Render a diagram with a margin around it. Nodes and edges that take too much work are left out, with a
 * mark.
 */
export function renderSvg(name: string, diagram: DiagramContent): string {
  const take = (steps: number): boolean => {
    if (!canSpend(steps)) return false
    spend(steps)
    return true
  }
  const nodes = diagram.nodes.filter((node) => take(stepsPerNode + getLabel(node).length))
  const edges = diagram.edges.filter(({ label = '' }) =>
    take(stepsPerEdge + (label === '' ? 0 : stepsPerLabel + label.length)),
  )
  const isCut = nodes.length < diagram.nodes.length || edges.length < diagram.edges.length
  const boxById = computeBoxes(nodes)
  const { x, y, width, height } = computeViewBox([...boxById.values()])
  const placeLabel = createLabelPlacer()
  const renderedEdges = findLanes(edges).flatMap(({ edge, lane }) => {
    const from = boxById.get(edge.source)
    const to = boxById.get(edge.target)
    return from && to ? [renderEdge(edge, from, to, lane, placeLabel)] : []
  })
  const [groupIds, depthById] = [findGroupIds(nodes), computeDepths(nodes)]
  const isGroup = ({ id }: DiagramNode) => groupIds.has(id)
  // A frame is drawn before those in it.
  const groups = nodes
    .filter(isGroup)
    .toSorted((a, b) => (depthById.get(a.id) ?? 0) - (depthById.get(b.id) ?? 0))
  const renderedGroups = groups.map((node) => `${renderGroup(node, boxById.get(node.id) as Box)}\n`)
  const renderedNodes = nodes
    .filter((node) => !isGroup(node))
    .map((node) => renderNode(node, boxById.get(node.id) as Box))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(name)}</title>
<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#ffffff"/>
${renderedGroups.join('')}${renderedEdges.map(({ line }) => line).join('\n')}
${renderedNodes.join('\n')}
${renderedEdges.map(({ label }) => label).join('\n')}
${isCut ? `<text ${fontFamily} font-size="12" x="${x + 8}" y="${y + 18}">${shortenedMark}</text>\n` : ''}</svg>
`
}

function renderGroup(node: DiagramNode, { x, y, width, height }: Box): string {
  const { style = {} } = node
  const { fill, stroke, text } = readNodeColours(node, true)
  const label = wrapText(getLabel(node), Math.max(5, Math.floor((width - 24) / charWidth)), 1)[0] ?? ''
  return `<g><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${fill}" stroke="${stroke}" stroke-width="${parseStrokeWidth(style)}"${formatDashes(style)}/>
<text ${fontFamily} font-size="12" font-weight="bold" fill="${text}" x="${round(x + 12)}" y="${round(y + 20)}">${escapeXml(label)}</text></g>`
}

/** Of a letter of 12 px. */
const charWidth = 7

function renderNode(node: DiagramNode, { x, y, width, height }: Box): string {
  const { style = {} } = node
  const { fill, stroke, text, icon } = readNodeColours(node, false)
  const centreX = x + width / 2
  const labelLines = wrapText(getLabel(node)).map((line, index) => {
    const lineY = y + 50 + index * lineHeight
    return `<tspan x="${round(centreX)}" y="${round(lineY)}">${escapeXml(line)}</tspan>`
  })
  return `<g><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${fill}" stroke="${stroke}" stroke-width="${parseStrokeWidth(style)}"${formatDashes(style)}/>
<path transform="translate(${round(centreX - 12)} ${y + 8})" d="${iconByCategory[getCategory(node)]}" fill="none" stroke="${icon}" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>
<text ${fontFamily} font-size="12" text-anchor="middle" fill="${text}">${labelLines.join('')}</text></g>`
}

/** The distance between parallel lines, in pixels. */
const laneWidth = 22

/**
 * Move edges between the same nodes apart. Return the distance of each, in pixels; it is positive on the
 * right of the way from the smaller id.
 */
function findLanes(edges: readonly DiagramEdge[]): { edge: DiagramEdge; lane: number }[] {
  const getPair = ({ source, target }: DiagramEdge) => JSON.stringify([source, target].toSorted())
  const countByPair = new Map<string, number>()
  for (const edge of edges) countByPair.set(getPair(edge), (countByPair.get(getPair(edge)) ?? 0) + 1)
  const usedByPair = new Map<string, number>()
  return edges.map((edge) => {
    const index = usedByPair.get(getPair(edge)) ?? 0
    usedByPair.set(getPair(edge), index + 1)
    const lane = (index - ((countByPair.get(getPair(edge)) ?? 1) - 1) / 2) * laneWidth
    return { edge, lane: edge.source < edge.target ? lane : -lane }
  })
}

type PlaceLabel = ReturnType<typeof createLabelPlacer>

/** Return the line and its label separately, because all labels are drawn above the nodes. */
function renderEdge(
  edge: DiagramEdge,
  from: Box,
  to: Box,
  lane: number,
  placeLabel: PlaceLabel,
): { line: string; label: string } {
  const { label, routing = 'straight', style = {} } = edge
  const { path, labelPositions } =
    from === to ? createLoopPath(from, Math.abs(lane)) : pathByRouting[routing](...moveAside(from, to, lane))
  const line = `<path d="${path}" fill="none" stroke="${readEdgeColour(style)}" stroke-width="${parseStrokeWidth(style)}"${formatDashes(style)}/>`
  return { line, label: label?.trim() ? renderEdgeLabel(label.trim(), labelPositions, placeLabel) : '' }
}

function renderEdgeLabel(text: string, positions: readonly Point[], placeLabel: PlaceLabel): string {
  const line = formatLabel(text)
  const { x, y, width, height } = placeLabel(
    positions.map((position) => createLabelBox(line, position)) as [Box, ...Box[]],
  )
  return `<g><rect x="${round(x)}" y="${round(y)}" width="${width}" height="${height}" rx="3" fill="#ffffff" fill-opacity="0.9"/>
<text ${fontFamily} font-size="11" text-anchor="middle" fill="#374151" x="${round(x + width / 2)}" y="${round(y + 13)}">${escapeXml(line)}</text></g>`
}

/** Return the attribute with a space before it, or an empty text. */
function formatDashes(style: DiagramNode['style'] = {}): string {
  const dashes = readDashes(style)
  return dashes ? ` stroke-dasharray="${dashes}"` : ''
}
