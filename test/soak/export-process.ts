import { readFile } from 'node:fs/promises'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import * as exportSlices from '#functions/accounts/export-slices/service.ts'
import type { CheckPosition } from '#functions/accounts/import-records/schemas.ts'
import { checkSlice, firstPosition, openArchive } from '#functions/accounts/import-records/service.ts'
import { folderObjects } from '#platform/node/objects-folder.ts'
import { openPostgres } from '#platform/node/postgres.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { recordSigner } from '#test/support/record-signer.ts'

// A process of its own, so that its memory can be measured. Prints its peak and its time as JSON.

/** Write all slices of an export. Objects are in a folder. */
async function writeExport(url: string, folder: string, id: string): Promise<number> {
  const database = openPostgres({ url, maxConnections: 2, onRoundTrip: () => {} })
  const uploads = folderObjects(folder, 60_000) as exportSlices.ExportContext['uploads']
  const openScope = (accountId: string, actor: string | null = null) =>
    openAccountScope(database, accountId, actor, () => {})
  const platform = openPlatformDb(database, 'soak', () => {})
  let slices = 0
  for (let isOver = false; !isOver; ) {
    await exportSlices.work.attempt(
      { platform, openAccountScope: openScope, uploads, recordSigner, log: console.error },
      id,
      ++slices,
    )
    const { state } = await platform
      .selectFrom('account_exports')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    isOver = state === 'ready' || state === 'failed'
  }
  await database.close()
  return slices
}

/** Check an archive as the slices of an import do. Return the number of slices. */
async function readImport(path: string): Promise<number> {
  const archive = await openArchive(new Uint8Array(await readFile(path)))
  let slices = 0
  for (let next: CheckPosition | null = firstPosition; next; slices++) {
    const position: CheckPosition = next
    const check = () => checkSlice(archive, position)
    next = (await runWithin(createBudget({ steps: jobSteps }), check)).next
  }
  return slices
}

const [mode, ...args] = process.argv.slice(2) as [string, string, string, string]
const start = performance.now()
const count =
  mode === 'export'
    ? await writeExport(...(args as [string, string, string]))
    : await readImport(args[0] ?? '')
console.log(
  JSON.stringify({
    count,
    ms: Math.round(performance.now() - start),
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
)
