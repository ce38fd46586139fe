import { type Box, curved, loop, type Point, round, step, straight } from './routes.ts'
import { categoryOf, type DeviceCategory, type DiagramEdge, type DiagramNode, type Drawing, labelOf } from './shapes.ts'

// A picture of a diagram that is safe to open: only numbers, colours and escaped text from the diagram itself reach it.

const looks: Record<DeviceCategory, { colour: string; icon: string }> = {
  network: { colour: '#1d4ed8', icon: 'M2 9h20v6H2zM6 12h.01M10 12h.01M14 12h4M7 9V5M17 9V5M7 15v4M17 15v4' },
  compute: { colour: '#4338ca', icon: 'M4 3h16v6H4zM4 10h16v6H4zM7 6h.01M7 13h.01M12 16v5M8 21h8' },
  storage: { colour: '#7c2d12', icon: 'M4 6c0-4 16-4 16 0s-16 4-16 0v12c0 4 16 4 16 0V6M4 12c0 4 16 4 16 0' },
  cloud: { colour: '#0e7490', icon: 'M7 19a5 5 0 0 1-1-9.9A6.5 6.5 0 0 1 18.500 8.500 5.300 5.300 0 0 1 18 19z' },
  endpoint: { colour: '#15803d', icon: 'M3 4h18v12H3zM9 20h6M12 16v4' },
  infrastructure: { colour: '#525252', icon: 'M13 2 5 14h6l-1 8 9-13h-6z' },
  security: { colour: '#b91c1c', icon: 'M12 2l8 3v6c0 6-4 9-8 11-4-2-8-5-8-11V5zM9 12l2 2 4-4' },
}
const named = new Set(
  'black white red green blue orange purple gray grey yellow brown teal navy maroon olive silver transparent'.split(' '),
)
const font = 'font-family="system-ui, sans-serif"'
const lineHeight = 15

/** An SVG document of the whole drawing with a margin around it. */
export function svgOf(name: string, { nodes, edges }: Drawing): string {
  const boxes = new Map(nodes.map((node) => [node.id, boxOf(node)]))
  const { x, y, width, height } = around([...boxes.values()])
  const lines = edges.flatMap((edge) => {
    const [from, to] = [boxes.get(edge.source), boxes.get(edge.target)]
    return from && to ? [drawEdge(edge, from, to)] : []
  })
  const drawn = nodes.map((node) => drawNode(node, boxes.get(node.id) as Box))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${x} ${y} ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(name)}</title>
<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#ffffff"/>
${lines.map(({ line }) => line).join('\n')}
${drawn.join('\n')}
${lines.map(({ label }) => label).join('\n')}
</svg>
`
}

function boxOf({ position, style, ...node }: DiagramNode): Box {
  const lines = wrap(labelOf({ position, ...node }))
  const wide = Math.max(...lines.map((line) => widthOf(line)))
  return {
    ...position,
    width: size(style?.width) ?? Math.max(120, Math.ceil(wide) + 24),
    height: Math.max(size(style?.height) ?? 0, 48 + lines.length * lineHeight),
  }
}

function around(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return { x: 0, y: 0, width: 400, height: 200 }
  const edge = (of: (box: Box) => number, pick: (a: number, b: number) => number) => boxes.map(of).reduce(pick)
  const margin = 40
  const left = Math.floor(
    edge(
      (box) => box.x,
      (a, b) => Math.min(a, b),
    ) - margin,
  )
  const top = Math.floor(
    edge(
      (box) => box.y,
      (a, b) => Math.min(a, b),
    ) - margin,
  )
  const right = Math.ceil(
    edge(
      (box) => box.x + box.width,
      (a, b) => Math.max(a, b),
    ) + margin,
  )
  const bottom = Math.ceil(
    edge(
      (box) => box.y + box.height,
      (a, b) => Math.max(a, b),
    ) + margin,
  )
  return { x: left, y: top, width: right - left, height: bottom - top }
}

function drawNode(node: DiagramNode, { x, y, width, height }: Box): string {
  const { colour, icon } = looks[categoryOf(node)]
  const { style = {} } = node
  const stroke = colourOf(style.borderColor) ?? colourOf(style.stroke) ?? colour
  const fill = colourOf(style.backgroundColor) ?? colourOf(style.background) ?? colourOf(style.fill) ?? '#ffffff'
  const text = colourOf(style.color) ?? colourOf(style.fontColor) ?? '#111827'
  const centre = x + width / 2
  const lines = wrap(labelOf(node)).map(
    (line, index) => `<tspan x="${round(centre)}" y="${round(y + 50 + index * lineHeight)}">${escaped(line)}</tspan>`,
  )
  return `<g><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${fill}" stroke="${stroke}" stroke-width="${lineWidth(style) ?? 1.5}"${dashes(style)}/>
<path transform="translate(${round(centre - 12)} ${y + 8})" d="${icon}" fill="none" stroke="${stroke}" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>
<text ${font} font-size="12" text-anchor="middle" fill="${text}">${lines.join('')}</text></g>`
}

function drawEdge({ label, routing = 'straight', style = {} }: DiagramEdge, from: Box, to: Box): { line: string; label: string } {
  const { path, at } = from === to ? loop(from) : { straight, curved, step }[routing](from, to)
  const colour = colourOf(style.stroke) ?? colourOf(style.color) ?? '#6b7280'
  const line = `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${lineWidth(style) ?? 1.5}"${dashes(style)}/>`
  return { line, label: label?.trim() ? drawLabel(label.trim(), at) : '' }
}

function drawLabel(text: string, { x, y }: Point): string {
  const [line = ''] = wrap(text, 30, 1)
  const width = Math.ceil(widthOf(line)) + 8
  return `<g><rect x="${round(x - width / 2)}" y="${round(y - 9)}" width="${width}" height="18" rx="3" fill="#ffffff" fill-opacity="0.9"/>
<text ${font} font-size="11" text-anchor="middle" fill="#374151" x="${round(x)}" y="${round(y + 4)}">${escaped(line)}</text></g>`
}

/** Lines of at most `wide` characters; what is left over after `lines` is cut with an ellipsis. */
function wrap(text: string, wide = 22, lines = 3): string[] {
  const rows: string[] = []
  for (const word of text
    .split(/\s+/)
    .flatMap((part) => (Array.from(part).length > wide ? (part.match(new RegExp(`.{1,${wide}}`, 'gu')) ?? []) : [part]))) {
    const last = rows.at(-1)
    if (last !== undefined && Array.from(`${last} ${word}`).length <= wide) rows[rows.length - 1] = `${last} ${word}`
    else rows.push(word)
  }
  return rows.length <= lines ? rows : [...rows.slice(0, lines - 1), `${rows[lines - 1]}…`]
}

/** About how wide a text is at 12 px: wide scripts take a whole em. */
function widthOf(text: string): number {
  let width = 0
  for (const char of text) width += (char.codePointAt(0) ?? 0) > 0x2e80 ? 12.5 : 7
  return width
}

function colourOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim().toLowerCase()
  return /^#([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(text) || named.has(text) ? text : undefined
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,4}(\.\d{1,2})?(px)?$/.test(value.trim()) ? Number.parseFloat(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

function lineWidth({ strokeWidth, borderWidth }: Record<string, unknown>): number | undefined {
  const width = numberOf(strokeWidth) ?? numberOf(borderWidth)
  return width === undefined ? undefined : round(Math.min(Math.max(width, 0.5), 12))
}

function size(value: unknown): number | undefined {
  const number = numberOf(value)
  return number === undefined ? undefined : round(Math.min(Math.max(number, 40), 1200))
}

function dashes({ strokeDasharray, borderStyle }: Record<string, unknown>): string {
  if (typeof strokeDasharray === 'string' && /^\d{1,3}([ ,]+\d{1,3}){0,7}$/.test(strokeDasharray.trim()))
    return ` stroke-dasharray="${strokeDasharray.trim()}"`
  return borderStyle === 'dashed' ? ' stroke-dasharray="6 4"' : borderStyle === 'dotted' ? ' stroke-dasharray="2 4"' : ''
}

/** Text as XML takes it: markup escaped, characters that XML forbids left out. */
function escaped(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML forbids
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
  )
}
