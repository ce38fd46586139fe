import { nameOrder, type PageQuery, toPage } from '#db/page.ts'
import { findPerson, type RosterRow, selectRosters, toRoster } from '#db/rows/on-call-rosters.ts'
import { inTransaction, type PlatformDb, type ReadDb, type WriteDb } from '#db/scope.ts'
import { throwUnknownId } from '#db/sqlstate.ts'
import * as policies from '#functions/oncall/policies/service.ts'
import * as notices from '#functions/oncall/shift-notices/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import {
  type FieldError,
  invalidField,
  invalidRequest,
  notFound,
  Problem,
  requireVersion,
  throwNotFound,
  unknownId,
} from '#problem.ts'
import { type EscalationStep, listBackUpIds, listTargetIds } from '#rules/oncall/escalation-step.ts'
import type { HandoverDuty } from '#rules/oncall/handover.ts'
import * as queries from './queries.ts'
import type {
  CreatedSchedule,
  OnCall,
  OnCallDuties,
  OnCallSchedule,
  Override,
  OverrideCreate,
  ScheduleCreate,
  ScheduleUpdate,
  Shift,
  UpdatedSchedule,
} from './schemas.ts'

// Loaded on first use: it is not needed at start.
const loadShifts = () => import('#rules/oncall/shifts.ts')
const loadTurns = () => import('#rules/oncall/turns.ts')

const dayMs = 86_400_000
const maxOverrideDays = 31
const maxShiftDays = 92

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage((await queries.selectSchedules(db, page)).map(toSchedule), page, nameOrder())
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<OnCallSchedule> {
  return toSchedule(await find(db, id))
}

export async function create({ db }: WriteContext, input: ScheduleCreate): Promise<CreatedSchedule> {
  await requireTeamAndMembers(db, input.team_id, input.rotations)
  const schedule = toSchedule(await queries.insertSchedule(db, input).catch(throwUnknownTeam))
  return { ...schedule, hint: await findHint(db, schedule.id) }
}

/** Say why nobody is reached by a schedule; null if somebody is. */
async function findHint(db: ReadDb, id: string): Promise<string | null> {
  const { can_work, reachable } = await queries.countReachable.one(db, id)
  if (can_work === 0)
    return 'Nobody is reached by this schedule: no active engineer or admin is in its rotations or overrides.'
  return reachable === 0
    ? 'No e-mail reaches anybody by this schedule: no member has an address that takes e-mails. They are told in the app alone.'
    : null
}

export async function update(
  ctx: WriteContext,
  id: string,
  changes: ScheduleUpdate,
): Promise<UpdatedSchedule> {
  const { schedule, previous, member } = await notices.changeAndAnnounce(ctx, id, async (inner) =>
    store(inner, id, await keepTurns(inner, id, changes)),
  )
  return { ...schedule, hint: await findHint(ctx.db, id), on_call_before: previous, on_call_after: member }
}

/** Change rotations so that adding or removing members leaves who has the turn now. */
async function keepTurns(db: ReadDb, id: string, changes: ScheduleUpdate): Promise<ScheduleUpdate> {
  const row = changes.rotations && (await selectRosters.first(db, { ids: [id] }))
  if (!row || !changes.rotations) return changes
  const { keepTurns: keep } = await loadTurns()
  const roster = toRoster({ ...row, timezone: changes.timezone ?? row.timezone })
  return { ...changes, rotations: keep(roster, changes.rotations, Date.parse(row.now), roster.isAvailable) }
}

async function store(db: WriteDb, id: string, changes: ScheduleUpdate): Promise<OnCallSchedule> {
  const { expected_version, ...columns } = changes
  const current = await requireEditable(db, id)
  const { team_id = current.team_id, rotations = [] } = columns
  await requireTeamAndMembers(db, team_id, rotations)
  const isChange = Object.keys(columns).length > 0
  const updated = isChange ? await queries.updateSchedule(db, id, changes).catch(throwUnknownTeam) : undefined
  if (updated) return toSchedule(updated)
  const latest = isChange ? await requireEditable(db, id) : current
  requireVersion('on-call schedule', latest, expected_version)
  return toSchedule(latest)
}

/** Delete a schedule. Whoever is on call by it is told. */
export async function remove({ db, caller }: WriteContext, id: string): Promise<void> {
  await inTransaction(db, async (inner) => {
    const schedule = await requireEditable(inner, id)
    await policies.requireUnusedSchedule(inner, id)
    const previous = await notices.findOnCallPerson(inner, id)
    if (!(await queries.deleteSchedule(inner, id))) throwNotFound('On-call schedule')
    const change = { schedule, previous, member: null, actorId: caller.userId, isDeleted: true }
    await notices.announceChange(inner, change)
  })
}

export async function listOnCall({ db }: ReadContext, teamId: string | undefined): Promise<OnCall[]> {
  const { findOnCall } = await loadShifts()
  return (await selectRosters.all(db, { teamId })).map((row) => {
    const shift = findOnCall(toRoster(row), Date.parse(row.now))
    return {
      schedule_id: row.id,
      schedule_name: row.name,
      team_id: row.team_id,
      user: shift && findPerson(row, shift.userId),
      until: shift && iso(shift.endsAt),
      override_id: shift?.overrideId ?? null,
    }
  })
}

/** How far the next shift is looked for. */
const nextShiftMs = 2 * dayMs

/**
 * Return who is on call by each schedule, or by those of a team and of none, and who is next within two days.
 */
export async function listNextOnCall(db: ReadDb, teamId: string | null): Promise<HandoverDuty[]> {
  const { listShifts } = await loadShifts()
  const rows = await selectRosters.all(db, {})
  return rows
    .filter(({ team_id }) => teamId === null || team_id === null || team_id === teamId)
    .map((row) => {
      const now = Date.parse(row.now)
      const shifts = listShifts(toRoster(row), now, now + nextShiftMs)
      const current = shifts.find(({ startsAt }) => startsAt === now)
      let until = now
      for (const { userId, startsAt, endsAt } of shifts)
        if (userId === current?.userId && startsAt === until) until = endsAt
      const next = shifts.find(({ userId, startsAt }) => startsAt >= until && userId !== current?.userId)
      return {
        schedule_id: row.id,
        schedule_name: row.name,
        user: current ? findPerson(row, current.userId) : null,
        until: current && until < now + nextShiftMs ? iso(until) : null,
        next_user: next ? findPerson(row, next.userId) : null,
        next_from: next ? iso(next.startsAt) : null,
      }
    })
}

export async function listOfMember({ db }: ReadContext, userId: string): Promise<OnCallDuties> {
  return (await queries.selectDuties.first(db, userId)) ?? throwNotFound('Member')
}

/**
 * Return the ids of the users who are on call by these schedules. A schedule that does not exist has none.
 */
export async function findOnCallUsers(
  db: ReadDb | PlatformDb,
  scheduleIds: readonly string[],
): Promise<string[]> {
  if (scheduleIds.length === 0) return []
  const { findOnCall } = await loadShifts()
  const rows = await selectRosters.all(db, { ids: scheduleIds })
  return rows.flatMap((row) => findOnCall(toRoster(row), Date.parse(row.now))?.userId ?? [])
}

/**
 * Return who is told of an escalation at once: whoever is on call by a schedule of the session's team, or
 * else of the account. `rows` are the rosters of the session. Schedules that its policy names as back-up wait for their step.
 */
export async function chooseAlerted(
  rows: readonly RosterRow[],
  { steps, engineerId }: { steps: readonly EscalationStep[]; engineerId: string },
): Promise<string[]> {
  const backUpIds = listBackUpIds(steps)
  const { findOnCall } = await loadShifts()
  const choose = (isOfTeam: boolean) =>
    rows
      .filter(({ id, team_id }) => (team_id !== null) === isOfTeam && !backUpIds.includes(id))
      .flatMap((row) => findOnCall(toRoster(row), Date.parse(row.now))?.userId ?? [])
      .filter((id) => id !== engineerId)
  const ofTeam = choose(true)
  return [...new Set(ofTeam.length > 0 ? ofTeam : choose(false))]
}

/** Return who is on call for an escalation now: by its policy, and those who are told at once. */
export async function findOnCallFor(
  db: ReadDb | PlatformDb,
  sessionId: string,
  escalation: { steps: readonly EscalationStep[]; engineerId: string },
): Promise<string[]> {
  const targets = escalation.steps.flatMap(({ targets }) => targets)
  const byPolicy = await findOnCallUsers(db, listTargetIds(targets, 'schedule'))
  const rows = await selectRosters.all(db, { sessionId })
  return [...new Set([...(await chooseAlerted(rows, escalation)), ...byPolicy])]
}

export async function listScheduleShifts(
  { db }: ReadContext,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<Shift[]> {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  if (end <= start) throw invalidField(['query', 'to'], 'must be after `from`')
  if (end - start > maxShiftDays * dayMs)
    throw invalidField(['query', 'to'], `must be at most ${maxShiftDays} days after \`from\``)
  const row = (await selectRosters.first(db, { ids: [id], from, to })) ?? throwNotFound('On-call schedule')
  return (await listRosterShifts(row, start, end)).map(({ user, startsAt, endsAt, overrideId }) => ({
    user,
    starts_at: iso(startsAt),
    ends_at: iso(endsAt),
    override_id: overrideId,
  }))
}

/** Return the shifts of a schedule that was selected for this time, in milliseconds since the epoch. */
export async function listRosterShifts(row: RosterRow, start: number, end: number) {
  const { listShifts, joinShifts } = await loadShifts()
  // Until a change, its earlier version decided. So a change keeps the past.
  const versions = [
    ...row.versions.map((version) => ({ ...row, ...version })),
    { ...row, valid_until: iso(end) },
  ]
  const shifts = versions.map((version, n) => {
    const from = Math.max(start, Date.parse(versions[n - 1]?.valid_until ?? '1970-01-01'))
    return listShifts(toRoster(version), from, Math.min(end, Date.parse(version.valid_until)))
  })
  const people = versions.flatMap((version) => version.people)
  return joinShifts(shifts).map((shift) => ({ ...shift, user: findPerson({ people }, shift.userId) }))
}

export async function listOverrides({ db }: ReadContext, id: string, page: PageQuery) {
  await find(db, id)
  return toPage(await queries.selectOverrides.all(db, id, page), page, queries.overrideOrder)
}

/** Put a member on call. Whoever is replaced is told, and who is put on call by somebody else. */
export async function createOverride(
  { db, caller }: WriteContext,
  id: string,
  input: OverrideCreate,
): Promise<Override> {
  const { member_id } = input
  requireSpan(input)
  const schedule = await find(db, id)
  if (!schedule.may_change && member_id !== caller.userId)
    throw new Problem('forbidden', 'Only an admin of its team or an account admin may put others on call')
  const override = await inTransaction(db, (inner) => insertOverride(inner, schedule, input, caller.userId))
  if (override) return override
  const responders = await queries.selectResponders.one(db, [member_id], null)
  if (responders.ids.length === 0) throw unknownId('member_id', 'active engineer or admin')
  throw invalidField(['body', 'ends_at'], 'must be in the future')
}

/** Throw 422 for a time that ends before it starts, or is too long. */
export function requireSpan({ starts_at, ends_at }: { starts_at: string; ends_at: string }): void {
  const length = Date.parse(ends_at) - Date.parse(starts_at)
  if (length <= 0) throw invalidField(['body', 'ends_at'], 'must be after `starts_at`')
  if (length > maxOverrideDays * dayMs)
    throw invalidField(['body', 'ends_at'], `must be at most ${maxOverrideDays} days after \`starts_at\``)
}

/**
 * Insert an override in the transaction of `db`, with its messages: with `isMailed` by e-mail, however late it
 * begins. Return undefined if it has ended, or the caller may not put the member on call.
 */
export async function insertOverride(
  db: WriteDb,
  schedule: queries.ScheduleRow,
  input: OverrideCreate,
  actorId: string,
  isMailed = false,
): Promise<Override | undefined> {
  const { member_id } = input
  const { shifts, now } = await notices.listShiftsWithin(db, schedule.id, input)
  const previous = await notices.findOnCallPerson(db, schedule.id)
  const override = await queries.insertOverride.first(db, schedule.id, input)
  if (!override) return undefined
  const member = await notices.findOnCallPerson(db, schedule.id)
  const replacedIds = notices.listUserIds(shifts).filter((id) => id !== member_id)
  await notices.announceOverride(db, { schedule, override, replacedIds, actorId, now, isMailed })
  // Who is replaced has the message above, and who takes over knows it.
  if (member_id !== actorId && member?.id === member_id)
    await notices.announceChange(db, { schedule, member, previous, actorId }, false)
  return override
}

/** Delete an override. Who was put on call by it is told, and who is on call again. */
export async function removeOverride(ctx: WriteContext, scheduleId: string, id: string): Promise<void> {
  await inTransaction(ctx.db, async (db) => {
    const override = await queries.selectOverride.first(db, scheduleId, id)
    const change = await notices.changeAndAnnounce({ ...ctx, db }, scheduleId, async () => {
      const { is_deleted } =
        (await queries.deleteOverride.first(db, scheduleId, id)) ?? throwNotFound('Override')
      if (!is_deleted)
        throw new Problem(
          'forbidden',
          'Only its creator, the user on call and admins may delete this override',
        )
      return find(db, scheduleId)
    })
    if (override) await notices.announceOverrideEnd(db, { ...change, override, actorId: ctx.caller.userId })
  })
}

export async function find(db: ReadDb, id: string): Promise<queries.ScheduleRow> {
  return (await queries.selectSchedule(db, id)) ?? throwNotFound('On-call schedule')
}

async function requireEditable(db: ReadDb, id: string): Promise<queries.ScheduleRow> {
  const schedule = await find(db, id)
  if (!schedule.may_change)
    throw new Problem(
      'forbidden',
      'Only an admin of its team or an account admin may change this on-call schedule',
    )
  return schedule
}

/**
 * Throw 403 for a team that the caller does not administer, 404 for members of no or another account, and 422
 * for viewers and inactive members.
 */
async function requireTeamAndMembers(
  db: ReadDb,
  teamId: string | null,
  rotations: ScheduleCreate['rotations'],
): Promise<void> {
  const members = [...new Set(rotations.flatMap((rotation) => rotation.members))]
  const { may_change, known_ids, ids } = await queries.selectResponders.one(db, members, teamId)
  if (!may_change)
    throw new Problem('forbidden', 'A team admin may change on-call schedules of their own team only')
  if (known_ids.length < members.length) throw notFound('Member')
  const available = new Set(ids)
  const errors = rotations.flatMap((rotation, place) =>
    rotation.members.flatMap((id, n): FieldError[] =>
      available.has(id)
        ? []
        : [
            {
              loc: ['body', 'rotations', place, 'members', n],
              msg: 'must be the id of an active engineer or admin',
              type: 'unknown',
            },
          ],
    ),
  )
  if (errors.length > 0) throw invalidRequest(errors)
}

const throwUnknownTeam = throwUnknownId('team_id', 'team', 'team_id')

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function toSchedule({ may_change: _, is_other_team: __, ...schedule }: queries.ScheduleRow): OnCallSchedule {
  return schedule
}
