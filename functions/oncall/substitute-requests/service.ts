import { type PageQuery, toPage } from '#db/page.ts'
import { inTransaction, type ReadDb, type WriteDb } from '#db/scope.ts'
import * as schedules from '#functions/oncall/schedules/service.ts'
import * as notices from '#functions/oncall/shift-notices/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import { getNoticeTime, type SubstituteOutcome } from '#rules/oncall/substitutes.ts'
import { enqueueEvent } from '#work/events.ts'
import { type AccountSweepContext, type SweepBudget, sweepAccounts } from '#work/sweep-accounts.ts'
import * as queries from './queries.ts'
import type { SubstituteCreate, SubstituteRequest } from './schemas.ts'

type Ids = { schedule_id: string; request_id: string }
type Schedule = Awaited<ReturnType<typeof schedules.find>>

export async function list({ db }: ReadContext, scheduleId: string, page: PageQuery) {
  await schedules.find(db, scheduleId)
  return toPage(await queries.selectRequests.all(db, scheduleId, page), page, queries.requestOrder)
}

/** Ask colleagues to take a shift, and tell them. */
export async function create(
  { db, caller }: WriteContext,
  scheduleId: string,
  input: SubstituteCreate,
): Promise<SubstituteRequest> {
  schedules.requireSpan(input)
  const memberId = input.member_id ?? caller.userId
  return inTransaction(db, async (inner) => {
    const schedule = await lockSchedule(inner, scheduleId)
    if (memberId !== caller.userId && !schedule.may_change)
      throw new Problem('forbidden', 'Only an admin of its team or an account admin may ask for others')
    const span = await readSpan(inner, scheduleId, memberId, input)
    if (!span.isTheirs)
      throw invalidField(['body', 'starts_at'], 'must begin a time in which the user alone is on call')
    const askedIds = await findAsked(inner, scheduleId, memberId, input.asked_user_ids ?? null)
    const noticeAt = new Date(getNoticeTime(span.now, Date.parse(input.starts_at))).toISOString()
    const { id, is_pending } = await queries.insertRequest.one(
      inner,
      scheduleId,
      memberId,
      input,
      askedIds,
      noticeAt,
    )
    if (is_pending) throw new Problem('already_pending', 'A request for a part of this time is still open')
    if (id === null) throw invalidField(['body', 'starts_at'], 'must be in the future')
    const request = await find(inner, { schedule_id: scheduleId, request_id: id })
    await enqueueEvent(inner, {
      key: 'oncall.substitute_requested',
      actorId: caller.userId,
      ...(await describe(inner, schedule, request, askedIds)),
      note: request.note,
      userIds: askedIds.filter((userId) => userId !== caller.userId),
    })
    return request
  })
}

/** Throw 422 for somebody who cannot be asked, and if nobody is left to ask. */
async function findAsked(
  db: ReadDb,
  scheduleId: string,
  memberId: string,
  ids: readonly string[] | null,
): Promise<string[]> {
  const askedIds = (await queries.selectAsked.all(db, scheduleId, memberId, ids)).map(({ id }) => id)
  if (ids && askedIds.length < ids.length)
    throw invalidField(['body', 'asked_user_ids'], 'must be ids of other active engineers or admins')
  if (askedIds.length === 0)
    throw invalidField(
      ['body', 'asked_user_ids'],
      'must name who is asked: nobody else of the schedule can work',
    )
  return askedIds
}

/** Return whether a user alone is on call for the whole of a time, and the time now. */
async function readSpan(
  db: ReadDb,
  scheduleId: string,
  userId: string,
  span: { starts_at: string; ends_at: string },
): Promise<{ isTheirs: boolean; now: number }> {
  const { shifts, now } = await notices.listShiftsWithin(db, scheduleId, span)
  let until = Date.parse(span.starts_at)
  for (const shift of shifts) if (shift.userId === userId && shift.startsAt === until) until = shift.endsAt
  return { isTheirs: until === Date.parse(span.ends_at), now }
}

/**
 * Take the shift: put the caller on call, and tell whose shift it was and the others who were asked. Throw 403
 * for somebody who was not asked, and 409 if somebody else was first or the shift is no longer theirs.
 */
export async function accept({ db, caller }: WriteContext, ids: Ids): Promise<SubstituteRequest> {
  return inTransaction(db, async (inner) => {
    const schedule = await lockSchedule(inner, ids.schedule_id)
    await queries.lockRequest(inner, ids.request_id)
    const request = await find(inner, ids)
    if (request.accepted_by?.id === caller.userId) return request
    requireAsked(request, caller.userId)
    const { user, starts_at, ends_at } = request
    if (!(await readSpan(inner, schedule.id, user.id, request)).isTheirs)
      throw new Problem('wrong_state', 'Their shift has changed since; look at the schedule')
    const input = { member_id: caller.userId, starts_at, ends_at }
    const override = await schedules.insertOverride(inner, schedule, input, caller.userId, true)
    if (!override) throw new Problem('forbidden', 'You may not be on call')
    await queries.storeAcceptance(inner, request.id, { accepted_by: caller.userId, override_id: override.id })
    // Whose shift it was has the message of the override.
    const toldIds = [...listWaiting(request), ...listOwners(request)].filter((id) => id !== user.id)
    await announce(inner, schedule, request, {
      outcome: 'accepted',
      colleague: override.user,
      actorId: caller.userId,
      userIds: [...new Set(toldIds)],
    })
    return find(inner, ids)
  })
}

/** Decline a request. When everybody has declined, tell whose shift it is. */
export async function decline({ db, caller }: WriteContext, ids: Ids): Promise<SubstituteRequest> {
  return inTransaction(db, async (inner) => {
    const schedule = await schedules.find(inner, ids.schedule_id)
    await queries.lockRequest(inner, ids.request_id)
    const request = await find(inner, ids)
    const { userId } = caller
    if (request.asked.some(({ id, has_declined }) => id === userId && has_declined)) return request
    requireAsked(request, userId)
    const { state } = await queries.storeRefusal.one(inner, request.id)
    const outcome = { outcome: 'declined', actorId: userId, userIds: listOwners(request) } as const
    if (state === 'declined') await announce(inner, schedule, request, outcome)
    return find(inner, ids)
  })
}

/** Withdraw a request, and tell who was asked and has not declined. */
export async function withdraw({ db, caller }: WriteContext, ids: Ids): Promise<void> {
  await inTransaction(db, async (inner) => {
    const schedule = await schedules.find(inner, ids.schedule_id)
    await queries.lockRequest(inner, ids.request_id)
    const request = await find(inner, ids)
    const { userId } = caller
    if (!schedule.may_change && !listOwners(request).includes(userId))
      throw new Problem(
        'forbidden',
        'Only whose shift it is, who created the request and admins may withdraw it',
      )
    if (request.state === 'withdrawn') return
    requireOpen(request)
    await queries.withdrawRequest(inner, request.id)
    await announce(inner, schedule, request, {
      outcome: 'withdrawn',
      actorId: userId,
      userIds: listWaiting(request),
    })
  })
}

/**
 * Tell who has asked for a substitute that nobody has accepted, once, and end the requests whose time has
 * begun.
 */
export async function noticeDue(ctx: AccountSweepContext, budget: SweepBudget): Promise<void> {
  const accounts = await queries.selectAccountsWithDue.all(ctx.platform)
  await sweepAccounts(ctx, accounts, budget, async (db) => {
    const due = await queries.takeDue.all(db)
    for (const { id, schedule_id, is_told } of due) {
      if (is_told) continue
      const schedule = await schedules.find(db, schedule_id)
      const request = await find(db, { schedule_id, request_id: id })
      // Of a shift that somebody has taken over otherwise, nobody needs to know.
      if (!(await readSpan(db, schedule_id, request.user.id, request)).isTheirs) continue
      const userIds = listOwners(request)
      await announce(db, schedule, request, { outcome: 'unanswered', actorId: null, userIds })
    }
    return due.length === queries.dueAtOnce
  })
}

function requireAsked(request: SubstituteRequest, userId: string): void {
  requireOpen(request)
  if (!request.asked.some(({ id }) => id === userId))
    throw new Problem('forbidden', 'Only who was asked may answer; to take over anyway, create an override')
}

function requireOpen({ state, accepted_by }: SubstituteRequest): void {
  if (state === 'accepted') throw new Problem('already_decided', undefined, { facts: { accepted_by } })
  if (state !== 'open') throw new Problem('wrong_state', `This request is ${state}`, { facts: { state } })
}

/** Return who was asked and has not declined. */
function listWaiting({ asked }: SubstituteRequest): string[] {
  return asked.filter(({ has_declined }) => !has_declined).map(({ id }) => id)
}

/** Return whose shift it is, and who has asked for them. */
function listOwners({ user, created_by }: SubstituteRequest): string[] {
  return [...new Set([user.id, created_by])]
}

async function announce(
  db: WriteDb,
  schedule: Schedule,
  request: SubstituteRequest,
  {
    outcome,
    colleague = null,
    actorId,
    userIds,
  }: {
    outcome: SubstituteOutcome
    colleague?: { id: string; name: string } | null
    actorId: string | null
    userIds: string[]
  },
): Promise<void> {
  await enqueueEvent(db, {
    key: 'oncall.substitute_updated',
    actorId,
    causedById: request.created_by,
    ...(await describe(db, schedule, request, userIds)),
    outcome,
    colleague,
    userIds: userIds.filter((id) => id !== actorId),
  })
}

async function describe(db: ReadDb, schedule: Schedule, request: SubstituteRequest, userIds: string[]) {
  return {
    teamId: schedule.team_id,
    scheduleId: schedule.id,
    scheduleName: schedule.name,
    requestId: request.id,
    member: request.user,
    startsAt: request.starts_at,
    endsAt: request.ends_at,
    timezones: await notices.listTimezones(db, schedule, userIds),
  }
}

async function lockSchedule(db: WriteDb, id: string): Promise<Schedule> {
  await queries.lockSchedule(db, id)
  return schedules.find(db, id)
}

async function find(db: ReadDb, { schedule_id, request_id }: Ids): Promise<SubstituteRequest> {
  return (await queries.selectRequest.first(db, schedule_id, request_id)) ?? throwNotFound('Request')
}
