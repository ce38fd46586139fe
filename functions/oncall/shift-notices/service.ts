import { findPerson, type RosterRow, selectRosters, toRoster } from '#db/rows/on-call-rosters.ts'
import { selectTimezones } from '#db/rows/timezones.ts'
import { inTransaction, type PlatformDb, type ReadDb, type WriteDb } from '#db/scope.ts'
import type { WriteContext } from '#http/operation.ts'
import type { Shift } from '#rules/oncall/shifts.ts'
import { enqueueEvent } from '#work/events.ts'
import { type AccountSweepContext, type SweepBudget, sweepAccounts } from '#work/sweep-accounts.ts'
import * as queries from './queries.ts'

// Who is told that a shift begins, and that it is somebody else's than before.

// Loaded on first use: it is not needed at start.
const loadShifts = () => import('#rules/oncall/shifts.ts')

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How long before a shift its member is told. */
const noticeMs = hourMs
/** How far the next shift is looked for. */
const maxShiftMs = 31 * dayMs
/** Who is told of a change of a shift that begins within this time gets an e-mail too. */
const soonMs = 12 * hourMs

interface Person {
  id: string
  name: string
}

interface Schedule {
  id: string
  name: string
  team_id: string | null
}

interface Change<S extends Schedule = Schedule> {
  schedule: S
  member: Person | null
  previous: Person | null
}

/** Return who is on call by a schedule now. */
export async function findOnCallPerson(db: ReadDb, id: string): Promise<Person | null> {
  const row = await selectRosters.first(db, { ids: [id] })
  return row ? findNow(row) : null
}

async function findNow(row: RosterRow): Promise<Person | null> {
  const { findOnCall } = await loadShifts()
  const shift = findOnCall(toRoster(row), Date.parse(row.now))
  return shift && findPerson(row, shift.userId)
}

/** Return the shifts of a schedule within a time that have not ended, and the time now. */
export async function listShiftsWithin(
  db: ReadDb,
  id: string,
  { starts_at: from, ends_at: to }: { starts_at: string; ends_at: string },
): Promise<{ shifts: Shift[]; now: number }> {
  const row = await selectRosters.first(db, { ids: [id], from, to })
  if (!row) return { shifts: [], now: 0 }
  const { listShifts } = await loadShifts()
  const now = Date.parse(row.now)
  const shifts = listShifts(toRoster(row), Date.parse(from), Date.parse(to))
  return { shifts: shifts.filter(({ endsAt }) => endsAt > now), now }
}

export function listUserIds(shifts: readonly Shift[]): string[] {
  return [...new Set(shifts.map(({ userId }) => userId))]
}

/** Change a schedule, and tell who is on call after that instead of before. */
export async function changeAndAnnounce<S extends Schedule>(
  { db, caller }: Pick<WriteContext, 'db' | 'caller'>,
  id: string,
  change: (inner: WriteDb) => Promise<S>,
): Promise<Change<S>> {
  return inTransaction(db, async (inner) => {
    const previous = await findOnCallPerson(inner, id)
    const schedule = await change(inner)
    const member = await findOnCallPerson(inner, id)
    await announceChange(inner, { schedule, previous, member, actorId: caller.userId })
    return { schedule, previous, member }
  })
}

/**
 * Tell who is on call now and was not before, and the admins if nobody is. Who was on call before is told if
 * they still may be.
 */
export async function announceChange(
  db: WriteDb | PlatformDb,
  {
    schedule,
    member,
    previous,
    actorId,
    isDeleted = false,
  }: Change & { actorId: string | null; isDeleted?: boolean },
  isPreviousTold = true,
): Promise<void> {
  if (member?.id === previous?.id) return
  const told = [member, ...(isPreviousTold ? [previous] : [])]
  await enqueueEvent(db, {
    key: 'oncall.changed',
    actorId,
    teamId: schedule.team_id,
    scheduleId: schedule.id,
    scheduleName: schedule.name,
    member,
    previous,
    isDeleted,
    userIds: told.flatMap((person) => (person && person.id !== actorId ? [person.id] : [])),
  })
}

/**
 * Do what a member may no longer be on call after. Tell who is on call in their place by each schedule, and
 * return these schedules. The actor is null if it is the member, who can cause no e-mails any more.
 */
export async function announceLeaver<Db extends WriteDb | PlatformDb, T>(
  db: Db,
  actorId: string | null,
  leave: (db: Db) => Promise<T>,
): Promise<{ result: T; changes: Change[] }> {
  const before = await listNow(db)
  const result = await leave(db)
  const after = await listNow(db)
  const moved = before.flatMap(({ schedule, member: previous }) => {
    const member = after.find((now) => now.schedule.id === schedule.id)?.member ?? null
    return previous && previous.id !== member?.id ? [{ schedule, previous, member }] : []
  })
  // Whoever has deleted their user has no name any more.
  const names = await queries.selectNames.all(
    db,
    moved.map(({ previous }) => previous.id),
  )
  const changes = moved.map(({ previous, ...change }) => ({
    ...change,
    previous: names.find(({ id }) => id === previous.id) ?? previous,
  }))
  for (const change of changes) await announceChange(db, { ...change, actorId }, false)
  return { result, changes }
}

async function listNow(db: ReadDb | PlatformDb) {
  const rows = await selectRosters.all(db, {})
  return Promise.all(rows.map(async (row) => ({ schedule: row, member: await findNow(row) })))
}

interface OverrideChange {
  schedule: Schedule & { timezone: string; is_other_team: boolean; may_change: boolean }
  override: { user: Person; starts_at: string; ends_at: string }
  actorId: string
}

/** Tell who is replaced, who was put on call by somebody else, and the admins of another team. */
export async function announceOverride(
  db: WriteDb,
  change: OverrideChange & { replacedIds: string[]; now: number; isMailed: boolean },
): Promise<void> {
  const { schedule, override, replacedIds, actorId, now, isMailed } = change
  const startsIn = Date.parse(override.starts_at) - now
  // Of a shift within the hour they are told by its notice, and of one that has begun by its change.
  const userIds = [...replacedIds, ...(startsIn > noticeMs ? [override.user.id] : [])]
  const isOtherTeam = schedule.is_other_team && !schedule.may_change
  const told = userIds.filter((id) => id !== actorId)
  if (told.length === 0 && !isOtherTeam) return
  await enqueueOverridden(db, change, {
    isEnded: false,
    replacedIds: replacedIds.filter((id) => id !== actorId),
    userIds: told,
    isOtherTeam,
    isMailed: isMailed || startsIn < soonMs,
  })
}

/** Tell whose override was deleted, and who is on call again in its time. */
export async function announceOverrideEnd(
  db: WriteDb,
  change: OverrideChange & Pick<Change, 'member' | 'previous'>,
): Promise<void> {
  const { schedule, override, member, previous, actorId } = change
  const { shifts, now } = await listShiftsWithin(db, schedule.id, override)
  if (Date.parse(override.ends_at) <= now) return
  const replacedIds = listUserIds(shifts).filter((id) => id !== override.user.id)
  // Who is on call now instead of somebody else has another message.
  const toldIds = member?.id === previous?.id ? [actorId] : [actorId, member?.id, previous?.id]
  const userIds = [override.user.id, ...replacedIds].filter((id) => !toldIds.includes(id))
  if (userIds.length === 0) return
  await enqueueOverridden(db, change, {
    isEnded: true,
    replacedIds,
    userIds,
    isOtherTeam: false,
    isMailed: Date.parse(override.starts_at) - now < soonMs,
  })
}

async function enqueueOverridden(
  db: WriteDb,
  { schedule, override, actorId }: OverrideChange,
  told: {
    isEnded: boolean
    replacedIds: string[]
    userIds: string[]
    isOtherTeam: boolean
    isMailed: boolean
  },
): Promise<void> {
  await enqueueEvent(db, {
    key: 'oncall.overridden',
    actorId,
    teamId: schedule.team_id,
    scheduleId: schedule.id,
    scheduleName: schedule.name,
    memberName: override.user.name,
    memberId: override.user.id,
    startsAt: override.starts_at,
    endsAt: override.ends_at,
    timezones: await listTimezones(db, schedule, told.userIds, told.isOtherTeam),
    ...told,
  })
}

/** Return the time zone of a schedule, and those of who is told. */
export async function listTimezones(
  db: ReadDb,
  { timezone, team_id }: { timezone: string; team_id: string | null },
  userIds: readonly string[],
  isOtherTeam = false,
): Promise<string[]> {
  const rows = await selectTimezones.all(db, userIds, isOtherTeam, team_id)
  return [...new Set([timezone, ...rows.map((row) => row.timezone)])]
}

/**
 * Tell those whose shift begins within the hour, once. One transaction stores the messages of an account and
 * when its schedules are looked at again.
 */
export async function announceShifts(ctx: AccountSweepContext, budget: SweepBudget): Promise<void> {
  const accounts = await queries.selectAccountsWithNotices.all(ctx.platform)
  await sweepAccounts(ctx, accounts, budget, async (db) => {
    const ids = (await queries.lockDueNotices(db)).map(({ id }) => id)
    for (const row of await selectRosters.all(db, { ids })) await announceNextShift(db, row)
    return false
  })
}

async function announceNextShift(db: WriteDb, row: RosterRow): Promise<void> {
  const { findNextShift } = await loadShifts()
  const [now, end] = [Date.parse(row.now), Date.parse(row.now) + maxShiftMs]
  const shift = findNextShift(toRoster(row), now, end)
  const isSoon = shift !== undefined && shift.startsAt <= now + noticeMs
  // At its start, the shift after it is looked for.
  const noticeAt = !shift ? now + dayMs : isSoon ? shift.startsAt : shift.startsAt - noticeMs
  await queries.setNoticeAt(db, row.id, new Date(noticeAt).toISOString())
  if (!isSoon || (await queries.selectIsTold.one(db, row.id, shift.userId)).is_told) return
  const person = row.people.find(({ id }) => id === shift.userId)
  if (!person) return
  await enqueueEvent(db, {
    key: 'oncall.shift_starts',
    actorId: null,
    teamId: row.team_id,
    scheduleId: row.id,
    scheduleName: row.name,
    member: person,
    startsAt: new Date(shift.startsAt).toISOString(),
    endsAt: shift.endsAt < end ? new Date(shift.endsAt).toISOString() : null,
  })
}
