import { beforeAll, expect, it } from 'vitest'
import { exportedTables } from '#db/account-data.ts'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import * as exportSlices from '#functions/accounts/export-slices/service.ts'
import type { Services } from '#http/app.ts'
import { listEntries } from '#rules/archive/zip.ts'
import { insertPassword } from '#test/contract/fixture-rows.ts'
import { insertFullAccount } from '#test/contract/full-account.ts'
import {
  createExport,
  downloadExport,
  downloadWithoutLastPart,
  openLink,
  readArchive,
  readRecords,
  verifyArchive,
} from '#test/support/account-exports.ts'
import { dashboard, type Service, sharedService } from '#test/support/app.ts'
import { collectAttempts } from '#test/support/attempts.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow } from '#test/support/flows.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'

let service: Service
let account: TestAccount
let files: Record<string, string>
let uploadId: string
let archive: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  service = await sharedService()
  account = await createAccount(service)
  await insertFullAccount(service, account)
  await insertPassword(service, account.admin)
  uploadId = (await uploadImage(service, account.admin, await createImage('png', 30, 20))).body.id
  await createFlow(account.admin, { name: 'Printer: “offline”', description: 'Größe\nand more' })
  archive = await downloadExport(service, account.admin, await createExport(account.admin))
  files = await readArchive(archive)
})

it('DAT-01 exports a file of JSON Lines for every kind of record that the account has', () => {
  const manifest = JSON.parse(files['manifest.json'] ?? '{}')
  expect(manifest).toMatchObject({
    format: 'support-flow-account-export',
    version: 1,
    contents: 'all',
    account: { id: account.id },
  })
  for (const { kind, columns, computed = {} } of exportedTables) {
    const records = readRecords(files, kind)
    expect([kind, records.length]).toEqual([kind, manifest.counts[kind]])
    for (const record of records) expect(Object.keys(record)).toEqual([...columns, ...Object.keys(computed)])
  }
  expect(Object.entries(manifest.counts).filter(([, count]) => count === 0)).toEqual([])
})

it('DAT-01 exports flows as markdown that can be imported again, and uploads as files', async () => {
  const [name = ''] = Object.keys(files).filter((file) => file.startsWith('flows/printer-offline-'))
  expect(name).toMatch(/^flows\/printer-offline-[0-9a-f-]{36}\.md$/)
  expect(await account.admin.client.flows.markdown.validate({ markdown: files[name] ?? '' })).toMatchObject({
    valid: true,
  })
  expect(Object.keys(files).filter((file) => file.startsWith('uploads/'))).toEqual([
    `uploads/${uploadId}.jpg`,
  ])
})

it('REC-07 the archive of an account proves each of its files', () => verifyArchive(service, archive))

it('DAT-01 exports private flows of every member, and nothing of another account', async () => {
  const { admin, addColleague } = await createAccount(service)
  const { id } = await createFlow(await addColleague(), { visibility: 'private' })
  const records = await readArchive(await downloadExport(service, admin, await createExport(admin)))
  expect(readRecords(records, 'flows').map((flow) => flow.id)).toEqual([id])
  expect(readRecords(records, 'members')).toHaveLength(2)
})

it('DAT-02 never exports passwords, keys, tokens, hashes, sealed credentials or addresses of webhooks', async () => {
  const { admin } = account
  const texts = Object.values(files).join('\n')
  const secrets = await service.sql<{ secret: string }>(
    `select hash as secret from passwords where user_id = $2
     union all select credentials from psa_connections where account_id = $1
     union all select secret from webhooks where account_id = $1
     union all select url from webhooks where account_id = $1
     union all select webhook_url from notification_configs where account_id = $1 and webhook_url is not null
     union all select encode(hash, 'hex') from api_keys where account_id = $1
     union all select encode(hash, 'base64') from api_keys where account_id = $1
     union all select encode(hash, 'hex') from tree_shares where account_id = $1
     union all select value #>> '{}' from sessions s, jsonb_each(s.secret_variables) where s.account_id = $1`,
    [admin.accountId, admin.id],
  )
  expect(secrets.length).toBeGreaterThan(5)
  for (const { secret } of secrets) expect(texts.includes(secret), secret).toBe(false)
  // A hash would be written as the text of a bytea.
  expect(texts).not.toMatch(/\$argon2|whsec_|\\\\x[0-9a-f]{32}/)
})

it('DAT-03 runs one export of an account at a time', async () => {
  const { admin } = await createAccount(service)
  await service.sql(
    `insert into account_exports (account_id, next_attempt_at) values ($1, now() + interval '1 hour')`,
    [admin.accountId],
  )
  const error = await expectRefusal(admin.client.accounts.exports.create({ contents: 'all' }), 409)
  expect(error.body).toMatchObject({ code: 'already_pending' })
})

it('DAT-03 lets an account export its data when its subscription has lapsed', async () => {
  const { admin } = await createAccount(service)
  await service.sql(`update accounts set subscription_status = 'canceled' where id = $1`, [admin.accountId])
  await downloadExport(service, admin, await createExport(admin, 'restorable'))
})

it('DAT-04 creates a link that works without a sign-in for at most 24 hours, and an audit entry', async () => {
  const { admin } = await createAccount(service)
  const id = await createExport(admin, 'restorable')
  const link = await admin.client.accounts.exports.createLink({ export_id: id })
  const hours = (Date.parse(link.expires_at) - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(23.9)
  expect(hours).toBeLessThanOrEqual(24)
  const response = await openLink(service, link.url)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
  expect(response.headers.get('content-disposition')).toMatch(
    /filename\*=UTF-8''test-account-\d{4}-\d\d-\d\d\.zip$/,
  )
  const entries = await service.sql(`select action from audit_logs where account_id = $1 order by id`, [
    admin.accountId,
  ])
  expect(entries).toEqual([{ action: 'account_export.created' }, { action: 'account_export.updated' }])
})

/** Create a ready export and a link to it. */
async function createLink(person: Person): Promise<{ id: string; url: string }> {
  const id = await createExport(person, 'restorable')
  return { id, url: (await person.client.accounts.exports.createLink({ export_id: id })).url }
}

it('DAT-04 ends a link with the rights of the admin who created it', async () => {
  const { admin, addColleague } = await createAccount(service)
  const second = await addColleague({ role: 'admin' })
  const { url } = await createLink(second)
  await admin.client.accounts.updateMember({ user_id: second.id, role: 'engineer' })
  expect((await openLink(service, url)).status).toBe(404)
  await admin.client.accounts.updateMember({ user_id: second.id, role: 'admin' })
  expect((await openLink(service, url)).status).toBe(200)
  await admin.client.accounts.removeMember({ user_id: second.id })
  expect((await openLink(service, url)).status).toBe(404)
})

it('DAT-04 refuses a changed link, an access token as a link, and a link to an expired archive', async () => {
  const { admin } = await createAccount(service)
  const { id, url } = await createLink(admin)
  expect((await openLink(service, url.replace(/.{9}$/, 'AAAAAAAAA'))).status).toBe(404)
  expect((await openLink(service, url.replace(/[^/]+$/, admin.token))).status).toBe(404)
  await service.sql(`update account_exports set expires_at = now() - interval '1 second' where id = $1`, [id])
  expect((await openLink(service, url)).status).toBe(404)
  expect(await admin.client.accounts.exports.get({ export_id: id })).toMatchObject({ status: 'expired' })
  const error = await expectRefusal(admin.client.accounts.exports.createLink({ export_id: id }), 409)
  expect(error.body).toMatchObject({ code: 'wrong_state', status: 'expired' })
})

it('DAT-04 answers 502 when a part of the archive is missing in the object storage', async () => {
  const { admin } = await createAccount(service)
  const { id, url } = await createLink(admin)
  const [part] = await service.sql<{ object_key: string }>(
    'select object_key from account_export_parts where export_id = $1 order by number limit 1',
    [id],
  )
  await service.services?.ports.uploads.remove(part?.object_key ?? '')
  const response = await openLink(service, url)
  expect([response.status, await response.json()]).toEqual([502, { detail: 'A provider failed; try again' }])
})

it('DAT-05 mails the admin who asked for it when the archive is ready, without a link to the archive', async () => {
  const { admin } = await createAccount(service)
  await createExport(admin, 'restorable')
  const { listRecords } = dashboard(service)
  const findMails = async () => (await listRecords('mail')).filter(({ to }) => to.includes(admin.email))
  await expect.poll(findMails).toMatchObject([{ subject: 'Your export is ready' }])
  expect((await findMails())[0].text).not.toContain('account-exports/')
})

/** Insert an export that no queue knows, and return a function that makes its attempts with other ports. */
async function insertUnpublished(admin: Person) {
  const [row] = await service.sql<{ id: string }>(
    'insert into account_exports (account_id, requested_by) values ($1, $2) returning id',
    [admin.accountId, admin.id],
  )
  const id = row?.id ?? ''
  const database = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
  const stored = new Set<string>()
  const objects = service.services?.ports.uploads as NonNullable<typeof service.services>['ports']['uploads']
  const uploads: typeof objects = {
    ...objects,
    put: async (key, bytes, type) => {
      stored.add(key)
      await objects.put(key, bytes, type)
    },
    remove: async (key) => {
      stored.delete(key)
      await objects.remove(key)
    },
  }
  // Each slice ends after one stage.
  let time = 0
  const ctx: exportSlices.ExportContext = {
    platform: openPlatformDb(database, 'test', () => {}),
    openAccountScope: (accountId, actor = null) => openAccountScope(database, accountId, actor, () => {}),
    uploads,
    recordSigner: (service.services as Services).ports.recordSigner,
    log: () => {},
    now: () => (time += 8000),
  }
  const attempt = (n: number, ports: Partial<exportSlices.ExportContext['uploads']> = {}) =>
    exportSlices.work.attempt({ ...ctx, uploads: { ...uploads, ...ports } }, id, n)
  const getState = async () =>
    (await service.sql('select state, attempts from account_exports where id = $1', [id]))[0]
  /** Make attempts until the export is over. */
  const finish = async () => {
    for (;;) {
      const { state, attempts } = (await getState()) as { state: string; attempts: number }
      if (state === 'ready' || state === 'failed') return
      await attempt(attempts + 1)
    }
  }
  /** Return the stored objects that are left. The job of each minute may delete expired ones too. */
  const listObjects = async () => {
    const found = await Promise.all([...stored].map(async (key) => ((await objects.get(key)) ? [key] : [])))
    return found.flat()
  }
  return { id, attempt, finish, getState, stored, listObjects, ctx }
}

it('DAT-06 writes the archive in slices, and continues where a failed attempt has stopped', async () => {
  const { admin } = account
  const { id, attempt, finish, stored } = await insertUnpublished(admin)
  await attempt(1)
  const crash = () => Promise.reject(new Error('crash'))
  // The object is stored, and the attempt fails before it is recorded.
  const putAndCrash = async (key: string) => {
    stored.add(key)
    throw new Error('crash')
  }
  await attempt(2, { put: putAndCrash, remove: crash })
  await attempt(2)
  expect(stored.size).toBe(2)
  await finish()
  const parts = await service.sql<{ object_key: string }>(
    'select object_key from account_export_parts where export_id = $1',
    [id],
  )
  expect(parts.length).toBeGreaterThan(20)
  expect([...stored].sort()).toEqual(parts.map(({ object_key }) => object_key).sort())
  const slicedArchive = await downloadExport(service, admin, id)
  await verifyArchive(service, slicedArchive)
  const sliced = await readArchive(slicedArchive)
  const listRecords = (names: Record<string, string>) =>
    Object.keys(names).filter((name) => !name.startsWith('checksums/'))
  expect(listRecords(sliced)).toEqual(listRecords(files))
  for (const { kind } of exportedTables.filter(({ kind: name }) => name !== 'audit_log'))
    expect(readRecords(sliced, kind)).toEqual(readRecords(files, kind))
})

it('DAT-06 writes uploads in slices of about 4 MiB', async () => {
  const { admin } = await createAccount(service)
  const image = await createImage('png', 30, 20)
  const uploadIds = [1, 2, 3].map(async () => (await uploadImage(service, admin, image)).body.id)
  const names = (await Promise.all(uploadIds)).map((id) => `uploads/${id}.jpg`)
  const { id, attempt, getState } = await insertUnpublished(admin)
  const get = async () => new Uint8Array(4 * 1024 * 1024)
  for (let n = 1; (await getState())?.state !== 'ready'; n++) await attempt(n, { get })
  const entries = listEntries(await downloadExport(service, admin, id)).filter(({ name }) =>
    name.startsWith('uploads/'),
  )
  expect(entries.map(({ name, size }) => [name, size])).toEqual(
    names.sort().map((name) => [name, 4 * 1024 * 1024]),
  )
  const parts = await service.sql(
    'select from account_export_parts where export_id = $1 and bytes > 4 * 1024 * 1024',
    [id],
  )
  expect(parts).toHaveLength(3)
})

it('DAT-06 repeats a slice that has failed with half of the bytes', async () => {
  const { admin } = await createAccount(service)
  const image = await createImage('png', 30, 20)
  for (let n = 0; n < 3; n++) await uploadImage(service, admin, image)
  const { id, attempt } = await insertUnpublished(admin)
  const get = async () => new Uint8Array(3 * 1024 * 1024)
  const readStage = async () =>
    (await service.sql(`select progress ->> 'stage' as stage from account_exports where id = $1`, [id]))[0]
      ?.stage
  let number = 1
  for (; (await readStage()) !== 'upload_files'; number++) await attempt(number)
  await attempt(number++, { get, put: () => Promise.reject(new Error('full')) })
  await attempt(number++, { get })
  await attempt(number, { get })
  const parts = await service.sql(
    'select bytes / (3 * 1024 * 1024) as images from account_export_parts where export_id = $1 order by number',
    [id],
  )
  expect(parts.slice(-2)).toEqual([{ images: 1 }, { images: 2 }])
})

it('DAT-17 shows how many kinds of an archive are complete', async () => {
  const { admin } = await createAccount(service)
  for (let n = 0; n < 3; n++) await uploadImage(service, admin, await createImage('png', 30, 20))
  const { id, attempt, finish } = await insertUnpublished(admin)
  const readProgress = async () => (await admin.client.accounts.exports.get({ export_id: id })).progress
  expect(await readProgress()).toEqual({ phase: 'waiting', done: 0, total: 0 })
  const get = async () => new Uint8Array(3 * 1024 * 1024)
  await attempt(1, { get })
  const { phase, done, total } = await readProgress()
  expect([phase, total, done]).toEqual(['writing', exportedTables.length + 3, 1])
  await finish()
  expect(await readProgress()).toEqual({ phase: 'finished', done: total, total })
})

it('DAT-06 a late attempt cannot change a part that a later one has written', async () => {
  const { admin } = await createAccount(service)
  const { id, attempt, finish } = await insertUnpublished(admin)
  const lease = () =>
    service.sql(`update account_exports set leased_until = now() - interval '1 second' where id = $1`, [id])
  let lateKey = ''
  await attempt(1, {
    put: async (key, bytes, type) => {
      lateKey = key
      await lease()
      await finish()
      await service.services?.ports.uploads.put(key, bytes.fill(0), type)
    },
  })
  expect(readRecords(await readArchive(await downloadExport(service, admin, id)), 'account')).toHaveLength(1)
  expect(await service.services?.ports.uploads.get(lateKey)).toBeNull()
})

it('OBS-03 counts the attempts of an export', async () => {
  const { admin } = await createAccount(service)
  const { attempt } = await insertUnpublished(admin)
  expect(await collectAttempts(() => attempt(1))).toEqual(['export succeeded'])
  const crash = () => Promise.reject(new Error('full'))
  expect(await collectAttempts(() => attempt(2, { put: crash }))).toEqual(['export retried'])
})

it('DAT-06 fails after four attempts of a slice, deletes its objects and mails the admin', async () => {
  const { admin } = await createAccount(service)
  const { id, attempt, getState, listObjects, ctx } = await insertUnpublished(admin)
  await attempt(1)
  for (const n of [2, 3, 4, 5, 6]) await attempt(n, { put: () => Promise.reject(new Error('full')) })
  expect(await getState()).toEqual({ state: 'failed', attempts: 5 })
  expect(await admin.client.accounts.exports.get({ export_id: id })).toMatchObject({ status: 'failed' })
  expect(
    await service.sql('select purpose from deliveries where account_id = $1', [admin.accountId]),
  ).toEqual([{ purpose: 'export_failed' }])
  while ((await exportSlices.removeExpired(ctx, 100)) > 0);
  expect(await listObjects()).toEqual([])
})

it.each([
  ['is ready', 'ready'],
  ['has failed', 'failed'],
])('DAT-05 mails nobody when an export %s whose admin has left', async (_, state) => {
  const { admin } = await createAccount(service)
  const { id, attempt, finish, getState } = await insertUnpublished(admin)
  await service.sql('update account_exports set requested_by = null where id = $1', [id])
  if (state === 'ready') await finish()
  else for (const n of [1, 2, 3, 4]) await attempt(n, { put: () => Promise.reject(new Error('full')) })
  expect(await getState()).toMatchObject({ state })
  expect(
    await service.sql('select purpose from deliveries where account_id = $1', [admin.accountId]),
  ).toEqual([])
})

it('DAT-07 deletes the archive 7 days after it is ready, and keeps the entry of the export', async () => {
  const { admin } = await createAccount(service)
  const { id, finish, listObjects, ctx } = await insertUnpublished(admin)
  await finish()
  expect((await listObjects()).length).toBeGreaterThan(2)
  const { expires_at, ready_at } = await admin.client.accounts.exports.get({ export_id: id })
  expect(Date.parse(expires_at ?? '') - Date.parse(ready_at ?? '')).toBe(7 * 86_400_000)
  await exportSlices.removeExpired(ctx, 1000)
  expect((await listObjects()).length).toBeGreaterThan(2)
  await service.sql(`update account_exports set expires_at = now() - interval '1 second' where id = $1`, [id])
  while ((await exportSlices.removeExpired(ctx, 2)) > 0);
  expect(await listObjects()).toEqual([])
  expect(
    await service.sql('select state, removed_at is not null as removed from account_exports where id = $1', [
      id,
    ]),
  ).toEqual([{ state: 'expired', removed: true }])
})

it('DAT-18 breaks the transfer on Node when a part of the archive is lost', async () => {
  const { admin } = await createAccount(service)
  expect(await downloadWithoutLastPart(service, admin)).toBeInstanceOf(Error)
})
