import { subsetFont } from './font-subset.ts'
import type { FontSlice } from './fonts.ts'
import type { Glyph } from './glyph.ts'
import { addCompressedStream, addObject, type PdfObjects, toUtf16Hex } from './objects.ts'

// Embeds a slice of a font: only the glyphs that the document uses, and the text that each of them stands
// for.

type UsedGlyph = Pick<Glyph, 'id' | 'parts' | 'width' | 'text'>

/**
 * The used glyphs of one slice. The index of a glyph is its code. A glyph that stands for two texts, or has
 * two widths, has two codes.
 */
export interface UsedGlyphs {
  codeByKey: Map<string, number>
  codeByParts: Map<UsedGlyph['parts'], number>
  glyphs: UsedGlyph[]
}

/** A font has at most 65,535 glyphs. No text needs as many, except one that was made for it. */
const maxCodes = 32_000

/** Create a list with the glyph for missing characters, which every font must have at code 0. */
export function createUsedGlyphs(): UsedGlyphs {
  return { codeByKey: new Map(), codeByParts: new Map(), glyphs: [{ id: 0, parts: [], width: 0, text: '' }] }
}

/**
 * Return the code of a glyph that stands for this text, as four hexadecimal digits. Add the glyph if it is
 * new.
 */
export function getGlyphCode(
  { codeByKey, codeByParts, glyphs }: UsedGlyphs,
  { id, parts, text, width }: UsedGlyph,
): string {
  // The same word has the same parts, and comparing them takes longer than the rest.
  const knownCode = codeByParts.get(parts)
  if (knownCode !== undefined) return formatCode(knownCode)
  const key = `${id} ${parts.map((part) => `${part.id} ${part.x} ${part.y}`).join()} ${width} ${text}`
  let code = codeByKey.get(key)
  if (code === undefined) {
    code = glyphs.length < maxCodes ? glyphs.push({ id, parts, width, text }) - 1 : 0
    codeByKey.set(key, code)
  }
  if (parts.length > 0) codeByParts.set(parts, code)
  return formatCode(code)
}

function formatCode(code: number): string {
  return code.toString(16).padStart(4, '0')
}

/** Add the font to the document and return its object number. `index` is the index of the slice. */
export async function embedFont(
  objects: PdfObjects,
  index: number,
  slice: FontSlice,
  { glyphs }: UsedGlyphs,
): Promise<number> {
  const { font, glyphIds } = subsetFont(slice, glyphs)
  const fontFile = await addCompressedStream(objects, font, `/Length1 ${font.length}`)
  // PDF requires six capital letters and a plus sign before the name of a subset.
  const name = `/ABCDEF+NotoSans${index}`
  const { box, ascent, descent } = slice
  const metrics = `/FontBBox[${box.join(' ')}]/ItalicAngle 0/Ascent ${ascent}/Descent ${descent}/CapHeight 714/StemV 80`
  const descriptor = addObject(
    objects,
    `<</Type/FontDescriptor/FontName${name}/Flags 4${metrics}/FontFile2 ${fontFile} 0 R>>`,
  )
  const codeToGlyph = await addCompressedStream(objects, createCodeToGlyphMap(glyphIds))
  const widths = glyphs.map(({ width }) => width).join(' ')
  const systemInfo = '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>'
  const descendantEntries = `/FontDescriptor ${descriptor} 0 R/W[0[${widths}]]/CIDToGIDMap ${codeToGlyph} 0 R`
  const descendant = addObject(
    objects,
    `<</Type/Font/Subtype/CIDFontType2/BaseFont${name}${systemInfo}${descendantEntries}>>`,
  )
  const toUnicode = await addCompressedStream(objects, createToUnicodeMap(glyphs.map(({ text }) => text)))
  const entries = `/Encoding/Identity-H/DescendantFonts[${descendant} 0 R]/ToUnicode ${toUnicode} 0 R`
  return addObject(objects, `<</Type/Font/Subtype/Type0/BaseFont${name}${entries}>>`)
}

/** Create the CIDToGIDMap: two bytes with the glyph id for each code. */
function createCodeToGlyphMap(glyphIds: readonly number[]): Uint8Array {
  const map = new Uint8Array(glyphIds.length * 2)
  for (const [code, id] of glyphIds.entries()) map.set([id >> 8, id & 0xff], code * 2)
  return map
}

/**
 * Create a CMap with the text for each code, which viewers use to copy and search. A `beginbfchar` block may
 * have 100 lines.
 */
function createToUnicodeMap(texts: readonly string[]): string {
  const lines = texts.map((text, code) => `<${formatCode(code)}><${toUtf16Hex(text)}>`).slice(1)
  const blocks: string[] = []
  for (let start = 0; start < lines.length; start += 100) {
    const blockLines = lines.slice(start, start + 100)
    blocks.push(`${blockLines.length} beginbfchar\n${blockLines.join('\n')}\nendbfchar`)
  }
  return `/CIDInit/ProcSet findresource begin 12 dict begin begincmap/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def/CMapName/Adobe-Identity-UCS def/CMapType 2 def
1 begincodespacerange <0000><ffff> endcodespacerange
${blocks.join('\n')}
endcmap CMapName currentdict/CMap defineresource pop end end`
}
