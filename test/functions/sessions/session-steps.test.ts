import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { answerStep, createProceduralSession, createSession } from '#test/support/sessions.ts'

const service = await sharedService()
const sendDecision = (person: Person, id: string, body: unknown) =>
  person.call('POST', `/sessions/${id}/decisions`, body)
const getProgress = ({ progress: { answered, total, percent } }: { progress: Record<string, number> }) => [
  answered,
  total,
  percent,
]

describe('answering steps', () => {
  it('SES-68 refuses a step that begins in the future, but not by a clock that is a little fast', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createSession(admin)
    const answer = { step_id: 'ping', option_id: 'yes' }
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    for (const started_at of ['2030-01-01T00:00:00Z', inMinutes(60)])
      expect((await sendDecision(admin, id, { ...answer, started_at })).body.errors).toMatchObject([
        { loc: ['body', 'started_at'], type: 'future' },
      ])
    expectStatus(await sendDecision(admin, id, { ...answer, started_at: inMinutes(1) }), 201)
  })

  it('SES-18 moves to the next step with each answer, and records the time of each step', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    const id = session.id
    await service.sql(`update sessions set started_at = '2026-11-21T08:00:00Z' where id = $1`, [id])
    const times = { started_at: '2026-11-21T09:30:00+01:00', duration_seconds: 40 }
    const first = await sendDecision(admin, id, {
      step_id: 'ping',
      option_id: 'yes',
      note: 'Answers',
      ...times,
    })
    expect([first.status, first.body.current_step_id, getProgress(first.body)]).toEqual([
      201,
      'queue',
      [1, 3, 33],
    ])
    const [decision] = first.body.decisions
    expect(decision).toEqual({
      step_id: 'ping',
      option_id: 'yes',
      outcome: null,
      note: 'Answers',
      started_at: '2026-11-21T08:30:00.000Z',
      duration_seconds: 40,
      decided_at: decision.decided_at,
      decided_by: decision.decided_by,
      decided_by_name: decision.decided_by_name,
      evidence: [],
      section_headers: [],
    })
    await service.sql(
      `update session_decisions set decided_at = decided_at - interval '90 seconds' where session_id = $1`,
      [id],
    )
    const second = (await sendDecision(admin, id, { step_id: 'queue', outcome: 'done' })).body
    expect([second.current_step_id, getProgress(second)]).toEqual(['works', [2, 3, 66]])
    expect(second.decisions[1]).toMatchObject({
      step_id: 'queue',
      option_id: null,
      outcome: 'done',
      note: null,
    })
    expect(second.decisions[1].duration_seconds).toBeGreaterThanOrEqual(90)
    expect(second.decisions[1].started_at).toBe(second.decisions[0].decided_at)
    const last = await answerStep(admin, second, 'done')
    expect([last.current_step_id, last.current_step, getProgress(last), last.state]).toEqual([
      null,
      null,
      [3, 3, 100],
      'in_progress',
    ])
    expectStatus(await sendDecision(admin, id, { step_id: 'works', outcome: 'done' }), 409)
    expect((await admin.call('GET', `/sessions/${id}`)).body).toEqual(last)
  })

  it('SES-64 answers the current step and returns only what has changed', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createSession(admin)
    const answer = (body: object) => admin.call('POST', `/sessions/${id}/answers`, body)
    const before = await sendDecision(admin, id, { step_id: 'ping', option_id: 'yes' })
    const changed = await answer({ step_id: 'queue', outcome: 'done' })
    const session = (await admin.call('GET', `/sessions/${id}`)).body
    const {
      state,
      outcome,
      current_step_id,
      current_step,
      procedure_end,
      timer_due_at,
      subflow_session_id,
      progress,
    } = session
    expect([changed.status, changed.body]).toEqual([
      201,
      {
        ...{
          id,
          state,
          outcome,
          current_step_id,
          current_step,
          procedure_end,
          timer_due_at,
          subflow_session_id,
          progress,
        },
        ...{ decision: session.decisions[1], fallback_decision: null },
      },
    ])
    expect(Object.keys(before.body)).toContain('tree_snapshot')
    expect((await answer({ step_id: 'queue', outcome: 'done' })).body).toMatchObject({
      code: 'step_not_current',
      current_step_id: 'works',
    })
  })

  it('reduces the total number of steps when a shorter path is chosen', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    expect(getProgress(await answerStep(admin, session, 'no'))).toEqual([1, 2, 50])
  })

  it('skips the section headers and the end of a procedure', async () => {
    const { admin } = await createAccount(service)
    const session = await createProceduralSession(admin)
    expect([session.current_step.title, getProgress(session)]).toEqual([
      'Take a snapshot of srv-dc-01',
      [0, 2, 0],
    ])
    const second = await answerStep(admin, session, 'failed')
    expect([second.current_step_id, getProgress(second)]).toEqual(['patch', [1, 2, 50]])
    expect(getProgress(await answerStep(admin, second, 'skipped'))).toEqual([2, 2, 100])
  })

  it('SES-31 rejects an answer to a step that is not current, and returns the id of the current step', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    for (const step_id of ['queue', 'nowhere']) {
      const { status, body } = await sendDecision(admin, session.id, { step_id, outcome: 'done' })
      expect([status, body]).toEqual([
        409,
        { detail: 'This is not the current step', code: 'step_not_current', current_step_id: 'ping' },
      ])
    }
    expect((await admin.call('GET', `/sessions/${session.id}`)).body).toEqual(session)
  })

  it('SES-32 rejects an unknown option and an answer that does not match the step type', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    const sendInvalid = async (id: string, body: unknown) => {
      const { status, body: problem } = await sendDecision(admin, id, body)
      return [status, ...problem.errors.map(({ loc }: { loc: string[] }) => loc.join('.'))]
    }
    const ping = { step_id: 'ping' }
    expect(await sendInvalid(session.id, { ...ping, option_id: 'maybe' })).toEqual([422, 'body.option_id'])
    expect(await sendInvalid(session.id, { ...ping, outcome: 'done' })).toEqual([422, 'body.outcome'])
    expect(await sendInvalid(session.id, { ...ping, option_id: 'yes', outcome: 'done' })).toEqual([
      422,
      'body.outcome',
    ])
    expect(await sendInvalid(session.id, ping)).toEqual([422, 'body.outcome'])
    await answerStep(admin, session, 'yes')
    expect(await sendInvalid(session.id, { step_id: 'queue', option_id: 'yes' })).toEqual([
      422,
      'body.option_id',
    ])
    expect(await sendInvalid(session.id, { step_id: 'queue', outcome: 'perhaps' })).toEqual([
      422,
      'body.outcome',
    ])
  })

  it('SES-39 SES-31 accepts one of 32 concurrent answers to a step, and returns 409 with the current step for the others', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createSession(admin)
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, n) =>
        sendDecision(admin, id, { step_id: 'ping', option_id: n % 2 ? 'yes' : 'no', note: `${n}` }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(31).fill(409)])
    const { body } = await admin.call('GET', `/sessions/${id}`)
    expect(responses.find(({ status }) => status === 201)?.body).toEqual(body)
    expect(body.decisions).toHaveLength(1)
    const rejections = responses
      .filter(({ status }) => status === 409)
      .map(({ body: { code, current_step_id } }) => [code, current_step_id])
    expect(rejections).toEqual(Array(31).fill(['step_not_current', body.current_step_id]))
  })
})

describe('fallback steps', () => {
  it('SES-17 records a fallback step with an answer, or without one, which keeps the current step', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createProceduralSession(admin)
    const failedFallback = { fallback_step_id: 'backup', outcome: 'failed', note: 'No space' }
    const withoutAnswer = await sendDecision(admin, id, { step_id: 'snapshot', fallback: failedFallback })
    expect([withoutAnswer.status, withoutAnswer.body.current_step_id, withoutAnswer.body.decisions]).toEqual([
      201,
      'snapshot',
      [],
    ])
    const doneFallback = { fallback_step_id: 'ask', outcome: 'done' }
    const { body } = await sendDecision(admin, id, {
      step_id: 'snapshot',
      outcome: 'failed',
      fallback: doneFallback,
    })
    expect(body.current_step_id).toBe('patch')
    const decidedBy = { decided_by: admin.id, decided_by_name: admin.fullName }
    expect(body.fallback_decisions).toEqual([
      {
        ...decidedBy,
        step_id: 'snapshot',
        ...failedFallback,
        decided_at: withoutAnswer.body.fallback_decisions[0].decided_at,
      },
      {
        ...decidedBy,
        step_id: 'snapshot',
        ...doneFallback,
        note: null,
        decided_at: body.decisions[0].decided_at,
      },
    ])
  })

  it('SES-17 records 500 fallback steps of a session', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createProceduralSession(admin)
    await service.sql(
      `insert into session_fallbacks (decided_by, account_id, session_id, seq, step_id, fallback_step_id, outcome)
       select (select user_id from sessions where id = $2), $1, $2, 0, 'snapshot', 'ask', 'failed' from generate_series(1, 499)`,
      [admin.accountId, id],
    )
    const decision = { step_id: 'snapshot', fallback: { fallback_step_id: 'ask', outcome: 'failed' } }
    expectStatus(await sendDecision(admin, id, decision), 201)
    const { status, body } = await sendDecision(admin, id, decision)
    expect([status, body.code, body.resource, body.limit]).toEqual([
      409,
      'limit_reached',
      'fallback_steps',
      500,
    ])
  })

  it('SES-17 rejects a fallback step of another step, or of a step that is not current', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createProceduralSession(admin)
    const fallback = { fallback_step_id: 'patch', outcome: 'done' }
    const { status, body } = await sendDecision(admin, id, { step_id: 'snapshot', fallback })
    expect([status, body.errors[0].loc]).toEqual([422, ['body', 'fallback', 'fallback_step_id']])
    expectStatus(await sendDecision(admin, id, { step_id: 'patch', fallback }), 409)
    expectStatus(
      await sendDecision(admin, id, {
        step_id: 'snapshot',
        note: 'x',
        fallback: { ...fallback, fallback_step_id: 'ask' },
      }),
      422,
    )
  })
})

describe('undoing an answer', () => {
  it('deletes the last answer and its fallback steps', async () => {
    const { admin } = await createAccount(service)
    const session = await createProceduralSession(admin)
    const fallback = { fallback_step_id: 'ask', outcome: 'done' }
    await sendDecision(admin, session.id, { step_id: 'snapshot', outcome: 'failed', fallback })
    const { status, body } = await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)
    expect([status, body]).toEqual([200, session])
    const repeated = await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)
    expect([repeated.status, repeated.body.code]).toEqual([409, 'no_decision'])
  })

  it('allows another path of a tree after answers are undone', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    const wrongPath = await answerStep(admin, session, 'no')
    const end = await answerStep(admin, wrongPath, 'failed')
    expect(end.current_step_id).toBeNull()
    expect((await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)).body).toEqual(wrongPath)
    const first = (await admin.call('DELETE', `/sessions/${session.id}/decisions/last`)).body
    expect(first).toEqual(session)
    expect((await answerStep(admin, first, 'yes')).current_step_id).toBe('queue')
  })

  it('undoes one answer per successful request when 32 requests run concurrently', async () => {
    const { admin } = await createAccount(service)
    let session = await createSession(admin)
    for (const choice of ['yes', 'done', 'done']) session = await answerStep(admin, session, choice)
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => admin.call('DELETE', `/sessions/${session.id}/decisions/last`)),
    )
    const undone = responses.filter(({ status }) => status === 200).length
    const { body } = await admin.call('GET', `/sessions/${session.id}`)
    expect([body.decisions.length, body.progress.answered]).toEqual([3 - undone, 3 - undone])
    expect(body.current_step_id).toBe(['ping', 'queue', 'works'][3 - undone])
  })
})
