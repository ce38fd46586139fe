import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { flowBody, patchProcedure } from '#test/support/flows.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { answerStep, createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()

/** Return a procedure with a timer at its first or its second step. */
function procedureWithTimer(timer: unknown, index = 1) {
  const procedure = patchProcedure()
  Object.assign(procedure.steps[index] as object, { timer })
  return procedure
}

function startSession(person: Person, timer: unknown, index = 1) {
  const fields = proceduralFlowFields({ tree_structure: procedureWithTimer(timer, index) })
  return createSession(person, { variables: { server: 'srv-dc-01' } }, fields)
}

const makeDue = (id: string) =>
  service.sql(
    `update session_timers set due_at = app.now() - interval '1 second' where session_id = $1 and state = 'waiting'`,
    [id],
  )
const sweep = () => postSignedJob(service, '/jobs/notifications/sweep')
const listTitles = async (person: Person) =>
  (await person.call('GET', '/notifications')).body.map(({ title }: { title: string }) => title) as string[]
const minutesUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / 60_000)

describe('a step with a timer', () => {
  it('SES-56 reminds the user of the session once when it is due, however many sweeps run', async () => {
    const { admin } = await createAccount(service)
    const session = await startSession(admin, { minutes: 30 })
    expect([session.current_step.timer, minutesUntil(session.timer_due_at)]).toEqual([{ minutes: 30 }, 30])
    await sweep()
    expect(await listTitles(admin)).toEqual([])
    await makeDue(session.id)
    await Promise.all(Array.from({ length: 8 }, sweep))
    await sweep()
    expect(await listTitles(admin)).toEqual(['Time to continue: Take a snapshot of srv-dc-01'])
    expect((await admin.call('GET', `/sessions/${session.id}`)).body.timer_due_at).toBeNull()
  })

  it('SES-56 starts when the session arrives at the step, also in a prepared session', async () => {
    const { admin } = await createAccount(service)
    const session = await startSession(admin, { minutes: 5 }, 2)
    expect(session.timer_due_at).toBeNull()
    expect(minutesUntil((await answerStep(admin, session, 'done')).timer_due_at)).toBe(5)
    const { id: tree_id } = (
      await admin.call(
        'POST',
        '/trees',
        flowBody(proceduralFlowFields({ tree_structure: procedureWithTimer({ minutes: 7 }) })),
      )
    ).body
    const prepared = (
      await admin.call('POST', '/sessions/prepare', { tree_id, variables: { server: 'srv-1' } })
    ).body
    expect(prepared.timer_due_at).toBeNull()
    expect(
      minutesUntil((await admin.call('POST', `/sessions/${prepared.id}/start`, {})).body.timer_due_at),
    ).toBe(7)
  })

  it('SES-56 waits until the next such time of day in the zone of the user', async () => {
    const { admin } = await createAccount(service)
    await service.sql(`update users set timezone = 'Asia/Kolkata' where id = $1`, [admin.id])
    const { timer_due_at } = await startSession(admin, { until: '18:00' })
    expect(timer_due_at).toMatch(/T12:30:00\.000Z$/)
    expect(minutesUntil(timer_due_at)).toBeGreaterThan(0)
    expect(minutesUntil(timer_due_at)).toBeLessThanOrEqual(24 * 60)
  })

  it('SES-57 reminds nobody of a step that was answered, or of a session that has ended', async () => {
    const { admin } = await createAccount(service)
    const [answered, completed, abandoned] = [
      await startSession(admin, { minutes: 30 }),
      await startSession(admin, { minutes: 30 }),
      await startSession(admin, { minutes: 30 }),
    ]
    await answerStep(admin, answered, 'done')
    await admin.call('POST', `/sessions/${completed.id}/complete`, { outcome: 'resolved' })
    await admin.call('PATCH', `/sessions/${abandoned.id}`, { state: 'abandoned' })
    for (const { id } of [answered, completed, abandoned]) await makeDue(id)
    await sweep()
    expect(await listTitles(admin)).toEqual([])
    const states = await service.sql('select state from session_timers where account_id = $1', [
      admin.accountId,
    ])
    expect(states).toEqual(Array.from({ length: 3 }, () => ({ state: 'stopped' })))
  })

  it('SES-56 reminds of a step whose title a variable makes longer than a webhook can be', async () => {
    const { admin } = await createAccount(service)
    await admin.call('POST', '/webhooks', {
      url: 'https://hooks.example.com/timers',
      events: ['session.timer_due'],
    })
    const procedure = procedureWithTimer({ minutes: 30 })
    Object.assign(procedure.steps[1] as object, { title: '{{server}}'.repeat(15) })
    const intake_form = [{ key: 'server', label: 'Server', type: 'textarea' }]
    const fields = proceduralFlowFields({ tree_structure: procedure, intake_form })
    const { id } = await createSession(admin, { variables: { server: 'x'.repeat(9000) } }, fields)
    await makeDue(id)
    await sweep()
    expect(await listTitles(admin)).toHaveLength(1)
    const [payload] = await service.sql(
      'select length(payload) as length from webhook_deliveries where account_id = $1',
      [admin.accountId],
    )
    expect(payload?.length).toBeLessThan(10_000)
  })

  it('SES-56 reminds each account in one sweep, however many timers of another account are due before', async () => {
    const [{ admin: other }, { admin }] = [await createAccount(service), await createAccount(service)]
    const ended = await startSession(other, { minutes: 30 })
    await service.sql(
      `with copies as (
         insert into sessions (account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, remaining, started_at)
         select s.account_id, s.user_id, s.tree_account_id, s.tree_id, s.tree_version, s.tree_name, 'abandoned', 0, s.started_at
           from sessions s, generate_series(1, 500) where s.id = $1 returning account_id, id)
       insert into session_timers (account_id, session_id, step_id, seq, due_at)
       select account_id, id, 'snapshot', 0, app.now() - interval '1 hour' from copies`,
      [ended.id],
    )
    await makeDue((await startSession(admin, { minutes: 30 })).id)
    await sweep()
    expect(await listTitles(admin)).toHaveLength(1)
  })

  it('SES-57 starts anew when the session comes back to the step', async () => {
    const { admin } = await createAccount(service)
    const session = await startSession(admin, { minutes: 30 })
    await makeDue(session.id)
    await answerStep(admin, session, 'done')
    const undone = await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)
    expect(minutesUntil(undone.body.timer_due_at)).toBe(30)
    await sweep()
    expect(await listTitles(admin)).toEqual([])
    await makeDue(session.id)
    await sweep()
    expect(await listTitles(admin)).toHaveLength(1)
  })

  it('FLO-63 is either a duration or a time of day, stands at a step that is answered, and survives markdown', async () => {
    const { admin } = await createAccount(service)
    const create = (structure: unknown) =>
      admin.call('POST', '/trees', flowBody(proceduralFlowFields({ tree_structure: structure })))
    for (const timer of [{}, { minutes: 0 }, { until: '24:00' }, { minutes: 5, until: '18:00' }])
      expect((await create(procedureWithTimer(timer))).status).toBe(422)
    const { status, body } = await create(procedureWithTimer({ minutes: 5 }, 0))
    expect([status, body.errors[0].message]).toEqual([400, 'Only a step that is answered can have a timer'])
    for (const [timer, word] of [
      [{ minutes: 5 }, 'wait=5'],
      [{ until: '18:00' }, 'wait=18:00'],
    ] as const) {
      const flow = (await create(procedureWithTimer(timer))).body
      const { text } = await admin.call('GET', `/trees/${flow.id}/export/markdown`)
      expect(text).toContain(word)
      const imported = await admin.call('POST', '/trees/import/markdown', { markdown: text })
      expect((await admin.call('GET', `/trees/${imported.body.tree_id}`)).body.tree_structure).toEqual(
        flow.tree_structure,
      )
    }
  })
})
