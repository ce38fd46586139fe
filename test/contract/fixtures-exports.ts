import { parseConfig } from '#config.ts'
import { encodeEnd, encodeEntry } from '#rules/archive/zip-writer.ts'
import { exportFormat, exportVersion } from '#rules/exports/account-archive.ts'
import { concatBytes } from '#rules/text/bytes.ts'
import type { Service } from '#test/support/app.ts'
import { encodeFileForm } from '#test/support/images.ts'
import type { Person } from '#test/support/people.ts'
import { createExportTokens } from '#vendors/auth/export-tokens.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'

/** Insert an export that is ready and has no parts: its archive is empty. */
export function insertExport(service: Service, { accountId, id }: Person): Promise<string> {
  const progress = {
    stage: 'end',
    after: null,
    files: 0,
    parts: 0,
    entries: 0,
    bytes: 0,
    directory_bytes: 0,
    counts: { flows: 0 },
    checksums: [],
  }
  return insertReturningId(
    service,
    `insert into account_exports (account_id, requested_by, state, progress, ready_at, expires_at)
     select $1, (select u.id from users u where u.account_id = $1 and u.id = $2), 'ready', $3, app.now(), app.now() + interval '7 days' returning id`,
    [accountId, id, JSON.stringify(progress)],
  )
}

/** Insert an import that has succeeded and restored nothing. */
export function insertImport(service: Service, { accountId, id }: Person): Promise<string> {
  const progress = { stage: 'store', skipped: { records: [], count: 0 } }
  return insertReturningId(
    service,
    `insert into account_imports (account_id, requested_by, object_key, state, progress, total, counts, finished_at)
     select $1, (select u.id from users u where u.account_id = $1 and u.id = $2), 'k', 'succeeded', $3, 0, '{"not_restored": {}}', app.now() returning id`,
    [accountId, id, JSON.stringify(progress)],
  )
}

/** Return an archive with these files. */
export async function createArchive(
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const directories: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    const entry = await encodeEntry({ name, content: bytes }, offset, new Date())
    parts.push(entry.bytes)
    directories.push(entry.directory)
    offset += entry.bytes.byteLength
  }
  const directory = concatBytes(directories)
  return concatBytes([
    ...parts,
    directory,
    encodeEnd({ entries: parts.length, directoryBytes: directory.byteLength, offset }),
  ])
}

export const manifest = JSON.stringify({ format: exportFormat, version: exportVersion, counts: {} })

const onExport: Fixture = async (service, owner) => ({
  params: { export_id: await insertExport(service, owner) },
})

export const exportFixtures = {
  'accounts.exports.create': async (service, { accountId }) => {
    await service.sql(
      `update account_exports set state = 'failed' where account_id = $1 and state in ('queued', 'retrying')`,
      [accountId],
    )
    return { body: { contents: 'restorable' } }
  },
  'accounts.exports.list': async (service, owner) => {
    await insertExport(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'accounts.exports.get': onExport,
  'accounts.exports.createLink': onExport,
  'accounts.exports.download': async (service, owner) => {
    const grant = {
      exportId: await insertExport(service, owner),
      accountId: owner.accountId,
      userId: owner.id,
    }
    await service.sql(`update users set role = 'admin' where id = $1`, [owner.id])
    return { params: { token: await createExportTokens(parseConfig(service.settings)).sign(grant, 3600) } }
  },
  // A manifest alone restores nothing, so the account stays empty.
  'accounts.imports.create': async (service, { accountId }) => {
    await service.sql(
      `update account_imports set state = 'failed' where account_id = $1 and state in ('queued', 'retrying')`,
      [accountId],
    )
    return {
      content: await encodeFileForm(
        await createArchive({ 'manifest.json': manifest }),
        'export.zip',
        'application/zip',
      ),
    }
  },
  'accounts.imports.get': async (service, owner) => ({
    params: { import_id: await insertImport(service, owner) },
  }),
} satisfies Record<string, Fixture>
