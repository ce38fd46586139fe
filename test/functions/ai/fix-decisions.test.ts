import { expect, it } from 'vitest'
import { insertScript } from '../../contract/fixtures-scripts.ts'
import { newAiSession, suggestFix } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const parameters = [
  { name: 'service', label: 'Service', type: 'string', required: true, default: null, choices: null, pattern: null, min: null, max: null },
]
const withParameters = {
  ai_drafted_script: 'Restart-Service -Name {{ service }}',
  ai_drafted_parameters: JSON.stringify(parameters.map(({ name, label, type, required }) => ({ name, label, type, required }))),
}

async function scene(about: Record<string, unknown> = {}) {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const session = await newAiSession(owner, { psa_ticket_id: '4711' })
  const id = await suggestFix(service, session, about)
  const decide = (body: object) => owner.call('POST', `/ai-sessions/${session.id}/suggested-fixes/${id}/decision`, body)
  const read = async () => (await owner.call('GET', `/ai-sessions/${session.id}`)).body
  const drafts = async () => (await owner.call('GET', '/draft-templates?pending_only=false')).body
  return { account, owner, session, id, decide, read, drafts }
}

it('FIX-22 takes three decisions, which change neither the fix nor the count', async () => {
  const { decide, read } = await scene()
  const before = await read()
  for (const decision of ['one_off', 'draft_template', 'build_template']) expectStatus(await decide({ decision }), 200)
  for (const decision of ['later', '', null]) expectStatus(await decide({ decision }), 422)
  const after = await read()
  expect([after.suggested_fixes, after.state_version]).toEqual([before.suggested_fixes, before.state_version])
})

it('FIX-23 answers the script with its values quoted, or an edited one in its place', async () => {
  const { decide } = await scene(withParameters)
  const once = { decision: 'one_off' }
  expect((await decide({ ...once, parameters: { service: "O'Brien; rm -rf /" } })).body).toEqual({
    script: "Restart-Service -Name 'O''Brien; rm -rf /'",
  })
  const edited = 'Stop-Service {{ service }}; Start-Service {{ service }}'
  expect((await decide({ ...once, edited_script: edited, parameters: { service: 'Spooler' } })).body.script).toBe(
    "Stop-Service 'Spooler'; Start-Service 'Spooler'",
  )
  expect((await decide({ ...once, edited_script: 'Write-Output 1' })).body.script).toBe('Write-Output 1')
})

it('FIX-23 refuses values that are missing, wrong or nobody’s, and edited scripts that would hold them where it is not safe', async () => {
  const { decide, owner, session } = await scene(withParameters)
  const [before] = await service.sql('select last_activity_at from ai_sessions where id = $1', [session.id])
  for (const body of [
    {},
    { parameters: { service: 7 } },
    { parameters: { service: 'x', more: 'y' } },
    { parameters: { service: 'a\u0000b' } },
  ]) {
    expectStatus(await decide({ decision: 'one_off', ...body }), 422)
  }
  const unsafe = await decide({ decision: 'one_off', edited_script: 'Invoke-Expression "{{ service }}"', parameters: { service: 'x' } })
  expect([unsafe.status, unsafe.body.errors[0].loc]).toEqual([422, ['body', 'edited_script']])
  expect(await service.sql('select last_activity_at from ai_sessions where id = $1', [session.id])).toEqual([before])
  expect((await owner.call('GET', '/draft-templates')).body).toEqual([])
})

it('FIX-24 puts the script forward as a draft that knows where it came from', async () => {
  const { decide, drafts, session, owner } = await scene(withParameters)
  const { body } = await decide({ decision: 'draft_template' })
  expect(body.script).toBe(withParameters.ai_drafted_script)
  expect(await drafts()).toMatchObject([
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
  const accepted = await owner.call('POST', `/draft-templates/${body.draft_template_id}/accept`, {})
  expect(accepted.body).toMatchObject({ source_session_id: session.id, source_ticket_ref: '4711' })
})

it('FIX-24 makes one draft of one script, however often and at once it is decided, and another of another', async () => {
  const { decide, drafts } = await scene()
  const answers = await Promise.all(Array.from({ length: 32 }, () => decide({ decision: 'draft_template' })))
  expect(new Set(answers.map(({ body }) => body.draft_template_id)).size).toBe(1)
  expect(await drafts()).toHaveLength(1)
  const edited = await decide({ decision: 'draft_template', edited_script: 'Write-Output 1' })
  expect(edited.body.script).toBe('Write-Output 1')
  expect(await drafts()).toHaveLength(2)
})

it('FIX-25 leads to the script builder of the session', async () => {
  const { decide, session, id, drafts } = await scene(withParameters)
  const { body } = await decide({ decision: 'build_template', parameters: { service: 'Spooler' } })
  expect(body).toEqual({
    script: "Restart-Service -Name 'Spooler'",
    redirect_path: `/script-builder?origin=pilot_inline&ai_session_id=${session.id}&fix_id=${id}`,
  })
  expect(await drafts()).toEqual([])
})

it('FIX-26 refuses every decision on a fix without a script, an edited one included', async () => {
  const { decide, drafts } = await scene({ kind: 'manual', ai_drafted_script: null, ai_drafted_language: null })
  for (const decision of ['one_off', 'draft_template', 'build_template']) {
    for (const more of [{}, { edited_script: 'Write-Output 1' }]) {
      const { status, body } = await decide({ decision, ...more })
      expect([status, body.code]).toEqual([400, 'no_script'])
    }
  }
  expect(await drafts()).toEqual([])
})

it('takes the script of the template that a fix points at, until one is written for the fix', async () => {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const session = await newAiSession(owner)
  const template = await insertScript(service, owner)
  const about = {
    kind: 'template',
    ai_drafted_script: null,
    ai_drafted_language: null,
    script_account_id: owner.accountId,
    script_template_id: template,
  }
  const at = `/ai-sessions/${session.id}/suggested-fixes/${await suggestFix(service, session, about)}`
  const decide = () => owner.call('POST', `${at}/decision`, { decision: 'one_off', parameters: { service: 'Spooler' } })
  expect((await decide()).body.script).toBe("Restart-Service -Name 'Spooler'\n")
  await owner.call('PATCH', `${at}/script`, {
    script: 'echo {{ service }}',
    language: 'bash',
    parameters: [{ name: 'service', label: 'S', type: 'string' }],
  })
  expect((await decide()).body.script).toBe("echo 'Spooler'")
})
