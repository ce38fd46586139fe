import { expect, it } from 'vitest'
import { insertScript } from '#test/contract/fixtures-scripts.ts'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const parameters = [
  {
    name: 'service',
    label: 'Service',
    type: 'string',
    required: true,
    default: null,
    choices: null,
    pattern: null,
    min: null,
    max: null,
  },
]
const withParameters = {
  ai_drafted_script: 'Restart-Service -Name {{ service }}',
  ai_drafted_parameters: JSON.stringify(
    parameters.map(({ name, label, type, required }) => ({ name, label, type, required })),
  ),
}

async function createScene(fields: Record<string, unknown> = {}) {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const session = await createAiSession(owner, { psa_ticket_id: '4711' })
  const id = await insertFix(service, session, fields)
  const decideScript = (body: object) =>
    owner.call('POST', `/ai-sessions/${session.id}/suggested-fixes/${id}/decision`, body)
  const readSession = async () => owner.client.ai.sessions.get({ session_id: session.id })
  const listDrafts = async () => owner.client.scripts.drafts.list({ pending_only: false })
  return { account, owner, session, id, decideScript, readSession, listDrafts }
}

it('FIX-22 accepts three decisions, which change neither the fix nor state_version', async () => {
  const { decideScript, readSession } = await createScene()
  const before = await readSession()
  for (const decision of ['one_off', 'draft_template', 'build_template'])
    expectStatus(await decideScript({ decision }), 200)
  for (const decision of ['later', '', null]) expectStatus(await decideScript({ decision }), 422)
  const after = await readSession()
  expect([after.suggested_fixes, after.state_version]).toEqual([before.suggested_fixes, before.state_version])
})

it('FIX-22 counts a decision as activity in the session', async () => {
  const { decideScript, session } = await createScene()
  await service.sql(`update ai_sessions set last_activity_at = app.now() - interval '1 day' where id = $1`, [
    session.id,
  ])
  expectStatus(await decideScript({ decision: 'one_off' }), 200)
  const activity = `select last_activity_at > app.now() - interval '1 hour' as is_recent from ai_sessions where id = $1`
  expect(await service.sql(activity, [session.id])).toEqual([{ is_recent: true }])
})

it('FIX-23 returns the script with quoted values, or an edited script instead', async () => {
  const { decideScript } = await createScene(withParameters)
  const oneOff = { decision: 'one_off' }
  expect((await decideScript({ ...oneOff, parameters: { service: "O'Brien; rm -rf /" } })).body).toEqual({
    script: "Restart-Service -Name 'O''Brien; rm -rf /'",
  })
  const edited = 'Stop-Service {{ service }}; Start-Service {{ service }}'
  expect(
    (await decideScript({ ...oneOff, edited_script: edited, parameters: { service: 'Spooler' } })).body
      .script,
  ).toBe("Stop-Service 'Spooler'; Start-Service 'Spooler'")
  expect((await decideScript({ ...oneOff, edited_script: 'Write-Output 1' })).body.script).toBe(
    'Write-Output 1',
  )
})

it('FIX-23 refuses missing, invalid and unknown values, and edited scripts with unsafe placeholders', async () => {
  const { decideScript, owner, session } = await createScene(withParameters)
  const [before] = await service.sql('select last_activity_at from ai_sessions where id = $1', [session.id])
  for (const body of [
    {},
    { parameters: { service: 7 } },
    { parameters: { service: 'x', more: 'y' } },
    { parameters: { service: 'a\u0000b' } },
  ]) {
    expectStatus(await decideScript({ decision: 'one_off', ...body }), 422)
  }
  const unsafe = await decideScript({
    decision: 'one_off',
    edited_script: 'Invoke-Expression "{{ service }}"',
    parameters: { service: 'x' },
  })
  expect([unsafe.status, unsafe.body.errors[0].loc]).toEqual([422, ['body', 'edited_script']])
  expect(await service.sql('select last_activity_at from ai_sessions where id = $1', [session.id])).toEqual([
    before,
  ])
  expect(await owner.client.scripts.drafts.list()).toEqual([])
})

it('FIX-24 proposes the script as a draft with its source', async () => {
  const { decideScript, listDrafts, session, owner } = await createScene(withParameters)
  const { body } = await decideScript({ decision: 'draft_template' })
  expect(body.script).toBe(withParameters.ai_drafted_script)
  expect(await listDrafts()).toMatchObject([
    {
      id: body.draft_template_id,
      status: 'pending',
      name: 'Restart the spooler',
      language: 'powershell',
      script_body: withParameters.ai_drafted_script,
      proposed_parameters: [{ name: 'service', required: true }],
      source_session_id: session.id,
      created_by: owner.id,
    },
  ])
  const accepted = await owner.client.scripts.drafts.accept({ draft_id: body.draft_template_id })
  expect(accepted).toMatchObject({ source_session_id: session.id, source_ticket_ref: '4711' })
})

it('FIX-24 creates one draft for 32 concurrent decisions on one script, and a second draft for an edited script', async () => {
  const { decideScript, listDrafts } = await createScene()
  const responses = await Promise.all(
    Array.from({ length: 32 }, () => decideScript({ decision: 'draft_template' })),
  )
  expect(new Set(responses.map(({ body }) => body.draft_template_id)).size).toBe(1)
  expect(await listDrafts()).toHaveLength(1)
  const edited = await decideScript({ decision: 'draft_template', edited_script: 'Write-Output 1' })
  expect(edited.body.script).toBe('Write-Output 1')
  expect(await listDrafts()).toHaveLength(2)
})

it('FIX-25 returns the path of the session’s script builder', async () => {
  const { decideScript, session, id, listDrafts } = await createScene(withParameters)
  const { body } = await decideScript({ decision: 'build_template', parameters: { service: 'Spooler' } })
  expect(body).toEqual({
    script: "Restart-Service -Name 'Spooler'",
    redirect_path: `/script-builder?origin=pilot_inline&ai_session_id=${session.id}&fix_id=${id}`,
  })
  expect(await listDrafts()).toEqual([])
})

it('FIX-26 refuses every decision on a fix without a script, even with an edited script', async () => {
  const { decideScript, listDrafts } = await createScene({
    kind: 'manual',
    ai_drafted_script: null,
    ai_drafted_language: null,
  })
  for (const decision of ['one_off', 'draft_template', 'build_template']) {
    for (const edits of [{}, { edited_script: 'Write-Output 1' }]) {
      const { status, body } = await decideScript({ decision, ...edits })
      expect([status, body.code]).toEqual([400, 'no_script'])
    }
  }
  expect(await listDrafts()).toEqual([])
})

it('SCR-22 uses the script of the fix’s template, if its risk is low, until a script is written for the fix', async () => {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const session = await createAiSession(owner)
  const template = await insertScript(service, owner)
  const fields = {
    kind: 'template',
    ai_drafted_script: null,
    ai_drafted_language: null,
    script_account_id: owner.accountId,
    script_template_id: template,
  }
  const fix_id = await insertFix(service, session, fields)
  const fixPath = `/ai-sessions/${session.id}/suggested-fixes/${fix_id}`
  const decideOnce = () =>
    owner.call('POST', `${fixPath}/decision`, { decision: 'one_off', parameters: { service: 'Spooler' } })
  expect((await decideOnce()).body.script).toBe("Restart-Service -Name 'Spooler'\n")
  await service.sql(`update script_templates set risk = 'medium' where id = $1`, [template])
  expect(expectStatus(await decideOnce(), 409).body.code).toBe('approval_required')
  await service.sql(`update script_templates set risk = 'low' where id = $1`, [template])
  await owner.client.ai.fixes.updateScript({
    session_id: session.id,
    fix_id,
    script: 'echo {{ service }}',
    language: 'bash',
    parameters: [{ name: 'service', label: 'S', type: 'string' }],
  })
  expect((await decideOnce()).body.script).toBe("echo 'Spooler'")
})
