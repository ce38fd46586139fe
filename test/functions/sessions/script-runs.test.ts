import { expect, it } from 'vitest'
import { maxScriptRuns } from '#db/rows/script-runs.ts'
import { sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { exportSession, textFormats } from '#test/support/exports.ts'
import { patchForm } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()

const run = {
  script: 'Restart-Service Spooler\nGet-Service Spooler',
  target: 'SRV-PRINT-01',
  exit_code: 1,
  output: 'Access is denied',
  started_at: '2026-11-21T09:30:00Z',
  ended_at: '2026-11-21T10:30:04+01:00',
}

it('SCR-31 records a script run with its machine, exit code, output and times, for the user of the session and admins', async () => {
  const account = await createAccount(service)
  const [runner, colleague] = [await account.addColleague(), await account.addColleague()]
  const session = await createSession(runner)
  await service.sql(`update sessions set started_at = '2026-11-21T08:00:00Z' where id = $1`, [session.id])
  const path = `/sessions/${session.id}/script-runs`
  const { body } = expectStatus(await runner.call('POST', path, { ...run, step_id: 'ping' }), 201)
  expect(body).toMatchObject({
    session_id: session.id,
    step_id: 'ping',
    title: 'Restart-Service Spooler',
    ...{
      script: run.script,
      script_template_id: null,
      target: 'SRV-PRINT-01',
      exit_code: 1,
      output: 'Access is denied',
    },
    ...{
      started_at: '2026-11-21T09:30:00.000Z',
      ended_at: '2026-11-21T09:30:04.000Z',
      run_by: runner.id,
      run_by_name: runner.fullName,
    },
  })
  expectStatus(await colleague.call('POST', path, run), 403)
  expectStatus(await account.admin.call('POST', path, { ...run, exit_code: null }), 201)
  const { body: runs } = await colleague.call('GET', path)
  expect(runs.map(({ exit_code }: { exit_code: number }) => exit_code)).toEqual([1, null])
  expectStatus(await (await createAccount(service)).admin.call('GET', path), 404)
})

it('SCR-31 refuses a run without a script, with two, with an unknown step, one that ends before it starts and too much output', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSession(admin)
  const { script: _, ...withoutScript } = run
  const changes = [
    withoutScript,
    { ...run, script_template_id: crypto.randomUUID() },
    { ...withoutScript, script_template_id: crypto.randomUUID() },
    { ...run, step_id: 'nowhere' },
    { ...run, approval_id: crypto.randomUUID() },
    { ...run, ended_at: '2026-11-21T09:29:59Z' },
    { ...run, exit_code: 4_294_967_296 },
    { ...run, output: 'é'.repeat(32_769) },
  ]
  for (const body of changes) expectStatus(await admin.call('POST', `/sessions/${id}/script-runs`, body), 422)
  expectStatus(
    await admin.call('POST', `/sessions/${id}/script-runs`, { ...run, output: 'é'.repeat(32_768) }),
    201,
  )
})

it('SCR-32 keeps output as plain text, without the colours of a terminal', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSession(admin)
  const output = '\u001b[32mOK\u001b[0m\r\n\u001b]0;title\u0007done\u0008\tyes\n'
  const { body } = await admin.call('POST', `/sessions/${id}/script-runs`, { ...run, output })
  expect(body.output).toBe('OK\ndone\tyes\n')
})

it('SCR-32 names a run by a line that can be seen, and its machine likewise', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSession(admin)
  const send = (fields: object) =>
    admin.call('POST', `/sessions/${id}/script-runs`, { ...run, title: undefined, ...fields })
  const { body } = await send({ script: '\u200b\n\u202eStop-Service\r\nexit', target: 'SRV\u202e-01' })
  expect(body).toMatchObject({ title: 'Stop-Service', target: 'SRV-01' })
  expect((await send({ script: '\u200b' })).body).toMatchObject({ title: 'Script', script: '\u200b' })
  expectStatus(await send({ target: '\u200b' }), 422)
})

it('SCR-33 stores no secret answer of the session that a script or its output repeats', async () => {
  const { admin } = await createAccount(service)
  const intake_form = [...patchForm, { key: 'admin_password', label: 'Password', type: 'text', secret: true }]
  const variables = { server: 'srv-dc-01', admin_password: 'Violet-Tractor-81' }
  const { id } = await createSession(admin, { variables }, { ...proceduralFlowFields(), intake_form })
  const sent = { ...run, script: 'net use /user:adm Violet-Tractor-81', output: 'with Violet-Tractor-81: ok' }
  const { text } = expectStatus(await admin.call('POST', `/sessions/${id}/script-runs`, sent), 201)
  expect(JSON.parse(text)).toMatchObject({
    script: 'net use /user:adm [secret]',
    output: 'with [secret]: ok',
  })
  const padding = 'x'.repeat(185)
  for (const fields of [{ script: `${padding} Violet-Tractor-81` }, { target: 'srv-Violet-Tractor-81' }])
    expectStatus(await admin.call('POST', `/sessions/${id}/script-runs`, { ...run, ...fields }), 201)
  const rows = await service.sql('select r::text from script_runs r where session_id = $1', [id])
  expect(JSON.stringify(rows)).not.toContain('Tractor')
})

it('SCR-37 cuts a title or a target that placeholders of secret answers make too long', async () => {
  const { admin } = await createAccount(service)
  const intake_form = [...patchForm, { key: 'pin', label: 'PIN', type: 'text', secret: true }]
  const { id } = await createSession(
    admin,
    { variables: { server: 'srv-dc-01', pin: '4711' } },
    { ...proceduralFlowFields(), intake_form },
  )
  const longest = {
    ...run,
    title: '4711'.repeat(50),
    target: '4711'.repeat(63),
    script: '4711'.repeat(5000),
    output: '4711'.repeat(16_384),
  }
  const { body } = expectStatus(await admin.call('POST', `/sessions/${id}/script-runs`, longest), 201)
  expect([body.title.length, body.target.length]).toEqual([200, 255])
})

it('SCR-34 a run of a template has its name and version, and only an approval of that template in this session', async () => {
  const account = await createAccount(service)
  const runner = await account.addColleague()
  const template = {
    name: 'Stop the spooler',
    language: 'powershell',
    script_body: 'Get-Date',
    risk: 'medium',
  }
  const { body: script } = expectStatus(await account.admin.call('POST', '/script-templates', template), 201)
  const [session, other] = [await createSession(runner), await createSession(runner)]
  const request = await runner.call('POST', `/script-templates/${script.id}/approvals`, {
    session_id: session.id,
  })
  const approvalId = expectStatus(request, 201).body.id
  const { script: _, ...withoutScript } = run
  const send = (sessionId: string, fields: object) =>
    runner.call('POST', `/sessions/${sessionId}/script-runs`, { ...withoutScript, ...fields })
  const fields = { script_template_id: script.id, approval_id: approvalId }
  expectStatus(await send(session.id, fields), 422)
  await account.admin.call('POST', `/sessions/${session.id}/approvals/${approvalId}/approve`, {})
  expectStatus(await send(other.id, fields), 422)
  expectStatus(await send(session.id, { script: 'x', approval_id: approvalId }), 422)
  const { body } = expectStatus(await send(session.id, fields), 201)
  expect(body).toMatchObject({
    title: 'Stop the spooler',
    script_template_id: script.id,
    script_version: 1,
    script: null,
    approval_id: approvalId,
  })
})

it('SCR-35 32 concurrent runs at the limit of a session exceed it by none', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSession(admin)
  await service.sql(
    `insert into script_runs (account_id, session_id, title, script, target, started_at, ended_at, run_by)
     select $1, $2, 'x', 'x', 'x', now(), now(), $3 from generate_series(1, $4::integer - 3)`,
    [admin.accountId, id, admin.id, maxScriptRuns],
  )
  const responses = await runConcurrently(() => admin.call('POST', `/sessions/${id}/script-runs`, run), 32)
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'limit_reached' })
})

it.each(textFormats)(
  'SCR-36 exports a run with its step as %s, masked where the export is',
  async (format) => {
    const { admin } = await createAccount(service)
    const { id } = await createSession(admin)
    const output = `${'x'.repeat(40)}\n`.repeat(100)
    await admin.call('POST', `/sessions/${id}/script-runs`, {
      ...run,
      step_id: 'ping',
      output: `${output}Password: Winter2026!`,
    })
    const plain = (await exportSession(admin, id, `?format=${format}&mask=false`)).text
    expect(plain.replaceAll('\\', '')).toContain(
      'Script Restart-Service Spooler on SRV-PRINT-01: exit code 1',
    )
    expect(plain).toContain('Winter2026!')
    // A note shows the end alone.
    expect(plain.length > 4000).toBe(format !== 'ticket-note')
    expect((await exportSession(admin, id, `?format=${format}&mask=true`)).text).not.toContain('Winter2026!')
  },
)
