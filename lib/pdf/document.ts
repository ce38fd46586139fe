import { codeOf, embed, type ShownFont, shownFont } from './font-embedding.ts'
import type { Fonts } from './fonts.ts'
import { add, addPacked, addStream, fileOf, type Objects, put, reserve, utf16 } from './objects.ts'
import type { Line } from './text.ts'

/** A number as short as a page needs it. */
export const short = (value: number): string => String(Math.round(value * 100) / 100)

export interface Picture {
  jpeg: Uint8Array
  width: number
  height: number
}

/** A document in the making: what is drawn on each page, and the fonts it takes. Places are in points from the lower left corner. */
export interface Sheets {
  fonts: Fonts
  shown: Map<number, ShownFont>
  pages: string[][]
}

/** Draws on a page, the last one when none is named. */
export function draw({ pages }: Sheets, operators: string, page = pages.length - 1): void {
  pages[page]?.push(operators)
}

interface Ink {
  /** `r g b`, 0 to 1. */
  colour: string
  bold?: boolean
}

/** Runs in the order of reading, each from left to right: so what is copied from the page is what was written. */
export function drawLine(sheets: Sheets, line: Line, x: number, y: number, size: number, { colour, bold }: Ink, page?: number): void {
  const weight = bold ? `${colour} RG 2 Tr ${short(size / 36)} w` : '0 Tr'
  const runs: string[] = []
  for (let from = 0; from < line.glyphs.length; ) {
    const to = runEnd(line, from)
    const run = line.glyphs.slice(from, to)
    from = to
    runs.push(runOf(sheets, (run[0]?.level ?? 0) & 1 ? turned(run) : run, x, y, size))
  }
  if (runs.length > 0) draw(sheets, `BT ${colour} rg ${weight}\n${runs.join('\n')}\nET`, page)
}

function runOf({ shown: fonts }: Sheets, glyphs: Line['glyphs'], x: number, y: number, size: number): string {
  const [first] = glyphs
  if (!first) return ''
  const font = fonts.get(first.font) ?? shownFont()
  fonts.set(first.font, font)
  let at = first.x
  let shown = ''
  for (const { id, text, width, x: place } of glyphs) {
    const gap = Math.round(at - place)
    if (gap !== 0) shown += `>${gap}<`
    shown += codeOf(font, id, text, width)
    at = place + width
  }
  return `/F${first.font} ${short(size)} Tf 1 0 0 1 ${short(x + (first.x * size) / 1000)} ${short(y)} Tm [<${shown}>] TJ`
}

interface About {
  title: string
  author: string
  /** Points. */
  width: number
  height: number
  logo: Picture | null
}

/** The document as a file. */
export async function bytesOf(sheets: Sheets, { title, author, width, height, logo }: About): Promise<Uint8Array<ArrayBuffer>> {
  const out: Objects = []
  const [catalog, pages, info] = [reserve(out), reserve(out), reserve(out)]
  const resources = await addResources(out, sheets, logo)
  const kids: string[] = []
  for (const content of sheets.pages) {
    const stream = await addPacked(out, content.join('\n'))
    kids.push(`${add(out, `<</Type/Page/Parent ${pages} 0 R/Resources ${resources} 0 R/Contents ${stream} 0 R>>`)} 0 R`)
  }
  put(out, pages, `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${kids.length}/MediaBox[0 0 ${width} ${height}]>>`)
  put(out, catalog, `<</Type/Catalog/Pages ${pages} 0 R/ViewerPreferences<</DisplayDocTitle true>>>>`)
  put(out, info, `<</Title ${utf16(title)}/Author ${utf16(author)}/Producer(Support Flow)>>`)
  return fileOf(out, catalog, info)
}

async function addResources(out: Objects, { fonts, shown }: Sheets, logo: Picture | null): Promise<number> {
  const named: string[] = []
  for (const [index, font] of shown) named.push(`/F${index} ${await embed(out, index, fonts.slice(index), font)} 0 R`)
  const picture = logo ? addStream(out, pictureHead(logo), logo.jpeg) : 0
  return add(out, `<</Font<<${named.join(' ')}>>${picture ? `/XObject<</Logo ${picture} 0 R>>` : ''}>>`)
}

const hasDirection = /[\p{L}\p{M}]/u

/** Of one font and direction. */
function runEnd({ glyphs }: Line, from: number): number {
  const first = glyphs[from]
  let to = from + 1
  // What has no direction of its own is not turned back by readers: one sign at a time.
  if (first && first.level & 1 && !hasDirection.test(first.text)) return to
  while (to < glyphs.length && glyphs[to]?.font === first?.font && glyphs[to]?.level === first?.level) to++
  return to
}

/** From left to right, but each mark still behind what it belongs to. */
function turned(run: Line['glyphs']): Line['glyphs'] {
  const groups: Line['glyphs'][] = []
  for (const glyph of run) {
    if (glyph.mark && groups.length > 0) groups.at(-1)?.push(glyph)
    else groups.push([glyph])
  }
  // A reader turns the whole run back, so marks go before their base here.
  return groups.reverse().flatMap((group) => group.reverse())
}

function pictureHead({ width, height }: Picture): string {
  return `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`
}
