import { expect, it } from 'vitest'
import { request, sharedService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, printerFlow, printerForm } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
let visitorCount = 0
const openLink = (token: string, target: { api: string } = service) =>
  request(target, 'GET', `/shared/${token}`, {
    headers: { 'cf-connecting-ip': `2001:db8:5::${process.pid % 9999}:${++visitorCount}` },
  })

it('FLO-68 masks passwords, tokens and keys of a shared flow, and keeps addresses', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin, { description: 'Sign in at 10.9.8.7 with password: hunter2secret' })
  const { body } = await admin.call('POST', `/trees/${flow.id}/share`, { expires_in_days: 7 })
  const { description } = (await openLink(body.token)).body
  expect([description.includes('10.9.8.7'), description.includes('hunter2secret')]).toEqual([true, false])
})

it('FLO-34 FLO-59 returns a shared flow without sign-in, and neither its account nor its author', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin, { description: 'For the client' })
  const { status, body } = await admin.call('POST', `/trees/${flow.id}/share`, { expires_in_days: 7 })
  expect(status).toBe(201)
  expect(body.url).toBe(`${service.settings.FRONTEND_URL}/shared/${body.token}`)
  const shared = await openLink(body.token)
  expect([shared.status, shared.body]).toEqual([
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
  for (const secret of [admin.id, admin.accountId, admin.fullName]) expect(shared.text).not.toContain(secret)
})

it('FLO-58 limits the lifetime of a share link to 1 to 365 days, and defaults to 30', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  const { body } = await admin.call('POST', `/trees/${flow.id}/share`)
  expect(Math.round((Date.parse(body.expires_at) - Date.now()) / 86_400_000)).toBe(30)
  for (const expires_in_days of [0, 366, 1.5])
    expectStatus(await admin.call('POST', `/trees/${flow.id}/share`, { expires_in_days }), 422)
})

it('FLO-35 returns 404 for an expired share link and omits it from the list', async () => {
  const ownService = await startOwnService()
  try {
    const { admin } = await createAccount(ownService)
    const flow = await createFlow(admin)
    const { body } = await admin.call('POST', `/trees/${flow.id}/share`, { expires_in_days: 1 })
    await ownService.sql(`update tree_shares set expires_at = app.now() + interval '1 second'`)
    expectStatus(await openLink(body.token, ownService), 200)
    await ownService.sql('update tree_shares set expires_at = app.now()')
    expectStatus(await openLink(body.token, ownService), 404)
    expect((await admin.call('GET', `/trees/${flow.id}/shares`)).body).toEqual([])
  } finally {
    await ownService.close()
  }
})

it('FLO-59 lists active share links, and returns 404 for a revoked link', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  const { body: link } = await admin.call('POST', `/trees/${flow.id}/share`)
  const { body } = await admin.call('GET', `/trees/${flow.id}/shares`)
  expect(body).toEqual([
    {
      id: link.id,
      created_by: admin.id,
      created_by_name: admin.fullName,
      expires_at: link.expires_at,
      created_at: body[0].created_at,
    },
  ])
  expectStatus(await admin.call('DELETE', `/trees/${flow.id}/shares/${link.id}`), 204)
  expectStatus(await admin.call('DELETE', `/trees/${flow.id}/shares/${link.id}`), 404)
  expectStatus(await openLink(link.token), 404)
  expectStatus(await openLink('nothing'), 404)
})

it('FLO-46 returns 404 for a shared draft, and the current version once the flow is published again', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  const { body: link } = await admin.call('POST', `/trees/${flow.id}/share`)
  await admin.call('PUT', `/trees/${flow.id}`, { status: 'draft', name: 'Reworked' })
  expectStatus(await openLink(link.token), 404)
  const rejected = await admin.call('POST', `/trees/${flow.id}/share`)
  expect([rejected.status, rejected.body.code]).toEqual([409, 'wrong_state'])
  await admin.call('PUT', `/trees/${flow.id}`, { status: 'published' })
  expect((await openLink(link.token)).body.name).toBe('Reworked')
  await admin.call('DELETE', `/trees/${flow.id}`)
  expectStatus(await openLink(link.token), 404)
})

it('ACC-17 writes an audit row without the token when a flow is shared and when the link is revoked', async () => {
  const account = await createAccount(service)
  const author = await account.addColleague()
  const teammate = await account.addColleague()
  const flow = await createFlow(author)
  expectStatus(await teammate.call('POST', `/trees/${flow.id}/share`), 403)
  const { body: link } = await author.call('POST', `/trees/${flow.id}/share`)
  await author.call('DELETE', `/trees/${flow.id}/shares/${link.id}`)
  const { body, text } = await account.admin.call('GET', '/accounts/me/audit-logs')
  expect(
    body.map(({ action, actor_id, resource_id }: Record<string, string>) => [action, actor_id, resource_id]),
  ).toEqual([
    ['tree_share.updated', author.id, link.id],
    ['tree_share.created', author.id, link.id],
  ])
  expect(text).not.toContain(link.token)
})

it('FLO-65 a link ends when its creator is deactivated or becomes a viewer, and does not come back', async () => {
  const account = await createAccount(service)
  for (const leave of [{ is_active: false }, { role: 'viewer' }]) {
    const author = await account.addColleague()
    const flow = await createFlow(author)
    const { body: link } = await author.call('POST', `/trees/${flow.id}/share`)
    expectStatus(await openLink(link.token), 200)
    expectStatus(await account.admin.call('PATCH', `/accounts/me/members/${author.id}`, leave), 200)
    expectStatus(await openLink(link.token), 404)
    expectStatus(
      await account.admin.call('PATCH', `/accounts/me/members/${author.id}`, {
        is_active: true,
        role: 'engineer',
      }),
      200,
    )
    expectStatus(await openLink(link.token), 404)
  }
})

it('FLO-65 a link ends when the visibility of its flow becomes narrower, and stays when it becomes wider', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin, { visibility: 'team' })
  const { body: link } = await admin.call('POST', `/trees/${flow.id}/share`)
  for (const [visibility, status] of [
    ['account', 200],
    ['team', 404],
    ['account', 404],
  ] as const) {
    expectStatus(await admin.call('PUT', `/trees/${flow.id}`, { visibility }), 200)
    expectStatus(await openLink(link.token), status)
  }
})

it('FLO-66 a link shows no attachment, script, approver, sub-flow or evidence of the flow', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const colleague = await account.addColleague()
  const { id: script } = await admin.client.scripts.create({
    name: 'x',
    language: 'bash',
    script_body: 'uptime',
  })
  const tree_structure = {
    id: 'ping',
    type: 'action',
    title: 'Ping',
    description: 'Run ping',
    next_node_id: 'end',
    attachments: [{ title: 'Internal page', url: 'https://wiki.internal.example/x' }],
    script_template_id: script,
    approval: { user_ids: [colleague.id] },
    evidence: [{ key: 'photo', label: 'Photo', type: 'text' }],
    children: [{ id: 'end', type: 'solution', title: 'Done', description: '' }],
  }
  const flow = await createFlow(admin, { tree_structure, intake_form: [] })
  const { body: link } = await admin.call('POST', `/trees/${flow.id}/share`)
  const { text, body } = expectStatus(await openLink(link.token), 200)
  expect(body.tree_structure).toMatchObject({
    id: 'ping',
    title: 'Ping',
    children: [{ id: 'end', title: 'Done' }],
  })
  for (const secret of ['wiki.internal', script, colleague.id, 'attachments', 'evidence'])
    expect(text).not.toContain(secret)
})
