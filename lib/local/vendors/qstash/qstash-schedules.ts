import { randomUUID } from 'node:crypto'
import { Cron } from 'croner'
import type { Clock } from '#local/clock.ts'
import {
  type GetHeader,
  InvalidPublishError,
  type Message,
  parseDuration,
  parseMessage,
} from './qstash-message.ts'

export interface Schedule {
  scheduleId: string
  cron: string
  destination: string
  headers: Record<string, string>
  body: string
  queueName?: string
  createdAt: number
  isPaused: boolean
  nextAt: number
  lastScheduleTime?: number
}

export interface Schedules {
  put(destination: string, headers: Record<string, string>, body: string): Schedule
  get(id: string): Schedule | undefined
  list(): Schedule[]
  remove(id: string): boolean
  pause(id: string, paused: boolean): boolean
  /**
   * Return one message for each schedule that is due, and set its next time. Several missed times create one
   * message.
   */
  takeDueMessages(): Message[]
  /** Return the time of the next run of all schedules, or undefined if none is active. */
  nextRunAt(): number | undefined
}

/** Create cron schedules that follow the moved clock. */
export function createSchedules(clock: Clock): Schedules {
  const schedules = new Map<string, Schedule>()
  let previousOffsetMs = clock.offsetMs()
  clock.onMove(() => {
    // When the clock is set back, the next times must be computed again. They would be far in the future.
    if (clock.offsetMs() < previousOffsetMs)
      for (const schedule of schedules.values()) schedule.nextAt = computeNextRun(schedule.cron, clock.now())
    previousOffsetMs = clock.offsetMs()
  })
  const active = () => [...schedules.values()].filter((schedule) => !schedule.isPaused)
  return {
    put(destination, headers, body) {
      const schedule = parseSchedule(destination, headers, body, clock.now())
      schedules.set(schedule.scheduleId, schedule)
      return schedule
    },
    get: (id) => schedules.get(id),
    list: () => [...schedules.values()],
    remove: (id) => schedules.delete(id),
    pause(id, paused) {
      const schedule = schedules.get(id)
      if (!schedule) return false
      Object.assign(schedule, { isPaused: paused, nextAt: computeNextRun(schedule.cron, clock.now()) })
      return true
    },
    takeDueMessages: () =>
      active()
        .filter((schedule) => schedule.nextAt <= clock.now())
        .map((schedule) => createScheduledMessage(schedule, clock.now())),
    nextRunAt: () =>
      active().reduce<number | undefined>(
        (earliest, { nextAt }) => Math.min(earliest ?? nextAt, nextAt),
        undefined,
      ),
  }
}

function parseSchedule(
  destination: string,
  headers: Record<string, string>,
  body: string,
  now: number,
): Schedule {
  const getHeader: GetHeader = (name) => headers[name]
  const cron = getHeader('upstash-cron')
  if (!cron) throw new InvalidPublishError('Upstash-Cron header is required')
  parseMessage(destination, headers, body, now)
  if (getHeader('upstash-delay')) parseDuration('Upstash-Delay', getHeader('upstash-delay') ?? '')
  const queueName = getHeader('upstash-queue-name')
  return {
    scheduleId: getHeader('upstash-schedule-id') ?? `scd_${randomUUID().replaceAll('-', '')}`,
    cron,
    destination,
    headers,
    body,
    createdAt: now,
    isPaused: false,
    nextAt: computeNextRun(cron, now),
    queueName: queueName || undefined,
  }
}

function createScheduledMessage(schedule: Schedule, now: number): Message {
  const message = parseMessage(schedule.destination, schedule.headers, schedule.body, now)
  schedule.lastScheduleTime = schedule.nextAt
  schedule.nextAt = computeNextRun(schedule.cron, now)
  delete message.deduplicationId
  return {
    ...message,
    scheduleId: schedule.scheduleId,
    ...(schedule.queueName ? { queueName: schedule.queueName } : {}),
  }
}

/**
 * Compute the next run after `now` of a cron expression with five fields, optionally after `CRON_TZ=Area/City
 * `. Throw InvalidPublishError.
 */
export function computeNextRun(cron: string, now: number): number {
  const [, timezone = 'UTC', fields = ''] = /^(?:CRON_TZ=(\S+) )?(.*)$/.exec(cron.trim()) ?? []
  // croner also accepts seconds and names such as @daily, which QStash refuses.
  if (fields.trim().split(/\s+/).length !== 5) throw new InvalidPublishError(`invalid cron: ${cron}`)
  try {
    const next = new Cron(fields, { timezone }).nextRun(new Date(now))
    if (next) return next.getTime()
  } catch {
    throw new InvalidPublishError(`invalid cron: ${cron}`)
  }
  throw new InvalidPublishError(`cron never runs: ${cron}`)
}
