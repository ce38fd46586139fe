import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { night } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

/** The times and durations of requests, and what bounds them. */
const claims: Record<string, 'held' | string> = {
  'accounts.apiKeys.create expires_at': 'a plan for later, checked to be in the future',
  'admin.plans.createInviteCode expires_at': 'a plan for later, checked to be in the future',
  'ai.scriptRuns.create ended_at': 'held',
  'ai.scriptRuns.create started_at': 'held',
  'flows.transfer.import exported_at': 'what the file says of itself, which is only shown',
  'oncall.policies.create delay_minutes': 'a setting',
  'oncall.policies.update delay_minutes': 'a setting',
  'oncall.schedules.createOverride ends_at': 'a plan',
  'oncall.schedules.createOverride starts_at': 'a plan',
  'oncall.substituteRequests.create ends_at': 'a plan',
  'notifications.preferences.replace delay_minutes': 'a setting',
  'oncall.substituteRequests.create starts_at': 'a plan',
  'psa.connection.put time_minimum_minutes': 'a setting',
  'psa.connection.put time_rounding_minutes': 'a setting',
  'psa.pushes.createTimeEntry minutes': 'what a person bills, within a day',
  'runner.runs.startInAiSession time_limit_seconds': 'a setting',
  'runner.runs.startInSession time_limit_seconds': 'a setting',
  'sessions.scriptRuns.create ended_at': 'held',
  'sessions.scriptRuns.create started_at': 'held',
  'sessions.steps.answer duration_seconds': 'held',
  'sessions.steps.answer started_at': 'held',
  'sessions.steps.recordDecision duration_seconds': 'held',
  'sessions.steps.recordDecision started_at': 'held',
  'webhooks.replay failed_since': 'a filter',
  ...Object.fromEntries(
    [
      'authoring.assistant.suggest',
      'flows.replays.run',
      'flows.transfer.import',
      'flows.trees.create',
      'flows.trees.update',
    ].flatMap((id) =>
      ['estimated_minutes', 'expires_after_minutes', 'minutes'].map((name) => [
        `${id} ${name}`,
        'a setting of a flow',
      ]),
    ),
  ),
}

type Json = Record<string, unknown>
const document = JSON.parse(readFileSync('functions/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Json>>
  components: { schemas: Record<string, Json> }
}

/** List the fields of a request that say when or how long. */
function listTimes(schema: Json, seen = new Set<string>()): string[] {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return seen.has(name) ? [] : listTimes(document.components.schemas[name] ?? {}, new Set([...seen, name]))
  }
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (schema[key] ?? []) as Json[])
  const items = schema.items ? [schema.items as Json] : []
  const own = Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(
    ([name, property]) => [
      ...(property.format === 'date-time' || /(?:_at|_since|seconds|minutes|duration\w*|_ms)$/.test(name)
        ? [name]
        : []),
      ...listTimes(property, seen),
    ],
  )
  return [...own, ...[...parts, ...items].flatMap((part) => listTimes(part, seen))]
}

it('SES-70 knows each time and duration that a client can claim', () => {
  const found = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => {
      const content = (operation.requestBody as Json | undefined)?.content as Record<string, Json> | undefined
      const schema = content?.['application/json']?.schema as Json | undefined
      return schema ? listTimes(schema).map((name) => `${operation.operationId} ${name}`) : []
    }),
  )
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(claims).toSorted())
})

const service = await sharedService()
const hour = 3_600_000
const day = 24 * hour
/** Claimed starts, from the start of the session; the longest durations that are taken. */
const starts = [-8 * day, -hour, -1, 0, hour / 2, hour, hour + 60_000]
const durations = [undefined, 0, 60, 766_828, 31_536_000]

it('SES-70 holds the time of a step between the answer before it and now', night, async () => {
  const { admin } = await createAccount(service)
  for (const start of starts)
    for (const duration_seconds of durations)
      for (const path of ['decisions', 'answers']) {
        const { id } = await createSession(admin)
        await service.sql(`update sessions set started_at = app.now() - interval '1 hour' where id = $1`, [
          id,
        ])
        const began = (await admin.call('GET', `/sessions/${id}`)).body.started_at
        const times = { started_at: new Date(Date.parse(began) + start).toISOString(), duration_seconds }
        const answer = { step_id: 'ping', option_id: 'yes', ...times }
        const sent =
          path === 'decisions'
            ? await admin.call('POST', `/sessions/${id}/decisions`, answer)
            : await admin.call('POST', `/sessions/${id}/answers`, answer)
        const { body } = expectStatus(sent, 201)
        const { decisions } = body.decisions ? body : (await admin.call('GET', `/sessions/${id}`)).body
        const [{ started_at, decided_at, duration_seconds: seconds }] = decisions
        const claim = JSON.stringify([path, start, duration_seconds, started_at, seconds])
        expect(started_at >= began && started_at <= decided_at, claim).toBe(true)
        expect(seconds, claim).toBeLessThanOrEqual(
          Math.ceil((Date.parse(decided_at) - Date.parse(started_at)) / 1000),
        )
        if (start > 0 && start <= hour / 2) expect(started_at).toBe(times.started_at)
      }
})

it('SES-70 holds the times of script runs between the start of the session and now', async () => {
  const { admin } = await createAccount(service)
  const session = await createSession(admin)
  await service.sql(`update sessions set started_at = app.now() - interval '1 hour' where id = $1`, [
    session.id,
  ])
  const aiSession = expectStatus(
    await admin.call('POST', '/ai-sessions', { session_type: 'chat', problem_summary: 'No print' }),
    201,
  ).body
  await service.sql(`update ai_sessions set created_at = app.now() - interval '1 hour' where id = $1`, [
    aiSession.id,
  ])
  const began = Date.now() - hour
  for (const path of [`/sessions/${session.id}`, `/ai-sessions/${aiSession.id}`])
    for (const start of starts)
      for (const length of [0, 60_000, 40 * day]) {
        const run = {
          script: 'ipconfig',
          target: 'PC-1',
          exit_code: 0,
          started_at: new Date(began + start).toISOString(),
          ended_at: new Date(began + start + length).toISOString(),
        }
        const { body } = expectStatus(await admin.call('POST', `${path}/script-runs`, run), 201)
        const times = [Date.parse(body.started_at), Date.parse(body.ended_at)] as const
        expect(times[0], path).toBeGreaterThanOrEqual(began - 60_000)
        expect(times[1]).toBeGreaterThanOrEqual(times[0])
        expect(times[1]).toBeLessThanOrEqual(Date.now() + 1000)
      }
})
