import { subset } from './font-subset.ts'
import type { Slice } from './fonts.ts'
import { add, addPacked, hex16, type Objects } from './objects.ts'

// A slice of a font as a document holds it: the glyphs that are shown, and what each stands for.

/** Characters of one slice that are shown, each under a number of its own: one glyph may stand for more than one text. */
export interface ShownFont {
  codes: Map<string, number>
  glyphs: { id: number; width: number; text: string }[]
}

export function shownFont(): ShownFont {
  return { codes: new Map(), glyphs: [{ id: 0, width: 0, text: '' }] }
}

/** The number of a glyph that stands for a text, as four hexadecimal digits. */
export function codeOf({ codes, glyphs }: ShownFont, id: number, text: string, width: number): string {
  const key = `${id} ${text}`
  let code = codes.get(key)
  if (code === undefined) {
    code = glyphs.push({ id, width, text }) - 1
    codes.set(key, code)
  }
  return code.toString(16).padStart(4, '0')
}

/** Writes a font and answers its object's number. */
export async function embed(out: Objects, index: number, slice: Slice, { glyphs }: ShownFont): Promise<number> {
  const font = subset(
    slice,
    glyphs.map(({ id }) => id),
  )
  const program = await addPacked(out, font, `/Length1 ${font.length}`)
  const name = `/ABCDEF+NotoSans${index}`
  const { box, ascent, descent } = slice
  const look = `/FontBBox[${box.join(' ')}]/ItalicAngle 0/Ascent ${ascent}/Descent ${descent}/CapHeight 714/StemV 80`
  const descriptor = add(out, `<</Type/FontDescriptor/FontName${name}/Flags 4${look}/FontFile2 ${program} 0 R>>`)
  const numbers = new Uint8Array(glyphs.length * 2)
  for (const [code, { id }] of glyphs.entries()) numbers.set([id >> 8, id & 255], code * 2)
  const toGlyph = await addPacked(out, numbers)
  const widths = glyphs.map(({ width }) => width).join(' ')
  const system = '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>'
  const places = `/FontDescriptor ${descriptor} 0 R/W[0[${widths}]]/CIDToGIDMap ${toGlyph} 0 R`
  const descendant = add(out, `<</Type/Font/Subtype/CIDFontType2/BaseFont${name}${system}${places}>>`)
  const unicode = await addPacked(out, toUnicode(glyphs.map(({ text }) => text)))
  const parts = `/Encoding/Identity-H/DescendantFonts[${descendant} 0 R]/ToUnicode ${unicode} 0 R`
  return add(out, `<</Type/Font/Subtype/Type0/BaseFont${name}${parts}>>`)
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
