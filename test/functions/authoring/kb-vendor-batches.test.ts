import { afterAll, describe, expect, it, vi } from 'vitest'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import * as slices from '#functions/authoring/kb-batch-slices/service.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { type ArticleVendor, articleVendors } from '#vendors/articles/articles.ts'
import { sealArticlesKey } from '#vendors/articles/sealed-key.ts'
import type { Ports } from '#vendors/ports.ts'

const service = await sharedService()
const database = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
const ports = service.services?.ports as Ports
const vendor = await startVendorServer()
afterAll(vendor.close)
const key = 'key-4f1c9a'
const localPaths: Record<ArticleVendor, string> = { hudu: 'hudu', it_glue: 'it-glue' }

async function createAdmin(plan = 'pro') {
  const { admin } = await createAccount(service)
  await service.sql('update accounts set plan = $2 where id = $1', [admin.accountId, plan])
  return admin
}
const importAll = async ({ client }: Person, source: ArticleVendor, api_key = 'demo') => {
  const { id } = await client.authoring.kbBatches.create({
    source,
    base_url: `${service.localOrigin}/${localPaths[source]}`,
    api_key,
  })
  return vi.waitFor(
    async () => {
      const batch = await client.authoring.kbBatches.get({ batch_id: id })
      expect(batch.finished_at).not.toBeNull()
      return batch
    },
    { timeout: 30_000 },
  )
}

/** Start a batch of the vendor server that no queue knows, and return functions that make its attempts. */
async function startBatch(source: ArticleVendor, address = vendor.origin) {
  const person = await createAdmin()
  const id = crypto.randomUUID()
  await service.sql(
    `insert into kb_batches (id, account_id, created_by, source, address, api_key, list_position, total, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, '', 0, app.now() + interval '1 hour')`,
    [
      id,
      person.accountId,
      person.id,
      source,
      address,
      await sealArticlesKey(ports.vault, person.accountId, id, key),
    ],
  )
  const published: unknown[] = []
  const logged: unknown[] = []
  const ctx: slices.BatchContext = {
    platform: openPlatformDb(database, 'test', () => {}),
    openAccountScope: (accountId, actor = null) =>
      openAccountScope(database, accountId, actor, (entry) => published.push(entry)),
    uploads: ports.uploads,
    files: ports.files,
    vault: ports.vault,
    guard: {
      findRefusal: async (url) =>
        url.startsWith(vendor.origin) ? null : 'must not lead to a private address',
    },
    log: (line) => void logged.push(line),
  }
  let attempts = 0
  const attempt = (n = ++attempts) => slices.work.attempt(ctx, id, n)
  const get = () => person.client.authoring.kbBatches.get({ batch_id: id })
  const readRow = async () => (await service.sql('select * from kb_batches where id = $1', [id]))[0]
  return { id, person, attempt, get, published, logged, readRow }
}

type Answer = ReturnType<typeof vendor.answer>
const html = '<p>Text</p>'

/** Answer like a vendor with articles whose ids are 1 to `count`. `change` replaces the answer to a path. */
function answerWith(
  source: ArticleVendor,
  count: number,
  change: (path: string) => Answer | undefined = () => undefined,
) {
  vendor.requests.length = 0
  const ids = Array.from({ length: count }, (_, n) => n + 1)
  const slice = (page: number, size: number) => ids.slice((page - 1) * size, page * size)
  vendor.answer = ({ path }) => {
    const changed = change(path)
    if (changed !== undefined) return changed
    const { pathname, searchParams } = new URL(path, vendor.origin)
    if (source === 'hudu') {
      if (pathname === '/api/v1/articles')
        return {
          body: {
            articles: slice(Number(searchParams.get('page')), 25).map((id) => ({ id, name: `A ${id}` })),
          },
        }
      return { body: { article: { content: html } } }
    }
    const page = Number(searchParams.get('page[number]'))
    const size = Number(searchParams.get('page[size]'))
    if (pathname === '/organizations')
      return { body: { data: page === 1 ? [{ id: '7', attributes: { name: 'Org' } }] : [] } }
    if (pathname.endsWith('/relationships/documents')) {
      const listed = searchParams.has('filter[document_folder_id][ne]') ? [] : slice(page, size)
      const meta = { 'next-page': page * size < count ? page + 1 : null }
      return {
        body: { data: listed.map((id) => ({ id: String(id), attributes: { name: `A ${id}` } })), meta },
      }
    }
    return {
      body: { data: [{ attributes: { 'resource-type': 'Document::Text', content: html } }], meta: {} },
    }
  }
}
const isList = (path: string) => /\/articles\?|\/organizations/.test(path)
const isArticle = (path: string, id: number) => new RegExp(`/(?:articles|documents)/${id}(?:/|$)`).test(path)

describe.each(articleVendors)('the articles of %s', (source) => {
  it('KBI-22 are listed over several pages and imported by their names; drafts and archived ones are left out', async () => {
    const admin = await createAdmin()
    const batch = await importAll(admin, source)
    const count = source === 'hudu' ? 56 : batch.articles.length
    expect(batch).toMatchObject({
      status: 'succeeded',
      source,
      problem: null,
      progress: { phase: 'finished', done: count, total: count },
    })
    expect(count).toBeGreaterThan(40)
    const names = batch.articles.map(({ name }) => name)
    expect(names.filter((name) => / (?:11|12|31|32)$/.test(name))).toEqual([])
    expect(names).toContain('Northwind / Print spooler 1')
    expect(names.find((name) => name.includes('Zürich'))).toBe(
      `${source === 'hudu' ? 'Central' : 'Northwind'} / Zürich: "Drucker"  <reset> No. 4`,
    )
    expect(batch.articles.filter(({ problem }) => problem)).toMatchObject([
      { name: expect.stringMatching(/Badge printer 5$/), import_id: null, problem: 'The article is empty' },
    ])
    const rows = await service.sql('select title, format from kb_imports where id = $1', [
      batch.articles[0]?.import_id,
    ])
    expect(rows).toEqual([{ title: 'Northwind / Print spooler 1', format: 'html' }])
  })

  it('KBI-22 with a wrong key end the batch with a reason', async () => {
    const batch = await importAll(await createAdmin(), source, 'wrong')
    expect(batch).toMatchObject({
      status: 'failed',
      problem: expect.stringMatching(/refused the API key(: (Invalid API key|Forbidden))?$/),
      articles: [],
    })
  })

  it('KBI-23 the key is encrypted while the batch runs, and nowhere after it ends', async () => {
    answerWith(source, 1)
    const { attempt, get, readRow, logged, person, id } = await startBatch(source)
    const before = await readRow()
    expect([typeof before?.api_key, JSON.stringify(before).includes(key)]).toEqual(['string', false])
    await attempt()
    expect(await get()).toMatchObject({
      status: 'running',
      progress: { phase: 'importing', done: 0, total: 1 },
      articles: [],
    })
    await attempt()
    expect(vendor.requests.every(({ headers }) => headers['x-api-key'] === key)).toBe(true)
    const after = await readRow()
    expect([after?.state, after?.api_key]).toEqual(['succeeded', null])
    expect(
      JSON.stringify([await get(), after, logged, await person.client.authoring.kbBatches.list()]),
    ).not.toContain(key)
    const canceled = await startBatch(source)
    await canceled.person.client.authoring.kbBatches.cancel({ batch_id: canceled.id })
    expect([(await canceled.readRow())?.api_key, id === canceled.id]).toEqual([null, false])
  })

  it('KBI-24 a busy vendor is asked again after the time it says, which costs no attempt', async () => {
    answerWith(source, 1, (path) =>
      isList(path) ? { status: 429, headers: { 'retry-after': '90' } } : undefined,
    )
    const { attempt, get, published, id } = await startBatch(source)
    for (let n = 1; n <= 6; n++) await attempt()
    expect(published).toEqual(
      [2, 3, 4, 5, 6, 7].map((n) => ({ kind: 'kb_batch', id, attempt: n, delaySeconds: 90 })),
    )
    expect(await get()).toMatchObject({ status: 'running', progress: { phase: 'listing' } })
    answerWith(source, 1, (path) => (isArticle(path, 1) ? { status: 429 } : undefined))
    await attempt()
    await attempt()
    expect(published.at(-1)).toEqual({ kind: 'kb_batch', id, attempt: 9, delaySeconds: 60 })
    await service.sql(`update kb_batches set created_at = app.now() - interval '2 days' where id = $1`, [id])
    for (let n = 1; n <= 4; n++) await attempt()
    expect(await get()).toMatchObject({
      status: 'failed',
      problem: expect.stringMatching(/limits our calls$/),
    })
  })

  it.each([
    ['answers 503', { status: 503 }, /answered 503$/],
    ['breaks the connection', null, /: The connection failed$/],
    ['sends no JSON', { body: '<html>' }, /did not answer with JSON$/],
    ['sends another shape', { body: { data: 1 } }, /did not answer as documented$/],
  ])('KBI-24 a vendor that %s is asked four times', async (_, answer, problem) => {
    answerWith(source, 1, () => answer)
    const { attempt, get, published } = await startBatch(source)
    for (let n = 1; n <= 4; n++) await attempt()
    expect(published.slice(0, 3)).toMatchObject([
      { delaySeconds: 30 },
      { delaySeconds: 120 },
      { delaySeconds: 600 },
    ])
    expect(await get()).toMatchObject({ status: 'failed', problem: expect.stringMatching(problem) })
  })

  it('KBI-24 an article that always fails is refused after four attempts, and the others are imported', async () => {
    answerWith(source, 3, (path) => (isArticle(path, 2) ? { status: 500 } : undefined))
    const { attempt, get } = await startBatch(source)
    for (let n = 1; n <= 6; n++) await attempt()
    const { status, articles } = await get()
    expect([status, articles.map(({ problem }) => problem)]).toEqual([
      'succeeded',
      [null, expect.stringMatching(/answered 500$/), null],
    ])
  })

  it('KBI-24 a key that is revoked while articles are read ends the batch, and imported articles stay', async () => {
    answerWith(source, 25, (path) => (isArticle(path, 22) ? { status: 401 } : undefined))
    const { attempt, get } = await startBatch(source)
    for (let n = 1; n <= 3; n++) await attempt()
    const { status, problem, articles } = await get()
    expect([status, problem, articles.length]).toEqual([
      'failed',
      expect.stringMatching(/refused the API key(: (Invalid API key|Forbidden))?$/),
      20,
    ])
  })

  it('KBI-24 an article that is deleted or larger than 5 MB is refused, the others are imported', async () => {
    const content = `<p>${'a'.repeat(6 * 1024 * 1024)}</p>`
    const large = source === 'hudu' ? { article: { content } } : { data: [{ attributes: { content } }] }
    answerWith(source, 4, (path) => {
      if (isArticle(path, 1)) return { status: 404 }
      if (isArticle(path, 2)) return { body: large }
      return isArticle(path, 3) ? { body: ' '.repeat(17 * 1024 * 1024) } : undefined
    })
    const { attempt, get } = await startBatch(source)
    await attempt()
    await attempt()
    expect((await get()).articles.map(({ problem }) => problem)).toEqual([
      'The article was deleted meanwhile',
      'The article is larger than 5 MB',
      'The article is larger than 5 MB',
      null,
    ])
  })

  it('KBI-23 the key follows no redirect and goes to no private address', async () => {
    answerWith(source, 1, () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' } }))
    const redirected = await startBatch(source)
    await redirected.attempt()
    expect(await redirected.get()).toMatchObject({
      status: 'failed',
      problem: expect.stringMatching(/redirects to another address/),
    })
    expect(vendor.requests).toHaveLength(1)
    const rebound = await startBatch(source, 'https://rebound.example')
    await rebound.attempt()
    expect(await rebound.get()).toMatchObject({
      status: 'failed',
      problem: expect.stringMatching(/must not lead to a private address$/),
    })
    for (const base_url of [
      'https://10.0.0.1/',
      'https://localhost',
      'https://u:p@example.com',
      'https://example.com/?a=1',
    ])
      await expectRefusal(
        rebound.person.client.authoring.kbBatches.create({ source, base_url, api_key: key }),
        422,
      )
  })

  it('KBI-22 are at most 500, and the batch says that others are left out', async () => {
    answerWith(source, 700)
    const { attempt, get } = await startBatch(source)
    for (let n = 1; n <= 5 && (await get()).progress.phase !== 'importing'; n++) await attempt()
    expect(await get()).toMatchObject({
      problem: 'Only the first 500 articles are imported',
      progress: { done: 0, total: 500 },
    })
  })

  it('KBI-21 a crash of any slice loses and doubles nothing, and a canceled batch stores nothing', async () => {
    answerWith(source, 30)
    const { id, attempt, get, person } = await startBatch(source)
    // The process of the first attempt ends while it is claimed.
    await service.sql(
      `update kb_batches set attempts = 1, leased_until = app.now() - interval '1 second' where id = $1`,
      [id],
    )
    await Promise.all([attempt(2), attempt(2)])
    await attempt(2)
    expect((await get()).progress).toEqual({ phase: 'importing', done: 0, total: 30 })
    await attempt(3)
    await attempt(3)
    const { articles, progress } = await get()
    expect([
      progress.done,
      articles.length,
      new Set(articles.map(({ import_id }) => import_id)).size,
    ]).toEqual([20, 20, 20])
    await person.client.authoring.kbBatches.cancel({ batch_id: id })
    await attempt(4)
    expect((await get()).articles).toHaveLength(20)
  })

  it('KBI-22 that two pages list are imported once, also when a slice ends between the pages', async () => {
    let failures = 1
    const isSecond = (path: string) => (source === 'hudu' ? /\?page=2$/ : /ne%5D=null/).test(path)
    const repeated = [1, 2, 3].map((id) => ({
      id: source === 'hudu' ? id : String(id),
      name: 'A',
      attributes: {},
    }))
    answerWith(source, 2, (path) => {
      if (!isSecond(path)) return undefined
      return failures-- > 0 ? { status: 503 } : { body: { articles: repeated, data: repeated } }
    })
    const { attempt, get } = await startBatch(source)
    await attempt()
    expect((await get()).progress).toEqual({ phase: 'listing', done: 0, total: 2 })
    for (let n = 1; n <= 2; n++) await attempt()
    expect(await get()).toMatchObject({ status: 'succeeded', progress: { done: 3, total: 3 } })
  })

  it('KBI-22 without any published article end the batch with a reason', async () => {
    answerWith(source, 0)
    const { attempt, get } = await startBatch(source)
    await attempt()
    expect(await get()).toMatchObject({ status: 'failed', problem: 'There are no published articles' })
  })
})
