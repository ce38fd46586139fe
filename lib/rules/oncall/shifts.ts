import { getTurn, type Plan } from './turns.ts'

/** A user who takes over for a time, in milliseconds since the epoch. */
export interface Override {
  id: string
  userId: string
  startsAt: number
  endsAt: number
}

/** Who is on call for a time. `overrideId` is null for a turn of a rotation. */
export interface Shift {
  userId: string
  startsAt: number
  endsAt: number
  overrideId: string | null
}

export interface Roster extends Plan {
  /**
   * In the order of their creation. Of several overrides at the same time, the one that was created last
   * applies.
   */
  overrides: readonly Override[]
  /**
   * Whether a user may be on call. Others lose their turns to the next member of the rotation, and their
   * overrides do not apply.
   */
  isAvailable: (userId: string) => boolean
}

/** A time during which nothing changes. `userId` is null if nobody is on call. */
type Stretch = Omit<Shift, 'userId'> & { userId: string | null }

/** Return who is on call at an instant, and until when, without regard to overrides that begin later. */
function getCurrent(roster: Roster, instant: number): Stretch {
  const { overrides, isAvailable } = roster
  const override = overrides.findLast(
    ({ userId, startsAt, endsAt }) => startsAt <= instant && instant < endsAt && isAvailable(userId),
  )
  if (override)
    return {
      userId: override.userId,
      startsAt: override.startsAt,
      endsAt: override.endsAt,
      overrideId: override.id,
    }
  return { ...getTurn(roster, instant, isAvailable), overrideId: null }
}

/** Return who is on call from an instant on, until somebody else is. */
function getStretch(roster: Roster, instant: number): Stretch {
  const current = getCurrent(roster, instant)
  const place = roster.overrides.findIndex(({ id }) => id === current.overrideId)
  const laterOverrides = roster.overrides.slice(place + 1)
  const starts = laterOverrides
    .filter(({ userId, startsAt }) => startsAt > instant && roster.isAvailable(userId))
    .map(({ startsAt }) => startsAt)
  return { ...current, startsAt: instant, endsAt: Math.min(current.endsAt, ...starts) }
}

/**
 * Return who is on call at an instant and until when, or null. `endsAt` is infinite if nothing ends the
 * shift.
 */
export function findOnCall(roster: Roster, instant: number): Shift | null {
  const { userId, ...stretch } = getStretch(roster, instant)
  return userId === null ? null : { userId, ...stretch }
}

/**
 * Return the shifts from `from` to `to`, without gaps in which nobody is on call. The first and last one are
 * cut to this time.
 */
export function listShifts(roster: Roster, from: number, to: number): Shift[] {
  const shifts: Shift[] = []
  for (let instant = from; instant < to; ) {
    const { userId, endsAt, overrideId } = getStretch(roster, instant)
    const end = Math.min(endsAt, to)
    if (userId !== null) shifts.push({ userId, startsAt: instant, endsAt: end, overrideId })
    instant = end
  }
  return shifts
}

/**
 * Return the first shift that begins after `from` and before `to` for somebody who is not on call until then, with
 * what follows it without a gap.
 */
export function findNextShift(roster: Roster, from: number, to: number): Shift | undefined {
  let previous: Shift | undefined
  let next: Shift | undefined
  for (const shift of listShifts(roster, from, to)) {
    const goesOn = previous?.userId === shift.userId && previous.endsAt === shift.startsAt
    if (next && !goesOn) break
    if (next) next = { ...next, endsAt: shift.endsAt }
    else if (shift.startsAt > from && !goesOn) next = shift
    previous = shift
  }
  return next
}

/**
 * Join the shifts of consecutive times. A shift that goes on across the border between two of them stays one.
 */
export function joinShifts(parts: readonly Shift[][]): Shift[] {
  const joinedShifts: Shift[] = []
  for (const [first, ...others] of parts) {
    const previousShift = joinedShifts.at(-1)
    if (!first) continue
    const goesOn =
      previousShift?.endsAt === first.startsAt &&
      previousShift.userId === first.userId &&
      previousShift.overrideId === first.overrideId
    if (previousShift && goesOn)
      joinedShifts[joinedShifts.length - 1] = { ...previousShift, endsAt: first.endsAt }
    else joinedShifts.push(first)
    joinedShifts.push(...others)
  }
  return joinedShifts
}
