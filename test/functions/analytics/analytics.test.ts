import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { answerStep, createSession } from '#test/support/sessions.ts'

const service = await sharedService()
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const zone = 'Pacific/Auckland'

interface GeneratedSession {
  user: Person
  tree: string
  name: string
  started: Date
  completed: Date | null
  outcome: string | null
  score: number | null
  steps: { step: string; seconds: number; helpful: boolean | null }[]
  /** The current step; null if all steps are answered. */
  currentStep: string | null
}

/** Generate random sessions of the last 120 days. */
function generateSessions(
  users: Person[],
  flows: { id: string; name: string }[],
  count: number,
): GeneratedSession[] {
  const steps = ['ping', 'queue', 'works']
  const session = fc
    .record({
      user: fc.nat(users.length - 1),
      flow: fc.nat(flows.length - 1),
      minutesAgo: fc.nat(120 * 24 * 60),
      durationMinutes: fc.option(fc.integer({ min: 0, max: 300 })),
      outcome: fc.constantFrom('resolved', 'unresolved', 'escalated', 'cancelled'),
      score: fc.option(fc.integer({ min: 1, max: 5 })),
      answered: fc.nat(3),
      seconds: fc.array(fc.nat(600), { minLength: 3, maxLength: 3 }),
      helpful: fc.array(fc.option(fc.boolean()), { minLength: 3, maxLength: 3 }),
    })
    .map(({ user, flow, minutesAgo, durationMinutes, outcome, score, answered, seconds, helpful }) => {
      const started = new Date(Date.now() - minutesAgo * 60_000)
      const isCompleted = durationMinutes !== null && durationMinutes < minutesAgo
      const completed = isCompleted ? new Date(started.getTime() + durationMinutes * 60_000) : null
      const answeredSteps = steps
        .slice(0, answered)
        .map((step, n) => ({ step, seconds: seconds[n] ?? 0, helpful: helpful[n] ?? null }))
      const { id: tree, name } = flows[flow] as { id: string; name: string }
      return {
        user: users[user] as Person,
        tree,
        name,
        started,
        completed,
        outcome: completed && outcome,
        score: completed && score,
        steps: answeredSteps,
        currentStep: steps[answered] ?? null,
      }
    })
  return fc.sample(session, { numRuns: count, seed })
}

/** Insert sessions in one statement, because the API would take longer than the tested operations. */
async function insertSessions(account: TestAccount, sessions: GeneratedSession[]): Promise<void> {
  const rows = sessions.map(({ user, completed, steps, currentStep, ...columns }, n) => ({
    ...columns,
    n,
    completed,
    current_step: currentStep,
    user_id: user.id,
    steps,
    answered: steps.length,
  }))
  await service.sql(
    `with input as (
       select uuidv7() as id, g.* from jsonb_to_recordset($2) g
         (n int, user_id uuid, tree uuid, name text, started timestamptz, completed timestamptz, outcome text, score int, current_step text,
          answered int, steps jsonb)
     ), inserted_sessions as (
       insert into sessions (id, account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, outcome, started_at, completed_at,
                             current_step_id, answered, remaining, created_at)
       select id, $1, user_id, $1, tree, 1, name, case when completed is null then 'in_progress' else 'completed' end, outcome, started, completed,
              current_step, answered, 0, started from input
     ), steps as (
       select g.id, g.user_id, g.started, s.step, s.seconds, s.helpful, s.n - 1 as seq
         from input g, rows from (jsonb_to_recordset(g.steps) as (step text, seconds int, helpful boolean)) with ordinality s (step, seconds, helpful, n)
     ), inserted_decisions as (
       insert into session_decisions (decided_by, account_id, session_id, seq, step_id, outcome, started_at, duration_seconds)
       select user_id, $1, id, seq, step, 'done', started, seconds from steps
     ), inserted_feedback as (
       insert into session_step_feedback (account_id, session_id, step_id, user_id, helpful)
       select $1, id, step, user_id, helpful from steps where helpful is not null
     )
     insert into session_ratings (account_id, session_id, session_user_id, score, rated_by, rated_at)
     select $1, id, user_id, score, user_id, completed from input where score is not null`,
    [account.id, JSON.stringify(rows)],
  )
}

const calendar = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
const dayCache = new WeakMap<Date, string>()
function formatDay(date: Date): string {
  const day = dayCache.get(date) ?? calendar.format(date)
  dayCache.set(date, day)
  return day
}
const listDays = (count: number) => {
  const today = new Date(`${formatDay(new Date())}T12:00:00Z`)
  return Array.from({ length: count }, (_, n) =>
    new Date(today.getTime() - (count - 1 - n) * 86_400_000).toISOString().slice(0, 10),
  )
}
const computeMedian = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : Math.round(((low + high) / 2) * 100) / 100
}
const getDurationMinutes = ({ started, completed }: GeneratedSession) =>
  ((completed?.getTime() ?? 0) - started.getTime()) / 60_000
const computeRate = (values: boolean[]) =>
  values.length === 0 ? null : Math.round((values.filter(Boolean).length / values.length) * 10_000) / 10_000

/**
 * Return whether a session that has not answered its current step counts as dropped off. All its answers are
 * from now.
 */
function hasDroppedOff({ completed, outcome, steps, started }: GeneratedSession): boolean {
  if (completed) return outcome !== 'resolved'
  return steps.length === 0 && Date.now() - started.getTime() > 86_400_000
}

/** Compute the expected metrics from the generated sessions. */
function countMetrics(sessions: GeneratedSession[], dayCount: number) {
  const periodDays = listDays(dayCount)
  const isInPeriod = (date: Date | null) => date !== null && formatDay(date) >= (periodDays[0] ?? '')
  const startedSessions = sessions.filter(({ started }) => isInPeriod(started))
  const completedSessions = sessions.filter(({ completed }) => isInPeriod(completed))
  const scores = completedSessions.flatMap(({ score }) => score ?? [])
  const sessionsByFlow = Map.groupBy(startedSessions, ({ tree }) => tree)
  return {
    sessions_started: startedSessions.length,
    sessions_completed: completedSessions.length,
    resolution_rate: computeRate(completedSessions.map(({ outcome }) => outcome === 'resolved')),
    median_minutes: computeMedian(completedSessions.map(getDurationMinutes)),
    csat_average:
      scores.length === 0
        ? null
        : Math.round((scores.reduce((a, b) => a + b, 0) / scores.length) * 100) / 100,
    csat_count: scores.length,
    by_day: periodDays.map((date) => ({
      date,
      started: startedSessions.filter(({ started }) => formatDay(started) === date).length,
      completed: completedSessions.filter(({ completed }) => completed && formatDay(completed) === date)
        .length,
    })),
    top_flows: [...sessionsByFlow]
      .map(([tree_id, flowSessions]) => ({
        tree_id,
        name: flowSessions[0]?.name,
        sessions: flowSessions.length,
      }))
      .sort((a, b) => b.sessions - a.sessions || a.tree_id.localeCompare(b.tree_id)),
  }
}

it('ANA-07 returns the metrics of random sessions by day in the caller’s time zone, for every period', async () => {
  const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
  const [colleague, admin] = [await account.addColleague(), account.admin]
  await service.sql('update users set timezone = $2 where account_id = $1', [account.id, zone])
  const flows = [await createFlow(admin, { name: 'First' }), await createFlow(admin, { name: 'Second' })]
  const sessions = generateSessions([admin, colleague], flows, 250)
  await insertSessions(account, sessions)
  await insertSessions(
    otherAccount,
    generateSessions([otherAccount.admin], [await createFlow(otherAccount.admin)], 5),
  )
  for (const [period, dayCount] of [
    ['7d', 7],
    ['30d', 30],
    ['90d', 90],
  ] as const) {
    const {
      by_user,
      period: returnedPeriod,
      ...accountMetrics
    } = await admin.client.analytics.getTeam({ period })
    expect([returnedPeriod, accountMetrics], `seed ${seed}`).toEqual([
      period,
      countMetrics(sessions, dayCount),
    ])
    const firstDay = listDays(dayCount)[0] ?? ''
    for (const userMetrics of by_user) {
      const expected = countMetrics(
        sessions.filter(({ user }) => user.id === userMetrics.user_id),
        dayCount,
      )
      expect(
        [userMetrics.sessions, userMetrics.resolution_rate, userMetrics.median_minutes],
        `seed ${seed} since ${firstDay}`,
      ).toEqual([expected.sessions_started, expected.resolution_rate, expected.median_minutes])
    }
    const { period: _, ...myMetrics } = await colleague.client.analytics.getMine({ period })
    expect(myMetrics, `seed ${seed}`).toEqual(
      countMetrics(
        sessions.filter(({ user }) => user === colleague),
        dayCount,
      ),
    )
    const flowMetrics = await admin.client.analytics.listFlows({ period })
    for (const { tree_id, ...metrics } of flowMetrics) {
      const flowSessions = sessions.filter(
        ({ tree, started }) => tree === tree_id && formatDay(started) >= firstDay,
      )
      const votes = flowSessions.flatMap(({ steps }) => steps.flatMap(({ helpful }) => helpful ?? []))
      expect(metrics, `seed ${seed}`).toEqual({
        name: flowSessions[0]?.name,
        sessions: flowSessions.length,
        completion_rate: computeRate(flowSessions.map(({ completed }) => completed !== null)),
        median_minutes: computeMedian(
          flowSessions.filter(({ completed }) => completed).map(getDurationMinutes),
        ),
        thumbs_up: votes.filter(Boolean).length,
        thumbs_down: votes.filter((helpful) => !helpful).length,
      })
      const { body } = await admin.call('GET', `/analytics/flows/${tree_id}?period=${period}`)
      for (const step of body.steps) {
        const answeredSteps = flowSessions.flatMap(({ steps }) =>
          steps.filter((answeredStep) => answeredStep.step === step.step_id),
        )
        const sessionsAtStep = flowSessions.filter(({ currentStep }) => currentStep === step.step_id)
        expect([step.visits, step.drop_offs, step.median_seconds], `seed ${seed} ${step.step_id}`).toEqual([
          answeredSteps.length + sessionsAtStep.length,
          sessionsAtStep.filter(hasDroppedOff).length,
          computeMedian(answeredSteps.map(({ seconds }) => seconds)),
        ])
      }
    }
  }
})

it('ANA-10 counts the sessions of one team with team_id, and nothing for a team of another account', async () => {
  const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
  const north = await account.admin.client.accounts.teams.create({ name: 'North' })
  const [northern, engineer] = [
    await account.addColleague({ teamId: north.id }),
    await account.addColleague(),
  ]
  const session = await createSession(northern)
  await createSession(engineer)
  await account.admin.client.sessions.notes.rateSession({ session_id: session.id, score: 2 })
  await createSession(otherAccount.admin)
  const getCounts = async (team: string) => {
    const { body } = await account.admin.call('GET', `/analytics/team?team_id=${team}`)
    return [
      body.sessions_started,
      body.csat_count,
      body.by_user.map(({ user_id }: { user_id: string }) => user_id),
    ]
  }
  expect(await getCounts(north.id)).toEqual([1, 1, [northern.id]])
  expect(await getCounts(account.teamId)).toEqual([1, 0, [engineer.id]])
  expect(await getCounts(otherAccount.teamId)).toEqual([0, 0, []])
})

it('ANA-11 counts a session as dropped off where it was left for a day, not where it was solved early', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  const [left, solved, abandoned] = await Promise.all(
    [1, 2, 3].map(() => createSession(admin, { tree_id: flow.id })),
  )
  const countDropOffs = async () => {
    const { body } = await admin.call('GET', `/analytics/flows/${flow.id}`)
    return body.steps.find(({ step_id }: { step_id: string }) => step_id === 'ping').drop_offs
  }
  expect(await countDropOffs()).toBe(0)
  await service.sql(`update sessions set started_at = app.now() - interval '25 hours' where id = $1`, [
    left?.id,
  ])
  await admin.client.sessions.steps.complete({ session_id: solved?.id, outcome: 'resolved' })
  expect(await countDropOffs()).toBe(1)
  await admin.client.sessions.steps.complete({ session_id: abandoned?.id, outcome: 'cancelled' })
  expect(await countDropOffs()).toBe(2)
})

it('counts a rating for the owner of the session, whoever the rater is', async () => {
  const account = await createAccount(service)
  const [admin, colleague] = [account.admin, await account.addColleague()]
  const session = await createSession(admin)
  await colleague.client.sessions.notes.rateSession({ session_id: session.id, score: 2 })
  const getRating = async (person: Person, path: string) => {
    const { csat_average, csat_count } = (await person.call('GET', `/analytics/${path}`)).body
    return [csat_average, csat_count]
  }
  expect([
    await getRating(admin, 'me'),
    await getRating(colleague, 'me'),
    await getRating(colleague, 'team'),
  ]).toEqual([
    [2, 1],
    [null, 0],
    [2, 1],
  ])
  await admin.client.sessions.notes.rateSession({ session_id: session.id, score: 4 })
  expect(await getRating(admin, 'me')).toEqual([4, 1])
})

it('ANA-09 returns null rates and zero counts without sessions, and lists every day of the period', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  const { body } = await admin.call('GET', '/analytics/team?period=30d')
  expect(body).toMatchObject({
    sessions_started: 0,
    resolution_rate: null,
    median_minutes: null,
    csat_average: null,
    csat_count: 0,
    by_user: [],
    top_flows: [],
  })
  expect(body.by_day).toHaveLength(30)
  expect(await admin.client.analytics.listFlows()).toEqual([])
  const flowMetrics = await admin.client.analytics.getFlow({ tree_id: flow.id })
  expect([
    flowMetrics.sessions,
    flowMetrics.completion_rate,
    flowMetrics.steps.map(({ step_id, visits }: Record<string, unknown>) => [step_id, visits]),
  ]).toEqual([
    0,
    null,
    [
      ['ping', 0],
      ['queue', 0],
      ['works', 0],
      ['cable', 0],
    ],
  ])
})

it('lists removed steps after the current steps, with their ids as titles', async () => {
  const { admin } = await createAccount(service)
  const session = await createSession(admin)
  await answerStep(admin, session, 'no')
  const newStructure = { id: 'new', type: 'solution', title: 'All in one', description: '' }
  await admin.call('PUT', `/trees/${session.tree_id}`, { tree_structure: newStructure })
  const { body } = await admin.call('GET', `/analytics/flows/${session.tree_id}`)
  expect(
    body.steps.map(({ step_id, title, visits }: Record<string, unknown>) => [step_id, title, visits]),
  ).toEqual([
    ['new', 'All in one', 0],
    expect.arrayContaining([expect.stringMatching(/ping|cable/)]),
    expect.arrayContaining([expect.stringMatching(/ping|cable/)]),
  ])
})

it('returns 403 to viewers except for their own metrics, and 404 for a flow that the caller cannot see', async () => {
  const account = await createAccount(service)
  const [viewer, colleague] = [await account.addColleague({ role: 'viewer' }), await account.addColleague()]
  const flow = await createFlow(account.admin, { visibility: 'private' })
  const getStatuses = async ({ call }: Person) =>
    Promise.all(
      ['/team', '/me', '/flows', `/flows/${flow.id}`].map(
        async (path) => (await call('GET', `/analytics${path}`)).status,
      ),
    )
  expect(await getStatuses(viewer)).toEqual([403, 200, 403, 403])
  expect(await getStatuses(colleague)).toEqual([200, 200, 200, 404])
  expectStatus(await colleague.call('GET', '/analytics/me?period=1y'), 422)
})
