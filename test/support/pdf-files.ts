import { deflateSync } from 'node:zlib'

type Bytes = Uint8Array<ArrayBuffer>

export interface PdfParts {
  /** The content of each page, in operators. */
  pages: readonly string[]
  /** Further objects, from number 10 on, such as a form: a dictionary, and a stream if it has one. */
  objects?: readonly { dict: string; stream?: string | Bytes }[]
  /** The entries of the resources beside the fonts `/F` (Helvetica), `/M` (Courier). */
  resources?: string
  /** Entries of the trailer. */
  trailer?: string
}

/** Build a PDF whose pages have the size of A4. Streams are compressed. */
export function buildPdf({ pages, objects = [], resources = '', trailer = '' }: PdfParts): Bytes {
  const firstPage = 10 + objects.length
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const addObject = (number: number, dict: string, stream?: string | Bytes) => {
    const data = stream === undefined ? null : typeof stream === 'string' ? deflateSync(stream) : stream
    const entries =
      data === null
        ? dict
        : dict.replace(
            />>$/,
            `/Length ${data.length} ${typeof stream === 'string' ? '/Filter /FlateDecode' : ''}>>`,
          )
    parts.push(Buffer.from(`${number} 0 obj\n${entries}\n`))
    if (data) parts.push(Buffer.from('stream\r\n'), Buffer.from(data), Buffer.from('\nendstream\n'))
    parts.push(Buffer.from('endobj\n'))
  }
  const kids = pages.map((_, n) => `${firstPage + n * 2} 0 R`).join(' ')
  addObject(1, '<</Type /Catalog /Pages 2 0 R>>')
  const fonts = '/Font <</F 3 0 R /M 4 0 R>>'
  addObject(
    2,
    `<</Type /Pages /Count ${pages.length} /Kids [${kids}] /MediaBox [0 0 595 842] /Resources <<${fonts} ${resources}>>>>`,
  )
  addObject(3, '<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>')
  addObject(4, '<</Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding>>')
  for (const [n, { dict, stream }] of objects.entries()) addObject(10 + n, dict, stream)
  for (const [n, content] of pages.entries()) {
    addObject(firstPage + n * 2, `<</Type /Page /Parent 2 0 R /Contents ${firstPage + n * 2 + 1} 0 R>>`)
    addObject(firstPage + n * 2 + 1, '<<>>', content)
  }
  parts.push(Buffer.from(`trailer\n<</Root 1 0 R ${trailer}>>\nstartxref\n0\n%%EOF`))
  return new Uint8Array(Buffer.concat(parts))
}

/** Write a line of text at a place. */
export function pdfText(text: string, x: number, y: number, size = 10, font = 'F'): string {
  return `BT /${font} ${size} Tf ${x} ${y} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET\n`
}
