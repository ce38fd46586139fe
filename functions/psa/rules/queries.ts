import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb, now, textArray } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { Rule, type RuleCreate, type RuleUpdate } from './schemas.ts'

const ruleColumns = [
  'id',
  'name',
  'position',
  'is_enabled',
  'board_id',
  'ticket_type',
  'keywords',
  'tree_id',
  'variables',
  'user_id',
  'last_matched_at',
  'last_error',
  'created_at',
  'updated_at',
] as const

/** A rule reads fields of the ticket, which `schema.ts` does not know. */
type Variables = Pick<Rule, 'variables'>

function selectAccountRules(db: ReadDb) {
  return db.selectFrom('psa_rules').where('account_id', '=', accountId).orderBy('position').orderBy('id')
}

export function selectRules(db: ReadDb): Promise<Rule[]> {
  return selectAccountRules(db).select(ruleColumns).$narrowType<Variables>().execute()
}

export function selectRule(db: ReadDb, id: string): Promise<Rule | undefined> {
  return selectAccountRules(db)
    .select(ruleColumns)
    .where('id', '=', id)
    .$narrowType<Variables>()
    .executeTakeFirst()
}

/** Make other statements that add a rule to the account wait for the end of the transaction. */
export const lockRules = writeStatement(
  null,
  () => sql`select from pg_advisory_xact_lock(hashtextextended('psa_rules:' || app.account_id()::text, 0))`,
)

/** Insert a rule if the account has fewer than `max`. */
export const insertBelow = writeStatement(Rule, (rule: Required<RuleCreate>, max: number) => {
  const { name, position, is_enabled, board_id, ticket_type, keywords, tree_id, variables, user_id } = rule
  return sql`
    insert into psa_rules (name, position, is_enabled, board_id, ticket_type, keywords, tree_id, variables, user_id)
    select ${name}, ${position}, ${is_enabled}, ${board_id}, ${ticket_type}, ${textArray(keywords)}, ${tree_id}, ${jsonb(variables)}, ${user_id}
     where (select count(*) from psa_rules o where o.account_id = app.account_id()) < ${max}
    returning ${sql.join(ruleColumns.map((column) => sql.ref(column)))}`
})

/** Insert a rule unless the account has `max` of them. */
export async function insertRule(
  db: WriteDb,
  rule: Required<RuleCreate>,
  max: number,
): Promise<Rule | undefined> {
  const [, [row]] = await db.batch([lockRules.query(), insertBelow.query(rule, max)])
  return row
}

/** Update the columns that are not undefined. */
export async function updateRule(
  db: WriteDb,
  id: string,
  { keywords, variables, ...columns }: RuleUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('psa_rules')
    .set({
      ...columns,
      ...(keywords ? { keywords: textArray(keywords) } : {}),
      ...(variables ? { variables: jsonb(variables) } : {}),
      updated_at: now,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteRule(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('psa_rules')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

const matchColumns = ['id', 'board_id', 'ticket_type', 'keywords', 'tree_id', 'variables', 'user_id'] as const
export type MatchRule = Pick<Rule, (typeof matchColumns)[number]>

/** Select the enabled rules of the account, in their order. */
export function selectEnabledRules(db: ReadDb): Promise<MatchRule[]> {
  return selectAccountRules(db)
    .select(matchColumns)
    .where('is_enabled', '=', sql.lit(true))
    .$narrowType<Variables>()
    .execute()
}

/** Record that a rule matches a ticket. Return no row if it has matched before. */
export const insertMatch = writeStatement(
  z.object({ rule_id: z.string() }),
  (ruleId: string, ticketId: string) => sql`
    insert into psa_rule_matches (rule_id, ticket_id)
    select r.id, ${ticketId} from psa_rules r where r.account_id = app.account_id() and r.id = ${ruleId} and r.is_enabled
    on conflict do nothing returning rule_id`,
)

/** Record the session of a match. */
export const completeMatch = writeStatement(
  null,
  (ruleId: string, ticketId: string, sessionId: string) => sql`
    with matched as (
      update psa_rule_matches set session_id = ${sessionId}
       where account_id = app.account_id() and rule_id = ${ruleId} and ticket_id = ${ticketId})
    update psa_rules set last_matched_at = app.now(), last_error = null where account_id = app.account_id() and id = ${ruleId}`,
)

/** Record why a match got no session. */
export async function failMatch(db: WriteDb, ruleId: string, error: string): Promise<void> {
  await db
    .updateTable('psa_rules')
    .set({ last_error: error })
    .where('account_id', '=', accountId)
    .where('id', '=', ruleId)
    .execute()
}
