import { afterAll, expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { agentIds, connectRunner } from '#test/support/runner.ts'

const service = await startOwnService()
const { setFault, advanceClock } = dashboard(service)
afterAll(() => service.close())

/** Let the jobs run that are due within these seconds. */
async function pass(seconds: number) {
  for (let left = seconds; left > 0; left -= 10) {
    await service.stack.localServer.qstash.waitUntilSettled()
    await advanceClock(Math.min(left, 10))
  }
  await service.stack.localServer.qstash.waitUntilSettled()
}

/** Create an AI session, a script of medium risk, and the requests of its run. */
async function createScene() {
  const account = await createAccount(service)
  await connectRunner(service, account.admin)
  const [engineer, colleague] = [await account.addColleague(), await account.addColleague()]
  const fields = { name: 'Reboot', language: 'powershell', script_body: 'Restart-Computer\n', risk: 'medium' }
  const template = expectStatus(await engineer.call('POST', '/script-templates', fields), 201).body
  const chat = await createAiSession(engineer, { client_name: 'Northwind' })
  const path = `/ai-sessions/${chat.id}`
  const body = { script_template_id: template.id, agent_id: agentIds.online }
  const start = (person: Person = engineer) => person.call('POST', `${path}/runner-runs`, body)
  const request = async (person: Person = engineer) =>
    expectStatus(
      await person.call('POST', `${path}/runner-runs/approvals`, { ...body, comment: 'Agreed by phone' }),
      201,
    ).body
  const decide = (person: Person, id: string, verb = 'approve') =>
    person.call('POST', `/sessions/${chat.id}/approvals/${id}/${verb}`, { comment: 'Looked at it' })
  const list = async (person: Person = engineer) =>
    expectStatus(await person.call('GET', `/sessions/${chat.id}/approvals`), 200).body
  return { ...account, engineer, colleague, template, chat, path, start, request, decide, list }
}

const expectRequired = async (answer: Promise<{ status: number; text: string; body: { code: string } }>) =>
  expect(await answer).toMatchObject({ status: 409, body: { code: 'approval_required' } })

it('RUN-05 runs a risky script in an AI session once it is approved for this machine, once, and keeps the result in the case', async () => {
  const { engineer, colleague, chat, path, start, request, decide, list } = await createScene()
  await expectRequired(start())
  const approval = await request()
  expect(approval).toMatchObject({
    ...{ session_id: chat.id, case_kind: 'ai_session', kind: 'script', step_id: null, state: 'pending' },
    ...{ target: 'SRV-PRINT-01', client_name: 'Northwind', subject: 'Restart-Computer\n' },
  })
  await expectRequired(start())
  expect((await decide(engineer, approval.id)).status).toBe(403)
  const waiting = expectStatus(await colleague.call('GET', '/approvals'), 200).body
  expect(waiting).toMatchObject([{ id: approval.id, case_kind: 'ai_session', may_decide: true }])
  const [told] = expectStatus(await colleague.call('GET', '/notifications'), 200).body
  expect(told).toMatchObject({ link: `/pilot/${chat.id}?approval=${approval.id}` })
  expectStatus(await decide(colleague, approval.id), 200)
  const starts = await runConcurrently(() => start())
  expect(starts.filter(({ status }) => status === 202)).toHaveLength(1)
  await pass(10)
  expect((await engineer.call('GET', `${path}/runner-runs`)).body).toMatchObject([
    { state: 'finished', approval_id: approval.id },
  ])
  expect((await engineer.call('GET', `${path}/script-runs`)).body).toMatchObject([
    { approval_id: approval.id, target: 'SRV-PRINT-01', exit_code: 0 },
  ])
  expect(await list()).toMatchObject([{ id: approval.id, state: 'used', decided_by: colleague.id }])
  const record = expectStatus(await engineer.call('GET', `${path}/record`), 200)
  expect(record.text).toContain(approval.id)
  await expectRequired(start())
})

it('RUN-10 only who may read the AI session or is asked reads its approvals, and nobody of another account', async () => {
  const { engineer, colleague, chat, request, decide, list, addColleague } = await createScene()
  const approval = await request()
  const viewer = await addColleague({ role: 'viewer' })
  const { admin: stranger } = await createAccount(service)
  for (const person of [viewer, stranger]) {
    expectStatus(await person.call('GET', `/sessions/${chat.id}/approvals/${approval.id}`), 404)
    expect((await person.call('GET', `/sessions/${chat.id}/approvals`)).body).not.toMatchObject([{}])
  }
  expectStatus(await decide(stranger, approval.id), 404)
  expect(await list(colleague)).toHaveLength(1)
  expectStatus(await decide(engineer, approval.id, 'withdraw'), 200)
  expect(await list()).toMatchObject([{ state: 'voided' }])
})

it.each(['pending', 'approved'])(
  'RUN-10 an approval that is %s ends with its AI session, and what waits is not started',
  async (state) => {
    const { engineer, colleague, path, start, request, decide, list } = await createScene()
    const approval = await request()
    if (state === 'approved') {
      expectStatus(await decide(colleague, approval.id), 200)
      await setFault({ service: 'runner', mode: 'error', times: 1 })
      expectStatus(await start(), 202)
    }
    expectStatus(await engineer.call('POST', `${path}/resolve`, { outcome: 'resolved' }), 200)
    await pass(50)
    expect(await list()).toMatchObject([{ state: 'voided' }])
    const runs = (await engineer.call('GET', `${path}/runner-runs`)).body
    expect(runs).toMatchObject(
      state === 'approved'
        ? [{ state: 'failed', error: expect.stringContaining('nothing was started') }]
        : [],
    )
  },
)

it('RUN-10 an approval follows the AI session to who picks it up, unless they decided it', async () => {
  const { engineer, colleague, addColleague, chat, path, start, request, decide, list } = await createScene()
  const third = await addColleague()
  const approval = await request()
  expectStatus(await decide(colleague, approval.id), 200)
  const escalate = async (person: Person) =>
    expectStatus(await person.call('POST', `${path}/escalate`, {}), 200)
  await escalate(engineer)
  expectStatus(await third.call('POST', `${path}/pickup`), 200)
  expect(await list(third)).toMatchObject([{ state: 'approved' }])
  await escalate(third)
  expectStatus(await colleague.call('POST', `${path}/pickup`), 200)
  expect(await list(colleague)).toMatchObject([{ state: 'voided' }])
  await expectRequired(start(colleague))
  const rows = await service.sql('select runner_id from approvals where ai_session_id = $1', [chat.id])
  expect(rows).toEqual([{ runner_id: colleague.id }])
})
