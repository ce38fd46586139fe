import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { escalateSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)

const run = {
  title: 'Restart the spooler',
  script: 'Restart-Service Spooler',
  target: 'SRV-PRINT-01',
  exit_code: 5,
  output: `${'.'.repeat(5000)}\nAccess is denied`,
  started_at: '2026-11-21T09:30:00Z',
  ended_at: '2026-11-21T09:30:04Z',
}

async function createScene() {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  await connectPsa(service, account.admin)
  const session = await createAiSession(owner, { psa_ticket_id: '4711' })
  const record = (fields: object = {}) =>
    owner.call('POST', `/ai-sessions/${session.id}/script-runs`, { ...run, ...fields })
  return { account, owner, session, record }
}

it('FIX-30 records a script run of an AI session, for its engineer and while it is open', async () => {
  const { account, owner, session, record } = await createScene()
  const path = `/ai-sessions/${session.id}/script-runs`
  const { body } = expectStatus(await record(), 201)
  expect((await owner.call('GET', path)).body).toEqual([body])
  expect(body).toMatchObject({ session_id: session.id, exit_code: 5, target: 'SRV-PRINT-01', step_id: null })
  const colleague = await account.addColleague()
  for (const method of ['GET', 'POST'])
    expectStatus(await colleague.call(method, path, method === 'POST' ? run : undefined), 404)
  expectStatus(await record({ step_id: 'ping' }), 422)
  await owner.call('POST', `/ai-sessions/${session.id}/abandon`, {})
  expect(expectStatus(await record(), 409).body).toMatchObject({ code: 'wrong_state' })
})

it('FIX-31 the model reads the newest 10 script runs with the end of their output, and the client’s texts have none', async () => {
  const { owner, session, record } = await createScene()
  for (let number = 1; number <= 11; number++)
    await record({ title: `Run ${number}`, output: `${run.output}, password: Winter2026! ${'x'.repeat(20)}` })
  expectStatus(await owner.call('POST', `/ai-sessions/${session.id}/chat`, { message: 'It failed.' }), 200)
  await owner.call('POST', `/ai-sessions/${session.id}/status-update`, {
    audience: 'client_update',
    length: 'quick',
  })
  const requests = (await listRecords('ai'))
    .map(({ request }) => JSON.stringify(request))
    .filter((text) => text.includes('Reception cannot print'))
  const [chat] = requests.filter((text) => text.includes('It failed.') && text.includes('Run 11'))
  expect(chat).toContain('SRV-PRINT-01')
  expect(chat).not.toContain('Run 1\\')
  expect(chat).not.toContain('.'.repeat(1001))
  expect(chat).not.toContain('Winter2026')
  const update = requests.find((text) => text.includes('client_update'))
  expect(update).toBeDefined()
  expect(update).not.toMatch(/SRV-PRINT-01|Access is denied/)
})

it('FIX-32 an escalation tells the colleague and the ticket which scripts ran and how they ended', async () => {
  const { account, owner, session, record } = await createScene()
  await account.admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
  await record({ output: 'Password: Winter2026!\nAccess is denied' })
  const { body } = await escalateSession(owner, session.id, { what_was_tried: 'Restarted it.' })
  const line = 'Restart the spooler on SRV-PRINT-01: exit code 5'
  expect(body.documentation).toContain(`Scripts\n- ${line}\n`)
  expect(body.documentation).toContain('  Access is denied')
  expect(body.documentation).not.toContain('Winter2026')
  const { body: shown } = await account.admin.call('GET', `/ai-sessions/${session.id}`)
  expect(shown.escalation_package.script_runs).toMatchObject([{ title: 'Restart the spooler', exit_code: 5 }])
  const [event] = await service.sql<{ data: { what_was_tried: string } }>(
    `select e.escalation as data from events e where e.account_id = $1 and e.key = 'session.escalated'`,
    [owner.accountId],
  )
  expect(event?.data.what_was_tried).toBe(`Restarted it.\n• ${line}`)
})

it('FIX-33 a resolved case documents the scripts that ran, and the resolution for the client does not', async () => {
  const { owner, session, record } = await createScene()
  await record()
  const { body } = expectStatus(
    await owner.call('POST', `/ai-sessions/${session.id}/resolve`, {
      outcome: 'resolved',
      notes: 'New driver.',
      accept_proposals: true,
    }),
    200,
  )
  expect(body.documentation).toContain('Scripts\n- Restart the spooler on SRV-PRINT-01: exit code 5\n')
  const notes = await service.sql<{ body: string; internal: boolean }>(
    'select body, internal from psa_pushes where account_id = $1',
    [owner.accountId],
  )
  expect(notes.map(({ body, internal }) => [internal, body.includes('SRV-PRINT-01')]).toSorted()).toEqual([
    [false, false],
    [true, true],
  ])
})
