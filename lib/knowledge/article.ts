import { isZip } from '../archive/zip.ts'
import { ArticleError, type Block } from './blocks.ts'
import { readDocx } from './docx.ts'
import { readHtml } from './html.ts'
import { readMarkdown } from './markdown.ts'
import { readPlain } from './plain.ts'

export const formats = ['markdown', 'text', 'html', 'docx'] as const
export type Format = (typeof formats)[number]

export interface Article {
  format: Format
  /** What it calls itself, one line of at most 300 characters. */
  title: string
  blocks: Block[]
}

const byEnding: Record<string, Format> = {
  ...{ md: 'markdown', markdown: 'markdown', mdown: 'markdown', mkd: 'markdown' },
  ...{ txt: 'text', text: 'text', html: 'html', htm: 'html', xhtml: 'html', docx: 'docx' },
}
const byType: Record<string, Format> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/plain': 'text',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
}

/** Reads a file of the four formats, by its ending or else its type, as far as its content bears it out. Throws ArticleError. */
export async function readFile({ bytes, name, type }: { bytes: Uint8Array<ArrayBuffer>; name: string; type: string }): Promise<Article> {
  const ending = /\.(\w{1,20})$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const format = byEnding[ending] ?? byType[type.split(';')[0]?.trim().toLowerCase() ?? '']
  if (!format) throw new ArticleError('Send markdown, text, HTML or docx', 'type')
  return readArticle(format, bytes, name.replace(/\.\w{1,20}$/, ''))
}

async function readArticle(format: Format, bytes: Uint8Array<ArrayBuffer>, otherwise: string): Promise<Article> {
  if ((format === 'docx') !== isZip(bytes)) throw new ArticleError(`The content is not ${format}`, 'type')
  const { title, blocks } = format === 'docx' ? { title: null, blocks: await readDocx(bytes) } : readText(format, decoded(bytes))
  const heading = blocks[0]?.kind === 'heading' ? blocks[0].text : null
  const line = [title, heading, otherwise].map((one) => (one ?? '').replace(/\s+/g, ' ').trim()).find(Boolean) ?? 'Untitled'
  return filled({ format, title: line.slice(0, 300).toWellFormed(), blocks })
}

/** Reads an article that comes as a text under a title of its sender's. Throws ArticleError. */
export function readGiven(format: Exclude<Format, 'docx'>, title: string, content: string): Article {
  return filled({ format, title, blocks: readText(format, content).blocks })
}

function filled(article: Article): Article {
  if (article.blocks.length === 0) throw new ArticleError('The article is empty')
  return article
}

function readText(format: Exclude<Format, 'docx'>, given: string): { title: string | null; blocks: Block[] } {
  const text = given.replace(/\r\n?/g, '\n')
  if (format === 'markdown') return readMarkdown(text)
  return format === 'html' ? readHtml(text) : { title: null, blocks: readPlain(text) }
}

// Control characters, but those that part words and lines: they stand in no text, and in nearly every file that is none.
const binary = /[^\P{Cc}\t-\r\x7f-\x9f]/u

/** UTF-8, UTF-16 with its mark, or else what Windows wrote before. */
function decoded(bytes: Uint8Array<ArrayBuffer>): string {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const text =
    mark === 0xfffe || mark === 0xfeff ? new TextDecoder(mark === 0xfffe ? 'utf-16le' : 'utf-16be').decode(bytes) : fromBytes(bytes)
  if (binary.test(text)) throw new ArticleError('The content is no text', 'type')
  return text
}

function fromBytes(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
