import { draw, drawLine, type Sheets, short } from './file.ts'
import type { Fonts, Order } from './fonts.ts'
import { type Line, layOut, settleMarks } from './text.ts'

export const page = { width: 595, height: 842 }
export const margin = 54
const top = page.height - 84
const bottom = 74

export interface Look {
  size: number
  /** `r g b`, 0 to 1. */
  colour: string
  bold?: boolean
  /** Points from the left margin. */
  indent?: number
  /** Points below. */
  after?: number
  order?: Order
  /** What is behind it. */
  back?: string
  /** At least so many more points must be left on the page. */
  keep?: number
}

/** Text that runs down the pages, and where on the last of them it has come to. */
export interface Flow {
  sheets: Sheets
  order: Order
  y: number
}

export function beginFlow(fonts: Fonts, order: Order): Flow {
  return { sheets: { fonts, shown: new Map(), pages: [[]] }, order, y: top }
}

export function space(flow: Flow, points: number): void {
  flow.y -= points
}

/** Lines of a text below one another, each of them wrapped; a new page begins where they do not fit any more. */
export function write(flow: Flow, text: string, look: Look): void {
  for (const line of text.split(/\r\n?|\n/)) paragraph(flow, line, look)
  flow.y -= look.after ?? 0
}

function paragraph(flow: Flow, text: string, look: Look): void {
  const { size, indent = 0, keep = 0, back } = look
  const wide = page.width - 2 * margin - indent
  const room = wide - (back ? 12 : 0)
  const height = size * 1.42
  for (const line of linesOf(flow, text, look, room)) {
    if (flow.y - height - keep < bottom) {
      flow.sheets.pages.push([])
      flow.y = top
    }
    flow.y -= height
    const left = margin + indent + (back ? 6 : 0)
    if (back) draw(flow.sheets, `${back} rg ${margin + indent} ${short(flow.y - size * 0.4)} ${wide} ${short(height)} re f`)
    const x = line.rtl ? left + room - (line.width * size) / 1000 : left
    drawLine(flow.sheets, line, x, flow.y, size, look)
  }
}

/** A text in lines of so many points. */
export function linesOf({ sheets: { fonts }, order: usual }: Flow, text: string, { size, order }: Look, room: number): Line[] {
  const lines = layOut(fonts, text, order ?? usual, (room * 1000) / size)
  for (const line of lines) settleMarks(fonts, line)
  return lines
}

export function rule(flow: Flow, colour: string): void {
  flow.y -= 4
  draw(flow.sheets, `${colour} RG 0.8 w ${margin} ${short(flow.y)} m ${page.width - margin} ${short(flow.y)} l S`)
  flow.y -= 4
}
