import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { ownService, request, shared } from '../../support/app.ts'
import { newFlow, patchForm, patchSteps, printerFlow } from '../../support/flows.ts'
import { newAccount } from '../../support/people.ts'

type Own = Awaited<ReturnType<typeof ownService>>
let callers = 0
/** A visitor nobody has seen before. */
const visit = (service: { api: string }, path: string, address = `2001:db8:6::${process.pid % 9999}:${++callers}`) =>
  request(service, 'GET', `/public/templates${path}`, { headers: { 'cf-connecting-ip': address } })
const names = ({ body }: { body: { items: { name: string }[] } }) => body.items.map(({ name }) => name)

describe('the gallery', () => {
  let own: Own
  let ids: Record<string, string>

  beforeAll(async () => {
    own = await ownService()
    const [north, south] = [await newAccount(own), await newAccount(own)]
    // What ships with the service is not under test here.
    await own.sql(`update trees set visibility = 'account'`)
    const made = {
      printer: await newFlow(north.admin, { name: 'Printer offline', visibility: 'public', category: 'Printing', tags: ['windows'] }),
      patch: await newFlow(south.admin, {
        name: 'Server patching',
        visibility: 'public',
        category: 'printing',
        tree_type: 'procedural',
        tree_structure: patchSteps(),
        intake_form: patchForm,
      }),
      vpn: await newFlow(south.admin, { name: 'VPN drops', visibility: 'public', description: 'When printers are reached through it' }),
      hidden: await newFlow(north.admin, { name: 'Internal printer notes', visibility: 'account' }),
      draft: await newFlow(north.admin, { name: 'Printer draft', visibility: 'public', status: 'draft' }),
    }
    ids = Object.fromEntries(Object.entries(made).map(([key, { id }]) => [key, id]))
    const rank = async (id: string | undefined, use: number, featured: boolean, day: number) =>
      own.sql('update trees set usage_count = $2, is_gallery_featured = $3, published_at = $4 where id = $1', [
        id,
        use,
        featured,
        `2026-01-0${day}`,
      ])
    await rank(ids.printer, 5, false, 1)
    await rank(ids.patch, 1, true, 2)
    await rank(ids.vpn, 9, false, 3)
  })
  afterAll(() => own.close())

  it('GAL-01 GAL-02 GAL-03 lists what is public without a token, by page, filter and sort', async () => {
    const { status, body } = await visit(own, '?sort=name&page_size=2')
    expect([status, body.total, body.page, body.page_size, body.items.length]).toEqual([200, 3, 1, 2, 2])
    expect(names(await visit(own, '?sort=name&page_size=2&page=2'))).toEqual(['VPN drops'])
    expect((await visit(own, '?page=9')).body).toEqual({ items: [], total: 3, page: 9, page_size: 20 })
    expect(names(await visit(own, '?type=procedural'))).toEqual(['Server patching'])
    expect(names(await visit(own, '?category=PRINTING&sort=name'))).toEqual(['Printer offline', 'Server patching'])
    const sorted = await Promise.all(
      ['', '?sort=featured', '?sort=popular', '?sort=newest', '?sort=name'].map((query) => visit(own, query)),
    )
    expect(sorted.map(names)).toEqual([
      ['Server patching', 'VPN drops', 'Printer offline'],
      ['Server patching', 'VPN drops', 'Printer offline'],
      ['VPN drops', 'Printer offline', 'Server patching'],
      ['VPN drops', 'Server patching', 'Printer offline'],
      ['Printer offline', 'Server patching', 'VPN drops'],
    ])
  })

  it('GAL-11 refuses another sort', async () => {
    expectStatus(await visit(own, '?sort=stars'), 422)
  })

  it('GAL-07 counts what each category holds, whatever its case', async () => {
    expect((await visit(own, '/categories')).body).toEqual([{ category: expect.stringMatching(/^printing$/i), count: 2 }])
  })

  it('searches names, tags and descriptions, best match first, and takes no word for an operator', async () => {
    expect(names(await visit(own, '/search?q=printers'))).toEqual(['Printer offline', 'VPN drops'])
    expect(names(await visit(own, '/search?q=windows'))).toEqual(['Printer offline'])
    expect(names(await visit(own, `/search?q=${encodeURIComponent("!&|()':*<->")}`))).toEqual([])
    expectStatus(await visit(own, '/search'), 422)
  })

  it('GAL-13 GAL-05 shows no account, no author and no script in any answer', async () => {
    const answers = await Promise.all(['', '/categories', '/search?q=printer', `/flows/${ids.printer}`].map((path) => visit(own, path)))
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/account_id|author|created_by|team_id|script_body/)
    }
  })

  it('GAL-06 GAL-12 does not know what is not public, not published, gone or made up', async () => {
    for (const id of [ids.hidden, ids.draft, crypto.randomUUID(), 'x']) expectStatus(await visit(own, `/flows/${id}`), 404)
    const account = await newAccount(own)
    const flow = await newFlow(account.admin, { visibility: 'public', name: 'Coming and going' })
    const shown = async () => [(await visit(own, `/flows/${flow.id}`)).status, names(await visit(own, '/search?q=coming')).length]
    expect(await shown()).toEqual([200, 1])
    await account.admin.call('PUT', `/trees/${flow.id}`, { visibility: 'account' })
    expect(await shown()).toEqual([404, 0])
    await account.admin.call('PUT', `/trees/${flow.id}`, { visibility: 'public' })
    await account.admin.call('DELETE', `/trees/${flow.id}`)
    expect(await shown()).toEqual([404, 0])
  })

  it('GAL-04 cuts a preview below its third level, and marks where', async () => {
    const account = await newAccount(own)
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
    const flow = await newFlow(account.admin, { visibility: 'public', tree_structure: node })
    const { body, text } = await visit(own, `/flows/${flow.id}`)
    const level = (n: number, more: object) => ({ id: `n${n}`, type: 'action', title: `Level ${n}`, description: '', ...more })
    expect(body.preview).toEqual(level(1, { children: [level(2, { children: [level(3, { truncated: true })] })] }))
    expect(text).not.toContain('Secret end')
    const whole = (await visit(own, `/flows/${ids.printer}`)).body.preview
    expect(JSON.stringify(whole)).not.toContain('truncated')
    expect(whole.children[0].children[0].title).toBe(printerFlow().children[0]?.children?.[0]?.title)
    expect((await visit(own, `/flows/${ids.patch}`)).body.preview.steps).toHaveLength(4)
  })

  it('lets any cache keep an answer for a minute, and says when it is still the same', async () => {
    for (const path of ['?sort=name', '/categories', '/search?q=printer', `/flows/${ids.printer}`]) {
      const { headers } = await visit(own, path)
      expect(headers.get('cache-control')).toBe('public, max-age=60')
      const again = { 'cf-connecting-ip': `2001:db8:9::${++callers}`, 'if-none-match': headers.get('etag') ?? '' }
      const { status, text } = await request(own, 'GET', `/public/templates${path}`, { headers: again })
      expect([path, status, text]).toEqual([path, 304, ''])
    }
    expect((await visit(own, `/flows/${ids.hidden}`)).headers.get('cache-control')).toBe('no-store')
  })

  it('GAL-08 takes 30 calls a minute from one address', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 31; n++) statuses.push((await visit(own, '/categories', '2001:db8:7::1')).status)
    expect(statuses).toEqual([...Array(30).fill(200), 429])
  })

  it('GAL-09 GAL-10 is as if it were not there while it is switched off', async () => {
    const switchTo = (on: boolean) =>
      own.sql(
        `insert into feature_overrides (account_id, feature, enabled) values (app.platform_account(), 'public_gallery', $1)
         on conflict (account_id, feature) do update set enabled = excluded.enabled`,
        [on],
      )
    await switchTo(false)
    for (const path of ['', '/categories', '/search?q=printer', `/flows/${ids.printer}`]) {
      const { status, text } = await visit(own, path)
      expect([path, status, text]).toEqual([path, 404, '{"detail":"Not found"}'])
    }
    await switchTo(true)
    expectStatus(await visit(own, ''), 200)
  })
})

it('GAL-01 ignores a token, a broken one too', async () => {
  const service = shared()
  const headers = { 'cf-connecting-ip': `2001:db8:8::${process.pid % 9999}`, authorization: 'Bearer x.y.z' }
  expectStatus(await request(service, 'GET', '/public/templates', { headers }), 200)
})

it('lets staff feature a flow, order the featured and take one out, whoever made it', async () => {
  const own = await ownService()
  try {
    await own.sql(`update trees set visibility = 'account'`)
    const staff = await (await newAccount(own)).colleague({ superAdmin: true })
    const { admin } = await newAccount(own)
    const [a, b] = [await newFlow(admin, { name: 'A', visibility: 'public' }), await newFlow(admin, { name: 'B', visibility: 'public' })]
    const put = (id: string, change: object) => staff.call('PUT', `/admin/gallery/flows/${id}`, change)
    expect((await put(b.id, { is_featured: true, sort_order: 2 })).body).toEqual({
      tree_id: b.id,
      account_id: admin.accountId,
      name: 'B',
      is_featured: true,
      sort_order: 2,
      is_hidden: false,
      is_shown: true,
    })
    expect(names(await visit(own, ''))).toEqual(['B', 'A'])
    await put(a.id, { is_featured: true, sort_order: 1 })
    expect(names(await visit(own, ''))).toEqual(['A', 'B'])
    expect((await put(a.id, { is_hidden: true })).body).toMatchObject({ is_featured: true, is_hidden: true, is_shown: false })
    expect(names(await visit(own, ''))).toEqual(['B'])
    expectStatus(await visit(own, `/flows/${a.id}`), 404)
    expectStatus(await admin.call('GET', `/trees/${a.id}`), 200)
    expectStatus(await put(crypto.randomUUID(), {}), 404)
    const log = (await staff.call('GET', `/admin/audit-logs?actor_id=${staff.id}`)).body
    expect(log.map(({ action, account_id }: Record<string, string>) => [action, account_id])).toEqual(
      Array(3).fill(['gallery_flow.updated', admin.accountId]),
    )
    expect(log[0].changes).toEqual({ is_gallery_hidden: { from: false, to: true } })
  } finally {
    await own.close()
  }
}, 30_000)

it('GAL-02 GAL-05 lists featured scripts beside the flows, and no byte of a script’s body', async () => {
  const own = await ownService()
  try {
    await own.sql(`update trees set visibility = 'account'`)
    const staff = await (await newAccount(own)).colleague({ superAdmin: true })
    const { admin } = await newAccount(own)
    await newFlow(admin, { name: 'A flow', visibility: 'public' })
    const secret = 'Invoke-SecretRecipe'
    const script = (
      await admin.call('POST', '/script-templates', {
        name: 'A script',
        language: 'powershell',
        script_body: secret,
        description: 'Spooler',
      })
    ).body
    expect(names(await visit(own, '?sort=name'))).toEqual(['A flow'])
    expectStatus(await visit(own, `/scripts/${script.slug}`), 404)
    expect((await staff.call('PUT', `/admin/gallery/scripts/${script.id}`, { is_featured: true })).body).toMatchObject({
      slug: script.slug,
      is_featured: true,
    })
    const answers = await Promise.all(
      ['?sort=name', '?type=script', '/search?q=spooler', '/categories', `/scripts/${script.slug}`].map((path) => visit(own, path)),
    )
    expect(answers.slice(0, 3).map((answer) => names(answer))).toEqual([['A flow', 'A script'], ['A script'], ['A script']])
    expect(answers[4]?.body).toMatchObject({ type: 'script', slug: script.slug, language: 'powershell', parameters_schema: [] })
    for (const { text } of answers) for (const word of [secret, 'script_body', admin.accountId, admin.id]) expect(text).not.toContain(word)
    await staff.call('PUT', `/admin/gallery/scripts/${script.id}`, { is_featured: false })
    expectStatus(await visit(own, `/scripts/${script.slug}`), 404)
    expectStatus(await visit(own, '/scripts/nothing'), 404)
  } finally {
    await own.close()
  }
}, 30_000)
