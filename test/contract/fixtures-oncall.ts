import { parseConfig } from '#config.ts'
import type { Service } from '#test/support/app.ts'
import { insertEscalation } from '#test/support/escalations.ts'
import type { Person } from '#test/support/people.ts'
import { createAcknowledgementTokens } from '#vendors/auth/acknowledgement-tokens.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertColleague } from './fixtures-platform.ts'

const createRotation = (members: string[]) => ({
  kind: 'weekly',
  members,
  handoff_day: 'monday',
  handoff_time: '09:00',
  starts_on: '2026-01-05',
})

/** Insert a schedule of the owner's team, by which the owner is on call. */
export function insertOnCallSchedule(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into on_call_schedules (account_id, team_id, created_by, name, timezone, rotations)
     values ($1, $2, $3, 'Network', 'Europe/Berlin', $4) returning id`,
    [accountId, teamId || null, id, JSON.stringify([createRotation([id])])],
  )
}

export async function insertOverride(
  service: Service,
  owner: Person,
): Promise<{ schedule_id: string; override_id: string }> {
  const schedule_id = await insertOnCallSchedule(service, owner)
  const override_id = await insertReturningId(
    service,
    `insert into on_call_overrides (account_id, schedule_id, user_id, created_by, starts_at, ends_at)
     values ($1, $2, $3, $3, app.now(), app.now() + interval '1 day') returning id`,
    [owner.accountId, schedule_id, owner.id],
  )
  return { schedule_id, override_id }
}

/** Insert a request for the shift of a colleague, which asks the owner. Who has created it may withdraw it. */
export async function insertSubstituteRequest(
  service: Service,
  owner: Person,
  createdBy?: string,
): Promise<{ schedule_id: string; request_id: string }> {
  const colleague = { ...owner, id: await insertColleague(service, owner) }
  const schedule_id = await insertOnCallSchedule(service, colleague)
  const request_id = await insertReturningId(
    service,
    `insert into on_call_substitute_requests (account_id, schedule_id, user_id, created_by, starts_at, ends_at, asked_ids, notice_at)
     select $1, $2, $3, $5, t.starts_at, t.starts_at + interval '1 hour', array[$4::uuid], t.starts_at
       from (select (app.now() + interval '1 day')::timestamptz(3) as starts_at) t returning id`,
    [owner.accountId, schedule_id, colleague.id, owner.id, createdBy ?? colleague.id],
  )
  return { schedule_id, request_id }
}

const createSubstituteRequest: Fixture = async (service, owner) => ({
  params: await insertSubstituteRequest(service, owner),
})

const createSchedule: Fixture = async (service, owner) => ({
  params: { schedule_id: await insertOnCallSchedule(service, owner) },
})
const page = { query: { skip: '0', limit: '20' } }

/** Insert a policy of the owner's team, which is not its default. */
export function insertPolicy(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into escalation_policies (account_id, team_id, created_by, name, rounds, steps) values ($1, $2, $3, 'Network', 1, $4) returning id`,
    [accountId, teamId || null, id, JSON.stringify([{ delay_minutes: 10, targets: [{ type: 'user', id }] }])],
  )
}

/** Insert a calendar feed of the owner, with its token in the address. */
export async function insertCalendarFeed(
  service: Service,
  { accountId, id }: Person,
  token: string = crypto.randomUUID(),
): Promise<{ feed_id: string; file: string }> {
  const feed_id = await insertReturningId(
    service,
    'insert into calendar_feeds (account_id, user_id, token_hash) values ($1, $2, sha256(convert_to($3, $4))) returning id',
    [accountId, id, token, 'UTF8'],
  )
  return { feed_id, file: `${token}.ics` }
}

const createPolicy: Fixture = async (service, owner) => ({
  params: { policy_id: await insertPolicy(service, owner) },
})

/**
 * Insert a reminder that was sent to the owner by e-mail about a colleague's escalation. Return the token of
 * its link.
 */
export async function insertAcknowledgementLink(service: Service, owner: Person): Promise<string> {
  const colleague = await insertColleague(service, owner)
  const { session_id, handoff_id } = await insertEscalation(service, { ...owner, id: colleague })
  await service.sql(
    `update ai_sessions set escalation_package = jsonb_build_object('handoff_id', $2::text) where id = $1`,
    [session_id, handoff_id],
  )
  const [row] = await service.sql<{ id: string; sent_at: Date }>(
    `with e as (insert into events (account_id, key, title, body, escalation)
               values ($1, 'escalation.reminded', 'VPN', 'VPN', jsonb_build_object('handoff_id', $3::text)) returning *),
          f as (insert into escalation_follow_ups (account_id, session_id, handoff_id, rounds, steps, alert)
                values ($1, $2, $3::uuid, 1, '[]', '{"problem": "VPN"}') returning *),
          r as (insert into escalation_reminders (account_id, follow_up_id, round, step, event_id, state, sent_at)
                select $1, f.id, 1, 1, e.id, 'sent', app.now() from e, f returning *)
     insert into deliveries (account_id, event_id, event_key, channel, recipient, user_id, state, next_attempt_at)
     select $1, e.id, e.key, 'email', $4, $5, 'delivered', null from e, r returning id, app.now() as sent_at`,
    [owner.accountId, session_id, handoff_id, owner.email, owner.id],
  )
  return createAcknowledgementTokens(parseConfig(service.settings)).sign(
    row?.id ?? '',
    row?.sent_at ?? new Date(),
  )
}

/** Insert a follow-up of the account's latest handoff, with a reminder that never becomes due. */
export async function insertFollowUp(service: Service, accountId: string): Promise<void> {
  await service.sql(
    `with f as (insert into escalation_follow_ups (account_id, session_id, handoff_id, rounds, steps, alert)
                select account_id, session_id, id, 1, '[]', '{"problem": "VPN"}' from ai_handoffs where account_id = $1 order by id desc limit 1 returning *)
     insert into escalation_reminders (account_id, follow_up_id, round, step) select account_id, id, 1, 1 from f`,
    [accountId],
  )
}

const createLink: Fixture = async (service, owner) => ({
  params: { token: await insertAcknowledgementLink(service, owner) },
})

export const onCallFixtures = {
  'oncall.acknowledgements.showPage': createLink,
  'oncall.acknowledgements.acknowledge': createLink,
  'oncall.reminders.list': async (service, owner) => {
    const { session_id } = await insertEscalation(service, owner)
    await insertFollowUp(service, owner.accountId)
    return { params: { session_id }, ...page }
  },
  'oncall.policies.list': async (service, owner) => {
    await insertPolicy(service, owner)
    return page
  },
  'oncall.policies.create': async (service, owner) => ({
    body: {
      name: 'Network',
      team_id: owner.teamId || null,
      rounds: 2,
      steps: [
        {
          delay_minutes: 10,
          targets: [{ type: 'schedule', id: await insertOnCallSchedule(service, owner) }],
        },
      ],
    },
  }),
  'oncall.policies.get': createPolicy,
  'oncall.policies.update': async (service, owner) => ({
    ...(await createPolicy(service, owner)),
    body: { rounds: 3 },
  }),
  'oncall.policies.delete': createPolicy,
  'oncall.calendarFeeds.list': async (service, owner) => {
    await insertCalendarFeed(service, owner)
    return page
  },
  'oncall.calendarFeeds.create': async (service, owner) => ({
    body: { schedule_id: await insertOnCallSchedule(service, owner) },
  }),
  'oncall.calendarFeeds.revoke': async (service, owner) => {
    const { feed_id } = await insertCalendarFeed(service, owner)
    return { params: { feed_id } }
  },
  'oncall.calendarFeeds.read': async (service, owner) => {
    await insertOnCallSchedule(service, owner)
    const { file } = await insertCalendarFeed(service, owner)
    return { params: { file } }
  },
  'oncall.schedules.listOnCall': async (service, owner) => {
    await insertOnCallSchedule(service, owner)
    return {}
  },
  'oncall.schedules.listOfMember': async (service, owner) => {
    await insertOnCallSchedule(service, owner)
    return { params: { user_id: owner.id } }
  },
  'oncall.schedules.list': async (service, owner) => {
    await insertOnCallSchedule(service, owner)
    return page
  },
  'oncall.schedules.create': async (service, owner) => ({
    body: {
      name: 'Network',
      timezone: 'Europe/Berlin',
      team_id: owner.teamId || null,
      rotations: [createRotation([await insertColleague(service, owner)])],
    },
  }),
  'oncall.schedules.get': createSchedule,
  'oncall.schedules.update': async (service, owner) => ({
    ...(await createSchedule(service, owner)),
    body: { name: 'Network, nights' },
  }),
  'oncall.schedules.delete': createSchedule,
  'oncall.schedules.listShifts': async (service, owner) => ({
    ...(await createSchedule(service, owner)),
    query: { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' },
  }),
  'oncall.schedules.listOverrides': async (service, owner) => ({
    params: { schedule_id: (await insertOverride(service, owner)).schedule_id },
    ...page,
  }),
  'oncall.schedules.createOverride': async (service, owner) => ({
    ...(await createSchedule(service, owner)),
    body: {
      member_id: owner.id,
      starts_at: new Date().toISOString(),
      ends_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
  }),
  'oncall.substituteRequests.list': async (service, owner) => ({
    params: { schedule_id: (await insertSubstituteRequest(service, owner)).schedule_id },
    ...page,
  }),
  'oncall.substituteRequests.create': async (service, owner) => ({
    ...(await createSchedule(service, owner)),
    body: {
      starts_at: new Date(Date.now() + 86_400_000).toISOString(),
      ends_at: new Date(Date.now() + 90_000_000).toISOString(),
      note: 'A school play.',
      asked_user_ids: [await insertColleague(service, owner)],
    },
  }),
  'oncall.substituteRequests.accept': createSubstituteRequest,
  'oncall.substituteRequests.decline': createSubstituteRequest,
  'oncall.substituteRequests.withdraw': async (service, owner) => ({
    params: await insertSubstituteRequest(service, owner, owner.id),
  }),
  'oncall.schedules.deleteOverride': async (service, owner) => ({
    params: await insertOverride(service, owner),
  }),
} satisfies Record<string, Fixture>
