import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, sharedService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, patchForm, patchProcedure, printerFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

type Service = Awaited<ReturnType<typeof startOwnService>>
let visitors = 0
/**
 * Request a path of the public gallery. The default address is new for each request, because the rate limit
 * counts per address.
 */
const visit = (
  service: { api: string },
  path: string,
  address = `2001:db8:6::${process.pid % 9999}:${++visitors}`,
) => request(service, 'GET', `/public/templates${path}`, { headers: { 'cf-connecting-ip': address } })
const listNames = ({ body }: { body: { items: { name: string }[] } }) => body.items.map(({ name }) => name)

describe('the gallery', () => {
  let service: Service
  let ids: Record<string, string>

  beforeAll(async () => {
    service = await startOwnService()
    const [north, south] = [await createAccount(service), await createAccount(service)]
    // Hides the starter flows, which are also in the gallery.
    await service.sql(`update trees set visibility = 'account'`)
    const flows = {
      printer: await createFlow(north.admin, {
        name: 'Printer offline',
        visibility: 'public',
        category: 'Printing',
        tags: ['windows'],
      }),
      patch: await createFlow(south.admin, {
        name: 'Server patching',
        visibility: 'public',
        category: 'printing',
        tree_type: 'procedural',
        tree_structure: patchProcedure(),
        intake_form: patchForm,
      }),
      vpn: await createFlow(south.admin, {
        name: 'VPN drops',
        visibility: 'public',
        description: 'When printers are reached through it',
      }),
      hidden: await createFlow(north.admin, { name: 'Internal printer notes', visibility: 'account' }),
      draft: await createFlow(north.admin, { name: 'Printer draft', visibility: 'public', status: 'draft' }),
    }
    ids = Object.fromEntries(Object.entries(flows).map(([key, { id }]) => [key, id]))
    const setRank = async (id: string | undefined, usageCount: number, isFeatured: boolean, day: number) =>
      service.sql(
        'update trees set usage_count = $2, is_gallery_featured = $3, published_at = $4 where id = $1',
        [id, usageCount, isFeatured, `2026-01-0${day}`],
      )
    await setRank(ids.printer, 5, false, 1)
    await setRank(ids.patch, 1, true, 2)
    await setRank(ids.vpn, 9, false, 3)
  })
  afterAll(() => service.close())

  it('GAL-01 GAL-02 GAL-03 lists public flows without a token, with pages, filters and sort orders', async () => {
    const { status, body } = await visit(service, '?sort=name&page_size=2')
    expect([status, body.total, body.page, body.page_size, body.items.length]).toEqual([200, 3, 1, 2, 2])
    expect(listNames(await visit(service, '?sort=name&page_size=2&page=2'))).toEqual(['VPN drops'])
    expect((await visit(service, '?page=9')).body).toEqual({ items: [], total: 3, page: 9, page_size: 20 })
    expect(listNames(await visit(service, '?type=procedural'))).toEqual(['Server patching'])
    expect(listNames(await visit(service, '?category=PRINTING&sort=name'))).toEqual([
      'Printer offline',
      'Server patching',
    ])
    const sorted = await Promise.all(
      ['', '?sort=featured', '?sort=popular', '?sort=newest', '?sort=name'].map((query) =>
        visit(service, query),
      ),
    )
    expect(sorted.map(listNames)).toEqual([
      ['Server patching', 'VPN drops', 'Printer offline'],
      ['Server patching', 'VPN drops', 'Printer offline'],
      ['VPN drops', 'Printer offline', 'Server patching'],
      ['VPN drops', 'Server patching', 'Printer offline'],
      ['Printer offline', 'Server patching', 'VPN drops'],
    ])
  })

  it('GAL-11 rejects an unknown sort order', async () => {
    expectStatus(await visit(service, '?sort=stars'), 422)
  })

  it('GAL-07 counts the items of each category, ignoring case', async () => {
    expect((await visit(service, '/categories')).body).toEqual([
      { category: expect.stringMatching(/^printing$/i), count: 2 },
    ])
  })

  it('searches names, tags and descriptions, returns the best match first, and ignores special characters', async () => {
    expect(listNames(await visit(service, '/search?q=printers'))).toEqual(['Printer offline', 'VPN drops'])
    expect(listNames(await visit(service, '/search?q=windows'))).toEqual(['Printer offline'])
    expect(listNames(await visit(service, `/search?q=${encodeURIComponent("!&|()':*<->")}`))).toEqual([])
    expectStatus(await visit(service, '/search'), 422)
  })

  it('GAL-13 GAL-05 returns no account, author or script body', async () => {
    const responses = await Promise.all(
      ['', '/categories', '/search?q=printer', `/flows/${ids.printer}`].map((path) => visit(service, path)),
    )
    for (const { status, text } of responses) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/account_id|author|created_by|team_id|script_body/)
    }
  })

  it('GAL-06 GAL-12 returns 404 for a flow that is unknown, deleted, unpublished or not public', async () => {
    for (const id of [ids.hidden, ids.draft, crypto.randomUUID(), 'x'])
      expectStatus(await visit(service, `/flows/${id}`), 404)
    const account = await createAccount(service)
    const flow = await createFlow(account.admin, { visibility: 'public', name: 'Coming and going' })
    const statusAndHits = async () => [
      (await visit(service, `/flows/${flow.id}`)).status,
      listNames(await visit(service, '/search?q=coming')).length,
    ]
    expect(await statusAndHits()).toEqual([200, 1])
    await account.admin.client.flows.trees.update({ tree_id: flow.id, visibility: 'account' })
    expect(await statusAndHits()).toEqual([404, 0])
    await account.admin.client.flows.trees.update({ tree_id: flow.id, visibility: 'public' })
    await account.admin.client.flows.trees.delete({ tree_id: flow.id })
    expect(await statusAndHits()).toEqual([404, 0])
  })

  it('GAL-04 truncates a preview after its third level and marks the nodes whose children are omitted', async () => {
    const account = await createAccount(service)
    let node: object = { id: 'n6', type: 'solution', title: 'Secret end', description: '' }
    for (let n = 5; n > 0; n--)
      node = {
        id: `n${n}`,
        type: 'action',
        title: `Level ${n}`,
        description: '',
        next_node_id: `n${n + 1}`,
        children: [node],
        estimated_minutes: n,
      }
    const flow = await createFlow(account.admin, { visibility: 'public', tree_structure: node })
    const { body, text } = await visit(service, `/flows/${flow.id}`)
    const level = (n: number, fields: object) => ({
      id: `n${n}`,
      type: 'action',
      title: `Level ${n}`,
      description: '',
      ...fields,
    })
    expect(body.preview).toEqual(
      level(1, { children: [level(2, { children: [level(3, { truncated: true })] })] }),
    )
    expect(text).not.toContain('Secret end')
    const fullPreview = (await visit(service, `/flows/${ids.printer}`)).body.preview
    expect(JSON.stringify(fullPreview)).not.toContain('truncated')
    expect(fullPreview.children[0].children[0].title).toBe(printerFlow().children[0]?.children?.[0]?.title)
    expect((await visit(service, `/flows/${ids.patch}`)).body.preview.steps).toHaveLength(4)
  })

  it('lets caches store a successful response for a minute, and returns 304 while its content is unchanged', async () => {
    for (const path of ['?sort=name', '/categories', '/search?q=printer', `/flows/${ids.printer}`]) {
      const { headers } = await visit(service, path)
      expect(headers.get('cache-control')).toBe('public, max-age=60')
      const conditionalHeaders = {
        'cf-connecting-ip': `2001:db8:9::${++visitors}`,
        'if-none-match': headers.get('etag') ?? '',
      }
      const { status, text } = await request(service, 'GET', `/public/templates${path}`, {
        headers: conditionalHeaders,
      })
      expect([path, status, text]).toEqual([path, 304, ''])
    }
    expect((await visit(service, `/flows/${ids.hidden}`)).headers.get('cache-control')).toBe('no-store')
  })

  it('GAL-08 accepts 30 requests a minute from one address, and returns 429 to the next', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 31; n++) statuses.push((await visit(service, '/categories', '2001:db8:7::1')).status)
    expect(statuses).toEqual([...Array(30).fill(200), 429])
  })

  it('GAL-09 GAL-10 returns 404 on every gallery path while the gallery is switched off', async () => {
    const setEnabled = (isEnabled: boolean) =>
      service.sql(
        `insert into feature_overrides (account_id, feature, enabled) values (app.platform_account(), 'public_gallery', $1)
         on conflict (account_id, feature) do update set enabled = excluded.enabled`,
        [isEnabled],
      )
    await setEnabled(false)
    for (const path of ['', '/categories', '/search?q=printer', `/flows/${ids.printer}`]) {
      const { status, text } = await visit(service, path)
      expect([path, status, text]).toEqual([path, 404, '{"detail":"Not found"}'])
    }
    await setEnabled(true)
    expectStatus(await visit(service, ''), 200)
  })
})

it('GAL-01 ignores an invalid token in a gallery request', async () => {
  const service = await sharedService()
  const headers = { 'cf-connecting-ip': `2001:db8:8::${process.pid % 9999}`, authorization: 'Bearer x.y.z' }
  expectStatus(await request(service, 'GET', '/public/templates', { headers }), 200)
})

it('lets staff feature, order and hide the gallery flows of any account', async () => {
  const service = await startOwnService()
  try {
    await service.sql(`update trees set visibility = 'account'`)
    const staff = await (await createAccount(service)).addColleague({ superAdmin: true })
    const { admin } = await createAccount(service)
    const [a, b] = [
      await createFlow(admin, { name: 'A', visibility: 'public' }),
      await createFlow(admin, { name: 'B', visibility: 'public' }),
    ]
    const put = (id: string, changes: object) => staff.call('PUT', `/admin/gallery/flows/${id}`, changes)
    expect((await put(b.id, { is_featured: true, sort_order: 2 })).body).toEqual({
      tree_id: b.id,
      account_id: admin.accountId,
      name: 'B',
      is_featured: true,
      sort_order: 2,
      is_hidden: false,
      is_shown: true,
    })
    expect(listNames(await visit(service, ''))).toEqual(['B', 'A'])
    await put(a.id, { is_featured: true, sort_order: 1 })
    expect(listNames(await visit(service, ''))).toEqual(['A', 'B'])
    expect((await put(a.id, { is_hidden: true })).body).toMatchObject({
      is_featured: true,
      is_hidden: true,
      is_shown: false,
    })
    expect(listNames(await visit(service, ''))).toEqual(['B'])
    expectStatus(await visit(service, `/flows/${a.id}`), 404)
    await admin.client.flows.trees.get({ tree_id: a.id })
    expectStatus(await put(crypto.randomUUID(), {}), 404)
    const auditLogs = (await staff.call('GET', `/admin/audit-logs?actor_id=${staff.id}`)).body
    expect(auditLogs.map(({ action, account_id }: Record<string, string>) => [action, account_id])).toEqual(
      Array(3).fill(['gallery_flow.updated', admin.accountId]),
    )
    expect(auditLogs[0].changes).toEqual({ is_gallery_hidden: { from: false, to: true } })
  } finally {
    await service.close()
  }
})

it('GAL-02 GAL-05 lists featured scripts with the flows, without script bodies', async () => {
  const service = await startOwnService()
  try {
    await service.sql(`update trees set visibility = 'account'`)
    const staff = await (await createAccount(service)).addColleague({ superAdmin: true })
    const { admin } = await createAccount(service)
    await createFlow(admin, { name: 'A flow', visibility: 'public' })
    const secret = 'Invoke-SecretRecipe'
    const script = await admin.client.scripts.create({
      name: 'A script',
      language: 'powershell',
      script_body: secret,
      description: 'Spooler',
    })
    expect(listNames(await visit(service, '?sort=name'))).toEqual(['A flow'])
    expectStatus(await visit(service, `/scripts/${script.slug}`), 404)
    expect(
      await staff.client.admin.gallery.putScript({ template_id: script.id, is_featured: true }),
    ).toMatchObject({
      slug: script.slug,
      is_featured: true,
    })
    expect(
      await staff.client.admin.gallery.putScript({ template_id: script.id, sort_order: 7 }),
    ).toMatchObject({
      is_featured: true,
      sort_order: 7,
    })
    expect(await staff.client.admin.gallery.putScript({ template_id: script.id })).toMatchObject({
      is_featured: true,
      sort_order: 7,
    })
    const responses = await Promise.all(
      ['?sort=name', '?type=script', '/search?q=spooler', '/categories', `/scripts/${script.slug}`].map(
        (path) => visit(service, path),
      ),
    )
    expect(responses.slice(0, 3).map((response) => listNames(response))).toEqual([
      ['A flow', 'A script'],
      ['A script'],
      ['A script'],
    ])
    expect(responses[4]?.body).toMatchObject({
      type: 'script',
      slug: script.slug,
      language: 'powershell',
      parameters_schema: [],
    })
    for (const { text } of responses)
      for (const word of [secret, 'script_body', admin.accountId, admin.id]) expect(text).not.toContain(word)
    await staff.client.admin.gallery.putScript({ template_id: script.id, is_featured: false })
    expectStatus(await visit(service, `/scripts/${script.slug}`), 404)
    expectStatus(await visit(service, '/scripts/nothing'), 404)
  } finally {
    await service.close()
  }
})
