import { parseNumber } from './boxes.ts'
import { chooseReadableColour, parseColour } from './colours.ts'
import { round } from './edge-paths.ts'
import { type DeviceCategory, type DiagramNode, getCategory } from './schema.ts'

// What the formats that draw a diagram have in common: the colours, lines and dashes of nodes and edges.

type Style = Record<string, unknown>

export const colourByCategory: Record<DeviceCategory, string> = {
  network: '#1d4ed8',
  compute: '#4338ca',
  storage: '#7c2d12',
  cloud: '#0e7490',
  endpoint: '#15803d',
  infrastructure: '#525252',
  security: '#b91c1c',
}
const defaultStrokeWidth = 1.5
// https://www.w3.org/TR/WCAG22/#contrast-minimum
const minContrast = 4.5

export interface NodeColours {
  fill: string
  stroke: string
  text: string
  icon: string
}

/** Return the colours of a node. Those of its text and its icon can be read on its fill. */
export function readNodeColours(node: DiagramNode, isGroup: boolean): NodeColours {
  const { style = {} } = node
  const colour = isGroup ? '#94a3b8' : colourByCategory[getCategory(node)]
  const stroke = parseColour(style.borderColor) ?? parseColour(style.stroke) ?? colour
  const defaultFill = isGroup ? '#f8fafc' : '#ffffff'
  const fill =
    parseColour(style.backgroundColor) ??
    parseColour(style.background) ??
    parseColour(style.fill) ??
    defaultFill
  const styleColour = parseColour(style.color) ?? parseColour(style.fontColor)
  const text = chooseReadableColour([...(styleColour ? [styleColour] : []), '#111827'], fill, minContrast)
  return { fill, stroke, text, icon: chooseReadableColour([stroke, colour, text], fill, minContrast) }
}

export function readEdgeColour({ stroke, color }: Style): string {
  return parseColour(stroke) ?? parseColour(color) ?? '#6b7280'
}

export function parseStrokeWidth({ strokeWidth, borderWidth }: Style): number {
  const width = parseNumber(strokeWidth) ?? parseNumber(borderWidth)
  return width === undefined ? defaultStrokeWidth : round(Math.min(Math.max(width, 0.5), 12))
}

/** Return the lengths of dashes and of the gaps between them, or undefined for a whole line. */
export function readDashes({ strokeDasharray, borderStyle }: Style): string | undefined {
  if (typeof strokeDasharray === 'string' && /^\d{1,3}([ ,]+\d{1,3}){0,7}$/.test(strokeDasharray.trim()))
    return strokeDasharray.trim()
  if (borderStyle === 'dashed') return '6 4'
  return borderStyle === 'dotted' ? '2 4' : undefined
}
