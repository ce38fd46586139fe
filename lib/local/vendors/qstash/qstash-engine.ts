import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, toTimestamp } from '#local/clock.ts'
import type { Faults } from '#local/vendors/faults.ts'
import { parseJsonOrText } from '#local/vendors/parse-json.ts'
import type { Records, RecordTypes } from '#local/vendors/records.ts'
import { createForgedKey, type DeliveryOutcome, deliverMessage } from './qstash-delivery.ts'
import { type Message, parseDestination } from './qstash-message.ts'
import type { Schedules } from './qstash-schedules.ts'

export interface DeadLetter extends Message {
  dlqId: string
  state: 'FAILED'
  responseStatus: number
  responseBody: string
}

export interface Engine {
  /**
   * Accept a message. Return the earlier message instead if its deduplication id was used in the last ten
   * minutes.
   */
  accept(message: Message): { message: Message; deduplicated: boolean }
  /** Return the messages that are waiting or in flight. */
  listPending(): Message[]
  /** Cancel a waiting message. Return whether there was one. */
  cancel(messageId: string): boolean
  /** Messages that were not delivered, by dead letter id. */
  deadLetters: Map<string, DeadLetter>
  startDueDeliveries(): void
  /** Resolve when nothing is due or in flight. */
  waitUntilIdle(): Promise<void>
  /**
   * Like `waitUntilIdle`, but also waits for messages that a destination publishes shortly after its
   * response.
   */
  waitUntilSettled(): Promise<void>
  /** Start no delivery until the returned function is called. */
  pauseDeliveries(): () => void
  /** Abort the deliveries in flight and stop the engine. */
  close(): Promise<void>
}

interface EngineOptions {
  clock: Clock
  faults: Faults
  records: Records
  schedules: Schedules
  signingKey: string
  finishEffects?: (() => Promise<void>) | undefined
}

interface State extends EngineOptions {
  /** By message id, like the next two maps. */
  waitingMessages: Map<string, Message>
  inFlight: Map<string, { message: Message; done: Promise<void> }>
  /** The dashboard's records of messages that are not finished. */
  recordById: Map<string, RecordTypes['queue']>
  recentDeduplications: Deduplications
  deadLetters: Map<string, DeadLetter>
  /** Aborted when the engine closes. */
  stop: AbortController
  /** Deliveries are paused while this is above 0. */
  pauseCount: number
  timer: NodeJS.Timeout | undefined
}

/** The messages of recent deduplication ids. */
type Deduplications = Map<string, { message: Message; expiresAt: number }>

const maxInFlight = 50
const deduplicationMs = 10 * 60_000
const maxTimerMs = 60_000
const settleMs = 50
/** An effect may also be a stream that stays open. */
const maxEffectMs = 2000

/**
 * Create the delivery engine: it follows the moved clock, delivers at least once, retries with back-off and
 * collects dead letters.
 */
export function createEngine(options: EngineOptions): Engine {
  const state: State = {
    ...options,
    waitingMessages: new Map(),
    inFlight: new Map(),
    recordById: new Map(),
    recentDeduplications: new Map(),
    deadLetters: new Map(),
    stop: new AbortController(),
    pauseCount: 0,
    timer: undefined,
  }
  options.clock.onMove(() => setTimer(state))
  return {
    deadLetters: state.deadLetters,
    accept: (message) => acceptMessage(state, message),
    startDueDeliveries: () => startDueDeliveries(state),
    listPending: () => [
      ...state.waitingMessages.values(),
      ...[...state.inFlight.values()].map(({ message }) => message),
    ],
    cancel: (messageId) => cancelMessage(state, messageId),
    waitUntilIdle: () => waitUntilIdle(state),
    waitUntilSettled: () => waitUntilSettled(state),
    pauseDeliveries() {
      state.pauseCount += 1
      clearTimeout(state.timer)
      return () => {
        state.pauseCount -= 1
        startDueDeliveries(state)
      }
    },
    async close() {
      clearTimeout(state.timer)
      state.stop.abort()
      await Promise.all([...state.inFlight.values()].map(({ done }) => done))
    },
  }
}

async function waitUntilIdle(state: State): Promise<void> {
  startDueDeliveries(state)
  while (state.inFlight.size > 0) await Promise.race([...state.inFlight.values()].map(({ done }) => done))
}

/**
 * Wait until no request has anything left to do, and no message is published within `settleMs` after the last
 * delivery.
 */
async function waitUntilSettled(state: State): Promise<void> {
  for (let wasIdle = false; !wasIdle; ) {
    await waitUntilIdle(state)
    await Promise.race([state.finishEffects?.(), sleep(maxEffectMs)])
    await sleep(settleMs)
    const started = performance.now()
    await waitUntilIdle(state)
    // If a delivery had started meanwhile, waiting for it would have taken longer.
    wasIdle = performance.now() - started < 1
  }
}

function acceptMessage(state: State, message: Message): { message: Message; deduplicated: boolean } {
  const now = state.clock.now()
  const id = message.deduplicationId
  const earlier = id === undefined ? undefined : state.recentDeduplications.get(id)
  if (earlier && earlier.expiresAt > now) return { message: earlier.message, deduplicated: true }
  if (id !== undefined) rememberDeduplication(state.recentDeduplications, id, message, now)
  state.waitingMessages.set(message.messageId, message)
  state.recordById.set(message.messageId, state.records.add('queue', createQueueRecord(message)))
  setTimer(state)
  return { message, deduplicated: false }
}

function startDueDeliveries(state: State): void {
  if (state.pauseCount > 0 || state.stop.signal.aborted) return
  for (const message of state.schedules.takeDueMessages()) acceptMessage(state, message)
  const now = state.clock.now()
  const dueMessages = listDeliverable(state).filter((message) => message.notBefore <= now)
  dueMessages.sort((a, b) => a.notBefore - b.notBefore)
  for (const message of dueMessages.slice(0, maxInFlight - state.inFlight.size)) startDelivery(state, message)
  setTimer(state)
}

/**
 * List the messages that may be delivered when they are due. A named queue delivers one message at a time,
 * oldest first.
 */
function listDeliverable(state: State): Message[] {
  const busyQueues = new Set([...state.inFlight.values()].map(({ message }) => message.queueName))
  const oldestFirst = [...state.waitingMessages.values()].sort((a, b) => a.createdAt - b.createdAt)
  return oldestFirst.filter(({ queueName }) => {
    if (queueName === undefined) return true
    const isFree = !busyQueues.has(queueName)
    busyQueues.add(queueName)
    return isFree
  })
}

/** Set the timer for the next message or schedule. */
function setTimer(state: State): void {
  clearTimeout(state.timer)
  if (state.pauseCount > 0 || state.stop.signal.aborted || state.inFlight.size >= maxInFlight) return
  const nextAt = listDeliverable(state).reduce(
    (earliest, { notBefore }) => Math.min(earliest, notBefore),
    state.schedules.nextRunAt() ?? Number.POSITIVE_INFINITY,
  )
  if (nextAt === Number.POSITIVE_INFINITY) return
  state.timer = setTimeout(
    () => startDueDeliveries(state),
    Math.min(Math.max(nextAt - state.clock.now(), 0), maxTimerMs),
  )
  state.timer.unref()
}

function startDelivery(state: State, message: Message): void {
  state.waitingMessages.delete(message.messageId)
  updateRecord(state, message, { state: 'delivering', attempts: message.retried + 1 })
  const done = attemptDelivery(state, message).then((outcome) => {
    state.inFlight.delete(message.messageId)
    if (!state.stop.signal.aborted) finishAttempt(state, message, outcome)
    startDueDeliveries(state)
  })
  state.inFlight.set(message.messageId, { message, done })
}

/**
 * Deliver a message. The fault `duplicate` delivers it twice at once; `forge` adds a delivery with a wrong
 * signature.
 */
async function attemptDelivery(state: State, message: Message): Promise<DeliveryOutcome> {
  const { faults, stop, signingKey } = state
  const copies = faults.take('qstash', 'duplicate') ? 2 : 1
  const forgedDelivery = faults.take('qstash', 'forge')
    ? deliverMessage(message, createForgedKey(), stop.signal)
    : undefined
  const outcomes = await Promise.all(
    Array.from({ length: copies }, () => deliverMessage(message, signingKey, stop.signal)),
  )
  if (forgedDelivery)
    state.recordById.get(message.messageId)?.forged_statuses.push((await forgedDelivery).status)
  return outcomes.find((outcome) => outcome.ok) ?? (outcomes[0] as DeliveryOutcome)
}

function finishAttempt(state: State, message: Message, outcome: DeliveryOutcome): void {
  const now = state.clock.now()
  const lastAttempt = { last_status: outcome.status, last_error: outcome.error }
  if (!outcome.ok && message.retried < message.maxRetries) {
    message.retried += 1
    message.notBefore = now + retryDelayMs(message.retried)
    updateRecord(state, message, { ...lastAttempt, state: 'failed' })
    state.waitingMessages.set(message.messageId, message)
    return
  }
  updateRecord(state, message, { ...lastAttempt, state: outcome.ok ? 'delivered' : 'dead' })
  state.recordById.delete(message.messageId)
  if (!outcome.ok) addDeadLetter(state, message, outcome)
  const callback = outcome.ok ? message.callback : (message.failureCallback ?? message.callback)
  if (callback) acceptMessage(state, createCallback(message, outcome, callback, now))
}

/** Return QStash's documented back-off: 12 s, 2 min 28 s, 30 min and so on, up to a day. */
function retryDelayMs(retried: number): number {
  return Math.min(86_400, Math.exp(2.5 * retried)) * 1000
}

function addDeadLetter(state: State, message: Message, outcome: DeliveryOutcome): void {
  const dlqId = `${state.clock.now()}-${randomUUID().slice(0, 8)}`
  const response = {
    responseStatus: outcome.status ?? 0,
    responseBody: outcome.body || (outcome.error ?? ''),
  }
  state.deadLetters.set(dlqId, { ...message, dlqId, state: 'FAILED', ...response })
}

function cancelMessage(state: State, messageId: string): boolean {
  const message = state.waitingMessages.get(messageId)
  if (message) updateRecord(state, message, { state: 'dead', last_error: 'cancelled' })
  state.recordById.delete(messageId)
  return state.waitingMessages.delete(messageId)
}

function updateRecord(state: State, message: Message, changes: Partial<RecordTypes['queue']>): void {
  const record = state.recordById.get(message.messageId)
  if (record) Object.assign(record, { due_at: toTimestamp(message.notBefore) }, changes)
}

function rememberDeduplication(
  deduplications: Deduplications,
  id: string,
  message: Message,
  now: number,
): void {
  for (const [oldId, { expiresAt }] of deduplications) if (expiresAt <= now) deduplications.delete(oldId)
  deduplications.set(id, { message, expiresAt: now + deduplicationMs })
}

function createQueueRecord(message: Message): Omit<RecordTypes['queue'], 'at' | 'trace_id'> {
  return {
    id: message.messageId,
    state: 'scheduled',
    url: message.url,
    due_at: toTimestamp(message.notBefore),
    attempts: 0,
    body: parseJsonOrText(message.body),
    last_status: null,
    last_error: null,
    forged_statuses: [],
  }
}

/** Create the message for a callback. It contains the destination's response, with the body in base64. */
function createCallback(message: Message, outcome: DeliveryOutcome, callback: string, now: number): Message {
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
    url: parseDestination(callback),
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
