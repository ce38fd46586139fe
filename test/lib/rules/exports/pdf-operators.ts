import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'

// Lines that say nothing about the look of a page.
const skipped = new Set([
  ...['dependency', 'beginText', 'endText'],
  ...['beginMarkedContent', 'beginMarkedContentProps', 'endMarkedContent'],
])

/**
 * Return what a PDF reader draws on each page: one line per operator, with its numbers rounded to hundredths
 * of a point.
 */
export async function listDrawingOperators(pdf: Uint8Array): Promise<string> {
  const [document, { OPS }] = [await getDocumentProxy(pdf), await getResolvedPDFJS()]
  const nameByCode = new Map(
    Object.entries(OPS as Record<string, number>).map(([name, code]) => [code, name]),
  )
  const pages: string[] = []
  for (let number = 1; number <= document.numPages; number++) {
    const { fnArray, argsArray } = await (await document.getPage(number)).getOperatorList()
    const lines = fnArray.map((code, index) =>
      [nameByCode.get(code), ...formatArguments(argsArray[index])].join(' '),
    )
    pages.push(`page ${number}`, ...lines.filter((line) => !skipped.has(line.split(' ')[0] as string)))
  }
  return `${pages.join('\n')}\n`
}

function formatArguments(value: unknown): string[] {
  if (typeof value === 'number') return [String(Math.round(value * 100) / 100)]
  // The names of fonts and images start with the number of the document.
  if (typeof value === 'string') return [value.replace(/^(g|img)_d\d+_/, '$1_')]
  if (typeof value !== 'object' || value === null) return []
  if (isGlyphs(value))
    return [JSON.stringify(value.map((glyph) => (typeof glyph === 'number' ? '' : glyph.unicode)).join(''))]
  return Object.values(value).flatMap(formatArguments)
}

function isGlyphs(value: object): value is (number | { unicode: string })[] {
  return (
    Array.isArray(value) &&
    value.some((item) => typeof item === 'object' && item !== null && 'unicode' in item)
  )
}
