import { workTables } from '#db/work-kinds.ts'
import type { OwnService } from '#test/support/app.ts'
import { moveClock } from './chaos-faults.ts'
import type { Listener, Seen } from './chaos-load.ts'
import type { ChaosTargets } from './chaos-platforms.ts'

/** What the vendors have received, by the ids of their records. */
export interface Received {
  mail: Map<string, { to: string; text: string }>
  chat: Map<string, string>
  hooks: Map<string, { messageId: string; text: string }>
  notes: Map<string, string>
}

/** Keep what the vendors receive: the dashboard forgets all but the newest. Return a function that stops. */
export function collectRecords({ stack }: OwnService): { received: Received; collect(): void; stop(): void } {
  const { records } = stack.localServer.dashboard
  const received: Received = { mail: new Map(), chat: new Map(), hooks: new Map(), notes: new Map() }
  const collect = () => {
    for (const { id, to, subject, text } of records.list('mail'))
      received.mail.set(id, { to: to.join(), text: `${subject} ${text}` })
    for (const { id, accepted, body } of records.list('chat'))
      if (accepted) received.chat.set(id, JSON.stringify(body))
    for (const { id, accepted, body, headers } of records.list('hooks'))
      if (accepted) received.hooks.set(id, { messageId: headers['webhook-id'], text: body })
    for (const { id, method, path, request, status } of records.list('psa'))
      if (method === 'POST' && /\/notes$/.test(path) && status < 300)
        received.notes.set(id, JSON.stringify(request))
  }
  const timer = setInterval(collect, 1000)
  return { received, collect, stop: () => clearInterval(timer) }
}

async function countOpenWork({ sql }: OwnService): Promise<Record<string, number>> {
  const parts = workTables.map(
    ({ name, initial }) =>
      `select '${name}' as name, count(*)::int as count from ${name} where state in ('${initial}', 'retrying')`,
  )
  parts.push(`select 'stream_events', count(*)::int from stream_events`)
  const rows = await sql<{ name: string; count: number }>(parts.join(' union all '))
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]))
}

/**
 * Let the time pass that leases and retries wait, until no work is open and no live event waits for the
 * sweep. Return what is left.
 */
export async function settle({ service, runCron }: ChaosTargets): Promise<Record<string, number>> {
  for (let turn = 0; turn < 20; turn++) {
    const open = await countOpenWork(service)
    if (Object.keys(open).length === 0) return open
    await moveClock(service, turn < 5 ? 70 : 700)
    await runCron()
  }
  return countOpenWork(service)
}

/** Return what was lost and what arrived twice. */
export async function findDamage(
  service: OwnService,
  accountId: string,
  seen: Seen,
  received: Received,
  listeners: readonly Listener[],
) {
  const rows = await service.sql<{
    id: string
    status: string
    handoffs: number
    events: number
    claims: number
    attempts: number
  }>(
    `select s.id, s.status, (select count(*)::int from ai_handoffs h where h.session_id = s.id) as handoffs,
            (select count(*)::int from events e where e.key = 'session.escalated' and e.link like '/pilot/' || s.id || '%') as events,
            (select count(*)::int from events e where e.key = 'handoff.claimed' and e.link like '/pilot/' || s.id || '%') as claims,
            coalesce((select sum(p.attempts)::int from psa_pushes p where p.source_id = s.id), 0) as attempts
       from ai_sessions s where s.account_id = $1`,
    [accountId],
  )
  const stored = new Map(rows.filter(({ status }) => status !== 'active').map((row) => [row.id, row]))
  // A message that nobody needs any more is left out: while it waited, a colleague claimed the escalation.
  const deliveries = await service.sql<{
    id: string
    channel: string
    state: string
    attempts: number
    session: string
    recipient: string
  }>(
    `select d.id, d.channel, case when d.last_error like 'Somebody has taken%' then 'left out' else d.state end as state, d.attempts, d.recipient, substring(e.link from '[0-9a-f-]{36}') as session
       from deliveries d join events e on e.id = d.event_id where d.account_id = $1`,
    [accountId],
  )
  const damage: string[] = []
  const check = (isRight: boolean, text: string) => void (isRight || damage.push(text))
  for (const id of seen.escalated) check(stored.has(id), `${id}: the escalation is lost`)
  for (const id of seen.claimed)
    check(stored.get(id)?.claims === 1, `${id}: ${stored.get(id)?.claims} claims`)
  for (const [id, { handoffs, events, attempts }] of stored) {
    check(handoffs === 1 && events === 1, `${id}: ${handoffs} handoffs, ${events} events`)
    // Neither chat tools nor the notes of ConnectWise know an idempotency key: at least once, and at most
    // once per attempt.
    const notes = [...received.notes.values()].filter((text) => text.includes(id)).length
    check(notes >= 1 && notes <= attempts, `${id}: ${notes} notes after ${attempts} attempts`)
    const hooks = [...received.hooks.values()].filter(
      ({ text }) => text.includes(id) && text.includes('session.escalated'),
    )
    check(
      new Set(hooks.map(({ messageId }) => messageId)).size === 1,
      `${id}: ${hooks.length} messages of the webhook`,
    )
    for (const listener of listeners) {
      const count = listener.created.filter((session) => session === id).length
      check(count === 1, `${id}: ${count} times in a stream`)
    }
  }
  for (const { id, channel, state } of deliveries)
    check(state === 'delivered' || state === 'left out', `delivery ${id} by ${channel} is ${state}`)
  for (const id of stored.keys()) {
    const attempts = deliveries.filter(
      ({ session, channel }) => session === id && channel === 'chat1_webhook',
    )
    const messages = [...received.chat.values()].filter((text) => text.includes(id)).length
    const most = attempts.reduce((total, delivery) => total + delivery.attempts, 0)
    const least = attempts.filter(({ state }) => state === 'delivered').length
    check(messages >= least && messages <= most, `${id}: ${messages} chat messages after ${most} attempts`)
  }
  const mails = [...received.mail.values()]
  const texts = new Set(mails.map(({ to, text }) => `${to} ${text}`))
  check(texts.size === mails.length, `${mails.length - texts.size} e-mails were sent twice`)
  const emails = Object.groupBy(
    deliveries.filter(({ channel, session }) => channel === 'email' && session),
    ({ session, recipient }) => `${session} ${recipient}`,
  )
  for (const group of Object.values(emails)) {
    const [{ session, recipient }] = group as [(typeof deliveries)[number]]
    const sent = mails.filter(({ to, text }) => to === recipient && text.includes(session)).length
    const delivered = group?.filter(({ state }) => state === 'delivered').length ?? 0
    // One whose answer was lost may be left out later.
    check(
      sent >= delivered && sent <= (group?.length ?? 0),
      `${session}: ${sent} e-mails to ${recipient}, ${delivered} of ${group?.length} delivered`,
    )
  }
  for (const { ids, others } of listeners) {
    check(new Set(ids).size === ids.length, `${ids.length - new Set(ids).size} events of a stream came twice`)
    check(!others.includes('overflow'), 'a stream had an overflow')
  }
  const figures = {
    stored: stored.size,
    deliveries: deliveries.length,
    mails: mails.length,
    hooks: received.hooks.size,
    notes: received.notes.size,
  }
  return { damage, figures }
}
