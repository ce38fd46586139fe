/** The format that the manifest of an account's export names. */
export const exportFormat = 'support-flow-account-export'
/** The version of the format. A change that an older import would misread raises it. */
export const exportVersion = 1

/** Where the next slice starts, and what the archive has so far. */
export interface ExportProgress {
  /** The kind of record that is written next, or one of the stages after them. */
  stage: string
  /** The key of the last record; null at the start of a stage. */
  after: string[] | null
  /** The number of files that the stage has so far. */
  files: number
  /** The number of parts, entries and bytes of the archive, without its directory. */
  parts: number
  entries: number
  bytes: number
  directory_bytes: number
  /** The stages that are complete, and all of them. Missing in an export that an older version began. */
  stages?: { done: number; total: number }
  /** Records by kind, and files of the other stages. */
  counts: Record<string, number>
  /** The SHA-256 of each file of checksums, in hexadecimal digits. */
  checksums: string[]
}
