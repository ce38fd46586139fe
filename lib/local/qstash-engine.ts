import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, timestamp } from './clock.ts'
import type { Faults } from './faults.ts'
import { deliver, forgedKey, type Outcome } from './qstash-delivery.ts'
import { type Message, readDestination } from './qstash-message.ts'
import type { Schedules } from './qstash-schedules.ts'
import type { DeskRecords, Records } from './records.ts'

export interface DeadLetter extends Message {
  dlqId: string
  state: 'FAILED'
  responseStatus: number
  responseBody: string
}

export interface Engine {
  /** Takes a message; answers the one already taken when its deduplication id was seen in the last ten minutes. */
  take(message: Message): { message: Message; deduplicated: boolean }
  pending(): Message[]
  cancel(messageId: string): boolean
  dead: Map<string, DeadLetter>
  /** Begins the delivery of all that is due. */
  tick(): void
  /** Resolves when nothing is due or in flight. */
  idle(): Promise<void>
  /** The same for what is published just after an answer as well. */
  settled(): Promise<void>
  /** Begins no delivery until the answered function is called. */
  hold(): () => void
  close(): Promise<void>
}

interface EngineOptions {
  clock: Clock
  faults: Faults
  records: Records
  schedules: Schedules
  signingKey: string
}

interface State extends EngineOptions {
  waiting: Map<string, Message>
  inFlight: Map<string, { message: Message; done: Promise<void> }>
  shown: Map<string, DeskRecords['queue']>
  seen: Map<string, { message: Message; until: number }>
  dead: Map<string, DeadLetter>
  stop: AbortController
  holds: number
  timer: NodeJS.Timeout | undefined
}

const maxInFlight = 50
const deduplicationMs = 10 * 60_000
const longestTimerMs = 60_000
const quietMs = 50

/** QStash's inside: due messages by the moved clock, at-least-once delivery, back-off and dead letters. */
export function createEngine(options: EngineOptions): Engine {
  const state: State = {
    ...options,
    waiting: new Map(),
    inFlight: new Map(),
    shown: new Map(),
    seen: new Map(),
    dead: new Map(),
    stop: new AbortController(),
    holds: 0,
    timer: undefined,
  }
  options.clock.onMove(() => arm(state))
  return {
    dead: state.dead,
    take: (message) => take(state, message),
    tick: () => tick(state),
    pending: () => [...state.waiting.values(), ...[...state.inFlight.values()].map(({ message }) => message)],
    cancel: (messageId) => cancel(state, messageId),
    idle: () => idle(state),
    settled: () => settled(state),
    hold() {
      state.holds += 1
      clearTimeout(state.timer)
      return () => {
        state.holds -= 1
        tick(state)
      }
    },
    async close() {
      clearTimeout(state.timer)
      state.stop.abort()
      await Promise.all([...state.inFlight.values()].map(({ done }) => done))
    },
  }
}

async function idle(state: State): Promise<void> {
  tick(state)
  while (state.inFlight.size > 0) await Promise.race([...state.inFlight.values()].map(({ done }) => done))
}

/** Waits until nothing is published within `quietMs` of the last delivery. */
async function settled(state: State): Promise<void> {
  for (let quickly = false; !quickly; ) {
    await idle(state)
    await sleep(quietMs)
    const before = performance.now()
    await idle(state)
    quickly = performance.now() - before < 1
  }
}

function take(state: State, message: Message): { message: Message; deduplicated: boolean } {
  const now = state.clock.now()
  const id = message.deduplicationId
  const former = id === undefined ? undefined : state.seen.get(id)
  if (former && former.until > now) return { message: former.message, deduplicated: true }
  if (id !== undefined) remember(state.seen, id, message, now)
  state.waiting.set(message.messageId, message)
  state.shown.set(message.messageId, state.records.add('queue', queueRecord(message)))
  arm(state)
  return { message, deduplicated: false }
}

function tick(state: State): void {
  if (state.holds > 0 || state.stop.signal.aborted) return
  for (const message of state.schedules.due()) take(state, message)
  const now = state.clock.now()
  const due = candidates(state).filter((message) => message.notBefore <= now)
  due.sort((a, b) => a.notBefore - b.notBefore)
  for (const message of due.slice(0, maxInFlight - state.inFlight.size)) start(state, message)
  arm(state)
}

/** What could be delivered once its time comes: of a named queue only the first, while none of it is in flight. */
function candidates(state: State): Message[] {
  const busy = new Set([...state.inFlight.values()].map(({ message }) => message.queueName))
  const oldestFirst = [...state.waiting.values()].sort((a, b) => a.createdAt - b.createdAt)
  return oldestFirst.filter(({ queueName }) => {
    if (queueName === undefined) return true
    const free = !busy.has(queueName)
    busy.add(queueName)
    return free
  })
}

function arm(state: State): void {
  clearTimeout(state.timer)
  if (state.holds > 0 || state.stop.signal.aborted || state.inFlight.size >= maxInFlight) return
  const next = candidates(state).reduce(
    (least, { notBefore }) => Math.min(least, notBefore),
    state.schedules.nextAt() ?? Number.POSITIVE_INFINITY,
  )
  if (next === Number.POSITIVE_INFINITY) return
  state.timer = setTimeout(() => tick(state), Math.min(Math.max(next - state.clock.now(), 0), longestTimerMs))
  state.timer.unref()
}

function start(state: State, message: Message): void {
  state.waiting.delete(message.messageId)
  show(state, message, { state: 'delivering', attempts: message.retried + 1 })
  const done = attempt(state, message).then((outcome) => {
    state.inFlight.delete(message.messageId)
    if (!state.stop.signal.aborted) settle(state, message, outcome)
    tick(state)
  })
  state.inFlight.set(message.messageId, { message, done })
}

/** The true delivery, twice under `duplicate` (at the same time), and beside a wrongly signed one under `forge`. */
async function attempt(state: State, message: Message): Promise<Outcome> {
  const { faults, stop, signingKey } = state
  const copies = faults.take('qstash', 'duplicate') ? 2 : 1
  const forged = faults.take('qstash', 'forge') ? deliver(message, forgedKey(), stop.signal) : undefined
  const outcomes = await Promise.all(Array.from({ length: copies }, () => deliver(message, signingKey, stop.signal)))
  if (forged) state.shown.get(message.messageId)?.forged_statuses.push((await forged).status)
  return outcomes.find((outcome) => outcome.ok) ?? (outcomes[0] as Outcome)
}

function settle(state: State, message: Message, outcome: Outcome): void {
  const now = state.clock.now()
  const told = { last_status: outcome.status, last_error: outcome.error }
  if (!outcome.ok && message.retried < message.maxRetries) {
    message.retried += 1
    message.notBefore = now + backOffMs(message.retried)
    show(state, message, { ...told, state: 'failed' })
    state.waiting.set(message.messageId, message)
    return
  }
  show(state, message, { ...told, state: outcome.ok ? 'delivered' : 'dead' })
  state.shown.delete(message.messageId)
  if (!outcome.ok) bury(state, message, outcome)
  const callback = outcome.ok ? message.callback : (message.failureCallback ?? message.callback)
  if (callback) take(state, callbackOf(message, outcome, callback, now))
}

/** QStash's documented back-off: 12 s, 2 min 28 s, 30 min and on to a day. */
function backOffMs(retried: number): number {
  return Math.min(86_400, Math.exp(2.5 * retried)) * 1000
}

function bury(state: State, message: Message, outcome: Outcome): void {
  const dlqId = `${state.clock.now()}-${randomUUID().slice(0, 8)}`
  const answer = { responseStatus: outcome.status ?? 0, responseBody: outcome.body || (outcome.error ?? '') }
  state.dead.set(dlqId, { ...message, dlqId, state: 'FAILED', ...answer })
}

function cancel(state: State, messageId: string): boolean {
  const message = state.waiting.get(messageId)
  if (message) show(state, message, { state: 'dead', last_error: 'cancelled' })
  state.shown.delete(messageId)
  return state.waiting.delete(messageId)
}

function show(state: State, message: Message, change: Partial<DeskRecords['queue']>): void {
  const record = state.shown.get(message.messageId)
  if (record) Object.assign(record, { due_at: timestamp(message.notBefore) }, change)
}

function remember(seen: Map<string, { message: Message; until: number }>, id: string, message: Message, now: number): void {
  for (const [old, { until }] of seen) if (until <= now) seen.delete(old)
  seen.set(id, { message, until: now + deduplicationMs })
}

function queueRecord(message: Message): Omit<DeskRecords['queue'], 'at'> {
  return {
    id: message.messageId,
    state: 'scheduled',
    url: message.url,
    due_at: timestamp(message.notBefore),
    attempts: 0,
    body: parsedBody(message.body),
    last_status: null,
    last_error: null,
    forged_statuses: [],
  }
}

function parsedBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** What QStash posts to a callback: the destination's answer, its body in base64. */
function callbackOf(message: Message, outcome: Outcome, callback: string, now: number): Message {
  const body = JSON.stringify({
    status: outcome.status ?? 0,
    header: outcome.headers,
    body: Buffer.from(outcome.body).toString('base64'),
    retried: message.retried,
    maxRetries: message.maxRetries,
    sourceMessageId: message.messageId,
    sourceBody: Buffer.from(message.body).toString('base64'),
    url: message.url,
    method: message.method,
    createdAt: message.createdAt,
  })
  return {
    messageId: `msg_${randomUUID().replaceAll('-', '')}`,
    url: readDestination(callback),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    maxRetries: 3,
    timeoutMs: message.timeoutMs,
    createdAt: now,
    notBefore: now,
    retried: 0,
  }
}
