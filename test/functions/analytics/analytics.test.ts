import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow } from '../../support/flows.ts'
import { type AccountOf, newAccount, type Person } from '../../support/people.ts'
import { answer, newSession } from '../../support/sessions.ts'

const service = shared()
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const zone = 'Pacific/Auckland'

interface Past {
  user: Person
  tree: string
  name: string
  started: Date
  completed: Date | null
  outcome: string | null
  score: number | null
  steps: { step: string; seconds: number; helpful: boolean | null }[]
  at: string | null
}

/** Sessions of the last 120 days, at random. */
function somePasts(users: Person[], flows: { id: string; name: string }[], count: number): Past[] {
  const steps = ['ping', 'queue', 'works']
  const past = fc
    .record({
      user: fc.nat(users.length - 1),
      flow: fc.nat(flows.length - 1),
      minutesAgo: fc.nat(120 * 24 * 60),
      lasted: fc.option(fc.integer({ min: 0, max: 300 })),
      outcome: fc.constantFrom('resolved', 'unresolved', 'escalated', 'cancelled'),
      score: fc.option(fc.integer({ min: 1, max: 5 })),
      answered: fc.nat(3),
      seconds: fc.array(fc.nat(600), { minLength: 3, maxLength: 3 }),
      helpful: fc.array(fc.option(fc.boolean()), { minLength: 3, maxLength: 3 }),
    })
    .map(({ user, flow, minutesAgo, lasted, outcome, score, answered, seconds, helpful }) => {
      const started = new Date(Date.now() - minutesAgo * 60_000)
      const completed = lasted !== null && lasted < minutesAgo ? new Date(started.getTime() + lasted * 60_000) : null
      const taken = steps.slice(0, answered).map((step, n) => ({ step, seconds: seconds[n] ?? 0, helpful: helpful[n] ?? null }))
      const of = flows[flow] as { id: string; name: string }
      return {
        ...{
          user: users[user] as Person,
          tree: of.id,
          name: of.name,
          started,
          completed,
          outcome: completed && outcome,
          score: completed && score,
        },
        ...{ steps: taken, at: steps[answered] ?? null },
      }
    })
  return fc.sample(past, { numRuns: count, seed })
}

/** All at once: one by one they would take longer than what is tested. */
async function store(account: AccountOf, pasts: Past[]): Promise<void> {
  const rows = pasts.map(({ user, completed, steps, ...past }, n) => ({
    ...past,
    n,
    completed,
    user_id: user.id,
    steps,
    answered: steps.length,
  }))
  await service.sql(
    `with given as (
       select uuidv7() as id, g.* from jsonb_to_recordset($2) g (n int, user_id uuid, tree uuid, name text, started timestamptz, completed timestamptz,
                                                              outcome text, score int, at text, answered int, steps jsonb)
     ), made as (
       insert into sessions (id, account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, outcome, started_at, completed_at,
                             current_step_id, answered, remaining, created_at)
       select id, $1, user_id, $1, tree, 1, name, case when completed is null then 'in_progress' else 'completed' end, outcome, started, completed,
              at, answered, 0, started from given
     ), steps as (
       select g.id, g.user_id, g.started, s.step, s.seconds, s.helpful, s.n - 1 as seq
         from given g, rows from (jsonb_to_recordset(g.steps) as (step text, seconds int, helpful boolean)) with ordinality s (step, seconds, helpful, n)
     ), decided as (
       insert into session_decisions (account_id, session_id, seq, step_id, outcome, started_at, duration_seconds)
       select $1, id, seq, step, 'done', started, seconds from steps
     ), liked as (
       insert into session_step_feedback (account_id, session_id, step_id, user_id, helpful)
       select $1, id, step, user_id, helpful from steps where helpful is not null
     )
     insert into session_ratings (account_id, session_id, session_user_id, score, rated_by, rated_at)
     select $1, id, user_id, score, user_id, completed from given where score is not null`,
    [account.id, JSON.stringify(rows)],
  )
}

const calendarOf = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
const days = new WeakMap<Date, string>()
function dayOf(date: Date): string {
  const day = days.get(date) ?? calendarOf.format(date)
  days.set(date, day)
  return day
}
const daysBack = (count: number) => {
  const today = new Date(`${dayOf(new Date())}T12:00:00Z`)
  return Array.from({ length: count }, (_, n) => new Date(today.getTime() - (count - 1 - n) * 86_400_000).toISOString().slice(0, 10))
}
const median = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : Math.round(((low + high) / 2) * 100) / 100
}
const minutes = ({ started, completed }: Past) => ((completed?.getTime() ?? 0) - started.getTime()) / 60_000
const rate = (values: boolean[]) =>
  values.length === 0 ? null : Math.round((values.filter(Boolean).length / values.length) * 10_000) / 10_000

/** The same figures by counting, one session after the other. */
function counted(pasts: Past[], days: number) {
  const calendar = daysBack(days)
  const inside = (date: Date | null) => date !== null && dayOf(date) >= (calendar[0] ?? '')
  const [begun, done] = [pasts.filter(({ started }) => inside(started)), pasts.filter(({ completed }) => inside(completed))]
  const scores = done.flatMap(({ score }) => score ?? [])
  const flows = Map.groupBy(begun, ({ tree }) => tree)
  return {
    sessions_started: begun.length,
    sessions_completed: done.length,
    resolution_rate: rate(done.map(({ outcome }) => outcome === 'resolved')),
    median_minutes: median(done.map(minutes)),
    csat_average: scores.length === 0 ? null : Math.round((scores.reduce((a, b) => a + b, 0) / scores.length) * 100) / 100,
    csat_count: scores.length,
    by_day: calendar.map((date) => ({
      date,
      started: begun.filter(({ started }) => dayOf(started) === date).length,
      completed: done.filter(({ completed }) => completed && dayOf(completed) === date).length,
    })),
    top_flows: [...flows]
      .map(([tree_id, all]) => ({ tree_id, name: all[0]?.name, sessions: all.length }))
      .sort((a, b) => b.sessions - a.sessions || a.tree_id.localeCompare(b.tree_id)),
  }
}

it('ANA-07 agrees with a count by hand over random sessions, in the asker’s own days, for every period', async () => {
  const [account, other] = [await newAccount(service), await newAccount(service)]
  const [mate, lead] = [await account.colleague(), account.admin]
  await service.sql('update users set timezone = $2 where account_id = $1', [account.id, zone])
  const flows = [await newFlow(lead, { name: 'First' }), await newFlow(lead, { name: 'Second' })]
  const pasts = somePasts([lead, mate], flows, 250)
  await store(account, pasts)
  await store(other, somePasts([other.admin], [await newFlow(other.admin)], 5))
  for (const [period, days] of [
    ['7d', 7],
    ['30d', 30],
    ['90d', 90],
  ] as const) {
    const { by_user, period: said, ...team } = (await lead.call('GET', `/analytics/team?period=${period}`)).body
    expect([said, team], `seed ${seed}`).toEqual([period, counted(pasts, days)])
    const begin = daysBack(days)[0] ?? ''
    for (const { user_id, sessions, resolution_rate, median_minutes } of by_user) {
      const own = counted(
        pasts.filter(({ user }) => user.id === user_id),
        days,
      )
      expect([sessions, resolution_rate, median_minutes], `seed ${seed} since ${begin}`).toEqual([
        own.sessions_started,
        own.resolution_rate,
        own.median_minutes,
      ])
    }
    const { period: _, ...me } = (await mate.call('GET', `/analytics/me?period=${period}`)).body
    expect(me, `seed ${seed}`).toEqual(
      counted(
        pasts.filter(({ user }) => user === mate),
        days,
      ),
    )
    const listed = (await lead.call('GET', `/analytics/flows?period=${period}`)).body
    for (const { tree_id, ...figures } of listed) {
      const of = pasts.filter(({ tree, started }) => tree === tree_id && dayOf(started) >= begin)
      const thumbs = of.flatMap(({ steps }) => steps.flatMap(({ helpful }) => helpful ?? []))
      expect(figures, `seed ${seed}`).toEqual({
        name: of[0]?.name,
        sessions: of.length,
        completion_rate: rate(of.map(({ completed }) => completed !== null)),
        median_minutes: median(of.filter(({ completed }) => completed).map(minutes)),
        thumbs_up: thumbs.filter(Boolean).length,
        thumbs_down: thumbs.filter((helpful) => !helpful).length,
      })
      const one = (await lead.call('GET', `/analytics/flows/${tree_id}?period=${period}`)).body
      for (const step of one.steps) {
        const answered = of.flatMap(({ steps }) => steps.filter((taken) => taken.step === step.step_id))
        const open = of.filter(({ at }) => at === step.step_id)
        expect([step.visits, step.drop_offs, step.median_seconds], `seed ${seed} ${step.step_id}`).toEqual([
          answered.length + open.length,
          open.filter(({ completed }) => completed).length,
          median(answered.map(({ seconds }) => seconds)),
        ])
      }
    }
  }
})

it('counts a rating with whose session it was, whoever gave it', async () => {
  const account = await newAccount(service)
  const [lead, mate] = [account.admin, await account.colleague()]
  const session = await newSession(lead)
  expectStatus(await mate.call('PUT', `/sessions/${session.id}/rating`, { score: 2 }), 200)
  const csat = async (person: Person, path: string) => {
    const { csat_average, csat_count } = (await person.call('GET', `/analytics/${path}`)).body
    return [csat_average, csat_count]
  }
  expect([await csat(lead, 'me'), await csat(mate, 'me'), await csat(mate, 'team')]).toEqual([
    [2, 1],
    [null, 0],
    [2, 1],
  ])
  await lead.call('PUT', `/sessions/${session.id}/rating`, { score: 4 })
  expect(await csat(lead, 'me')).toEqual([4, 1])
})

it('ANA-09 gives null where there is nothing to count, and every day of the period', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin)
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
  expect((await admin.call('GET', '/analytics/flows')).body).toEqual([])
  const one = (await admin.call('GET', `/analytics/flows/${flow.id}`)).body
  expect([one.sessions, one.completion_rate, one.steps.map(({ step_id, visits }: Record<string, unknown>) => [step_id, visits])]).toEqual([
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

it('names a step that the flow has no more by its id, last', async () => {
  const { admin } = await newAccount(service)
  const session = await newSession(admin)
  await answer(admin, session, 'no')
  const changed = { id: 'new', type: 'solution', title: 'All in one', description: '' }
  await admin.call('PUT', `/trees/${session.tree_id}`, { tree_structure: changed })
  const { body } = await admin.call('GET', `/analytics/flows/${session.tree_id}`)
  expect(body.steps.map(({ step_id, title, visits }: Record<string, unknown>) => [step_id, title, visits])).toEqual([
    ['new', 'All in one', 0],
    expect.arrayContaining([expect.stringMatching(/ping|cable/)]),
    expect.arrayContaining([expect.stringMatching(/ping|cable/)]),
  ])
})

it('is for engineers, but for one’s own figures, and for flows one sees', async () => {
  const account = await newAccount(service)
  const [viewer, mate] = [await account.colleague({ role: 'viewer' }), await account.colleague()]
  const flow = await newFlow(account.admin, { visibility: 'private' })
  const statuses = async (who: Person) =>
    Promise.all(['/team', '/me', '/flows', `/flows/${flow.id}`].map(async (path) => (await who.call('GET', `/analytics${path}`)).status))
  expect(await statuses(viewer)).toEqual([403, 200, 403, 403])
  expect(await statuses(mate)).toEqual([200, 200, 200, 404])
  expectStatus(await mate.call('GET', '/analytics/me?period=1y'), 422)
})
