import { createUsedGlyphs, embedFont, getGlyphCode, type UsedGlyphs } from './font-embedding.ts'
import type { Fonts } from './fonts.ts'
import type { Glyph } from './glyph.ts'
import type { TextLine } from './line-layout.ts'
import {
  addCompressedStream,
  addObject,
  addStream,
  formatTextString,
  type PdfObjects,
  reserveObject,
  serializeObjects,
  setObject,
} from './objects.ts'
import {
  addMetadata,
  addOutline,
  addStructure,
  type Bookmark,
  createElement,
  type PageOperators,
  type StructureElement,
  writePageContent,
} from './structure.ts'

/** Format a number with at most two decimals. */
export function formatNumber(value: number): string {
  return String(Math.round(value * 100) / 100)
}

/** An image; its size is in pixels. */
export interface JpegImage {
  jpeg: Uint8Array
  width: number
  height: number
}

/** A document under construction. Positions are in points from the lower left corner of a page. */
export interface PdfDocument {
  fonts: Fonts
  /** By the index of the font slice. */
  usedGlyphs: Map<number, UsedGlyphs>
  /** The drawing operators of each page. */
  pages: PageOperators[][]
  structure: StructureElement
  /** What is drawn now: content of this element. Null for what repeats on each page. */
  element: StructureElement | null
  bookmarks: Bookmark[]
  /** The image with index n is drawn as `/In`. */
  images: JpegImage[]
}

/** Return a document with one empty page. */
export function createDocument(fonts: Fonts): PdfDocument {
  const structure = createElement('Document')
  return {
    ...{ fonts, usedGlyphs: new Map(), pages: [[]], images: [] },
    ...{ structure, element: structure, bookmarks: [] },
  }
}

/** Add drawing operators of decoration to a page, by default the last one. */
export function drawOperators({ pages }: PdfDocument, operators: string, pageIndex = pages.length - 1): void {
  pages[pageIndex]?.push({ element: null, operators })
}

/** Add drawing operators that show an element, by default the current one. */
export function drawContent(
  { pages, element: current }: PdfDocument,
  operators: string,
  {
    pageIndex = pages.length - 1,
    element = current,
  }: { pageIndex?: number; element?: StructureElement | null } = {},
): void {
  pages[pageIndex]?.push({ element, operators })
}

/** Where an image is drawn: its lower left corner and its size, in points. */
export interface ImageBox {
  x: number
  y: number
  width: number
  height: number
}

/** Draw an image. An image that is drawn again is stored once. */
export function drawImage(
  document: PdfDocument,
  image: JpegImage,
  { x, y, width, height }: ImageBox,
  pageIndex?: number,
): void {
  const knownIndex = document.images.indexOf(image)
  const index = knownIndex < 0 ? document.images.push(image) - 1 : knownIndex
  const matrix = [width, 0, 0, height, x, y].map(formatNumber).join(' ')
  drawContent(document, `q ${matrix} cm /I${index} Do Q`, pageIndex === undefined ? {} : { pageIndex })
}

interface TextLineStyle {
  /** `r g b`, each from 0 to 1. */
  colour: string
  bold?: boolean
}

/**
 * Draw a line of text. The runs are written in reading order, so that text copied from a PDF viewer has that
 * order.
 */
export function drawTextLine(
  document: PdfDocument,
  line: TextLine,
  x: number,
  y: number,
  size: number,
  style: TextLineStyle,
  pageIndex?: number,
): void {
  const runs = splitIntoRuns(line)
  const place = pageIndex === undefined ? {} : { pageIndex }
  for (let start = 0; start < runs.length; ) {
    const element = runs[start]?.[0]?.style.element
    let end = start + 1
    while (end < runs.length && runs[end]?.[0]?.style.element === element) end++
    const texts = runs
      .slice(start, end)
      .map((run) => `${formatStyle(run, size, style)} ${formatRun(document, run, x, y, size)}`)
    drawContent(document, `BT\n${texts.join('\n')}\nET`, element ? { ...place, element } : place)
    start = end
  }
  for (const run of runs) if (run[0]?.style.struck) strikeThrough(document, run, x, y, size, place)
}

function strikeThrough(
  document: PdfDocument,
  run: readonly Glyph[],
  x: number,
  y: number,
  size: number,
  place: { pageIndex?: number },
): void {
  const [first, last] = [run[0], run.at(-1)]
  if (!first || !last) return
  const [left, right] = [first.x, last.x + last.width].map((position) =>
    formatNumber(x + (position * size) / 1000),
  )
  const height = formatNumber(y + size * 0.28)
  drawContent(document, `0 G 0.6 w ${left} ${height} m ${right} ${height} l S`, place)
}

/**
 * Return the operators for the colour and the weight. There are no bold fonts, so bold text is filled and
 * outlined.
 */
function formatStyle([first]: readonly Glyph[], size: number, style: TextLineStyle): string {
  const colour = first?.style.colour ?? style.colour
  const isBold = style.bold || first?.style.bold
  return `${colour} rg ${isBold ? `${colour} RG 2 Tr ${formatNumber(size / 36)} w` : '0 Tr'}`
}

/**
 * Split a line into runs of one font, direction and style. The glyphs of each run are returned from left to
 * right.
 */
function splitIntoRuns({ glyphs }: TextLine): Glyph[][] {
  const runs: Glyph[][] = []
  for (let start = 0; start < glyphs.length; ) {
    const end = findRunEnd(glyphs, start)
    const run = glyphs.slice(start, end)
    const isRightToLeft = ((run[0]?.level ?? 0) & 1) === 1
    runs.push(isRightToLeft ? reverseRun(run) : run)
    start = end
  }
  return runs
}

const letterOrMark = /[\p{L}\p{M}]/u

function findRunEnd(glyphs: readonly Glyph[], start: number): number {
  const first = glyphs[start]
  let end = start + 1
  // On copy, PDF viewers reverse a right-to-left run only if it has letters. So every character that is not a
  // letter or mark gets its own run.
  if (first && first.level & 1 && !letterOrMark.test(first.text)) return end
  while (end < glyphs.length && isSameRun(first, glyphs[end])) end++
  return end
}

function isSameRun(first: Glyph | undefined, glyph: Glyph | undefined): boolean {
  return first?.font === glyph?.font && first?.level === glyph?.level && first?.style === glyph?.style
}

/**
 * Reverse the glyphs of a right-to-left run, including combining marks. PDF viewers reverse the run again on
 * copy, which restores the order.
 */
function reverseRun(run: readonly Glyph[]): Glyph[] {
  return run.toReversed()
}

/**
 * Return the operators that show a run. In the array of `TJ`, a number between two texts moves the second one
 * to the left.
 */
function formatRun(
  document: PdfDocument,
  glyphs: readonly Glyph[],
  x: number,
  y: number,
  size: number,
): string {
  const [first] = glyphs
  if (!first) return ''
  const usedGlyphs = document.usedGlyphs.get(first.font) ?? createUsedGlyphs()
  document.usedGlyphs.set(first.font, usedGlyphs)
  let position = first.x
  let codes = ''
  for (const glyph of glyphs) {
    const adjustment = Math.round(position - glyph.x)
    if (adjustment !== 0) codes += `>${adjustment}<`
    codes += getGlyphCode(usedGlyphs, glyph)
    position = glyph.x + glyph.width
  }
  const startX = formatNumber(x + (first.x * size) / 1000)
  // There are no italic fonts, so italic text is slanted.
  const slant = first.style.italic ? '0.2' : '0'
  return `/F${first.font} ${formatNumber(size)} Tf 1 0 ${slant} 1 ${startX} ${formatNumber(y)} Tm [<${codes}>] TJ`
}

interface DocumentProperties {
  title: string
  author: string
  /** The size of a page in points. */
  width: number
  height: number
}

/** Return the document as the bytes of a PDF file. */
export async function serializeDocument(
  document: PdfDocument,
  properties: DocumentProperties,
): Promise<Uint8Array<ArrayBuffer>> {
  const { title, author, width, height } = properties
  const objects: PdfObjects = []
  const catalog = reserveObject(objects)
  const pageTree = reserveObject(objects)
  const info = reserveObject(objects)
  const resources = await addResources(objects, document)
  const pages: number[] = []
  for (const [index, operators] of document.pages.entries()) {
    const contents = await addCompressedStream(objects, writePageContent(operators, index))
    const entries = `/Resources ${resources} 0 R/Contents ${contents} 0 R/StructParents ${index}/Tabs/S`
    pages.push(addObject(objects, `<</Type/Page/Parent ${pageTree} 0 R${entries}>>`))
  }
  const structure = addStructure(objects, document.structure, pages)
  const outline = addOutline(objects, document.bookmarks, pages)
  const metadata = addMetadata(objects, title, author)
  const kids = `/Kids[${pages.map((page) => `${page} 0 R`).join(' ')}]/Count ${pages.length}`
  setObject(objects, pageTree, `<</Type/Pages${kids}/MediaBox[0 0 ${width} ${height}]>>`)
  setObject(
    objects,
    catalog,
    // The words of the service are English; a PDF has no language for texts that nobody has named one of.
    `<</Type/Catalog/Pages ${pageTree} 0 R/Lang(en)/MarkInfo<</Marked true>>/StructTreeRoot ${structure} 0 R/Outlines ${outline} 0 R/Metadata ${metadata} 0 R/ViewerPreferences<</DisplayDocTitle true>>>>`,
  )
  setObject(
    objects,
    info,
    `<</Title ${formatTextString(title)}/Author ${formatTextString(author)}/Producer(Support Flow)>>`,
  )
  return serializeObjects(objects, catalog, info)
}

/** Add the fonts and the images, and return the number of the resource dictionary. */
async function addResources(
  objects: PdfObjects,
  { fonts, usedGlyphs, images }: PdfDocument,
): Promise<number> {
  const fontReferences: string[] = []
  for (const [index, glyphs] of usedGlyphs) {
    const font = await embedFont(objects, index, fonts.getSlice(index), glyphs)
    fontReferences.push(`/F${index} ${font} 0 R`)
  }
  const imageReferences = images.map(
    (image, index) => `/I${index} ${addStream(objects, formatImageEntries(image), image.jpeg)} 0 R`,
  )
  return addObject(
    objects,
    `<</Font<<${fontReferences.join(' ')}>>/XObject<<${imageReferences.join(' ')}>>>>`,
  )
}

function formatImageEntries({ width, height }: JpegImage): string {
  return `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode`
}
