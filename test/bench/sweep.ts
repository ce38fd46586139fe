import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '#local/build/build.ts'
import { moveDatabaseClock, startPostgres } from '#local/postgres.ts'
import { type Stack, startStack } from '#local/stack.ts'

/** How long a backlog took while the queue was unreachable. */
export interface DrainTime {
  /** Time of the chat tool until it responds, in milliseconds. */
  chatDelayMs: number
  deliveries: number
  cronRuns: number
  /** Time that the cron runs took, in seconds. */
  sweepSeconds: number
  /** Time from the first cron run to the last delivery, with one run per minute. */
  drainSeconds: number
  /** Attempts at all deliveries. More than one per delivery means that a message was sent twice. */
  attempts: number
}

/** A backlog must be delivered within this time, in seconds. */
export const drainGoal = 300
const database = 'flow_sweep'
const deliveryCount = 5_000
const maxCronRuns = 30
const cronIntervalMs = 60_000
// A local emulator responds at once. The second one responds as late as a chat tool on the internet.
const chatDelaysMs = [0, 100]

/** Start a stack of its own, because a cron run needs the local emulators and a clock that moves. */
export async function measureSweep(): Promise<DrainTime[]> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-sweep-'))
  const [cluster] = await Promise.all([startPostgres(join(folder, 'data'), { durable: false }), build()])
  const stack = await startStack({ platform: 'cloudflare', cluster, database, port: 0, localPort: 0 })
  try {
    const results: DrainTime[] = []
    for (const chatDelayMs of chatDelaysMs) results.push(await measureDrain(stack, chatDelayMs))
    return results
  } finally {
    await stack.close()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureDrain(
  { localServer, runCron, superuser }: Stack,
  chatDelayMs: number,
): Promise<DrainTime> {
  const { faults, origin } = localServer
  const query = (text: string) => superuser.run((client) => client.query(text))
  const moveClock = (ms: number) => superuser.run((client) => moveDatabaseClock(client, ms))
  const count = async (expression: string) =>
    Number((await query(`select ${expression} as n from deliveries`)).rows[0].n)
  await query(backlogSql(`${origin}/chat/1/bench`))
  faults.clear()
  faults.set({ service: 'qstash', mode: 'down' })
  if (chatDelayMs > 0) faults.set({ service: 'chat1', mode: 'slow', delay_ms: chatDelayMs })
  const result = {
    chatDelayMs,
    deliveries: deliveryCount,
    cronRuns: 0,
    sweepSeconds: 0,
    drainSeconds: 0,
    attempts: 0,
  }
  let clockMs = 0
  let open = deliveryCount
  while (open > 0 && result.cronRuns < maxCronRuns) {
    const startedAt = performance.now()
    await runCron()
    const durationMs = performance.now() - startedAt
    result.drainSeconds = (result.cronRuns * cronIntervalMs + durationMs) / 1000
    result.sweepSeconds += durationMs / 1000
    result.cronRuns++
    // The next run starts one minute after this one by the database's clock.
    clockMs += Math.max(cronIntervalMs - durationMs, 0)
    await moveClock(clockMs)
    open = await count(`count(*) filter (where state <> 'delivered')`)
  }
  result.attempts = await count('sum(attempts)')
  if (open > 0) result.drainSeconds = Number.POSITIVE_INFINITY
  await moveClock(0)
  return result
}

/** Return SQL that inserts an account with one webhook and its backlog, and deletes the former backlog. */
function backlogSql(webhookUrl: string): string {
  return `
    delete from deliveries;
    with account as (
      insert into accounts (name, plan, subscription_status) values ('Sweep', 'enterprise', 'active') returning id
    ), config as (
      insert into notification_configs (account_id, channel, webhook_url, events_enabled)
      select id, 'chat1_webhook', '${webhookUrl}', '["session.escalated"]' from account returning id, account_id
    ), event as (
      insert into events (account_id, key, title, body, link)
      select id, 'session.escalated', 'Robin Miller escalated', 'The printer on floor 3 is offline.', '/sessions/1' from account returning id
    )
    insert into deliveries (account_id, config_id, event_id, event_key, channel, next_attempt_at)
    select c.account_id, c.id, e.id, 'session.escalated', 'chat1_webhook', now() - interval '1 hour'
      from config c, event e, generate_series(1, ${deliveryCount});`
}
