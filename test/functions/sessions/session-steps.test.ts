import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'
import { answer, newSession, newStepSession } from '../../support/sessions.ts'

const service = shared()
const decide = (person: Person, id: string, body: unknown) => person.call('POST', `/sessions/${id}/decisions`, body)
const progress = ({ progress: { answered, total, percent } }: { progress: Record<string, number> }) => [answered, total, percent]

describe('answering steps', () => {
  it('SES-18 goes its way to the end, with the time of each step', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    const id = session.id
    const times = { started_at: '2026-11-21T09:30:00+01:00', duration_seconds: 40 }
    const first = await decide(admin, id, { step_id: 'ping', option_id: 'yes', note: 'Answers', ...times })
    expect([first.status, first.body.current_step_id, progress(first.body)]).toEqual([201, 'queue', [1, 3, 33]])
    const [decision] = first.body.decisions
    expect(decision).toEqual({
      ...{ step_id: 'ping', option_id: 'yes', outcome: null, note: 'Answers' },
      ...{ started_at: '2026-11-21T08:30:00.000Z', duration_seconds: 40, decided_at: decision.decided_at },
    })
    await service.sql(`update session_decisions set decided_at = decided_at - interval '90 seconds' where session_id = $1`, [id])
    const second = (await decide(admin, id, { step_id: 'queue', outcome: 'done' })).body
    expect([second.current_step_id, progress(second)]).toEqual(['works', [2, 3, 66]])
    expect(second.decisions[1]).toMatchObject({ step_id: 'queue', option_id: null, outcome: 'done', note: null })
    expect(second.decisions[1].duration_seconds).toBeGreaterThanOrEqual(90)
    expect(second.decisions[1].started_at).toBe(second.decisions[0].decided_at)
    const last = await answer(admin, second, 'done')
    expect([last.current_step_id, last.current_step, progress(last), last.state]).toEqual([null, null, [3, 3, 100], 'in_progress'])
    expectStatus(await decide(admin, id, { step_id: 'works', outcome: 'done' }), 409)
    expect((await admin.call('GET', `/sessions/${id}`)).body).toEqual(last)
  })

  it('shortens the way that is left when the shorter one is taken', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    expect(progress(await answer(admin, session, 'no'))).toEqual([1, 2, 50])
  })

  it('asks the steps of a procedure alone, not its headings and its end', async () => {
    const { admin } = await newAccount(service)
    const session = await newStepSession(admin)
    expect([session.current_step.title, progress(session)]).toEqual(['Take a snapshot of srv-dc-01', [0, 2, 0]])
    const second = await answer(admin, session, 'failed')
    expect([second.current_step_id, progress(second)]).toEqual(['patch', [1, 2, 50]])
    expect(progress(await answer(admin, second, 'skipped'))).toEqual([2, 2, 100])
  })

  it('SES-31 refuses what does not answer the current step, and names it', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    for (const step_id of ['queue', 'nowhere']) {
      const { status, body } = await decide(admin, session.id, { step_id, outcome: 'done' })
      expect([status, body]).toEqual([409, { detail: 'This is not the current step', code: 'step_not_current', current_step_id: 'ping' }])
    }
    expect((await admin.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
  })

  it('SES-32 refuses an option that is not of the step, and an answer of the wrong kind', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    const refused = async (id: string, body: unknown) => {
      const { status, body: said } = await decide(admin, id, body)
      return [status, ...said.errors.map(({ loc }: { loc: string[] }) => loc.join('.'))]
    }
    const ping = { step_id: 'ping' }
    expect(await refused(session.id, { ...ping, option_id: 'maybe' })).toEqual([422, 'body.option_id'])
    expect(await refused(session.id, { ...ping, outcome: 'done' })).toEqual([422, 'body.outcome'])
    expect(await refused(session.id, { ...ping, option_id: 'yes', outcome: 'done' })).toEqual([422, 'body.outcome'])
    expect(await refused(session.id, ping)).toEqual([422, 'body.outcome'])
    await answer(admin, session, 'yes')
    expect(await refused(session.id, { step_id: 'queue', option_id: 'yes' })).toEqual([422, 'body.option_id'])
    expect(await refused(session.id, { step_id: 'queue', outcome: 'perhaps' })).toEqual([422, 'body.outcome'])
  })

  it('SES-39 SES-31 takes one of 32 answers to the same step, and tells the others where the session is', async () => {
    const { admin } = await newAccount(service)
    const { id } = await newSession(admin)
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, n) => decide(admin, id, { step_id: 'ping', option_id: n % 2 ? 'yes' : 'no', note: `${n}` })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(31).fill(409)])
    const { body } = await admin.call('GET', `/sessions/${id}`)
    expect(answers.find(({ status }) => status === 201)?.body).toEqual(body)
    expect(body.decisions).toHaveLength(1)
    const told = answers.filter(({ status }) => status === 409).map(({ body: { code, current_step_id } }) => [code, current_step_id])
    expect(told).toEqual(Array(31).fill(['step_not_current', body.current_step_id]))
  })
})

describe('fallback steps', () => {
  it('SES-17 are kept, alone without going on and together with an answer', async () => {
    const { admin } = await newAccount(service)
    const { id } = await newStepSession(admin)
    const tried = { fallback_step_id: 'backup', outcome: 'failed', note: 'No space' }
    const alone = await decide(admin, id, { step_id: 'snapshot', fallback: tried })
    expect([alone.status, alone.body.current_step_id, alone.body.decisions]).toEqual([201, 'snapshot', []])
    const asked = { fallback_step_id: 'ask', outcome: 'done' }
    const { body } = await decide(admin, id, { step_id: 'snapshot', outcome: 'failed', fallback: asked })
    expect(body.current_step_id).toBe('patch')
    expect(body.fallback_decisions).toEqual([
      { step_id: 'snapshot', ...tried, decided_at: alone.body.fallback_decisions[0].decided_at },
      { step_id: 'snapshot', ...asked, note: null, decided_at: body.decisions[0].decided_at },
    ])
  })

  it('SES-17 are refused when the step has no such one, or is not the current one', async () => {
    const { admin } = await newAccount(service)
    const { id } = await newStepSession(admin)
    const fallback = { fallback_step_id: 'patch', outcome: 'done' }
    const { status, body } = await decide(admin, id, { step_id: 'snapshot', fallback })
    expect([status, body.errors[0].loc]).toEqual([422, ['body', 'fallback', 'fallback_step_id']])
    expectStatus(await decide(admin, id, { step_id: 'patch', fallback }), 409)
    expectStatus(await decide(admin, id, { step_id: 'snapshot', note: 'x', fallback: { ...fallback, fallback_step_id: 'ask' } }), 422)
  })
})

describe('going back', () => {
  it('takes the last answer back with its fallbacks', async () => {
    const { admin } = await newAccount(service)
    const session = await newStepSession(admin)
    const fallback = { fallback_step_id: 'ask', outcome: 'done' }
    await decide(admin, session.id, { step_id: 'snapshot', outcome: 'failed', fallback })
    const { status, body } = await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)
    expect([status, body]).toEqual([200, session])
    const again = await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)
    expect([again.status, again.body.code]).toEqual([409, 'no_decision'])
  })

  it('leaves the way of a tree for the other one', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    const wrong = await answer(admin, session, 'no')
    const end = await answer(admin, wrong, 'failed')
    expect(end.current_step_id).toBeNull()
    expect((await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)).body).toEqual(wrong)
    const first = (await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)).body
    expect(first).toEqual(session)
    expect((await answer(admin, first, 'yes')).current_step_id).toBe('queue')
  })

  it('takes one answer back for 32 who ask at once', async () => {
    const { admin } = await newAccount(service)
    let session = await newSession(admin)
    for (const how of ['yes', 'done', 'done']) session = await answer(admin, session, how)
    const answers = await Promise.all(Array.from({ length: 32 }, () => admin.call('DELETE', `/sessions/${session.id}/decisions/last`)))
    const done = answers.filter(({ status }) => status === 200).length
    const { body } = await admin.call('GET', `/sessions/${session.id}`)
    expect([body.decisions.length, body.progress.answered]).toEqual([3 - done, 3 - done])
    expect(body.current_step_id).toBe(['ping', 'queue', 'works'][3 - done])
  })
})
