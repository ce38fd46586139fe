import { crc32, deflateRawSync } from 'node:zlib'
import { type Block, createBlockWriter } from '#rules/knowledge/blocks.ts'
import { type ApiResponse, request, type Service } from './app.ts'
import { copyBytes, encodeFileForm } from './images.ts'
import type { Person } from './people.ts'

type Bytes = Uint8Array<ArrayBuffer>

export interface ZipEntry {
  name: string
  content: Uint8Array | string
  /** The uncompressed size that the archive declares; the true size when undefined. */
  declaredSize?: number
  /** Writes the content without deflating it. */
  uncompressed?: boolean
}

/** Build a ZIP archive as Word writes it. `count` is the number of entries that its end record declares. */
export function buildZip(entries: readonly ZipEntry[], count = entries.length): Bytes {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, declaredSize, uncompressed } of entries) {
    const plain = Buffer.from(content)
    const packed = uncompressed ? plain : deflateRawSync(plain, { level: 9 })
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(uncompressed ? 0 : 8, 4)
    head.writeUInt32LE(crc32(plain), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(declaredSize ?? plain.length, 18)
    head.writeUInt16LE(Buffer.byteLength(name), 22)
    files.push(Buffer.from('PK\u0003\u0004'), head, Buffer.from(name), packed)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), head, tail, Buffer.from(name))
    offset += 30 + Buffer.byteLength(name) + packed.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(offset, 12)
  return copyBytes(Buffer.concat([...files, ...directory, Buffer.from('PK\u0005\u0006'), end]))
}

const escapeXml = (text: string) => text.replace(/[<&>]/g, (character) => `&#${character.charCodeAt(0)};`)
const run = (text: string) => `<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`

/**
 * Return a paragraph in WordprocessingML. `list` contains a list number of `numbering.xml` and the depth in
 * that list.
 */
export function docxParagraph(text: string, style = '', list?: [number, number]): string {
  const numbers = list ? `<w:numPr><w:ilvl w:val="${list[1]}"/><w:numId w:val="${list[0]}"/></w:numPr>` : ''
  return `<w:p><w:pPr>${style ? `<w:pStyle w:val="${style}"/>` : ''}${numbers}</w:pPr>${run(text)}</w:p>`
}
/** Return a table in WordprocessingML. A cell is text, or a paragraph that is already in WordprocessingML. */
export function docxTable(rows: readonly string[][]): string {
  const cell = (text: string) => `<w:tc>${text.startsWith('<w:p>') ? text : docxParagraph(text)}</w:tc>`
  return `<w:tbl>${rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`
}

interface DocxCell {
  text: string
  columns?: number
  startsRows?: boolean
  continuesRows?: boolean
}
/**
 * Return a table whose cells can span columns and rows, in WordprocessingML. A cell that continues the one
 * above has no text.
 */
export function docxSpanTable(rows: readonly DocxCell[][]): string {
  const cell = ({ text, columns = 1, startsRows, continuesRows }: DocxCell) => {
    const merge = startsRows ? '<w:vMerge w:val="restart"/>' : continuesRows ? '<w:vMerge/>' : ''
    const span = columns > 1 ? `<w:gridSpan w:val="${columns}"/>` : ''
    return `<w:tc><w:tcPr>${span}${merge}</w:tcPr>${docxParagraph(text)}</w:tc>`
  }
  return `<w:tbl>${rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`
}
export const docxLink = (text: string) =>
  `<w:p>${run('See ')}<w:hyperlink r:id="rId9">${run(text)}</w:hyperlink></w:p>`

const namespaces =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="r" xmlns:mc="mc"'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const style = (id: string, name: string) => `<w:style w:styleId="${id}"><w:name w:val="${name}"/></w:style>`
const level = (depth: number, format: string) =>
  `<w:lvl w:ilvl="${depth}"><w:numFmt w:val="${format}"/></w:lvl>`

/** Return a complete document.xml. */
export const documentXml = (body: string) =>
  `${declaration}<w:document ${namespaces}><w:body>${body}</w:body></w:document>`

/**
 * Return the files of a Word document. List 1 is numbered and has bullets on its second level. List 2 has
 * bullets. The style ids are those of the German version of Word.
 */
export function docxParts(document: string): ZipEntry[] {
  const styles = [
    style('berschrift1', 'heading 1'),
    style('berschrift2', 'heading 2'),
    style('Quelltext', 'Source Code'),
  ].join('')
  const lists = [
    `<w:abstractNum w:abstractNumId="7">${level(0, 'decimal')}${level(1, 'bullet')}</w:abstractNum>`,
    `<w:abstractNum w:abstractNumId="8">${level(0, 'bullet')}</w:abstractNum>`,
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>',
  ].join('')
  return [
    { name: '[Content_Types].xml', content: `${declaration}<Types/>` },
    { name: 'word/document.xml', content: document },
    { name: 'word/styles.xml', content: `${declaration}<w:styles ${namespaces}>${styles}</w:styles>` },
    {
      name: 'word/numbering.xml',
      content: `${declaration}<w:numbering ${namespaces}>${lists}</w:numbering>`,
    },
    {
      name: 'word/_rels/document.xml.rels',
      content: `${declaration}<Relationships><Relationship Id="rId9" Target="https://kb.example.com/4711" TargetMode="External"/></Relationships>`,
    },
  ]
}

export const buildDocx = (body: string): Bytes => buildZip(docxParts(documentXml(body)))

const wordRoots = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
  xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"`

/** Build a Word document with styles and lists of its own, in WordprocessingML. */
export function buildWord(body: string, { styles = '', numbering = '' } = {}): Bytes {
  const root = (name: string, content: string) => `<w:${name} ${wordRoots}>${content}</w:${name}>`
  const files: Record<string, string> = {
    'word/document.xml': root('document', `<w:body>${body}</w:body>`),
    'word/styles.xml': root('styles', styles),
    'word/numbering.xml': root('numbering', numbering),
  }
  const parts = docxParts('').filter(({ name }) => !(name in files))
  return buildZip([...parts, ...Object.entries(files).map(([name, content]) => ({ name, content }))])
}

/** Upload an article file as a multipart form. */
export async function uploadArticle(
  service: Pick<Service, 'api'>,
  { token }: Pick<Person, 'token'>,
  content: Uint8Array | string,
  name: string,
  type = '',
): Promise<ApiResponse> {
  const form = await encodeFileForm(copyBytes(Buffer.from(content)), name, type)
  return request(service, 'POST', '/kb-imports', { token, raw: form.bytes, headers: form.headers })
}

/** Create an import from markdown, convert it, and return it with its nodes. */
export async function createConvertedImport(person: Person, content: string) {
  const created = await person.call('POST', '/kb-imports', { title: 'Article', content, format: 'markdown' })
  const converted = await person.call('POST', `/kb-imports/${created.body.id}/convert`)
  if (converted.status !== 200)
    throw new Error(`The article was not converted: ${created.text} ${converted.text}`)
  return converted.body as {
    id: string
    nodes: Record<'id' | 'kind' | 'title' | 'content', string>[]
    warnings: string[]
  }
}

interface LiteralWriter {
  blocks: Block[]
  add(kind: Block['kind'], text: string, level?: number): void
  addListLine(depth: number, marker: string | null, text: string): void
}
/** Create a writer that takes literals as markdown. */
export const createLiteralWriter = () => createBlockWriter() as LiteralWriter
