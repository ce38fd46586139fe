import { isZip, type PackedFile, readBytes } from '#rules/archive/zip.ts'
import { pause } from '#rules/budget.ts'
import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'
import { archiveLimits } from './article-archive.ts'
import { type Article, ArticleError, type Block } from './blocks.ts'
import { decodeText } from './decode-text.ts'
import { readDocx } from './docx.ts'
import { type ArticleFormat, type BinaryFormat, isBinary } from './formats.ts'
import { readHtml } from './html.ts'
import { createLosses, describeLosses, type Losses } from './losses.ts'
import { readMarkdown } from './markdown.ts'
import { isPdf, readPdf } from './pdf.ts'
import { readPlainText } from './plain-text.ts'

export type TextFormat = Exclude<ArticleFormat, BinaryFormat>

const maxTitleLength = 300

const formatByExtension: Record<string, ArticleFormat> = {
  md: 'markdown',
  markdown: 'markdown',
  mdown: 'markdown',
  mkd: 'markdown',
  txt: 'text',
  text: 'text',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  docx: 'docx',
  pdf: 'pdf',
}
const formatByMediaType: Record<string, ArticleFormat> = {
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/plain': 'text',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/pdf': 'pdf',
}

export interface ArticleFile {
  bytes: Uint8Array<ArrayBuffer>
  name: string
  /** The media type, used only if the extension of the name is unknown. */
  type: string
}

/**
 * Read an article from a file. Throw an ArticleError if the format is unknown, the content does not match it,
 * or the article is empty or too large.
 */
export async function readArticleFile({ bytes, name, type }: ArticleFile): Promise<Article> {
  const extension = /\.(\w{1,20})$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const mediaType = type.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = formatByExtension[extension] ?? formatByMediaType[mediaType]
  if (!format)
    throw new ArticleError('The file must be markdown, text, HTML, docx or PDF', 'unsupported_format')
  if ((format === 'docx') !== isZip(bytes) || (format === 'pdf' && !isPdf(bytes)))
    throw new ArticleError(`The content is not ${format}`, 'unsupported_format')
  const losses = createLosses()
  const { title, blocks } = isBinary(format)
    ? { title: null, blocks: await (format === 'pdf' ? readPdf : readDocx)(bytes, losses) }
    : await runWithPauses(readText(format, decodeText(bytes, { format, mediaType: type }, losses), losses))
  const nameWithoutExtension = name.replace(/\.\w{1,20}$/, '')
  return requireBlocks({
    format,
    title: chooseTitle(title, blocks, nameWithoutExtension),
    blocks,
    warnings: describeLosses(losses),
  })
}

/**
 * Read an article of an archive. Throw an ArticleError for an archive in it, and an ArchiveError if it is
 * damaged.
 */
export async function readArchived(packed: PackedFile, name: string): Promise<Article> {
  if (packed.size > archiveLimits.entryBytes) throw new ArticleError('The article is larger than 5 MB')
  const bytes = await readBytes(packed, archiveLimits)
  if (isZip(bytes) && !/\.docx$/i.test(name))
    throw new ArticleError('Archives inside the archive are not opened')
  return readArticleFile({ bytes, name, type: '' })
}

/** Read an article from a text. Throw an ArticleError if the article is empty or too large. */
export async function readArticleText(format: TextFormat, title: string, content: string): Promise<Article> {
  const losses = createLosses()
  const { blocks } = await runWithPauses(readText(format, content, losses))
  return requireBlocks({ format, title, blocks, warnings: describeLosses(losses) })
}

/** Run work that yields between its passes, and let other requests of the process run there. */
async function runWithPauses<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await pause()
  }
}

/**
 * Return the first non-empty of: the article's title, a heading at its start, the file name, “Untitled”.
 * Truncate it to `maxTitleLength`.
 */
function chooseTitle(articleTitle: string | null, blocks: readonly Block[], fileName: string): string {
  const heading = blocks[0]?.kind === 'heading' ? blocks[0].text : ''
  const candidates = [articleTitle ?? '', heading, fileName].map((candidate) =>
    candidate.replace(/\s+/g, ' ').trim(),
  )
  const title = candidates.find(Boolean) ?? 'Untitled'
  return title.slice(0, maxTitleLength).toWellFormed()
}

function requireBlocks(article: Article): Article {
  if (article.blocks.length === 0) throw new ArticleError('The article is empty')
  return article
}

/** Read the blocks of a text. Yield between the passes. */
export function* readText(
  format: TextFormat,
  content: string,
  losses: Losses = createLosses(),
): Generator<void, { title: string | null; blocks: Block[] }> {
  const text = normaliseLineBreaks(content.replace(/^\ufeff/, ''))
  switch (format) {
    case 'markdown':
      return readMarkdown(text, losses)
    case 'html':
      return yield* readHtml(text, losses, (part) => readMarkdown(part, losses).blocks)
    case 'text':
      return { title: null, blocks: readPlainText(text) }
  }
}
