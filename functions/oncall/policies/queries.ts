import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, jsonb, now } from '#db/expressions.ts'
import { nameOrder, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import type { EscalationStep } from '#rules/oncall/escalation-step.ts'
import type { PolicyCreate, PolicyUpdate } from './schemas.ts'

const mayChange = sql<boolean>`app.administers(team_id)`
const policyColumns = [
  'id',
  'name',
  'team_id',
  'is_default',
  'rounds',
  sql<EscalationStep[]>`steps`.as('steps'),
  'version',
  'created_by',
  'created_at',
  'updated_at',
  mayChange.as('may_change'),
] as const

export function selectPolicies(db: ReadDb, page: PageQuery) {
  return db
    .selectFrom('escalation_policies')
    .select(policyColumns)
    .where('account_id', '=', accountId)
    .$call(selectPage(nameOrder(), page))
    .execute()
}

export function selectPolicy(db: ReadDb, id: string) {
  return db
    .selectFrom('escalation_policies')
    .select(policyColumns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}
export type PolicyRow = NonNullable<Awaited<ReturnType<typeof selectPolicy>>>

export function insertPolicy(db: WriteDb, { steps, ...columns }: PolicyCreate): Promise<PolicyRow> {
  return db
    .insertInto('escalation_policies')
    .values({ ...columns, steps: jsonb(steps) })
    .returning(policyColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Update the columns in `changes`. Return undefined if the stored version is not the expected one or the
 * caller may not change the policy.
 */
export function updatePolicy(db: WriteDb, id: string, changes: PolicyUpdate): Promise<PolicyRow | undefined> {
  const { steps, expected_version, ...columns } = changes
  const update = db
    .updateTable('escalation_policies')
    .set({ ...columns, steps: steps && jsonb(steps), version: sql`version + 1`, updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where(mayChange)
    .returning(policyColumns)
  return (
    expected_version === undefined ? update : update.where('version', '=', expected_version)
  ).executeTakeFirst()
}

export async function deletePolicy(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('escalation_policies')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where(mayChange)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Select which of the ids are users, active engineers and admins, on-call schedules and notification configs
 * of the account, and whether the caller may change what belongs to the team.
 */
export const selectTargets = readStatement(
  z.object({
    may_change: z.boolean(),
    user_ids: z.array(z.string()),
    responder_ids: z.array(z.string()),
    schedule_ids: z.array(z.string()),
    channel_ids: z.array(z.string()),
  }),
  (ids: readonly string[], teamId: string | null) => {
    const isTarget = (alias: string) =>
      sql`${sql.ref(`${alias}.account_id`)} = app.account_id() and ${sql.ref(`${alias}.id`)} = any (${`{${ids.join(',')}}`}::uuid[])`
    return sql`
      select ${callFunction('app.administers', { p_team: teamId })} as may_change,
             array(select u.id from users u where ${isTarget('u')}) as user_ids,
             array(select u.id from users u where ${isTarget('u')} and app.can_work(u)) as responder_ids,
             array(select s.id from on_call_schedules s where ${isTarget('s')}) as schedule_ids,
             array(select c.id from notification_configs c where ${isTarget('c')}) as channel_ids`
  },
)

/** Select the first 20 policies by name that notify who is on call by the schedule. */
export const selectPoliciesUsingSchedule = readStatement(
  z.object({ id: z.string(), name: z.string() }),
  (scheduleId: string) => sql`
    select p.id, p.name from escalation_policies p
     where p.account_id = app.account_id() and p.steps @> jsonb_build_array(jsonb_build_object('targets', jsonb_build_array(
             jsonb_build_object('type', 'schedule', 'id', ${scheduleId}::text))))
     order by p.name collate "und-x-icu", p.id limit 20`,
)
