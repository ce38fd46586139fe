import { expect, it } from 'vitest'
import { dashboard, request, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { patchForm } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()
const linkPattern = /api\/v1(\/approval-links\/[\w.-]+)/
const open = (method: string, path: string, headers: Record<string, string> = {}) =>
  request(service, method, path, { headers })
const secret = 'Winter2026!x'

/** Request the approval of a script of high risk, and return the links in the e-mail to the admin. */
async function createScene() {
  const account = await createAccount(service)
  const runner = await account.addColleague()
  const intake_form = [...patchForm, { key: 'admin_password', label: 'Password', type: 'text', secret: true }]
  const session = await createSession(
    runner,
    {
      variables: { server: 'srv-dc-01', admin_password: secret },
      client_name: 'Contoso Dental',
      ticket_number: '4711',
    },
    proceduralFlowFields({ intake_form }),
  )
  const parameters_schema = [
    { name: 'server', label: 'Server', type: 'hostname', required: true },
    { name: 'admin_password', label: 'Password', type: 'password', required: true },
  ]
  const { body: script } = await runner.call('POST', '/script-templates', {
    name: 'Clean up',
    language: 'powershell',
    script_body:
      '# password: Sommer2026!\nRemove-Item C:\\Temp -Recurse\nConnect-Server {{ server }} {{ admin_password }}\n',
    parameters_schema,
  })
  const body = { session_id: session.id, comment: 'The profile is corrupt' }
  const { body: approval } = expectStatus(
    await runner.call('POST', `/script-templates/${script.id}/approvals`, body),
    201,
  )
  const { admin } = account
  const path = await dashboard(service).waitForLink(admin.email, linkPattern)
  const mail = JSON.stringify(
    (await dashboard(service).listRecords('mail')).filter((record: unknown) =>
      JSON.stringify(record).includes(admin.email),
    ),
  )
  const links = [
    ...new Set([...mail.matchAll(new RegExp(linkPattern, 'g'))].map(([, link]) => link as string)),
  ]
  const state = async () =>
    (await runner.call('GET', `/sessions/${session.id}/approvals/${approval.id}`)).body
  return { ...account, runner, session, script, approval, path, mail, links, state }
}

it('NOT-126 a link decides nothing once its person has another address', async () => {
  const { admin, path, state } = await createScene()
  await service.sql('update users set email = $2 where id = $1', [admin.id, `moved-${admin.email}`])
  expect([(await open('GET', path)).status, (await open('POST', path)).status]).toEqual([410, 410])
  expect(await state()).toMatchObject({ state: 'pending' })
})

it('APR-12 the page of a link names the machine and its client', async () => {
  const { approval, path } = await createScene()
  await service.sql(
    `update approvals set agent_id = 'a', target = 'SRV-PRINT-01', client_name = 'Contoso Dental' where id = $1`,
    [approval.id],
  )
  expect((await open('GET', path)).text).toContain('It runs once, on SRV-PRINT-01 of Contoso Dental.')
})

it('APR-12 mails and rows show risk with reasons, client, ticket, parameters, script, comment and expiry, and no secret', async () => {
  const { admin, mail } = await createScene()
  const [row] = (await admin.call('GET', '/notifications')).body.filter(
    ({ event_key }: { event_key: string }) => event_key === 'approval.requested',
  )
  for (const text of [mail, row.body]) {
    for (const shown of [
      'High',
      'Contoso Dental',
      '#4711',
      'srv-dc-01',
      'Remove-Item',
      'deletes files',
      'The profile is corrupt',
      '(UTC)',
    ])
      expect(text).toContain(shown)
    for (const hidden of [secret, 'Sommer2026!']) expect(text).not.toContain(hidden)
  }
})

it('APR-13 opening the link of an approver changes nothing, and its button decides once', async () => {
  const { admin, path, links, state } = await createScene()
  expect(links).toHaveLength(2)
  const page = expectStatus(await open('GET', path), 200)
  expect(page.text).toContain('<form method="post">')
  expect((await state()).state).toBe('pending')
  const answers = await Promise.all(Array.from({ length: 8 }, () => open('POST', path)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(410)])
  expect(await state()).toMatchObject({ state: 'approved', decided_by: admin.id })
  for (const link of links) expect((await open('POST', link)).body).toMatchObject({ code: 'link_ended' })
})

it('APR-13 the other link of the message declines', async () => {
  const { path, links, state } = await createScene()
  const decline = links.find((link) => link !== path) ?? ''
  expectStatus(await open('POST', decline), 200)
  expect((await state()).state).toBe('rejected')
})

it('APR-13 a link ends with its request, its approver and their right to decide', async () => {
  const expectEnded = async (path: string) => {
    for (const method of ['GET', 'POST']) expectStatus(await open(method, path), 410)
  }
  const expired = await createScene()
  await service.sql(`update approvals set expires_at = app.now() - interval '1 second' where id = $1`, [
    expired.approval.id,
  ])
  await expectEnded(expired.path)
  const left = await createScene()
  await left.addColleague({ role: 'admin' } as never)
  await service.sql('update users set is_active = false where id = $1', [left.admin.id])
  await expectEnded(left.path)
  const changed = await createScene()
  await service.sql(`update approvals set digest = repeat('y', 43) where id = $1`, [changed.approval.id])
  for (const method of ['GET', 'POST']) expectStatus(await open(method, changed.path), 404)
  expect((await expired.state()).state).toBe('expired')
})

it('APR-13 shows a browser a page for a wrong link and for one that has ended', async () => {
  const { path } = await createScene()
  const accept = { accept: 'text/html,application/xhtml+xml' }
  const wrong = expectStatus(await open('GET', `${path.slice(0, -3)}abc`, accept), 404)
  expect([wrong.headers.get('content-type'), wrong.text.includes('<h1 ')]).toEqual([
    'text/html; charset=utf-8',
    true,
  ])
  expectStatus(await open('POST', path, accept), 200)
  const ended = expectStatus(await open('GET', path, accept), 410)
  expect(ended.text).toContain('This link has ended')
  expectStatus(await open('GET', '/approval-links/x'), 404)
})
