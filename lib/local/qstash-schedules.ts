import { randomUUID } from 'node:crypto'
import { Cron } from 'croner'
import type { Clock } from './clock.ts'
import { BadPublish, type HeaderSource, type Message, readDuration, readMessage } from './qstash-message.ts'

export interface Schedule {
  scheduleId: string
  cron: string
  destination: string
  headers: Record<string, string>
  body: string
  queueName?: string
  createdAt: number
  isPaused: boolean
  next: number
  lastScheduleTime?: number
}

export interface Schedules {
  put(destination: string, headers: Record<string, string>, body: string): Schedule
  get(id: string): Schedule | undefined
  list(): Schedule[]
  remove(id: string): boolean
  pause(id: string, paused: boolean): boolean
  /** The messages of all schedules whose time has come; a leap over many times makes one message. */
  due(): Message[]
  /** When the next one comes, in moved time. */
  nextAt(): number | undefined
}

/** Cron schedules by the moved clock. */
export function createSchedules(clock: Clock): Schedules {
  const schedules = new Map<string, Schedule>()
  let before = clock.offsetMs()
  clock.onMove(() => {
    // A clock set back would leave the next time far away.
    if (clock.offsetMs() < before) for (const schedule of schedules.values()) schedule.next = nextRun(schedule.cron, clock.now())
    before = clock.offsetMs()
  })
  const active = () => [...schedules.values()].filter((schedule) => !schedule.isPaused)
  return {
    put(destination, headers, body) {
      const schedule = readSchedule(destination, headers, body, clock.now())
      schedules.set(schedule.scheduleId, schedule)
      return schedule
    },
    get: (id) => schedules.get(id),
    list: () => [...schedules.values()],
    remove: (id) => schedules.delete(id),
    pause(id, paused) {
      const schedule = schedules.get(id)
      if (!schedule) return false
      Object.assign(schedule, { isPaused: paused, next: nextRun(schedule.cron, clock.now()) })
      return true
    },
    due: () =>
      active()
        .filter((schedule) => schedule.next <= clock.now())
        .map((schedule) => fire(schedule, clock.now())),
    nextAt: () => active().reduce<number | undefined>((least, { next }) => Math.min(least ?? next, next), undefined),
  }
}

function readSchedule(destination: string, headers: Record<string, string>, body: string, now: number): Schedule {
  const header: HeaderSource = (name) => headers[name]
  const cron = header('upstash-cron')
  if (!cron) throw new BadPublish('Upstash-Cron header is required')
  readMessage(destination, headers, body, now)
  if (header('upstash-delay')) readDuration('Upstash-Delay', header('upstash-delay') ?? '')
  const queueName = header('upstash-queue-name')
  return {
    scheduleId: header('upstash-schedule-id') ?? `scd_${randomUUID().replaceAll('-', '')}`,
    cron,
    destination,
    headers,
    body,
    createdAt: now,
    isPaused: false,
    next: nextRun(cron, now),
    ...(queueName ? { queueName } : {}),
  }
}

function fire(schedule: Schedule, now: number): Message {
  const message = readMessage(schedule.destination, schedule.headers, schedule.body, now)
  schedule.lastScheduleTime = schedule.next
  schedule.next = nextRun(schedule.cron, now)
  delete message.deduplicationId
  return { ...message, scheduleId: schedule.scheduleId, ...(schedule.queueName ? { queueName: schedule.queueName } : {}) }
}

/** The next time after `now` of five fields, `CRON_TZ=Area/City ` before them where given. Throws BadPublish. */
export function nextRun(cron: string, now: number): number {
  const [, timezone = 'UTC', fields = ''] = /^(?:CRON_TZ=(\S+) )?(.*)$/.exec(cron.trim()) ?? []
  // croner also takes seconds and words like @daily, which QStash does not.
  if (fields.trim().split(/\s+/).length !== 5) throw new BadPublish(`invalid cron: ${cron}`)
  try {
    const next = new Cron(fields, { timezone }).nextRun(new Date(now))
    if (next) return next.getTime()
  } catch {
    throw new BadPublish(`invalid cron: ${cron}`)
  }
  throw new BadPublish(`cron never comes: ${cron}`)
}
