import { afterAll, beforeEach, expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { type ApiResponse, dashboard, startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { patchForm } from '#test/support/flows.ts'
import { night, someByDay } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { agentIds, connectRunner } from '#test/support/runner.ts'
import { createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await startOwnService()
const { setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())

const settle = () => service.stack.localServer.qstash.waitUntilSettled()
/** Let the jobs run that are due within these seconds. */
async function pass(seconds: number) {
  for (let left = seconds; left > 0; left -= 10) {
    await advanceClock(Math.min(left, 10))
    await settle()
  }
}

// A run of an earlier test, which is still followed, would take the fault of this one.
beforeEach(async () => {
  await service.sql(
    `update runner_runs set state = 'failed', next_attempt_at = null, leased_until = null where state in ('queued', 'retrying')`,
  )
  await service.sql('update runner_runs set next_attempt_at = null')
  await settle()
  await clearFaults()
})

/** Ask the emulator, as its own users do. */
async function listAtVendor(path: string): Promise<{ script: number; name: string }[]> {
  const answer = await fetch(`${service.localOrigin}/tactical-rmm${path}`, {
    headers: { 'x-api-key': 'demo' },
  })
  return (await answer.json()) as { script: number; name: string }[]
}
const countStarts = async () => (await listAtVendor('/agents/scripthistory/')).length

const parameters_schema = [
  { name: 'server', label: 'Server', type: 'hostname', required: true },
  { name: 'admin_password', label: 'Password', type: 'password', required: true },
]
const harmless =
  "Write-Output 'done'\nWrite-Output {{ admin_password }}\nRestart-Service -ComputerName {{ server }}\n"
const risky = `Restart-Computer -ComputerName {{ server }} -Credential {{ admin_password }}\n`

async function createScene({
  body = harmless,
  risk = 'low',
  client_name = undefined as string | undefined,
} = {}) {
  const account = await createAccount(service)
  await connectRunner(service, account.admin)
  const [runner, colleague] = [await account.addColleague(), await account.addColleague()]
  const fields = { name: 'Restart', language: 'powershell', script_body: body, parameters_schema, risk }
  const template = expectStatus(await runner.call('POST', '/script-templates', fields), 201).body
  const intake_form = [...patchForm, { key: 'admin_password', label: 'Password', type: 'text', secret: true }]
  const variables = { server: 'srv-01', admin_password: 'lantern-and-oak' }
  const session = await createSession(
    runner,
    { variables, client_name },
    proceduralFlowFields({ intake_form }),
  )
  const path = `/sessions/${session.id}/runner-runs`
  const start = (changes: object = {}, person: Person = runner, headers: Record<string, string> = {}) =>
    person.call(
      'POST',
      path,
      { script_template_id: template.id, agent_id: agentIds.online, ...changes },
      headers,
    )
  const find = async (id: string) =>
    (await runner.call('GET', path)).body.find((run: { id: string }) => run.id === id)
  return { ...account, runner, colleague, template, session, start, find }
}

/** Approve the script of a scene for a server, and return the approval. */
async function approve(
  { runner, colleague, template, session }: Awaited<ReturnType<typeof createScene>>,
  server = 'srv-01',
  verb = 'approve',
) {
  const request = { script_template_id: template.id, parameters: { server }, agent_id: agentIds.online }
  const { id } = expectStatus(
    await runner.call('POST', `/sessions/${session.id}/runner-runs/approvals`, request),
    201,
  ).body
  expectStatus(
    await colleague.call('POST', `/sessions/${session.id}/approvals/${id}/${verb}`, {
      comment: 'Looked at it',
    }),
    200,
  )
  return id as string
}

it('RUN-04 runs a template on a machine and keeps its end as a script run, without passwords and secret answers', async () => {
  const { start, find, runner, session } = await createScene()
  const { body: started } = expectStatus(await start(), 202)
  expect(started).toMatchObject({
    state: 'queued',
    title: 'Restart',
    approval_id: null,
    target: null,
    script_run_id: null,
  })
  await settle()
  expect(await find(started.id)).toMatchObject({
    state: 'running',
    target: 'SRV-PRINT-01',
    started_at: expect.any(String),
  })
  await pass(10)
  const run = await find(started.id)
  expect(run).toMatchObject({
    state: 'finished',
    error: null,
    script_run_id: expect.any(String),
    finished_at: expect.any(String),
  })
  const [record] = (await runner.call('GET', `/sessions/${session.id}/script-runs`)).body
  expect(record).toMatchObject({
    ...{ id: run.script_run_id, title: 'Restart', target: 'SRV-PRINT-01', exit_code: 0, run_by: runner.id },
    output: 'On SRV-PRINT-01\ndone\n[secret]',
  })
  // The script had the password.
  expect((await listAtVendor('/scripts/')).filter(({ name }) => name.includes(started.id))).toEqual([])
  const [row] = await service.sql('select payload from runner_runs where id = $1', [started.id])
  expect(row).toEqual({ payload: null })
})

it('RUN-04 keeps the exit code of a script that fails, and of one that the runner ends at its limit', async () => {
  const { start, find, runner, session } = await createScene({ body: 'Start-Sleep -Seconds 30\nexit 3\n' })
  const fields = { parameters: { server: 'a', admin_password: 'b-password' } }
  const long = expectStatus(await start(fields), 202).body
  const short = expectStatus(await start({ ...fields, time_limit_seconds: 5 }), 202).body
  await settle()
  await pass(40)
  expect([(await find(long.id)).state, (await find(short.id)).state]).toEqual(['finished', 'finished'])
  const records = (await runner.call('GET', `/sessions/${session.id}/script-runs`)).body as {
    exit_code: number
    output: string
  }[]
  expect(records.map(({ exit_code }) => exit_code).sort()).toEqual([3, 98])
})

it('RUN-04 runs a script of low risk in an AI session, whose engineer gets the output as a script run', async () => {
  const { runner, colleague, template } = await createScene()
  const chat = await createAiSession(runner)
  const body = {
    script_template_id: template.id,
    agent_id: agentIds.online,
    parameters: { server: 'a', admin_password: 'oak-and-lantern' },
  }
  const path = `/ai-sessions/${chat.id}`
  expectStatus(await colleague.call('POST', `${path}/runner-runs`, body), 404)
  expectStatus(await runner.call('POST', `${path}/runner-runs`, body), 202)
  await settle()
  await pass(10)
  expect((await runner.call('GET', `${path}/runner-runs`)).body).toMatchObject([
    { state: 'finished', session_id: chat.id },
  ])
  const records = (await runner.call('GET', `${path}/script-runs`)).body
  expect(records).toMatchObject([
    { exit_code: 0, output: 'On SRV-PRINT-01\ndone\n[secret]', run_by: runner.id },
  ])
})

it('RUN-05 starts a risky script only while exactly this script is approved', async () => {
  const scene = await createScene({ body: risky, risk: 'medium' })
  const { start, find } = scene
  const before = await countStarts()
  const expectRequired = async () =>
    expect(expectStatus(await start(), 409).body.code).toBe('approval_required')
  await expectRequired()
  await approve(scene, 'srv-01', 'reject')
  await expectRequired()
  await approve(scene, 'srv-02')
  await expectRequired()
  const approval_id = await approve(scene)
  const { body: run } = expectStatus(await start(), 202)
  expect(run.approval_id).toBe(approval_id)
  await settle()
  await pass(10)
  expect((await find(run.id)).state).toBe('finished')
  expect(await countStarts()).toBe(before + 1)
  await advanceClock(3700)
  await expectRequired()
})

it('RUN-05 one approval starts one script, on the machine that the approver has read', async () => {
  const scene = await createScene({ body: risky, risk: 'high', client_name: 'Northwind' })
  const { start, find, session, template, admin, runner } = scene
  const before = await countStarts()
  const path = `/sessions/${session.id}/runner-runs/approvals`
  const request = (changes: object) =>
    runner.call('POST', path, { script_template_id: template.id, agent_id: agentIds.online, ...changes })
  const { body: approval } = expectStatus(await request({}), 201)
  expect(approval).toMatchObject({
    target: 'SRV-PRINT-01',
    client_name: 'Northwind',
    agent_id: agentIds.online,
  })
  const machine = await dashboard(service).waitForLink(
    admin.email,
    /Machine: (SRV-PRINT-01)\nClient of the machine: Northwind/,
  )
  expect(machine).toBe('SRV-PRINT-01')
  expectStatus(await admin.call('POST', `/sessions/${session.id}/approvals/${approval.id}/approve`), 200)
  const other = { agent_id: agentIds.ofOtherClient }
  expect(expectStatus(await start(other), 409).body.code).toBe('approval_required')
  expect(expectStatus(await start({ ...other, client_name: 'Contoso & Sons' }), 409).body.code).toBe(
    'approval_required',
  )
  // The text alone is not approved either.
  const rendering = { session_id: session.id }
  expect((await runner.call('POST', `/script-templates/${template.id}/generate`, rendering)).status).toBe(409)
  const starts = await runConcurrently(() => start())
  expect(starts.filter(({ status }) => status === 202)).toHaveLength(1)
  await settle()
  await pass(10)
  const [{ body: run }] = starts.filter(({ status }) => status === 202) as [ApiResponse]
  expect(await find(run.id)).toMatchObject({ state: 'finished', approval_id: approval.id })
  expect(expectStatus(await start(), 409).body).toMatchObject({
    code: 'approval_required',
    approval: { id: approval.id, state: 'used' },
  })
  expect(await countStarts()).toBe(before + 1)
})

it.each([
  'POST runner-runs',
  'POST runner-runs/approvals',
  'POST AI runner-runs',
  'POST AI runner-runs/approvals',
])(
  'RUN-08 %s refuses a machine of another client than that of the case, unless the request names it',
  async (operation) => {
    const isRisky = operation.endsWith('approvals')
    const { runner, template, session } = await createScene({
      ...(isRisky ? { body: risky, risk: 'medium' } : {}),
      client_name: 'northwind ',
    })
    const chat = await createAiSession(runner, { client_name: 'Northwind' })
    const place = operation.includes('AI') ? `/ai-sessions/${chat.id}` : `/sessions/${session.id}`
    const path = `${place}/runner-runs${isRisky ? '/approvals' : ''}`
    const send = (agent_id: string, client_name?: string) =>
      runner.call('POST', path, {
        script_template_id: template.id,
        parameters: { server: 'a', admin_password: 'lantern-and-oak' },
        agent_id,
        client_name,
      })
    const before = await countStarts()
    for (const confirmed of [undefined, 'Northwind', 'Contoso'])
      expect(expectStatus(await send(agentIds.ofOtherClient, confirmed), 409).body).toMatchObject({
        code: 'client_mismatch',
        machine: 'web-02',
        machine_client: 'Contoso & Sons',
      })
    expect(await countStarts()).toBe(before)
    const expected = isRisky ? 201 : 202
    expectStatus(await send(agentIds.ofOtherClient, 'contoso & sons'), expected)
    expectStatus(await send(agentIds.online), expected)
  },
)

it('RUN-08 starts nothing on a machine of another client when the runner could not be asked at the request', async () => {
  const { start, find } = await createScene({ client_name: 'Northwind' })
  const before = await countStarts()
  await setFault({ service: 'runner', mode: 'error', times: 2 })
  const { body: run } = expectStatus(await start({ agent_id: agentIds.ofOtherClient }), 202)
  await settle()
  await pass(50)
  expect(await find(run.id)).toMatchObject({
    state: 'failed',
    error: 'The machine belongs to another client; nothing was started',
  })
  expect(await countStarts()).toBe(before)
})

it.each<[string, (scene: Awaited<ReturnType<typeof createScene>>) => Promise<unknown>]>(
  someByDay(
    [
      ['was deactivated', ({ admin, runner }) => admin.call('DELETE', `/accounts/me/members/${runner.id}`)],
      [
        'became a viewer',
        ({ admin, runner }) => admin.call('PATCH', `/accounts/me/members/${runner.id}`, { role: 'viewer' }),
      ],
      [
        'has no case any more',
        ({ admin, session }) =>
          admin.call('POST', `/sessions/${session.id}/complete`, { outcome: 'resolved' }),
      ],
      [
        'has no template any more',
        ({ runner, template }) => runner.call('DELETE', `/script-templates/${template.id}`),
      ],
      [
        'has another runner',
        async ({ admin }) => {
          await service.sql('update runner_connections set updated_at = app.now() where account_id = $1', [
            admin.accountId,
          ])
          return { status: 200, text: '' }
        },
      ],
      [
        'has no subscription any more',
        async ({ admin }) => {
          await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [
            admin.accountId,
          ])
          return { status: 200, text: '' }
        },
      ],
      [
        'has another template',
        ({ runner, template }) =>
          runner.call('PUT', `/script-templates/${template.id}`, {
            script_body: harmless.replace('done', 'other'),
          }),
      ],
    ],
    3,
  ),
)('RUN-07 starts no queued run of somebody who %s meanwhile', async (_, change) => {
  const scene = await createScene()
  const before = await countStarts()
  await setFault({ service: 'runner', mode: 'error', times: 1 })
  const { body: run } = expectStatus(await scene.start(), 202)
  await settle()
  const answer = (await change(scene)) as { status: number; text: string }
  expect([answer.status, answer.text].join(' ')).toMatch(/^20/)
  await pass(50)
  const [row] = await service.sql('select state, last_error from runner_runs where id = $1', [run.id])
  expect(row).toMatchObject({ state: 'failed', last_error: expect.stringContaining('nothing was started') })
  expect(await countStarts()).toBe(before)
})

it('RUN-05 starts nothing when the approval has ended before the job runs', async () => {
  const scene = await createScene({ body: risky, risk: 'medium' })
  const approval = await approve(scene)
  const before = await countStarts()
  await setFault({ service: 'runner', mode: 'error', times: 1 })
  const { body: run } = expectStatus(await scene.start(), 202)
  await settle()
  await service.sql(`update approvals set state = 'voided' where id = $1`, [approval])
  await pass(40)
  expect(await scene.find(run.id)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('nothing was started'),
  })
  expect(await countStarts()).toBe(before)
})

it('RUN-05 runs no text that the runner would change', async () => {
  const { start } = await createScene({ body: "Write-Output 'x'\n# {{! cleanup }}\n" })
  const refused = expectStatus(await start({ parameters: {} }), 422)
  expect(refused.body.errors).toMatchObject([{ loc: ['body', 'script_template_id'] }])
})

it('RUN-06 starts a script once for 32 requests with one Idempotency-Key and a message that arrives twice', async () => {
  const { start, find } = await createScene()
  const before = await countStarts()
  const headers = { 'idempotency-key': crypto.randomUUID() }
  await setFault({ service: 'qstash', mode: 'duplicate', times: 4 })
  const answers = await runConcurrently(() => start({}, undefined, headers))
  const ids = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.id))
  expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true)
  expect(ids.size).toBe(1)
  await settle()
  await pass(10)
  expect((await find([...ids][0] as string)).state).toBe('finished')
  expect(await countStarts()).toBe(before + 1)
})

it('RUN-06 never starts a script again after a start without an answer, and follows it while the runner fails', async () => {
  const { start, find } = await createScene()
  const before = await countStarts()
  const { body: run } = expectStatus(await start({ agent_id: agentIds.withoutAnswer }), 202)
  await settle()
  expect((await find(run.id)).state).toBe('running')
  for (const mode of ['garbage', 'error', 'down', 'rate_limit']) {
    await setFault({ service: 'runner', mode, times: 1 })
    await pass(10)
    expect((await find(run.id)).state).toBe('running')
  }
  await clearFaults()
  await pass(40)
  expect((await find(run.id)).state).toBe('finished')
  expect(await countStarts()).toBe(before + 1)
})

it('RUN-06 leaves a run unknown when its process died between the mark and the call', night, async () => {
  const { start, find, runner, session } = await createScene()
  await setFault({ service: 'runner', mode: 'error', times: 1 })
  const { body: run } = expectStatus(await start({ time_limit_seconds: 5 }), 202)
  await settle()
  const before = await countStarts()
  await service.sql(`update runner_runs set started_at = app.now(), target = 'SRV-PRINT-01' where id = $1`, [
    run.id,
  ])
  await pass(200)
  expect(await find(run.id)).toMatchObject({
    state: 'unknown',
    error: expect.stringContaining('does not know whether it started'),
  })
  expect(await countStarts()).toBe(before)
  const [record] = (await runner.call('GET', `/sessions/${session.id}/script-runs`)).body
  expect(record).toMatchObject({
    exit_code: null,
    output: expect.stringContaining('It is not known how the script ended'),
  })
})

it('RUN-06 takes a result that comes hours late: the run is unknown until then', night, async () => {
  const { start, find, runner, session } = await createScene({
    body: `${harmless}# wakes up after 9000\nexit 3\n`,
  })
  const { body: run } = expectStatus(await start({ time_limit_seconds: 30 }), 202)
  await pass(200)
  const unknown = await find(run.id)
  expect(unknown).toMatchObject({
    state: 'unknown',
    error: expect.stringContaining('reported no end'),
    script_run_id: expect.any(String),
    finished_at: null,
  })
  for (let hours = 0; hours < 4; hours++) {
    await advanceClock(3600)
    await settle()
  }
  const finished = await find(run.id)
  expect(finished).toMatchObject({ state: 'finished', error: null, finished_at: expect.any(String) })
  const records = (await runner.call('GET', `/sessions/${session.id}/script-runs`)).body
  expect(records.map(({ exit_code }: { exit_code: number }) => exit_code)).toEqual([null, 3])
  expect(records.at(-1)).toMatchObject({
    id: finished.script_run_id,
    output: expect.stringContaining('done'),
  })
})

it.each([
  ['a machine that is off', { agent_id: agentIds.offline }, 'offline'],
  ['a machine of another runner', { agent_id: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }, 'no such record'],
])('RUN-07 starts nothing on %s, and says so', async (_, changes, reason) => {
  const { start, find } = await createScene()
  const before = await countStarts()
  const { body: run } = expectStatus(await start(changes), 202)
  await settle()
  expect(await find(run.id)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining(reason),
    script_run_id: null,
  })
  expect(await countStarts()).toBe(before)
})

it.each(
  someByDay(
    [
      ['error', 50],
      ['rate_limit', 130],
    ],
    1,
  ),
)('RUN-07 repeats what has not started: %s', async (mode, seconds) => {
  const { start, find } = await createScene()
  await setFault({ service: 'runner', mode, times: 1 })
  const { body: run } = expectStatus(await start(), 202)
  await settle()
  expect((await find(run.id)).state).toBe('queued')
  await pass(seconds)
  expect((await find(run.id)).state).toBe('finished')
})

it('RUN-07 does not repeat the start with a refused key', async () => {
  const { start, find, admin } = await createScene()
  const { body } = await admin.call('GET', '/integrations/runner')
  expectStatus(
    await admin.call('PUT', '/integrations/runner', {
      provider: body.provider,
      base_url: body.base_url,
      api_key: 'wrong',
    }),
    200,
  )
  const refused = expectStatus(await start(), 202).body
  await settle()
  expect(await find(refused.id)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('refused the API key'),
  })
})

it('RUN-07 is closed to viewers, colleagues, other accounts and accounts without a runner, and can be cancelled before its start', async () => {
  const scene = await createScene()
  const { start, find, runner, colleague } = scene
  expectStatus(await start({}, await scene.addColleague({ role: 'viewer' })), 403)
  expectStatus(await start({}, colleague), 403)
  expectStatus(await start({}, (await createAccount(service)).admin), 404)
  await setFault({ service: 'runner', mode: 'error', times: 1 })
  const { body: run } = expectStatus(await start(), 202)
  await settle()
  expectStatus(await colleague.call('POST', `/runner/runs/${run.id}/cancel`), 403)
  expectStatus(await runner.call('POST', `/runner/runs/${run.id}/cancel`), 200)
  await pass(50)
  expect((await find(run.id)).state).toBe('cancelled')
  const { body: second } = expectStatus(await start(), 202)
  await settle()
  expectStatus(await runner.call('POST', `/runner/runs/${second.id}/cancel`), 409)
  expectStatus(await scene.admin.call('DELETE', '/integrations/runner'), 204)
  expect(expectStatus(await start(), 409).body.code).toBe('runner_not_connected')
})

it('RUN-09 the history of a machine says what ran, by whose approval and in which case, and hides cases of others', async () => {
  const scene = await createScene({ body: risky, risk: 'medium', client_name: 'Northwind' })
  const { admin, runner, colleague, session } = scene
  await approve(scene)
  expectStatus(await scene.start({ parameters: { server: 'srv-01' } }), 202)
  await settle()
  await pass(10)
  const fields = { name: 'Look', language: 'powershell', script_body: 'Get-Service', risk: 'low' }
  const look = expectStatus(await runner.call('POST', '/script-templates', fields), 201).body
  const { id } = await createAiSession(runner, { client_name: 'Northwind' })
  const body = { script_template_id: look.id, agent_id: agentIds.online }
  expectStatus(await runner.call('POST', `/ai-sessions/${id}/runner-runs`, body), 202)
  await settle()
  await pass(10)
  const path = `/runner/agents/${agentIds.online}/runs`
  const [ofCase, ofFlow, ...others] = expectStatus(await runner.call('GET', path), 200).body
  expect(others).toEqual([])
  expect(ofCase).toMatchObject({
    ...{ title: 'Look', approved_by: null, run_by: { id: runner.id }, exit_code: 0 },
    output_end: expect.stringContaining('SRV-PRINT-01'),
    case: { kind: 'ai_session', id, client_name: 'Northwind' },
  })
  expect(ofFlow).toMatchObject({
    ...{ title: 'Restart', target: 'SRV-PRINT-01', script_version: 1 },
    ...{ run_by: { id: runner.id, name: runner.fullName }, approved_by: { id: colleague.id } },
    case: { kind: 'session', id: session.id, title: expect.stringMatching(/^Printer offline/) },
  })
  const [hidden, seen] = expectStatus(await admin.call('GET', path), 200).body
  expect(hidden).toMatchObject({ title: 'Look', case: null, output_end: null, run_by: { id: runner.id } })
  expect(seen).toMatchObject({ case: { id: session.id } })
  expectStatus(await admin.call('DELETE', '/integrations/runner'), 204)
  expect(expectStatus(await admin.call('GET', path), 200).body).toHaveLength(2)
  const other = await createAccount(service)
  expect(expectStatus(await other.admin.call('GET', path), 200).body).toEqual([])
})

it('RUN-11 the history of a client has what ran on its machines, else in its cases, and search finds the cases by machine', async () => {
  const { start, runner, session } = await createScene({ client_name: 'Northwind' })
  const parameters = { server: 'srv-01', admin_password: 'lantern-and-oak' }
  const other = { agent_id: agentIds.ofOtherClient, client_name: 'Contoso & Sons', parameters }
  expectStatus(await start(other), 202)
  await settle()
  await pass(20)
  const recorded = {
    ...{ script: 'Get-Disk', target: 'NW-LAPTOP-77', exit_code: 0, output: 'ok' },
    ...{ started_at: new Date().toISOString(), ended_at: new Date().toISOString() },
  }
  const chat = await createAiSession(runner, { client_name: 'NORTHWIND' })
  for (const path of [`/sessions/${session.id}`, `/ai-sessions/${chat.id}`])
    expectStatus(await runner.call('POST', `${path}/script-runs`, recorded), 201)
  const list = async (client: string, person = runner) =>
    expectStatus(await person.call('GET', `/runner/client-runs?client=${encodeURIComponent(client)}`), 200)
      .body
  expect(await list('contoso & sons')).toMatchObject([
    {
      target: 'web-02',
      client_name: 'Contoso & Sons',
      agent_id: agentIds.ofOtherClient,
      case: { id: session.id },
    },
  ])
  expect(await list('northwind ')).toMatchObject([
    { target: 'NW-LAPTOP-77', client_name: 'NORTHWIND', agent_id: null, case: { id: chat.id } },
    { target: 'NW-LAPTOP-77', client_name: 'Northwind', case: { id: session.id } },
  ])
  const { admin } = await createAccount(service)
  expect(await list('Northwind', admin)).toEqual([])
  const find = async (q: string) =>
    expectStatus(await runner.call('GET', `/search?q=${q}`), 200).body.results.map(
      ({ id }: { id: string }) => id,
    )
  expect((await find('NW-LAPTOP-77')).sort()).toEqual([chat.id, session.id].sort())
  expect(await find('web-02')).toEqual([session.id])
})
