// @module-tag night
import { afterAll, expect, inject, it } from 'vitest'
import { runCronJob } from '#local/node-jobs.ts'
import { moveDatabaseClock, withSuperuser } from '#local/postgres.ts'
import { insertAiSession } from '#test/support/ai.ts'
import { type ApiResponse, dashboard, request, startOwnService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { startNodeChild } from '#test/support/node-child.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { startTestRedis } from '#test/support/redis.ts'

const service = await startOwnService()
afterAll(() => service.close())

const database = new URL(service.ownerUrl).pathname.slice(1)
const { postgresPort } = inject('shared')
const asSuperuser = <T>(work: Parameters<typeof withSuperuser<T>>[2]) =>
  withSuperuser(postgresPort, database, work)
/**
 * Count the jobs that are due or running. Jobs that have run for 3 s are those of the dead process, and are
 * deleted.
 */
const countOpenJobs = () =>
  asSuperuser(async (client) => {
    await client.query(
      `delete from graphile_worker._private_jobs where locked_at < now() - interval '3 seconds'`,
    )
    const { rowCount } = await client.query(
      'select from graphile_worker._private_jobs where locked_at is not null or run_at <= now()',
    )
    return rowCount
  })

const ownerCount = 8
const sessionsPerOwner = 4
const escalationCount = ownerCount * sessionsPerOwner

/** Escalate through one process. If it dies, ask the other one, as a client behind a load balancer does. */
async function escalate(
  apis: readonly string[],
  owner: Person,
  id: string,
): Promise<ApiResponse | undefined> {
  for (const api of apis) {
    const options = { token: owner.token, body: { summary: `Case ${id}` } }
    const response = await request({ api }, 'POST', `/ai-sessions/${id}/escalate`, options).catch(
      () => undefined,
    )
    if (response && response.status < 500) return response
  }
  return undefined
}

it('loses no event, no job and no stream event when one of two processes is killed under load', async () => {
  const redis = { REDIS_URL: await startTestRedis() }
  const [doomed, other] = await Promise.all([
    startNodeChild(service.settings, redis),
    startNodeChild(service.settings, redis),
  ])
  const { admin, addColleague } = await createAccount(service)
  const watcher = await addColleague()
  const owners = await Promise.all(Array.from({ length: ownerCount }, () => addColleague()))
  const cases = await Promise.all(
    owners.flatMap((owner) =>
      Array.from({ length: sessionsPerOwner }, async () => ({
        owner,
        id: await insertAiSession(service, owner),
      })),
    ),
  )
  const streams = await Promise.all([
    openEscalationStream(doomed, watcher),
    openEscalationStream(other, admin),
  ])

  const escalations = cases.map(async ({ owner, id }, n) => {
    const apis = n % 2 ? [doomed.api, other.api] : [other.api, doomed.api]
    const response = await escalate(apis, owner, id)
    // The first process dies while it still answers, publishes and runs jobs.
    if (n === escalationCount / 4) doomed.process.kill('SIGKILL')
    return response
  })
  const responses = await Promise.all(escalations)
  // A repeated escalation whose first answer was lost is refused, because it was stored.
  expect(
    responses.filter((response) => response?.status !== 200 && response?.body.code !== 'wrong_state'),
  ).toEqual([])
  await doomed.exited

  const [lost] = streams
  const lastId = lost.events().at(-1)?.id
  const resumed = await openEscalationStream(
    other,
    watcher,
    lastId ? { 'last-event-id': lastId } : { 'last-event-id': '0' },
  )
  // The work of the dead process becomes due again, attempt by attempt.
  for (let minutes = 3; minutes <= 30; minutes += 3) {
    await asSuperuser((client) => moveDatabaseClock(client, minutes * 60_000))
    await asSuperuser(runCronJob)
    await expect.poll(countOpenJobs, { timeout: 30_000 }).toBe(0)
  }

  const createdIn = (stream: typeof resumed) =>
    stream.events('handoff_created').map(({ data }) => data.session_id)
  const received = () => new Set([...createdIn(lost), ...createdIn(resumed)])
  await expect.poll(() => received().size, { timeout: 30_000 }).toBe(escalationCount)
  const [, observer] = streams
  await expect.poll(() => new Set(createdIn(observer)).size, { timeout: 30_000 }).toBe(escalationCount)
  expect(createdIn(observer)).toHaveLength(escalationCount)

  const states = await service.sql('select state, count(*)::int as n from deliveries group by state')
  expect(states).toEqual([{ state: 'delivered', n: expect.any(Number) }])
  const assessments = await service.sql('select distinct assessment_status from ai_handoffs')
  expect(assessments).toEqual([{ assessment_status: 'ready' }])
  const mails = (await dashboard(service).listRecords('mail')).filter(({ subject }) =>
    subject.includes('escalated'),
  )
  const recipients = mails.map(({ to, text }) => `${to} ${/pilot\/([\w-]+)/.exec(text)?.[1]}`)
  expect(new Set(recipients).size).toBe(states[0]?.n)
  expect(recipients).toHaveLength(new Set(recipients).size)
})
