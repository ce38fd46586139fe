import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { ownService, request, shared } from '../../support/app.ts'
import { newFlow, printerFlow, printerForm } from '../../support/flows.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
let callers = 0
const open = (token: string, at: { api: string } = service) =>
  request(at, 'GET', `/shared/${token}`, { headers: { 'cf-connecting-ip': `2001:db8:5::${process.pid % 9999}:${++callers}` } })

it('FLO-34 FLO-59 opens a flow without sign-in, and shows neither account nor author', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin, { description: 'For the client' })
  const { status, body } = await admin.call('POST', `/trees/${flow.id}/share`, { expires_in_days: 7 })
  expect(status).toBe(201)
  expect(body.url).toBe(`${service.settings.FRONTEND_URL}/shared/${body.token}`)
  const seen = await open(body.token)
  expect([seen.status, seen.body]).toEqual([
    200,
    {
      name: flow.name,
      description: 'For the client',
      tree_type: 'troubleshooting',
      tree_structure: printerFlow(),
      intake_form: printerForm,
      expires_at: body.expires_at,
    },
  ])
  for (const secret of [admin.id, admin.accountId, admin.fullName]) expect(seen.text).not.toContain(secret)
})

it('FLO-58 takes 1 to 365 days, 30 when not said', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin)
  const { body } = await admin.call('POST', `/trees/${flow.id}/share`)
  expect(Math.round((Date.parse(body.expires_at) - Date.now()) / 86_400_000)).toBe(30)
  for (const expires_in_days of [0, 366, 1.5]) expectStatus(await admin.call('POST', `/trees/${flow.id}/share`, { expires_in_days }), 422)
})

it('FLO-35 closes with its time', async () => {
  const own = await ownService()
  try {
    const { admin } = await newAccount(own)
    const flow = await newFlow(admin)
    const { body } = await admin.call('POST', `/trees/${flow.id}/share`, { expires_in_days: 1 })
    await own.sql(`update tree_shares set expires_at = app.now() + interval '1 second'`)
    expectStatus(await open(body.token, own), 200)
    await own.sql('update tree_shares set expires_at = app.now()')
    expectStatus(await open(body.token, own), 404)
    expect((await admin.call('GET', `/trees/${flow.id}/shares`)).body).toEqual([])
  } finally {
    await own.close()
  }
}, 30_000)

it('FLO-59 lists live links and closes a revoked one', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin)
  const { body: link } = await admin.call('POST', `/trees/${flow.id}/share`)
  const { body } = await admin.call('GET', `/trees/${flow.id}/shares`)
  expect(body).toEqual([
    { id: link.id, created_by: admin.id, created_by_name: admin.fullName, expires_at: link.expires_at, created_at: body[0].created_at },
  ])
  expectStatus(await admin.call('DELETE', `/trees/${flow.id}/shares/${link.id}`), 204)
  expectStatus(await admin.call('DELETE', `/trees/${flow.id}/shares/${link.id}`), 404)
  expectStatus(await open(link.token), 404)
  expectStatus(await open('nothing'), 404)
})

it('FLO-46 stops while the flow is a draft, and opens it again as it is then', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin)
  const { body: link } = await admin.call('POST', `/trees/${flow.id}/share`)
  await admin.call('PUT', `/trees/${flow.id}`, { status: 'draft', name: 'Reworked' })
  expectStatus(await open(link.token), 404)
  const refused = await admin.call('POST', `/trees/${flow.id}/share`)
  expect([refused.status, refused.body.code]).toEqual([409, 'not_published'])
  await admin.call('PUT', `/trees/${flow.id}`, { status: 'published' })
  expect((await open(link.token)).body.name).toBe('Reworked')
  await admin.call('DELETE', `/trees/${flow.id}`)
  expectStatus(await open(link.token), 404)
})

it('ACC-17 leaves an audit row for sharing and revoking, without the token', async () => {
  const account = await newAccount(service)
  const author = await account.colleague()
  const teammate = await account.colleague()
  const flow = await newFlow(author)
  expectStatus(await teammate.call('POST', `/trees/${flow.id}/share`), 403)
  const { body: link } = await author.call('POST', `/trees/${flow.id}/share`)
  await author.call('DELETE', `/trees/${flow.id}/shares/${link.id}`)
  const { body, text } = await account.admin.call('GET', '/accounts/me/audit-logs')
  expect(body.map(({ action, actor_id, resource_id }: Record<string, string>) => [action, actor_id, resource_id])).toEqual([
    ['tree_share.updated', author.id, link.id],
    ['tree_share.created', author.id, link.id],
  ])
  expect(text).not.toContain(link.token)
})
