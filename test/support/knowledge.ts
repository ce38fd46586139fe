import { crc32, deflateRawSync } from 'node:zlib'
import { type Answer, request, type Service } from './app.ts'
import { formOf, own } from './images.ts'
import type { Person } from './people.ts'

type Bytes = Uint8Array<ArrayBuffer>

export interface ZipEntry {
  name: string
  content: Uint8Array | string
  /** What the archive says of its size; the truth when not given. */
  claimed?: number
  /** Kept as it is, not deflated. */
  stored?: boolean
}

/** An archive as Word writes it; `count` is how many entries it says it has. */
export function zipOf(entries: readonly ZipEntry[], count = entries.length): Bytes {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, content, claimed, stored } of entries) {
    const plain = Buffer.from(content)
    const packed = stored ? plain : deflateRawSync(plain, { level: 9 })
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(stored ? 0 : 8, 4)
    head.writeUInt32LE(crc32(plain), 10)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(claimed ?? plain.length, 18)
    head.writeUInt16LE(Buffer.byteLength(name), 22)
    files.push(Buffer.from('PK\u0003\u0004'), head, Buffer.from(name), packed)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), head, tail, Buffer.from(name))
    at += 30 + Buffer.byteLength(name) + packed.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(at, 12)
  return own(Buffer.concat([...files, ...directory, Buffer.from('PK\u0005\u0006'), end]))
}

const escaped = (text: string) => text.replace(/[<&>]/g, (mark) => `&#${mark.charCodeAt(0)};`)
const run = (text: string) => `<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`

/** A paragraph of a style; `list` is a number of `numbering` and the depth in it. */
export function paragraph(text: string, style = '', list?: [number, number]): string {
  const numbers = list ? `<w:numPr><w:ilvl w:val="${list[1]}"/><w:numId w:val="${list[0]}"/></w:numPr>` : ''
  return `<w:p><w:pPr>${style ? `<w:pStyle w:val="${style}"/>` : ''}${numbers}</w:pPr>${run(text)}</w:p>`
}
export function table(rows: readonly string[][]): string {
  const cell = (text: string) => `<w:tc>${text.startsWith('<w:p>') ? text : paragraph(text)}</w:tc>`
  return `<w:tbl>${rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`
}
export const link = (text: string) => `<w:p>${run('See ')}<w:hyperlink r:id="rId9">${run(text)}</w:hyperlink></w:p>`

const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="r" xmlns:mc="mc"'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const style = (id: string, name: string) => `<w:style w:styleId="${id}"><w:name w:val="${name}"/></w:style>`
const level = (depth: number, format: string) => `<w:lvl w:ilvl="${depth}"><w:numFmt w:val="${format}"/></w:lvl>`

/** The whole of a document.xml. */
export const documentOf = (body: string) => `${declaration}<w:document ${space}><w:body>${body}</w:body></w:document>`

/** The parts of a Word document: list 1 counts, with bullets below, list 2 has bullets; the styles are a German Word's. */
export function partsOf(document: string): ZipEntry[] {
  const styles = [style('berschrift1', 'heading 1'), style('berschrift2', 'heading 2'), style('Quelltext', 'Source Code')].join('')
  const lists = [
    `<w:abstractNum w:abstractNumId="7">${level(0, 'decimal')}${level(1, 'bullet')}</w:abstractNum>`,
    `<w:abstractNum w:abstractNumId="8">${level(0, 'bullet')}</w:abstractNum>`,
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>',
  ].join('')
  return [
    { name: '[Content_Types].xml', content: `${declaration}<Types/>` },
    { name: 'word/document.xml', content: document },
    { name: 'word/styles.xml', content: `${declaration}<w:styles ${space}>${styles}</w:styles>` },
    { name: 'word/numbering.xml', content: `${declaration}<w:numbering ${space}>${lists}</w:numbering>` },
    {
      name: 'word/_rels/document.xml.rels',
      content: `${declaration}<Relationships><Relationship Id="rId9" Target="https://kb.example.com/4711" TargetMode="External"/></Relationships>`,
    },
  ]
}

export const docxOf = (body: string): Bytes => zipOf(partsOf(documentOf(body)))

/** Sends a file as a browser would. */
export async function sendArticle(
  service: Pick<Service, 'api'>,
  { token }: Pick<Person, 'token'>,
  content: Uint8Array | string,
  name: string,
  type = '',
): Promise<Answer> {
  const form = await formOf(own(Buffer.from(content)), name, type)
  return request(service, 'POST', '/kb-imports', { token, raw: form.bytes, headers: form.headers })
}

/** Sends markdown and has it converted; answers the import with its nodes. */
export async function newImport(person: Person, content: string) {
  const sent = await person.call('POST', '/kb-imports', { title: 'Article', content, format: 'markdown' })
  const answer = await person.call('POST', `/kb-imports/${sent.body.id}/convert`)
  if (answer.status !== 200) throw new Error(`The article was not converted: ${sent.text} ${answer.text}`)
  return answer.body as { id: string; nodes: Record<'id' | 'kind' | 'title' | 'content', string>[] }
}
