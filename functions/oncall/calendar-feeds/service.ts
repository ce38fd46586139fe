import { inAccount } from '#db/enter-account.ts'
import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { type RosterRow, selectRosters } from '#db/rows/on-call-rosters.ts'
import { inTransaction } from '#db/scope.ts'
import { throwUnknownId } from '#db/sqlstate.ts'
import { find, listRosterShifts } from '#functions/oncall/schedules/service.ts'
import { Content, type Context, type ReadContext, type WriteContext } from '#http/operation.ts'
import { notFound, throwNotFound } from '#problem.ts'
import { spend } from '#rules/budget.ts'
import { schedulePath } from '#rules/events/shift-events.ts'
import { type CalendarEvent, writeCalendar } from '#rules/oncall/calendar.ts'
import { release } from '#rules/release.ts'
import { sentence } from '#rules/text/sentence.ts'
import { createEtag, randomToken, sha256Bytea, sha256Hex } from '#vendors/auth/hash.ts'
import * as queries from './queries.ts'
import type { CalendarFeedCreate, CalendarFeedWithAddress } from './schemas.ts'

const dayMs = 86_400_000
/** A shift lasts at most 31 days, so the one that goes on now has begun since then. */
const daysBack = 32
const daysAhead = 90
/** Of a shift with hours of a member, about as long as 0.1 ms. */
const shiftSteps = 10_000

type FeedContext = Context<'get', 'public', string>

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectFeeds(db, page), page, newestFirst)
}

/** Create a feed of the caller. Only a hash of the secret in its address is stored. */
export async function create(
  { db, config }: WriteContext,
  { schedule_id }: CalendarFeedCreate,
): Promise<CalendarFeedWithAddress> {
  if (schedule_id) await find(db, schedule_id)
  const token = randomToken()
  const feed = { scheduleId: schedule_id, tokenHash: await sha256Bytea(token) }
  const inserted = await inTransaction(db, (inner) => queries.insertFeed(inner, feed)).catch(
    throwUnknownId('schedule_id', 'on-call schedule', 'schedule_id'),
  )
  return { ...inserted, url: `${config.PUBLIC_BASE_URL}/api/v1/calendars/${token}.ics` }
}

export async function revoke({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteFeed(db, id))) throwNotFound('Calendar feed')
}

/** Return the shifts of a feed as iCalendar. Throw 404 for an address that is unknown or has ended. */
export async function read({ platform, config }: FeedContext, file: string): Promise<Content> {
  const [, token] = /^(.*)\.ics$/.exec(file) ?? []
  const feed = token && (await queries.readFeed.first(platform, await sha256Bytea(token)))
  if (!feed) throw notFound('Calendar')
  const now = Date.parse(feed.now)
  const [from, to] = [now - daysBack * dayMs, now + daysAhead * dayMs]
  const rows = await inAccount(platform, { accountId: feed.account_id, userId: feed.user_id }, (db) =>
    selectRosters.all(db, {
      ...(feed.schedule_id ? { ids: [feed.schedule_id] } : {}),
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    }),
  )
  const shown = feed.schedule_id ? rows : rows.filter((row) => isNamed(row, feed.user_id))
  const events: CalendarEvent[] = []
  for (const row of shown) events.push(...(await listEvents(row, feed, { from, to, config })))
  const name = release(feed.schedule_id ? (rows[0]?.name ?? '') : 'On call', feed.is_masked)
  const text = writeCalendar(name, events)
  return new Content(text, 'text/calendar; charset=utf-8', 'on-call.ics', await createEtag(text))
}

/** Return whether a user can be on call by a schedule, or could before one of its changes. */
function isNamed({ people, versions }: RosterRow, userId: string): boolean {
  return [people, ...versions.map((version) => version.people)].some((list) =>
    list.some(({ id }) => id === userId),
  )
}

/** Return the shifts of a schedule that begin and end within a time: of everybody, or of the user of the feed. */
async function listEvents(
  row: RosterRow,
  { schedule_id, user_id, is_masked }: queries.Feed,
  { from, to, config }: { from: number; to: number; config: FeedContext['config'] },
): Promise<CalendarEvent[]> {
  const hoursPerDay = row.rotations.reduce((sum, { hours = [] }) => sum + hours.length, 0)
  spend(shiftSteps * ((daysBack + daysAhead) * (1 + hoursPerDay) + row.overrides.length))
  const shifts = await listRosterShifts(row, from, to)
  const whole = shifts.filter(({ startsAt, endsAt }) => startsAt > from && endsAt < to)
  return Promise.all(
    whole
      .filter(({ user }) => schedule_id !== null || user.id === user_id)
      .map(async ({ user, startsAt, endsAt }) => ({
        uid: (await sha256Hex([row.id, user.id, startsAt].join())).slice(0, 32),
        title: sentence`On call: ${release(schedule_id === null ? row.name : user.name, is_masked)}`,
        url: config.FRONTEND_URL + schedulePath(row.id),
        startsAt,
        endsAt,
        createdAt: Date.parse(row.created_at),
        changedAt: Date.parse(row.changed_at),
      })),
  )
}
