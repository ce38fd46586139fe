import { type Fonts, subset } from './pdf-fonts.ts'
import type { Line } from './pdf-text.ts'

// The file itself: numbered objects, a table of where they begin, fonts with what their glyphs stand for.

const encoder = new TextEncoder()
/** A number as short as a page needs it. */
export const short = (value: number): string => String(Math.round(value * 100) / 100)

/** Characters of one slice that are shown, each under a number of its own: one glyph may stand for more than one text. */
class ShownFont {
  readonly codes = new Map<string, number>()
  readonly glyphs: { id: number; width: number; text: string }[] = [{ id: 0, width: 0, text: '' }]

  codeOf(id: number, text: string, width: number): string {
    const key = `${id} ${text}`
    let code = this.codes.get(key)
    if (code === undefined) {
      code = this.glyphs.length
      this.codes.set(key, code)
      this.glyphs.push({ id, width, text })
    }
    return code.toString(16).padStart(4, '0')
  }
}

export interface Picture {
  jpeg: Uint8Array
  width: number
  height: number
}

/** A document in the making. Places are in points from the lower left corner. */
export class PdfFile {
  readonly #fonts: Fonts
  readonly #shown = new Map<number, ShownFont>()
  readonly #pages: string[][] = []

  constructor(fonts: Fonts) {
    this.#fonts = fonts
  }

  addPage(): void {
    this.#pages.push([])
  }

  get pages(): number {
    return this.#pages.length
  }

  draw(operators: string, page = this.#pages.length - 1): void {
    this.#pages[page]?.push(operators)
  }

  /** Runs in the order of reading, each from left to right: so what is copied from the page is what was written. */
  drawLine(line: Line, x: number, y: number, size: number, look: { colour: string; bold?: boolean }, page = this.#pages.length - 1): void {
    const weight = look.bold ? `${look.colour} RG 2 Tr ${short(size / 36)} w` : '0 Tr'
    const runs: string[] = []
    for (let from = 0; from < line.glyphs.length; ) {
      const to = runEnd(line, from)
      const run = line.glyphs.slice(from, to)
      from = to
      runs.push(this.#run((run[0]?.level ?? 0) & 1 ? turned(run) : run, x, y, size))
    }
    if (runs.length > 0) this.draw(`BT ${look.colour} rg ${weight}\n${runs.join('\n')}\nET`, page)
  }

  #run(glyphs: Line['glyphs'], x: number, y: number, size: number): string {
    const [first] = glyphs
    if (!first) return ''
    const font = this.#shown.get(first.font) ?? new ShownFont()
    this.#shown.set(first.font, font)
    let at = first.x
    let shown = ''
    for (const { id, text, width, x: place } of glyphs) {
      const gap = Math.round(at - place)
      if (gap !== 0) shown += `>${gap}<`
      shown += font.codeOf(id, text, width)
      at = place + width
    }
    return `/F${first.font} ${short(size)} Tf 1 0 0 1 ${short(x + (first.x * size) / 1000)} ${short(y)} Tm [<${shown}>] TJ`
  }

  async bytes(
    page: { width: number; height: number },
    about: { title: string; author: string },
    logo: Picture | null,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const out = new Objects()
    const [catalog, pages, resources, info] = [out.reserve(), out.reserve(), out.reserve(), out.reserve()]
    const fonts: string[] = []
    for (const [index, shown] of this.#shown) fonts.push(`/F${index} ${await this.#writeFont(out, index, shown)} 0 R`)
    const picture = logo ? out.stream(pictureHead(logo), logo.jpeg) : 0
    out.put(resources, `<</Font<<${fonts.join(' ')}>>${picture ? `/XObject<</Logo ${picture} 0 R>>` : ''}>>`)
    const kids: string[] = []
    for (const content of this.#pages) {
      const stream = out.stream('/Filter/FlateDecode', await deflated(encoder.encode(content.join('\n'))))
      kids.push(`${out.add(`<</Type/Page/Parent ${pages} 0 R/Resources ${resources} 0 R/Contents ${stream} 0 R>>`)} 0 R`)
    }
    out.put(pages, `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${kids.length}/MediaBox[0 0 ${page.width} ${page.height}]>>`)
    out.put(catalog, `<</Type/Catalog/Pages ${pages} 0 R/ViewerPreferences<</DisplayDocTitle true>>>>`)
    out.put(info, `<</Title ${utf16(about.title)}/Author ${utf16(about.author)}/Producer(Support Flow)>>`)
    return out.file(catalog, info)
  }

  async #writeFont(out: Objects, index: number, { glyphs }: ShownFont): Promise<number> {
    const slice = this.#fonts.slice(index)
    const font = subset(
      slice,
      glyphs.map(({ id }) => id),
    )
    const program = out.stream(`/Filter/FlateDecode/Length1 ${font.length}`, await deflated(font))
    const name = `/${'ABCDEF'}+NotoSans${index}`
    const descriptor = out.add(
      `<</Type/FontDescriptor/FontName${name}/Flags 4/FontBBox[${slice.box.join(' ')}]/ItalicAngle 0/Ascent ${slice.ascent}/Descent ${slice.descent}/CapHeight 714/StemV 80/FontFile2 ${program} 0 R>>`,
    )
    const numbers = new Uint8Array(glyphs.length * 2)
    for (const [code, { id }] of glyphs.entries()) numbers.set([id >> 8, id & 255], code * 2)
    const toGlyph = out.stream('/Filter/FlateDecode', await deflated(numbers))
    const widths = glyphs.map(({ width }) => width).join(' ')
    const descendant = out.add(
      `<</Type/Font/Subtype/CIDFontType2/BaseFont${name}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor ${descriptor} 0 R/W[0[${widths}]]/CIDToGIDMap ${toGlyph} 0 R>>`,
    )
    const unicode = out.stream('/Filter/FlateDecode', await deflated(encoder.encode(toUnicode(glyphs.map(({ text }) => text)))))
    return out.add(
      `<</Type/Font/Subtype/Type0/BaseFont${name}/Encoding/Identity-H/DescendantFonts[${descendant} 0 R]/ToUnicode ${unicode} 0 R>>`,
    )
  }
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

function hex16(text: string): string {
  let hex = ''
  for (let n = 0; n < text.length; n++) hex += text.charCodeAt(n).toString(16).padStart(4, '0')
  return hex
}

function utf16(text: string): string {
  return `<feff${hex16(text)}>`
}

function toUnicode(texts: readonly string[]): string {
  const lines = texts.map((text, code) => `<${code.toString(16).padStart(4, '0')}><${hex16(text)}>`).slice(1)
  const blocks: string[] = []
  for (let n = 0; n < lines.length; n += 100) {
    const some = lines.slice(n, n + 100)
    blocks.push(`${some.length} beginbfchar\n${some.join('\n')}\nendbfchar`)
  }
  return `/CIDInit/ProcSet findresource begin 12 dict begin begincmap/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def/CMapName/Adobe-Identity-UCS def/CMapType 2 def
1 begincodespacerange <0000><ffff> endcodespacerange
${blocks.join('\n')}
endcmap CMapName currentdict/CMap defineresource pop end end`
}

async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Response(bytes as Uint8Array<ArrayBuffer>).body?.pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream as ReadableStream).arrayBuffer())
}

class Objects {
  readonly #bodies: (Uint8Array[] | undefined)[] = []

  reserve(): number {
    return this.#bodies.push(undefined)
  }

  put(number: number, body: string): void {
    this.#bodies[number - 1] = [encoder.encode(body)]
  }

  add(body: string): number {
    return this.#bodies.push([encoder.encode(body)])
  }

  stream(head: string, data: Uint8Array): number {
    const begin = encoder.encode(`<<${head}/Length ${data.length}>>\nstream\n`)
    return this.#bodies.push([begin, data, encoder.encode('\nendstream')])
  }

  file(root: number, info: number): Uint8Array<ArrayBuffer> {
    const parts: Uint8Array[] = [new Uint8Array([...encoder.encode('%PDF-1.7\n%'), 0xe2, 0xe3, 0xcf, 0xd3, 10])]
    let size = parts[0]?.length ?? 0
    const push = (part: Uint8Array) => {
      parts.push(part)
      size += part.length
    }
    const offsets = this.#bodies.map((body, index) => {
      const at = size
      for (const part of [encoder.encode(`${index + 1} 0 obj\n`), ...(body ?? []), encoder.encode('\nendobj\n')]) push(part)
      return at
    })
    const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
    const start = size
    push(
      encoder.encode(
        `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${table}trailer\n<</Size ${offsets.length + 1}/Root ${root} 0 R/Info ${info} 0 R>>\nstartxref\n${start}\n%%EOF\n`,
      ),
    )
    const whole = new Uint8Array(size)
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }
}
