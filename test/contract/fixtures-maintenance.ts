import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertMaintenanceTree, insertTargetList } from './fixtures-sessions.ts'

/** Insert the owner's active schedule with one missed run. */
export async function insertSchedule(service: Service, owner: Person): Promise<string> {
  const [tree, list] = [await insertMaintenanceTree(service, owner), await insertTargetList(service, owner)]
  const id = await insertReturningId(
    service,
    `insert into maintenance_schedules (account_id, team_id, created_by, tree_id, target_list_id, name, cron, timezone, is_active, next_run_at)
     values ($1, $2, $3, $4, $5, 'Weekly patches', '0 2 * * SUN', 'Europe/Berlin', true, app.now() + interval '30 days') returning id`,
    [owner.accountId, owner.teamId, owner.id, tree, list],
  )
  await service.sql(
    `insert into maintenance_runs (account_id, schedule_id, due_at, trigger, status, error)
     values ($1, $2, app.now() - interval '1 day', 'scheduled', 'missed', 'Nothing ran at this time')`,
    [owner.accountId, id],
  )
  return id
}

const createSchedule: Fixture = async (service, owner) => ({
  params: { schedule_id: await insertSchedule(service, owner) },
})
const page = { query: { skip: '0', limit: '20' } }

export const maintenanceFixtures = {
  'maintenance.schedules.list': async (service, owner) => {
    await insertSchedule(service, owner)
    return page
  },
  'maintenance.schedules.create': async (service, owner) => ({
    body: {
      tree_id: await insertMaintenanceTree(service, owner),
      name: 'Weekly patches',
      cron: '0 2 * * SUN',
      timezone: 'Europe/Berlin',
      target_list_id: await insertTargetList(service, owner),
      is_active: true,
    },
  }),
  'maintenance.schedules.get': createSchedule,
  'maintenance.schedules.update': async (service, owner) => ({
    ...(await createSchedule(service, owner)),
    body: { name: 'Nightly patches', cron: '15 3 * * *', is_active: true },
  }),
  'maintenance.schedules.delete': createSchedule,
  'maintenance.runs.create': createSchedule,
  'maintenance.runs.list': async (service, owner) => ({ ...(await createSchedule(service, owner)), ...page }),
} satisfies Record<string, Fixture>
