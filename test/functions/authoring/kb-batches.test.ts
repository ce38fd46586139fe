import { afterAll, describe, expect, it, vi } from 'vitest'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import * as slices from '#functions/authoring/kb-batch-slices/service.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { buildDocx, buildZip, docxParagraph, type ZipEntry } from '#test/support/knowledge.ts'
import { buildPdf, pdfText } from '#test/support/pdf-files.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import type { Ports } from '#vendors/ports.ts'

const service = await sharedService()
const database = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
const ports = service.services?.ports as Ports
const web = await startVendorServer()
afterAll(web.close)

async function createAdmin(plan = 'pro') {
  const { admin } = await createAccount(service)
  await service.sql('update accounts set plan = $2 where id = $1', [admin.accountId, plan])
  return admin
}
const upload = ({ client }: Person, entries: readonly ZipEntry[]) =>
  client.authoring.kbBatches.create({ file: new Blob([buildZip(entries)], { type: 'application/zip' }) })
const waitForEnd = ({ client }: Person, id: string) =>
  vi.waitFor(
    async () => {
      const batch = await client.authoring.kbBatches.get({ batch_id: id })
      expect(batch.finished_at).not.toBeNull()
      return batch
    },
    { timeout: 30_000 },
  )
const importZip = async (person: Person, entries: readonly ZipEntry[]) =>
  waitForEnd(person, (await upload(person, entries)).id)
const article = (name: string) => ({ name, content: `# ${name}\n\n1. Restart it.` })

/** Start a batch that no queue knows, and return functions that make its attempts. */
async function startBatch(person: Person, source: { entries: readonly ZipEntry[] } | { url: string }) {
  const id = crypto.randomUUID()
  const object_key = 'entries' in source ? `accounts/${person.accountId}/kb-batches/${id}.zip` : null
  if ('entries' in source) await ports.uploads.put(object_key ?? '', buildZip(source.entries))
  await service.sql(
    `insert into kb_batches (id, account_id, created_by, source, address, object_key, total, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, $7, app.now() + interval '1 hour')`,
    'entries' in source
      ? [id, person.accountId, person.id, 'zip', null, object_key, source.entries.length]
      : [id, person.accountId, person.id, 'url', source.url, null, 1],
  )
  const published: unknown[] = []
  const ctx = {
    platform: openPlatformDb(database, 'test', () => {}),
    openAccountScope: (accountId: string, actor: string | null = null) =>
      openAccountScope(database, accountId, actor, (entry) => published.push(entry)),
    uploads: ports.uploads,
    files: ports.files,
    vault: ports.vault,
    guard: {
      findRefusal: async (url: string) =>
        url.startsWith(web.origin) ? null : 'must not lead to a private address',
    },
    log: () => {},
    // A slow machine makes no slice shorter.
    now: () => 0,
  }
  const attempt = (n: number, parts: Partial<slices.BatchContext> = {}) =>
    slices.work.attempt({ ...ctx, ...parts }, id, n)
  const get = () => person.client.authoring.kbBatches.get({ batch_id: id })
  return { id, attempt, get, published, ctx }
}

describe('an archive of articles', () => {
  it('KBI-19 has a result for each file: its import, or why it was refused', async () => {
    const admin = await createAdmin()
    const batch = await importZip(admin, [
      { name: 'docs/', content: '' },
      { name: '__MACOSX/._a.md', content: 'x' },
      { ...article('Text'), name: 'docs/../../Drücker\u0007.md' },
      { name: 'a.docx', content: buildDocx(docxParagraph('Text')) },
      { name: 'b.pdf', content: buildPdf({ pages: [pdfText('Text', 50, 700)] }) },
      { name: 'scan.pdf', content: buildPdf({ pages: [''] }) },
      { name: 'empty.md', content: '' },
      { name: 'inner.zip', content: buildZip([article('c.md')]) },
      { name: 'picture.png', content: 'PNG' },
      { name: 'bomb.html', content: Buffer.alloc(6 * 1024 * 1024, 32) },
      { name: 'lies.md', content: 'a'.repeat(1000), declaredSize: 10 },
    ])
    expect(batch).toMatchObject({
      status: 'succeeded',
      source: 'zip',
      progress: { phase: 'finished', done: 9, total: 9 },
      problem: null,
    })
    const imported = expect.any(String)
    expect(batch.articles.map(({ name, import_id, problem }) => [name, import_id, problem])).toEqual([
      ['docs/../../Drücker .md', imported, null],
      ['a.docx', imported, null],
      ['b.pdf', imported, null],
      ['scan.pdf', null, expect.stringMatching(/^The PDF has no text/)],
      ['empty.md', null, 'The article is empty'],
      ['inner.zip', null, 'Archives inside the archive are not opened'],
      ['picture.png', null, 'The file must be markdown, text, HTML, docx or PDF'],
      ['bomb.html', null, 'The article is larger than 5 MB'],
      ['lies.md', null, expect.stringMatching(/larger than it declares/)],
    ])
    const { import_id } = batch.articles[1] ?? {}
    expect(await admin.client.authoring.kbImports.get({ import_id: import_id ?? '' })).toMatchObject({
      format: 'docx',
      created_by: admin.id,
    })
  })

  it.each([
    ['no archive', new Uint8Array(Buffer.from('x'))],
    ['no files', buildZip([{ name: 'a/', content: '' }])],
    ['more than 200 files', buildZip(Array.from({ length: 201 }, (_, n) => article(`${n}.md`)))],
    [
      'more than 100 MiB',
      buildZip(
        Array.from({ length: 3 }, (_, n) => ({ ...article(`${n}.md`), declaredSize: 40 * 1024 * 1024 })),
      ),
    ],
    ['an encrypted file', encrypt(buildZip([article('a.md')]))],
  ])('KBI-19 with %s is a 422', async (_, bytes) => {
    const admin = await createAdmin()
    await expectRefusal(admin.client.authoring.kbBatches.create({ file: new Blob([bytes]) }), 422)
    expect(await admin.client.authoring.kbBatches.list()).toEqual([])
  })

  it('KBI-19 counts towards the quota: the articles beyond it are refused', async () => {
    const admin = await createAdmin('free')
    const { articles } = await importZip(admin, ['a.md', 'b.md', 'c.md', 'd.md'].map(article))
    expect(articles.map(({ problem }) => problem)).toEqual([
      null,
      null,
      null,
      'Your plan allows no more knowledge imports; change the plan',
    ])
    expect((await expectRefusal(upload(admin, [article('e.md')]), 403)).code).toBe('kb_quota_exceeded')
  })

  it('KBI-19 belongs to the team of its creator, and other teams do not see it', async () => {
    const account = await createAccount(service)
    const [member, other] = [await account.addColleague(), await account.addColleague({ teamId: null })]
    const batch = await importZip(member, [article('a.md')])
    const rows = await service.sql('select team_id from kb_imports where id = $1', [
      batch.articles[0]?.import_id,
    ])
    expect(rows).toEqual([{ team_id: member.teamId || null }])
    await expectRefusal(other.client.authoring.kbBatches.get({ batch_id: batch.id }), 404)
  })

  it('KBI-19 is one at a time, and is deleted when it ends', async () => {
    const admin = await createAdmin()
    const { id, attempt } = await startBatch(admin, { entries: [article('a.md')] })
    expect((await expectRefusal(upload(admin, [article('b.md')]), 409)).code).toBe('already_pending')
    await attempt(1)
    expect(
      await service.sql('select object_key from deleted_objects where object_key like $1', [`%${id}.zip`]),
    ).toHaveLength(1)
  })
})

describe('a slice of a batch', () => {
  const entries = Array.from({ length: 25 }, (_, n) => article(`${n}.md`))

  it('KBI-21 SSE-41 shows the progress, and the next slice goes on from there', async () => {
    const admin = await createAdmin()
    const { id, attempt, get, published } = await startBatch(admin, { entries })
    expect((await get()).progress).toEqual({ phase: 'waiting', done: 0, total: 25 })
    await attempt(1)
    expect(await get()).toMatchObject({
      status: 'running',
      progress: { phase: 'importing', done: 20, total: 25 },
    })
    const progressed = (progress: object) => ({
      kind: 'live_event',
      event: { event: 'job_progressed', data: { kind: 'kb_batch', id, user_id: admin.id, ...progress } },
    })
    expect(published).toMatchObject([
      progressed({ phase: 'importing', done: 20, total: 25 }),
      { kind: 'kb_batch', id, attempt: 2 },
    ])
    await attempt(2)
    expect(await get()).toMatchObject({
      status: 'succeeded',
      progress: { phase: 'finished', done: 25, total: 25 },
    })
    expect(published.at(-2)).toMatchObject(progressed({ phase: 'finished', done: 25, total: 25 }))
    const data = { batch_id: id, user_id: admin.id, status: 'succeeded' }
    expect(published.at(-1)).toMatchObject({
      kind: 'live_event',
      event: { event: 'kb_batch_finished', data },
    })
  })

  it('KBI-21 that crashes before or after its commit loses and doubles nothing', async () => {
    const admin = await createAdmin()
    const { id, attempt, get } = await startBatch(admin, { entries })
    // Its process ends while the attempt is claimed.
    await service.sql(
      `update kb_batches set attempts = 1, leased_until = app.now() - interval '1 second' where id = $1`,
      [id],
    )
    await Promise.all([attempt(2), attempt(2), attempt(2)])
    // The message of the next slice is lost, and the one before comes again.
    await attempt(2)
    expect((await get()).progress.done).toBe(20)
    await attempt(3)
    expect(new Set((await get()).articles.map(({ import_id }) => import_id)).size).toBe(25)
    expect((await admin.client.authoring.kbImports.getQuota()).used).toBe(25)
  })

  it('KBI-21 that fails is repeated, and the batch fails after four attempts', async () => {
    const admin = await createAdmin()
    const { attempt, get, published, id } = await startBatch(admin, { entries })
    const uploads = { ...ports.uploads, get: () => Promise.reject(new Error('down')) }
    await attempt(1, { uploads })
    expect(published).toEqual([{ kind: 'kb_batch', id, attempt: 2, delaySeconds: 30 }])
    for (const n of [2, 3, 4]) await attempt(n, { uploads })
    expect(await get()).toMatchObject({
      status: 'failed',
      problem: 'The articles could not be imported; try again',
      articles: [],
    })
  })

  it('KBI-21 of a canceled batch stores nothing', async () => {
    const admin = await createAdmin()
    const { id, attempt, get } = await startBatch(admin, { entries })
    await attempt(1)
    const cancel = () => admin.client.authoring.kbBatches.cancel({ batch_id: id })
    const uploads = {
      ...ports.uploads,
      get: async (key: string) => (await cancel()) && ports.uploads.get(key),
    }
    await attempt(2, { uploads })
    expect(await get()).toMatchObject({ status: 'canceled', progress: { phase: 'finished', done: 20 } })
    expect((await admin.client.authoring.kbImports.list()).length).toBe(20)
    expect((await cancel()).status).toBe('canceled')
    const ended = await importZip(admin, [article('a.md')])
    expect(
      (await expectRefusal(admin.client.authoring.kbBatches.cancel({ batch_id: ended.id }), 409)).code,
    ).toBe('wrong_state')
  })
})

describe('a page by its address', () => {
  const importPage = async (path: string, answer: ReturnType<typeof web.answer>) => {
    web.answer = () => answer
    const { attempt, get, published } = await startBatch(await createAdmin(), { url: web.origin + path })
    await attempt(1)
    return { batch: await get(), published }
  }
  const type = (contentType: string) => ({ headers: { 'content-type': contentType } })

  it.each([
    [
      '/kb/article.php?id=3',
      { ...type('text/html; charset=utf-8'), body: '<title>Fix</title><p>Text' },
      'html',
    ],
    ['/guide.md', { ...type('text/plain'), body: '# Fix\n\nText' }, 'markdown'],
    ['/guide.md', { ...type('text/html'), body: '<title>Fix</title><p>Text' }, 'html'],
    ['/%zz', { ...type('text/markdown'), body: '# Fix' }, 'markdown'],
  ])('KBI-20 at %s is imported by its media type', async (path, answer, format) => {
    const { batch } = await importPage(path, answer)
    expect(batch).toMatchObject({
      status: 'succeeded',
      articles: [{ name: web.origin + path, import_id: expect.any(String), problem: null }],
    })
    const rows = await service.sql('select format, title from kb_imports where id = $1', [
      batch.articles[0]?.import_id,
    ])
    expect(rows).toEqual([{ format, title: 'Fix' }])
  })

  it('KBI-20 that is no article is refused, and one that is away is asked for again', async () => {
    expect(
      (await importPage('/a.zip', { ...type('application/zip'), body: 'PK' })).batch.articles,
    ).toMatchObject([{ import_id: null, problem: expect.stringMatching(/must be/) }])
    expect((await importPage('/', { status: 404 })).batch).toMatchObject({
      status: 'failed',
      problem: 'The page answered 404',
    })
    const { batch, published } = await importPage('/', { status: 429, headers: { 'retry-after': '90' } })
    expect([batch.status, published]).toEqual([
      'running',
      [expect.objectContaining({ attempt: 2, delaySeconds: 90 })],
    ])
  })

  it('KBI-20 at a private address is refused when it is asked for, and when it is read', async () => {
    const admin = await createAdmin()
    for (const url of [
      'https://10.0.0.1/',
      'https://localhost/',
      'ftp://example.com/',
      'https://u:p@example.com/',
    ])
      expectStatus(await admin.call('POST', '/kb-imports/batches', { source: 'url', url }), 422)
    const { attempt, get } = await startBatch(admin, { url: 'https://rebound.example/' })
    await attempt(1)
    expect(await get()).toMatchObject({
      status: 'failed',
      problem: 'The address must not lead to a private address',
    })
  })
})

/** Set the flag of encryption in the directory of an archive. */
function encrypt(zip: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const at = Buffer.from(zip).indexOf('PK\u0001\u0002')
  zip[at + 8] = 1
  return zip
}
