import { type Box, createCurvedPath, createLoopPath, createStepPath, createStraightPath, type Point, round } from './edge-paths.ts'
import { type DeviceCategory, type DiagramContent, type DiagramEdge, type DiagramNode, getCategory, getLabel } from './schema.ts'

// Renders a diagram as SVG. The result is safe to open: it contains only numbers, colours and escaped text from the diagram.

type Style = Record<string, unknown>

/** The icons are paths in a square of 24 by 24. */
const appearanceByCategory: Record<DeviceCategory, { colour: string; icon: string }> = {
  network: { colour: '#1d4ed8', icon: 'M2 9h20v6H2zM6 12h.01M10 12h.01M14 12h4M7 9V5M17 9V5M7 15v4M17 15v4' },
  compute: { colour: '#4338ca', icon: 'M4 3h16v6H4zM4 10h16v6H4zM7 6h.01M7 13h.01M12 16v5M8 21h8' },
  storage: { colour: '#7c2d12', icon: 'M4 6c0-4 16-4 16 0s-16 4-16 0v12c0 4 16 4 16 0V6M4 12c0 4 16 4 16 0' },
  cloud: { colour: '#0e7490', icon: 'M7 19a5 5 0 0 1-1-9.9A6.5 6.5 0 0 1 18.500 8.500 5.300 5.300 0 0 1 18 19z' },
  endpoint: { colour: '#15803d', icon: 'M3 4h18v12H3zM9 20h6M12 16v4' },
  infrastructure: { colour: '#525252', icon: 'M13 2 5 14h6l-1 8 9-13h-6z' },
  security: { colour: '#b91c1c', icon: 'M12 2l8 3v6c0 6-4 9-8 11-4-2-8-5-8-11V5zM9 12l2 2 4-4' },
}
const namedColours = new Set(
  'black white red green blue orange purple gray grey yellow brown teal navy maroon olive silver transparent'.split(' '),
)
const pathByRouting = { straight: createStraightPath, curved: createCurvedPath, step: createStepPath }
const fontFamily = 'font-family="system-ui, sans-serif"'
const lineHeight = 15
const margin = 40
const defaultStrokeWidth = 1.5

/** Render a diagram with a margin around it. */
export function renderSvg(name: string, { nodes, edges }: DiagramContent): string {
  const boxById = new Map(nodes.map((node) => [node.id, computeBox(node)]))
  const { x, y, width, height } = computeViewBox([...boxById.values()])
  const renderedEdges = edges.flatMap((edge) => {
    const from = boxById.get(edge.source)
    const to = boxById.get(edge.target)
    return from && to ? [renderEdge(edge, from, to)] : []
  })
  const renderedNodes = nodes.map((node) => renderNode(node, boxById.get(node.id) as Box))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(name)}</title>
<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#ffffff"/>
${renderedEdges.map(({ line }) => line).join('\n')}
${renderedNodes.join('\n')}
${renderedEdges.map(({ label }) => label).join('\n')}
</svg>
`
}

/** Return the position and size of a node. It is at least as large as its label. */
function computeBox(node: DiagramNode): Box {
  const { position, style } = node
  const lines = wrapText(getLabel(node))
  const textWidth = Math.max(...lines.map((line) => estimateWidth(line)))
  const minHeight = 48 + lines.length * lineHeight
  return {
    ...position,
    width: parseSize(style?.width) ?? Math.max(120, Math.ceil(textWidth) + 24),
    height: Math.max(parseSize(style?.height) ?? 0, minHeight),
  }
}

/** Return the smallest box around all boxes, with a margin. */
function computeViewBox(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return { x: 0, y: 0, width: 400, height: 200 }
  let left = Number.POSITIVE_INFINITY
  let top = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  let bottom = Number.NEGATIVE_INFINITY
  for (const box of boxes) {
    left = Math.min(left, box.x)
    top = Math.min(top, box.y)
    right = Math.max(right, box.x + box.width)
    bottom = Math.max(bottom, box.y + box.height)
  }
  const x = Math.floor(left - margin)
  const y = Math.floor(top - margin)
  return { x, y, width: Math.ceil(right + margin) - x, height: Math.ceil(bottom + margin) - y }
}

function renderNode(node: DiagramNode, { x, y, width, height }: Box): string {
  const { colour, icon } = appearanceByCategory[getCategory(node)]
  const { style = {} } = node
  const stroke = parseColour(style.borderColor) ?? parseColour(style.stroke) ?? colour
  const fill = parseColour(style.backgroundColor) ?? parseColour(style.background) ?? parseColour(style.fill) ?? '#ffffff'
  const textColour = parseColour(style.color) ?? parseColour(style.fontColor) ?? '#111827'
  const centreX = x + width / 2
  const labelLines = wrapText(getLabel(node)).map((line, index) => {
    const lineY = y + 50 + index * lineHeight
    return `<tspan x="${round(centreX)}" y="${round(lineY)}">${escapeXml(line)}</tspan>`
  })
  return `<g><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${fill}" stroke="${stroke}" stroke-width="${parseStrokeWidth(style)}"${formatDashes(style)}/>
<path transform="translate(${round(centreX - 12)} ${y + 8})" d="${icon}" fill="none" stroke="${stroke}" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>
<text ${fontFamily} font-size="12" text-anchor="middle" fill="${textColour}">${labelLines.join('')}</text></g>`
}

/** Return the line and its label separately, because all labels are drawn above the nodes. */
function renderEdge({ label, routing = 'straight', style = {} }: DiagramEdge, from: Box, to: Box): { line: string; label: string } {
  const { path, labelPosition } = from === to ? createLoopPath(from) : pathByRouting[routing](from, to)
  const colour = parseColour(style.stroke) ?? parseColour(style.color) ?? '#6b7280'
  const line = `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${parseStrokeWidth(style)}"${formatDashes(style)}/>`
  return { line, label: label?.trim() ? renderEdgeLabel(label.trim(), labelPosition) : '' }
}

function renderEdgeLabel(text: string, { x, y }: Point): string {
  const [line = ''] = wrapText(text, 30, 1)
  const width = Math.ceil(estimateWidth(line)) + 8
  return `<g><rect x="${round(x - width / 2)}" y="${round(y - 9)}" width="${width}" height="18" rx="3" fill="#ffffff" fill-opacity="0.9"/>
<text ${fontFamily} font-size="11" text-anchor="middle" fill="#374151" x="${round(x)}" y="${round(y + 4)}">${escapeXml(line)}</text></g>`
}

/** Break a text into at most `maxLines` lines of at most `maxLength` characters. A text that is too long ends with an ellipsis. */
function wrapText(text: string, maxLength = 22, maxLines = 3): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).flatMap((part) => splitLongWord(part, maxLength))) {
    const lastLine = lines.at(-1)
    const extendedLine = `${lastLine} ${word}`
    if (lastLine !== undefined && Array.from(extendedLine).length <= maxLength) lines[lines.length - 1] = extendedLine
    else lines.push(word)
  }
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), `${lines[maxLines - 1]}…`]
}

function splitLongWord(word: string, maxLength: number): string[] {
  if (Array.from(word).length <= maxLength) return [word]
  return word.match(new RegExp(`.{1,${maxLength}}`, 'gu')) ?? []
}

/** Estimate the width of a text of 12 px in pixels. Characters of East Asian scripts take about one em. */
function estimateWidth(text: string): number {
  let width = 0
  for (const char of text) width += (char.codePointAt(0) ?? 0) > 0x2e80 ? 12.5 : 7
  return width
}

function parseColour(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const colour = value.trim().toLowerCase()
  const isHex = /^#([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(colour)
  return isHex || namedColours.has(colour) ? colour : undefined
}

/** Parse a number, or a text such as `12` or `1.5px`. */
function parseNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,4}(\.\d{1,2})?(px)?$/.test(value.trim()) ? Number.parseFloat(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

function parseStrokeWidth({ strokeWidth, borderWidth }: Style): number {
  const width = parseNumber(strokeWidth) ?? parseNumber(borderWidth)
  return width === undefined ? defaultStrokeWidth : round(Math.min(Math.max(width, 0.5), 12))
}

function parseSize(value: unknown): number | undefined {
  const size = parseNumber(value)
  return size === undefined ? undefined : round(Math.min(Math.max(size, 40), 1200))
}

/** Return the attribute with a space before it, or an empty text. */
function formatDashes({ strokeDasharray, borderStyle }: Style): string {
  if (typeof strokeDasharray === 'string' && /^\d{1,3}([ ,]+\d{1,3}){0,7}$/.test(strokeDasharray.trim()))
    return ` stroke-dasharray="${strokeDasharray.trim()}"`
  if (borderStyle === 'dashed') return ' stroke-dasharray="6 4"'
  return borderStyle === 'dotted' ? ' stroke-dasharray="2 4"' : ''
}

/** Escape markup and remove the characters that XML does not allow. */
function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  )
}
