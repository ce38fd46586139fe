import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { canSpend, getStepsLeft, runWithinPart, spend } from '#rules/budget.ts'
import { type FontAssets, type Fonts, loadFonts } from '#rules/pdf/fonts.ts'
import { readContours, writePath } from '#rules/pdf/glyph-outline.ts'
import { addCodePoints, breakIntoLines } from '#rules/pdf/line-layout.ts'
import type { DiagramContent } from './schema.ts'
import { renderSvg } from './svg.ts'

// Renders a diagram as PNG, by its SVG image.

/** What the image needs besides the fonts. */
export interface ImageAssets extends FontAssets {
  /** Return the wasm of resvg, compiled. */
  loadResvg(): Promise<WebAssembly.Module>
}

/**
 * Pixels of the image per pixel of the diagram, if the image does not become too large: a Worker has 128 MB.
 */
const maxScale = 2
const maxPixels = 2_000_000
const maxSide = 10_000
const stepsPerPixel = 10
/** How many times more work it is to draw the parts of an SVG image than to write it, measured. */
const drawingFactor = 3
/** Of the outline of a Latin character, and of one of another script. */
const [stepsPerCharacter, stepsPerComplexCharacter] = [1200, 6000]
const stepsPerCurve = 25_000
/** Drawing each dash takes time, and a line can have any length. */
const maxDashes = 100_000

/** Render a diagram. Nodes and edges that take too much work are left out, with a mark. */
export async function renderPng(
  name: string,
  diagram: DiagramContent,
  assets: ImageAssets,
): Promise<Uint8Array> {
  spend(maxPixels * stepsPerPixel)
  const whole = writeSvg(name, diagram, getStepsLeft())
  const codes = listCodes(whole.svg)
  const fonts = await loadFonts(assets, new Map([['text', codes]]))
  const svg = fitImage(name, diagram, whole)
  const [width = 1, height = 1] = (/ width="(\d+)" height="(\d+)"/.exec(svg) ?? []).slice(1).map(Number)
  const scale = Math.min(maxScale, Math.sqrt(maxPixels / (width * height)), maxSide / Math.max(width, height))
  await startResvg(assets)
  const renderer = new Resvg(drawTexts(limitDashes(svg, width + height), fonts), {
    fitTo: { mode: 'zoom', value: scale },
  })
  try {
    const image = renderer.render()
    const png = image.asPng()
    image.free()
    return png
  } finally {
    renderer.free()
  }
}

interface Image {
  svg: string
  /** What it took to write it. */
  steps: number
}

function writeSvg(name: string, diagram: DiagramContent, steps: number): Image {
  const { result: svg, steps: spent } = runWithinPart(steps, () => renderSvg(name, diagram))
  return { svg, steps: spent }
}

/** Write the image again with fewer parts until the rest of the budget is enough to draw it. */
function fitImage(name: string, diagram: DiagramContent, whole: Image): string {
  let image = whole
  for (;;) {
    const { svg, steps } = image
    const curves = svg.match(/<path d="M[-\d. ]+C/g)?.length ?? 0
    const drawing = steps * drawingFactor + countTextSteps(svg) + curves * stepsPerCurve
    if (canSpend(drawing)) {
      spend(drawing)
      return svg
    }
    // Writing takes a part of the budget, too.
    image = writeSvg(name, diagram, (steps * getStepsLeft() * 0.7) / (drawing + steps))
  }
}

interface Text {
  /** The attributes of all lines. */
  attributes: string
  fontSize: number
  isCentred: boolean
  lines: { x: number; y: number; text: string }[]
}

// Bounded: `renderSvg` closes each element.
const textElement = /<text ([^>]*)>(.*?)<\/text>/g

/** Read a text as `renderSvg` writes it. */
function parseText(attributes: string, content: string): Text {
  // Bounded: the attributes are those of `renderSvg`.
  const read = (name: string) => Number(new RegExp(` ${name}="([^"]*)"`).exec(` ${attributes}`)?.[1])
  const fill = / fill="(#\w+|\w+)"/.exec(` ${attributes}`)?.[1] ?? '#000000'
  const spans = [...content.matchAll(/<tspan x="([^"]*)" y="([^"]*)">([^<]*)<\/tspan>/g)]
  const lines = spans.map(([, x, y, text = '']) => ({ x: Number(x), y: Number(y), text: unescapeXml(text) }))
  return {
    // The fonts have one weight.
    attributes: `fill="${fill}"${attributes.includes('bold') ? ` stroke="${fill}" stroke-width="0.5"` : ''}`,
    fontSize: read('font-size'),
    isCentred: attributes.includes('text-anchor="middle"'),
    lines: spans.length > 0 ? lines : [{ x: read('x'), y: read('y'), text: unescapeXml(content) }],
  }
}

const unescapeXml = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))

/** Return the characters of the texts of an image. */
function listCodes(svg: string): Set<number> {
  const codes = new Set<number>()
  for (const [, attributes = '', content = ''] of svg.matchAll(textElement))
    for (const { text } of parseText(attributes, content).lines) addCodePoints(text, codes)
  return codes
}

let isStarted = false

async function startResvg(assets: ImageAssets): Promise<void> {
  const compiled = await assets.loadResvg()
  if (isStarted) return
  // Several requests may start it at the same time: the package refuses those that come after the first has
  // ended.
  await initWasm(compiled).catch((error: unknown) => {
    if (!isStarted) throw error
  })
  isStarted = true
}

/**
 * Replace texts by the outlines of their glyphs. resvg would not shape Indian scripts correctly, nor mix
 * fonts in a text with accents.
 */
function drawTexts(svg: string, fonts: Fonts): string {
  return svg.replace(textElement, (_, attributes: string, content: string) => {
    const text = parseText(attributes, content)
    return `<path ${text.attributes} d="${text.lines.map((line) => drawLine(text, line, fonts)).join('')}"/>`
  })
}

function countTextSteps(svg: string): number {
  let steps = 0
  for (const [, attributes = '', content = ''] of svg.matchAll(textElement))
    for (const { text } of parseText(attributes, content).lines)
      for (const character of text)
        steps += (character.codePointAt(0) ?? 0) < 0x250 ? stepsPerCharacter : stepsPerComplexCharacter
  return steps
}

function drawLine(
  { fontSize, isCentred }: Text,
  { x, y, text }: Text['lines'][number],
  fonts: Fonts,
): string {
  const [line] = breakIntoLines(fonts, [{ text, style: {} }], 'text', Number.POSITIVE_INFINITY)
  if (!line) return ''
  const start = isCentred ? x - (line.width * fontSize) / 2000 : x
  return line.glyphs
    .flatMap((glyph) => {
      const slice = fonts.getSlice(glyph.font)
      const scale = fontSize / slice.units
      const parts = glyph.id === null ? glyph.parts : [{ id: glyph.id, x: 0, y: 0 }]
      return parts.map((part) =>
        writePath(
          readContours(slice, part.id),
          start + (glyph.x * fontSize) / 1000 + part.x * scale,
          y - part.y * scale,
          scale,
        ),
      )
    })
    .join('')
}

/**
 * Draw whole lines if there would be too many dashes. No line is longer than a few times the sides of the
 * image.
 */
function limitDashes(svg: string, sides: number): string {
  const attribute = / stroke-dasharray="([^"]*)"/g
  let dashes = 0
  for (const [, pattern = ''] of svg.matchAll(attribute)) {
    const lengths = pattern.split(/[ ,]+/).map(Number)
    const period = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
    dashes += (2 * sides) / Math.max(period, 0.01)
  }
  return dashes > maxDashes ? svg.replace(attribute, '') : svg
}
