import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { patchForm } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()

const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const parameters_schema = [
  { name: 'server', label: 'Server', type: 'hostname', required: true },
  { name: 'admin_password', label: 'Password', type: 'password', required: true },
]
const script_body = 'Restart-Computer -ComputerName {{ server }} -Credential {{ admin_password }}\n'

const harmlessBody = 'Restart-Service -ComputerName {{ server }} -Credential {{ admin_password }}\n'

/** Create an account with a script of a risk, and a session of an engineer that answers its parameters. */
async function createScene(risk = 'medium', body = script_body) {
  const account = await createAccount(service)
  const [runner, colleague] = [await account.addColleague(), await account.addColleague()]
  const fields = { name: 'Restart', language: 'powershell', script_body: body, parameters_schema, risk }
  const { body: template } = await runner.call('POST', '/script-templates', fields)
  const intake_form = [...patchForm, { key: 'admin_password', label: 'Password', type: 'text', secret: true }]
  const secret = `pw-${crypto.randomUUID()}`
  const session = await createSession(
    runner,
    { variables: { server: 'srv-dc-01', admin_password: secret } },
    proceduralFlowFields({ intake_form }),
  )
  const path = `/script-templates/${template.id}`
  const render = (
    parameters: object = {},
    session_id: string | undefined = session.id,
    person: Person = runner,
  ) => person.call('POST', `${path}/generate`, { parameters, session_id })
  const request = (parameters: object = {}, session_id = session.id) =>
    runner.call('POST', `${path}/approvals`, { parameters, session_id })
  const approve = (person: Person, id: string) =>
    person.call('POST', `/sessions/${session.id}/approvals/${id}/approve`, {})
  return { ...account, runner, colleague, template, path, session, secret, render, request, approve }
}

it('SCR-19 SCR-21 renders a risky script after an approval, whose text shows no secret', async () => {
  const { colleague, secret, render, request, approve, runner } = await createScene()
  expect(codeOf(await render())).toEqual([409, 'approval_required'])
  const { status, body: approval } = await request()
  expect([status, approval.kind, approval.risk, approval.title]).toEqual([201, 'script', 'medium', 'Restart'])
  expect(approval.subject).toBe(`Restart-Computer -ComputerName 'srv-dc-01' -Credential '[secret]'\n`)
  expect(codeOf(await render())).toEqual([409, 'approval_required'])
  expect((await approve(colleague, approval.id)).status).toBe(200)
  const rendered = await render()
  expect([rendered.status, rendered.body.script]).toEqual([
    200,
    `Restart-Computer -ComputerName 'srv-dc-01' -Credential '${secret}'\n`,
  ])
  // A response that was lost is no reason to ask again.
  expect((await render()).status).toBe(200)
  for (const person of [runner, colleague])
    expect((await person.call('GET', `/sessions/${approval.session_id}/approvals`)).text).not.toContain(
      secret,
    )
})

it('SCR-19 refuses to render a risky script without a session, or for one that has ended', async () => {
  const { runner, path, session, render } = await createScene()
  const { status, body } = await runner.call('POST', `${path}/generate`, {
    parameters: { server: 'srv', admin_password: 'x' },
  })
  expect([status, body.errors[0].loc]).toEqual([422, ['body', 'session_id']])
  await runner.call('PATCH', `/sessions/${session.id}`, { state: 'abandoned' })
  expect(codeOf(await render())).toEqual([409, 'wrong_state'])
})

it('SCR-19 needs an admin for a script of high risk, and nobody for one of low risk', async () => {
  const { admin, colleague, render, request, approve } = await createScene('high')
  const { id } = (await request()).body
  expect((await approve(colleague, id)).status).toBe(403)
  expect((await approve(admin, id)).status).toBe(200)
  expect((await render()).status).toBe(200)
  const low = await createScene('low', harmlessBody)
  expect((await low.render()).status).toBe(200)
  expect(codeOf(await low.request())).toEqual([409, 'wrong_state'])
})

it('SCR-20 voids the approval when a value, a secret, the template or the step changes', async () => {
  const { colleague, runner, path, session, render, request, approve } = await createScene()
  const approveScript = async () => {
    expect((await approve(colleague, (await request()).body.id)).status).toBe(200)
    expect((await render()).status).toBe(200)
  }
  const expectVoid = async () => expect(codeOf(await render())).toEqual([409, 'approval_required'])
  await approveScript()
  expect(codeOf(await render({ server: 'srv-dc-02' }))).toEqual([409, 'approval_required'])
  await runner.call('PATCH', `/sessions/${session.id}/variables`, { admin_password: 'another' })
  await expectVoid()
  await approveScript()
  await runner.call('PUT', path, { description: 'The same script in a new version' })
  await expectVoid()
  await approveScript()
  await runner.call('POST', `/sessions/${session.id}/decisions`, { step_id: 'snapshot', outcome: 'done' })
  await expectVoid()
})

it('SCR-20 voids the approval when the session takes another way to a step of the same number', async () => {
  const { colleague, runner, path } = await createScene()
  const session = await createSession(runner)
  const body = { parameters: { server: 'srv-dc-01', admin_password: 'x' }, session_id: session.id }
  const choose = (option_id: string) =>
    runner.call('POST', `/sessions/${session.id}/decisions`, { step_id: 'ping', option_id })
  const render = async () => codeOf(await runner.call('POST', `${path}/generate`, body))
  await choose('yes')
  const { id } = (await runner.call('POST', `${path}/approvals`, body)).body
  await colleague.call('POST', `/sessions/${session.id}/approvals/${id}/approve`, {})
  expect(await render()).toEqual([200, undefined])
  await runner.call('DELETE', `/sessions/${session.id}/decisions/last`)
  expect((await choose('no')).status).toBe(201)
  expect(await render()).toEqual([409, 'approval_required'])
})

it('SCR-20 does not render for the admin who approved, or for another session', async () => {
  const { admin, runner, render, request, approve } = await createScene('high')
  await approve(admin, (await request()).body.id)
  expect(codeOf(await render({}, undefined, admin))).toEqual([409, 'approval_required'])
  const other = await createSession(runner, { variables: { server: 'srv-dc-01' } }, proceduralFlowFields())
  expect(codeOf(await render({ admin_password: 'x' }, other.id))).toEqual([409, 'approval_required'])
})

it('SCR-22 lets only an admin lower the risk, and keeps it when a version is restored', async () => {
  const { admin, runner, template, path } = await createScene('medium', harmlessBody)
  expect(template.risk).toBe('medium')
  expect((await runner.call('PUT', path, { risk: 'low' })).status).toBe(403)
  expect((await runner.call('PUT', path, { risk: 'high' })).body.risk).toBe('high')
  expect((await runner.call('POST', `${path}/versions/1/restore`)).body.risk).toBe('high')
  expect((await admin.call('PUT', path, { risk: 'low' })).body.risk).toBe('low')
})
