import { ArchiveError, type Entry, listEntries, type ZipLimits } from '#rules/archive/zip.ts'
import { spend } from '#rules/budget.ts'

export const archiveLimits: ZipLimits = {
  entries: 400,
  entryBytes: 5 * 1024 * 1024,
  totalBytes: 100 * 1024 * 1024,
}
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
  const entries = listEntries(bytes, archiveLimits)
  // A name may have 64 KiB.
  spend(entries.reduce((steps, { name }) => steps + name.length, 0))
  const files = entries.filter(({ name }) => !isNoFile(name))
  return requireFew(files).map((entry) => ({ entry, name: toLine(entry.name) }))
}

function requireFew(files: Entry[]): Entry[] {
  if (files.length > maxArticles) throw new ArchiveError(`The archive has more than ${maxArticles} files`)
  return files
}

/** Return a name in one line of at most 300 characters. */
export function toLine(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.slice(-maxNameLength).toWellFormed() || 'file'
}
