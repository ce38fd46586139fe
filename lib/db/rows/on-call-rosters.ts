import { sql } from 'kysely'
import * as z from 'zod'
import { selectIds } from '#db/expressions.ts'
import { notNull, readStatement } from '#db/statement.ts'
import type { Rotation } from '#rules/oncall/schema.ts'
import type { Roster } from '#rules/oncall/shifts.ts'

interface StoredOverride {
  id: string
  user_id: string
  starts_at: string
  ends_at: string
}

interface StoredPerson {
  id: string
  name: string
  timezone: string
}

/** What decided who was on call until a change. */
interface StoredVersion {
  timezone: string
  rotations: Rotation[]
  people: StoredPerson[]
  valid_until: string
}

/**
 * A schedule with what decides who is on call. `people` are the members and the users of overrides who may be
 * on call.
 */
export const RosterRow = z.object({
  id: z.string(),
  name: z.string(),
  timezone: z.string(),
  team_id: z.string().nullable(),
  rotations: z.custom<Rotation[]>(),
  overrides: z.custom<StoredOverride[]>(),
  people: z.custom<StoredPerson[]>(),
  versions: z.custom<StoredVersion[]>(),
  created_at: z.string(),
  /** When its shifts or a name in them last changed. */
  changed_at: notNull<string>(),
  now: z.string(),
})
export type RosterRow = z.output<typeof RosterRow>

export interface RosterFilter {
  ids?: readonly string[]
  teamId?: string | undefined
  /** Those of the team of this AI session, and of the whole account. */
  sessionId?: string
  /**
   * The time whose overrides are selected; the next 32 days by default, in which every current shift ends.
   */
  from?: string
  to?: string
}

const people = sql`coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'name', u.full_name, 'timezone', u.timezone)), '[]')`

/** Select schedules with their overrides and people, sorted by name. */
export const selectRosters = readStatement(
  RosterRow,
  ({ ids, teamId, sessionId, from, to }: RosterFilter) => {
    const start = from ? sql`${from}::timestamptz` : sql`app.now()`
    const end = to ? sql`${to}::timestamptz` : sql`app.now() + interval '32 days'`
    const isOfIds = ids ? sql`and s.id = any (array(${selectIds(ids)}))` : sql``
    const isOfTeam = teamId ? sql`and s.team_id = ${teamId}` : sql``
    const isOfSession = sessionId
      ? sql`and (s.team_id is null or s.team_id = (select x.team_id from ai_sessions x where x.account_id = app.account_id() and x.id = ${sessionId}))`
      : sql``
    return sql`
    select s.id, s.name, s.timezone, s.team_id, s.rotations, s.created_at, greatest(s.updated_at, s.shifts_changed_at) as changed_at,
           app.now() as now, o.overrides, p.people, v.versions
      from on_call_schedules s
     cross join lateral (
       select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'user_id', o.user_id, 'starts_at', app.iso(o.starts_at),
                                                    'ends_at', app.iso(o.ends_at)) order by o.created_at, o.id), '[]') as overrides,
              array_agg(o.user_id) as user_ids
         from on_call_overrides o
        where o.account_id = s.account_id and o.schedule_id = s.id and o.ends_at > ${start} and o.starts_at < ${end}) o
     cross join lateral (
       select ${people} as people from users u
        where u.account_id = s.account_id and app.can_work(u)
          and (u.id = any (o.user_ids) or u.id = any (array(
            select m::uuid from jsonb_array_elements(s.rotations) r, jsonb_array_elements_text(r -> 'members') m)))) p
     cross join lateral (
       select coalesce(jsonb_agg(jsonb_build_object('timezone', v.timezone, 'rotations', v.rotations, 'valid_until', app.iso(v.valid_until),
                                                    'people', p.people) order by v.valid_until, v.id), '[]') as versions
         from on_call_schedule_versions v
        cross join lateral (select ${people} as people from users u where u.account_id = v.account_id and u.id = any (v.people)) p
        where v.account_id = s.account_id and v.schedule_id = s.id and v.valid_until > ${from ?? null}::timestamptz) v
     where s.account_id = app.account_id() ${isOfIds} ${isOfTeam} ${isOfSession}
     order by s.name collate "und-x-icu", s.id limit 50`
  },
)

export function toRoster({ timezone, rotations, overrides, people }: Omit<RosterRow, 'versions'>): Roster {
  const available = new Set(people.map(({ id }) => id))
  return {
    timezone,
    rotations,
    isAvailable: (id) => available.has(id),
    getTimezone: (id) => people.find((person) => person.id === id)?.timezone ?? timezone,
    overrides: overrides.map(({ id, user_id, starts_at, ends_at }) => ({
      id,
      userId: user_id,
      startsAt: Date.parse(starts_at),
      endsAt: Date.parse(ends_at),
    })),
  }
}

export function findPerson(
  { people }: Pick<RosterRow, 'people'>,
  userId: string,
): { id: string; name: string } {
  return { id: userId, name: people.find(({ id }) => id === userId)?.name ?? '' }
}
