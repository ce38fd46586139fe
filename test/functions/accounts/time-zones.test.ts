import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { createFlow, patchProcedure } from '#test/support/flows.ts'
import { emitWithoutPublishing, escalationEvent } from '#test/support/jobs.ts'
import { createSchedule } from '#test/support/maintenance.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession, proceduralFlowFields } from '#test/support/sessions.ts'

const service = await sharedService()

/** Columns of a time zone, with the stored times that are computed from them. */
const zones = {
  'accounts.timezone': ['teams.handover_at', 'trees.review_notice_at'],
  'teams.timezone': ['teams.handover_at'],
  'users.timezone': ['deliveries.held_until', 'session_timers.due_at'],
  'maintenance_schedules.timezone': ['maintenance_schedules.next_run_at'],
  // Who is on call is computed whenever somebody asks.
  'on_call_schedules.timezone': [],
  'on_call_schedule_versions.timezone': [],
} as const

it('SES-71 each column of a time zone says which stored times are computed from it', async () => {
  const rows = await service.sql<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
        and a.attname ~ '(^|_)(time)?zone$'`,
  )
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(zones).sort())
})

/** Where the service turns a local time into an instant: into which stored column, or `null` for a read. */
const places: Record<string, string | null> = {
  'app.days_of': null,
  'app.follow_timezone_of_account': 'teams.handover_at',
  'app.follow_timezone_of_timers': 'session_timers.due_at',
  'app.held_until': 'deliveries.held_until',
  'app.known_timezone': null,
  'app.local_today': null,
  'app.mail_held_until': null,
  'app.move_held_mails': 'deliveries.held_until',
  'app.next_time_of_day': null,
  'app.period_start': null,
  'app.plan_review': 'trees.review_notice_at',
  'app.quiet_hours_end': null,
  'app.team_week': null,
  'app.time_bound': null,
  'functions/accounts/teams/queries.ts': 'teams.handover_at',
  'functions/ai/handover/queries.ts': 'teams.handover_at',
  'functions/analytics/reports/queries.ts': null,
  'functions/maintenance/schedules/service.ts': 'maintenance_schedules.next_run_at',
  'lib/db/rows/ai-session-queries.ts': null,
  'lib/db/rows/session-timers.ts': 'session_timers.due_at',
  'lib/rules/oncall/hours.ts': null,
  'lib/rules/oncall/turns.ts': null,
  'lib/rules/schedules/due-times.ts': null,
  'lib/rules/schedules/zoned-time.ts': null,
}

it('SES-71 each place that turns a local time into an instant says where it is stored', async () => {
  const functions = await service.sql<{ name: string }>(
    `select p.oid::regproc::text as name from pg_proc p
      where p.pronamespace = 'app'::regnamespace and p.prosrc ~* $$(at time zone (?!'UTC')|next_time_of_day|mail_held_until)$$`,
  )
  const isPlace =
    /at time zone (?!'UTC')|app\.next_time_of_day|app\.mail_held_until|\b(?:fromLocalTime|iterateDueTimes|getNextDueTime)\(/i
  const files = globSync(['functions/**/*.ts', 'lib/**/*.ts']).filter(
    (path) => path !== 'lib/db/schema.ts' && isPlace.test(readFileSync(path, 'utf8')),
  )
  expect([...functions.map(({ name }) => name), ...files].sort()).toEqual(Object.keys(places).sort())
  expect(new Set(Object.values(places).filter(Boolean))).toEqual(new Set(Object.values(zones).flat()))
})

const newZone = 'Asia/Kolkata'
/** Each stored time with a way to have one at 18:00, to change the zone it is computed from, and to read it. */
const scenes: Record<
  string,
  () => Promise<{ change(): Promise<unknown>; select: [sql: string, id: string] }>
> = {
  'accounts.timezone teams.handover_at': async () => {
    const { admin, teamId } = await createAccount(service)
    await admin.client.accounts.teams.rename({ team_id: teamId, handover_time: '18:00' })
    return {
      change: () => admin.client.accounts.update({ timezone: newZone }),
      select: ['select handover_at as at from teams where id = $1', teamId],
    }
  },
  'accounts.timezone trees.review_notice_at': async () => {
    const { admin } = await createAccount(service)
    await admin.client.accounts.update({ flow_review_months: 6 })
    const { id } = await createFlow(admin)
    return {
      change: () => admin.client.accounts.update({ timezone: newZone }),
      // At 8:00, which is ten hours before the other times, and months ahead.
      select: [
        `select min(d) as at from trees t, generate_series(t.review_notice_at + interval '10 hours' - interval '300 days', t.review_notice_at, interval '1 day') d
          where t.id = $1 and d > app.now()`,
        id,
      ],
    }
  },
  'teams.timezone teams.handover_at': async () => {
    const { admin, teamId } = await createAccount(service)
    await admin.client.accounts.teams.rename({ team_id: teamId, handover_time: '18:00' })
    return {
      change: () => admin.client.accounts.teams.rename({ team_id: teamId, timezone: newZone }),
      select: ['select handover_at as at from teams where id = $1', teamId],
    }
  },
  'users.timezone deliveries.held_until': async () => {
    const account = await createAccount(service)
    const sleeper = await account.addColleague()
    await sleeper.client.notifications.preferences.replace({ digest: 'daily', digest_time: '18:00' })
    const event = { ...escalationEvent('Printer', sleeper.id), actorId: account.admin.id }
    await emitWithoutPublishing(service, account.id, event as Parameters<typeof emitWithoutPublishing>[2])
    return {
      change: () => sleeper.client.identity.auth.updateMe({ timezone: newZone }),
      select: [`select held_until as at from deliveries where user_id = $1 and state = 'held'`, sleeper.id],
    }
  },
  'users.timezone session_timers.due_at': async () => {
    const { admin, session } = await startTimer()
    return {
      change: () => admin.client.identity.auth.updateMe({ timezone: newZone }),
      select: ['select due_at as at from session_timers where session_id = $1', session.id],
    }
  },
  'maintenance_schedules.timezone maintenance_schedules.next_run_at': async () => {
    const { admin } = await createAccount(service)
    const { id } = await createSchedule(admin, { cron: '0 18 * * *', timezone: 'UTC' })
    return {
      change: () => admin.client.maintenance.schedules.update({ schedule_id: id, timezone: newZone }),
      select: ['select next_run_at as at from maintenance_schedules where id = $1', id],
    }
  },
}

async function startTimer() {
  const account = await createAccount(service)
  const procedure = patchProcedure()
  Object.assign(procedure.steps[1] as object, { timer: { until: '18:00' } })
  const fields = proceduralFlowFields({ tree_structure: procedure })
  const session = await createSession(account.admin, { variables: { server: 'srv' } }, fields)
  return { ...account, session }
}
const readClock = async ([select, id]: [string, string], zone: string) => {
  const [row] = await service.sql<{ clock: string; ahead: boolean }>(
    `select to_char(t.at at time zone $2, 'HH24:MI') as clock, t.at > app.now() and t.at <= app.now() + interval '1 day' as ahead from (${select}) t`,
    [id, zone],
  )
  return row
}

it.each(Object.entries(zones).flatMap(([zone, columns]) => columns.map((column) => `${zone} ${column}`)))(
  'SES-71 a stored time follows its time zone: %s',
  async (name) => {
    const { change, select } = (await scenes[name]?.()) ?? expect.fail(`A scene of ${name} is missing`)
    expect(await readClock(select, 'UTC')).toEqual({ clock: '18:00', ahead: true })
    await change()
    expect(await readClock(select, newZone)).toEqual({ clock: '18:00', ahead: true })
  },
)

it('SES-71 a timer until a time of day follows a session to a colleague in another zone; a duration stays', async () => {
  const { session, admin, addColleague } = await startTimer()
  const colleague = await addColleague()
  await colleague.client.identity.auth.updateMe({ timezone: newZone })
  await admin.client.sessions.reassign({ session_id: session.id, user_id: colleague.id })
  const select = ['select due_at as at from session_timers where session_id = $1', session.id] as [
    string,
    string,
  ]
  expect(await readClock(select, newZone)).toEqual({ clock: '18:00', ahead: true })
})
