import { type PdfFile, short } from './pdf-file.ts'
import type { Fonts, Order } from './pdf-fonts.ts'
import { type Line, layOut, settleMarks } from './pdf-text.ts'

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

/** Lets text run down the pages, and begins a new one where it does not fit any more. */
export class Flow {
  readonly file: PdfFile
  readonly #fonts: Fonts
  readonly #order: Order
  #y = 0

  constructor(file: PdfFile, fonts: Fonts, order: Order) {
    this.file = file
    this.#fonts = fonts
    this.#order = order
    this.#begin()
  }

  #begin(): void {
    this.file.addPage()
    this.#y = top
  }

  space(points: number): void {
    this.#y -= points
  }

  /** Lines of a text below one another, each of them wrapped. */
  text(text: string, look: Look): void {
    for (const line of text.split(/\r\n?|\n/)) this.#paragraph(line, look)
    this.#y -= look.after ?? 0
  }

  #paragraph(text: string, look: Look): void {
    const { size, indent = 0, keep = 0, back } = look
    const room = page.width - 2 * margin - indent - (back ? 12 : 0)
    const height = size * 1.42
    for (const line of this.lines(text, look, room)) {
      if (this.#y - height - keep < bottom) this.#begin()
      this.#y -= height
      const left = margin + indent + (back ? 6 : 0)
      if (back)
        this.file.draw(
          `${back} rg ${margin + indent} ${short(this.#y - size * 0.4)} ${page.width - 2 * margin - indent} ${short(height)} re f`,
        )
      const x = line.rtl ? left + room - (line.width * size) / 1000 : left
      this.file.drawLine(line, x, this.#y, size, look)
    }
  }

  lines(text: string, { size, order }: Look, room: number): Line[] {
    const lines = layOut(this.#fonts, text, order ?? this.#order, (room * 1000) / size)
    for (const line of lines) settleMarks(this.#fonts, line)
    return lines
  }

  rule(colour: string): void {
    this.#y -= 4
    this.file.draw(`${colour} RG 0.8 w ${margin} ${short(this.#y)} m ${page.width - margin} ${short(this.#y)} l S`)
    this.#y -= 4
  }
}
