import {
  ArchiveError,
  type Entry,
  isZip,
  listEntries,
  type PackedFile,
  readBytes,
  type ZipLimits,
} from '#rules/archive/zip.ts'
import { type Article, readArticleFile } from './article.ts'
import { ArticleError } from './blocks.ts'

const limits: ZipLimits = { entries: 400, entryBytes: 5 * 1024 * 1024, totalBytes: 100 * 1024 * 1024 }
const maxArticles = 200
const maxNameLength = 300

export interface ArchivedFile {
  entry: Entry
  /** Its path in the archive, in one line. It is only shown. */
  name: string
}

/** Folders, and what systems add to archives by themselves. */
const isNoFile = (name: string) =>
  /[/\\]$|(?:^|[/\\])(?:__MACOSX[/\\]|\.[^/\\]*$|Thumbs\.db$|desktop\.ini$)/i.test(name)

/**
 * List the files of an archive of articles. Throw an ArchiveError if it is damaged or encrypted, or exceeds
 * the limits.
 */
export function listArticles(bytes: Uint8Array<ArrayBuffer>): ArchivedFile[] {
  const files = listEntries(bytes, limits).filter(({ name }) => !isNoFile(name))
  return requireFew(files).map((entry) => ({ entry, name: toLine(entry.name) }))
}

function requireFew(files: Entry[]): Entry[] {
  if (files.length > maxArticles) throw new ArchiveError(`The archive has more than ${maxArticles} files`)
  return files
}

/**
 * Read an article of an archive. Throw an ArticleError for an archive in it, and an ArchiveError if it is
 * damaged.
 */
export async function readArchived(packed: PackedFile, name: string): Promise<Article> {
  if (packed.size > limits.entryBytes) throw new ArticleError('The article is larger than 5 MB')
  const bytes = await readBytes(packed, limits)
  if (isZip(bytes) && !/\.docx$/i.test(name))
    throw new ArticleError('Archives inside the archive are not opened')
  return readArticleFile({ bytes, name, type: '' })
}

/** Return a name in one line of at most 300 characters. */
export function toLine(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.slice(-maxNameLength).toWellFormed() || 'file'
}
