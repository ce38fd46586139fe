import { expect, it } from 'vitest'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { createKey } from '#test/support/api-keys.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { patchForm } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()

const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const dangerous = 'Get-ADUser -Filter * | Remove-ADUser -Confirm:$false\n'
const harmless = 'Get-ADUser -Filter *\n'

const createScript = (person: Person, fields: object = {}) =>
  person.call('POST', '/script-templates', {
    name: 'Clean',
    language: 'powershell',
    script_body: dangerous,
    risk: 'low',
    ...fields,
  })

it('SCR-24 raises the risk of a new script to that of its content, and lists why', async () => {
  const { admin } = await createAccount(service)
  const { body } = expectStatus(await createScript(admin), 201)
  expect(body).toMatchObject({ risk: 'high', requires_elevation: false })
  expect(body.risk_reasons[0]).toEqual({ line: 1, risk: 'high', reason: '`remove-aduser` deletes' })
  expect((await admin.call('GET', `/script-templates/${body.id}`)).body.risk_reasons).toEqual(
    body.risk_reasons,
  )
  const elevated = await createScript(admin, {
    language: 'bash',
    script_body: 'sudo systemctl restart cups',
    requires_elevation: false,
  })
  expect(elevated.body).toMatchObject({ risk: 'low', requires_elevation: true })
})

it('SCR-24 raises the risk when the body changes, and nobody lowers it below its content', async () => {
  const { admin } = await createAccount(service)
  const { body: script } = await createScript(admin, { script_body: harmless })
  expect(script.risk).toBe('low')
  const path = `/script-templates/${script.id}`
  expect((await admin.call('PUT', path, { script_body: dangerous })).body.risk).toBe('high')
  expect((await admin.call('PUT', path, { risk: 'low' })).body.risk).toBe('high')
  expect((await admin.call('PUT', path, { script_body: harmless })).body).toMatchObject({
    risk: 'high',
    risk_reasons: [],
  })
})

it('SCR-24 needs an approval for a copy, and for a row whose stored risk is low', async () => {
  const { addColleague } = await createAccount(service)
  const engineer = await addColleague()
  const { body: copy } = await createScript(engineer)
  const generate = () => engineer.call('POST', `/script-templates/${copy.id}/generate`, {})
  expectStatus(await generate(), 422)
  await service.sql(`update script_templates set risk = 'low' where id = $1`, [copy.id])
  expectStatus(await generate(), 422)
  const session = await createSession(engineer, {}, proceduralFlowFields({ intake_form: [] }))
  const inSession = await engineer.call('POST', `/script-templates/${copy.id}/generate`, {
    session_id: session.id,
  })
  expect(codeOf(inSession)).toEqual([409, 'approval_required'])
})

it('SCR-24 judges the rendered script, so that a value cannot make a harmless script dangerous', async () => {
  const { admin } = await createAccount(service)
  const parameters_schema = [{ name: 'service', label: 'Service', type: 'string', required: true }]
  const { body } = await createScript(admin, {
    script_body: 'Stop-Service -Name {{ service }}',
    parameters_schema,
  })
  expect(body.risk).toBe('low')
  const generate = (value: string) =>
    admin.call('POST', `/script-templates/${body.id}/generate`, { parameters: { service: value } })
  expectStatus(await generate('Spooler'), 200)
  expectStatus(await generate('WinDefend'), 422)
})

it('SCR-24 raises the risk of a template that a draft or the script builder becomes', async () => {
  const { admin } = await createAccount(service)
  const session = await createAiSession(admin)
  const fix = await insertFix(service, session, { ai_drafted_script: dangerous })
  const path = `/ai-sessions/${session.id}/suggested-fixes/${fix}/decision`
  const { body } = expectStatus(await admin.call('POST', path, { decision: 'draft_template' }), 200)
  const accepted = await admin.call('POST', `/draft-templates/${body.draft_template_id}/accept`, {})
  expect(accepted.body).toMatchObject({ risk: 'high' })
  const { body: builder } = await admin.call('POST', '/script-builder/sessions', { origin: 'standalone' })
  const saved = await admin.call('POST', `/script-builder/sessions/${builder.id}/save-to-library`, {
    name: 'x',
    script_body: dangerous,
  })
  expect(saved.body).toMatchObject({ risk: 'high' })
})

it('SCR-25 does not render the script of a fix once if its content needs an approval, also an edited one', async () => {
  const { addColleague } = await createAccount(service)
  const engineer = await addColleague()
  const session = await createAiSession(engineer)
  const fix = await insertFix(service, session, { ai_drafted_script: harmless })
  const decide = (body: object) =>
    engineer.call('POST', `/ai-sessions/${session.id}/suggested-fixes/${fix}/decision`, body)
  expectStatus(await decide({ decision: 'one_off' }), 200)
  const refused = await decide({ decision: 'one_off', edited_script: dangerous })
  expect(codeOf(refused)).toEqual([409, 'approval_required'])
  expect([refused.body.risk, refused.body.risk_reasons[0].line]).toEqual(['high', 1])
  await service.sql('update ai_fixes set ai_drafted_script = $2 where id = $1', [fix, dangerous])
  expect(codeOf(await decide({ decision: 'one_off' }))).toEqual([409, 'approval_required'])
  expectStatus(await decide({ decision: 'build_template' }), 200)
})

/** Create a session that waits for an approval which the admin may give, and a key of that admin. */
async function createKeyScene() {
  const account = await createAccount(service)
  const key = await createKey(service, account)
  const intake_form = patchForm
  const session = await createSession(
    key,
    { variables: { server: 'srv-dc-01' } },
    proceduralFlowFields({ intake_form }),
  )
  const { body: script } = await createScript(key, { risk: 'medium', script_body: harmless })
  await key.call('POST', `/script-templates/${script.id}/share`, {})
  const request = (person: Person) =>
    person.call('POST', `/script-templates/${script.id}/approvals`, { session_id: session.id })
  const approve = (person: Person, id: string) =>
    person.call('POST', `/sessions/${session.id}/approvals/${id}/approve`, {})
  const render = (person: Person) =>
    person.call('POST', `/script-templates/${script.id}/generate`, { session_id: session.id })
  return { ...account, key, session, request, approve, render }
}

it('APR-11 nobody approves the request or the run of an API key that they created', async () => {
  const { admin, addColleague, key, session, request, approve } = await createKeyScene()
  const colleague = await addColleague()
  const { body: approval } = expectStatus(await request(key), 201)
  expect((await admin.call('GET', `/sessions/${session.id}/approvals/${approval.id}`)).body.may_decide).toBe(
    false,
  )
  expectStatus(await approve(admin, approval.id), 403)
  expectStatus(await approve(colleague, approval.id), 200)
})

it('APR-11 renders for a creator what a colleague approved, but for no key what its creator approved', async () => {
  const { admin, addColleague, render, request, approve } = await createKeyScene()
  const colleague = await addColleague()
  const { body: approval } = expectStatus(await request(admin), 201)
  expectStatus(await approve(colleague, approval.id), 200)
  expectStatus(await render(admin), 200)
  const account = await createAccount(service)
  const runner = await account.addColleague()
  const key = await createKey(service, account, { role: 'admin' })
  const session = await createSession(
    runner,
    { variables: { server: 'srv-dc-01' } },
    proceduralFlowFields({ intake_form: patchForm }),
  )
  const { body: script } = await createScript(runner, { risk: 'medium', script_body: harmless })
  const { body } = expectStatus(
    await runner.call('POST', `/script-templates/${script.id}/approvals`, { session_id: session.id }),
    201,
  )
  expectStatus(
    await account.admin.call('POST', `/sessions/${session.id}/approvals/${body.id}/approve`, {}),
    200,
  )
  await runner.call('POST', `/script-templates/${script.id}/share`, {})
  const keyed = await key.call('POST', `/script-templates/${script.id}/generate`, { session_id: session.id })
  expect(codeOf(keyed)).toEqual([409, 'approval_required'])
  expectStatus(
    await runner.call('POST', `/script-templates/${script.id}/generate`, { session_id: session.id }),
    200,
  )
})

it('SCR-27 a password has no default, because everybody who reads the script would see it', async () => {
  const { admin } = await createAccount(service)
  const parameter = { name: 'pw', label: 'Password', type: 'password', default: 'S3cretDefault!' }
  const refused = await createScript(admin, {
    script_body: 'net user a {{ pw }}',
    parameters_schema: [parameter],
  })
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [
      expect.objectContaining({
        loc: ['body', 'parameters_schema', 0, 'default'],
        msg: expect.stringContaining('must be empty'),
      }),
    ],
  ])
  expectStatus(
    await createScript(admin, {
      script_body: 'net user a {{ pw }}',
      parameters_schema: [{ ...parameter, default: null }],
    }),
    201,
  )
})

it('SCR-28 a script with characters that change the direction of text has at least medium risk', async () => {
  const { admin } = await createAccount(service)
  const { body } = expectStatus(
    await createScript(admin, { language: 'bash', script_body: 'true\necho hi # \u202e ti' }),
    201,
  )
  expect(body).toMatchObject({
    risk: 'medium',
    risk_reasons: [{ line: 2, risk: 'medium', reason: expect.stringContaining('direction') }],
  })
})
