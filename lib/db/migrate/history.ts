import type { MigrationFile } from './files.ts'

/** The checksum of each applied migration by its name. */
export type AppliedChecksums = ReadonlyMap<string, string>

/**
 * Return the files that are not applied. Throw if an applied file was changed, removed or renamed, or a new
 * one is numbered before it.
 */
export function selectPending(applied: AppliedChecksums, files: readonly MigrationFile[]): MigrationFile[] {
  if (isBeforeBaseline(applied, files)) throw new Error(earlierVersion)
  requireFiles(applied, files)
  for (const { name, checksum } of files) {
    if (applied.has(name) && applied.get(name) !== checksum)
      throw new Error(
        `Migration ${name} has changed since it was applied. Add a new migration instead, or start over with a new database.`,
      )
  }
  const pendingFiles = files.filter(({ name }) => !applied.has(name))
  const last = [...applied.keys()].sort().at(-1) ?? ''
  const early = pendingFiles.find(({ name }) => name < last)
  if (early)
    throw new Error(
      `Migration ${early.name} is numbered before ${last}, which is applied. Give it the number after the highest.`,
    )
  return pendingFiles
}

// The last file of the baseline before 1.0, whose first file has the name of today's. No file of this folder
// may have the name again.
const lastFileBefore1 = '0019_onboarding.sql'

function isBeforeBaseline(applied: AppliedChecksums, files: readonly MigrationFile[]): boolean {
  return applied.has(lastFileBefore1) || (applied.size > 0 && !applied.has(files[0]?.name ?? ''))
}

const earlierVersion =
  'The data was made by an earlier version of this service, before 1.0, which had other migrations, and cannot be migrated. ' +
  'On this machine `npm start -- --fresh` deletes the data and starts over. Elsewhere, migrate a new, empty database.'

function requireFiles(applied: AppliedChecksums, files: readonly MigrationFile[]): void {
  const names = new Set(files.map(({ name }) => name))
  for (const [name, checksum] of applied) {
    if (names.has(name)) continue
    const renamed = files.find((file) => file.checksum === checksum && !applied.has(file.name))
    if (renamed) throw new Error(`Migration ${renamed.name} was applied as ${name}. Rename the file back.`)
    throw new Error(
      `Migration ${name} was applied, but its file is missing. Restore it, or migrate with the version that added it.`,
    )
  }
}
