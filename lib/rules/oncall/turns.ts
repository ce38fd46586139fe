import { fromLocalTime, toLocalTime } from '#rules/schedules/zoned-time.ts'
import { findDuty } from './hours.ts'
import { getLayer, type Rotation, weekdays } from './schema.ts'

const dayMs = 86_400_000
const weekMs = 7 * dayMs

/**
 * What decides who is on call: rotations, sorted by their first day, whose local times are those of the time
 * zone.
 */
export interface Plan {
  timezone: string
  rotations: readonly Rotation[]
  /** The time zone of a member, for rotations with the hours of their members. */
  getTimezone?: (userId: string) => string
}

type IsAvailable = (userId: string) => boolean

/** The time for which one member of a rotation is on call, in milliseconds since the epoch. */
export interface Turn {
  userId: string | null
  startsAt: number
  endsAt: number
}

/** Return the local time at which a rotation begins. */
function getFirstLocalTime({ starts_on, handoff_time }: Rotation): number {
  return Date.parse(`${starts_on}T${handoff_time}:00Z`)
}

/**
 * Return the local time of the first handoff. A weekly rotation that begins on another day has a short first
 * turn.
 */
function getFirstHandoff(rotation: Rotation): number {
  const first = getFirstLocalTime(rotation)
  if (rotation.kind === 'daily') return first + dayMs
  const days = (weekdays.indexOf(rotation.handoff_day) - new Date(first).getUTCDay() + 7) % 7
  return first + (days === 0 ? 7 : days) * dayMs
}

const periodMs: Record<Rotation['kind'], number> = { daily: dayMs, weekly: weekMs }

/** Return the instant at which turn `n` begins, counted from 0. */
function getTurnStart(timezone: string, rotation: Rotation, n: number): number {
  return fromLocalTime(
    timezone,
    n === 0 ? getFirstLocalTime(rotation) : getFirstHandoff(rotation) + (n - 1) * periodMs[rotation.kind],
  )
}

/** Return the number of the turn at an instant after the start of the rotation. */
function findTurnNumber(timezone: string, rotation: Rotation, instant: number): number {
  let n = Math.max(
    0,
    Math.floor((toLocalTime(timezone, instant) - getFirstHandoff(rotation)) / periodMs[rotation.kind]) + 1,
  )
  // A clock change near the handoff makes the local time misleading.
  while (n > 0 && getTurnStart(timezone, rotation, n) > instant) n--
  while (getTurnStart(timezone, rotation, n + 1) <= instant) n++
  return n
}

/**
 * Return the member of turn `n`. Members who are not available lose their turn to the next one. Null if
 * nobody is available.
 */
function chooseMember(
  { members }: Rotation,
  n: number,
  isAvailable: (userId: string) => boolean,
): string | null {
  for (let skipped = 0; skipped < members.length; skipped++) {
    const userId = members[(n + skipped) % members.length]
    if (userId !== undefined && isAvailable(userId)) return userId
  }
  return null
}

/**
 * Turn the members of rotations in which others were added or removed, so that whoever has the turn now keeps
 * it: a turn is counted from the start of the rotation. The order stays, and so does a mere change of it.
 */
export function keepTurns(
  { timezone, rotations: before }: Plan,
  after: readonly Rotation[],
  instant: number,
  isAvailable: IsAvailable,
): Rotation[] {
  const toTiming = (rotation: Rotation) => JSON.stringify(Object.entries({ ...rotation, members: [] }).sort())
  return after.map((rotation) => {
    const earlier = before.find((candidate) => toTiming(candidate) === toTiming(rotation))
    if (!earlier || getTurnStart(timezone, rotation, 0) > instant) return rotation
    const kept = new Set(earlier.members)
    const isSameSet = kept.size === rotation.members.length && rotation.members.every((id) => kept.has(id))
    const n = findTurnNumber(timezone, rotation, instant)
    const place = rotation.members.indexOf(chooseMember(earlier, n, isAvailable) ?? '')
    if (isSameSet || place < 0) return rotation
    const length = rotation.members.length
    const shift = (((place - n) % length) + length) % length
    return { ...rotation, members: [...rotation.members.slice(shift), ...rotation.members.slice(0, shift)] }
  })
}

/**
 * Return who is on duty by the rotations of one layer, of which the one that began last applies, and until
 * when that does not change.
 */
function getLayerTurn(
  { timezone, getTimezone }: Plan,
  rotations: readonly Rotation[],
  instant: number,
  isAvailable: IsAvailable,
): Turn {
  const place = rotations.findLastIndex((rotation) => getTurnStart(timezone, rotation, 0) <= instant)
  const [rotation, next] = [rotations[place], rotations[place + 1]]
  const end = next ? getTurnStart(timezone, next, 0) : Number.POSITIVE_INFINITY
  if (!rotation) return { userId: null, startsAt: Number.NEGATIVE_INFINITY, endsAt: end }
  const n = findTurnNumber(timezone, rotation, instant)
  const userId = chooseMember(rotation, n, isAvailable)
  const [startsAt, endsAt] = [
    getTurnStart(timezone, rotation, n),
    Math.min(getTurnStart(timezone, rotation, n + 1), end),
  ]
  if (!rotation.hours || userId === null) return { userId, startsAt, endsAt }
  const zone = rotation.hours_zone === 'member' ? (getTimezone?.(userId) ?? timezone) : timezone
  const duty = findDuty(rotation.hours, zone, instant)
  return { userId: duty.isOnDuty ? userId : null, startsAt, endsAt: Math.min(endsAt, duty.endsAt) }
}

/**
 * Return the turn at an instant, in the highest layer with somebody on duty, and until when that does not
 * change.
 */
export function getTurn(plan: Plan, instant: number, isAvailable: IsAvailable): Turn {
  const layers = [...new Set(plan.rotations.map(getLayer))].sort((a, b) => b - a)
  let endsAt = Number.POSITIVE_INFINITY
  for (const layer of layers) {
    const rotations = plan.rotations.filter((rotation) => getLayer(rotation) === layer)
    const turn = getLayerTurn(plan, rotations, instant, isAvailable)
    endsAt = Math.min(endsAt, turn.endsAt)
    if (turn.userId !== null) return { ...turn, endsAt }
  }
  return { userId: null, startsAt: Number.NEGATIVE_INFINITY, endsAt }
}
