import { sql } from 'kysely'
import { readStatement } from '#db/statement.ts'
import { AiUsageDay, AiUsageMonth, AiUsagePerson, AiUsagePrompt, AiUsageTotals } from './schemas.ts'

const totals = sql`
  count(*)::integer as calls, count(*) filter (where c.outcome not in ('answered', 'running'))::integer as failed_calls,
  coalesce(sum(c.input_tokens), 0)::bigint as input_tokens, coalesce(sum(c.cached_tokens), 0)::bigint as cached_tokens,
  coalesce(sum(c.output_tokens), 0)::bigint as output_tokens, coalesce(sum(c.reasoning_tokens), 0)::bigint as reasoning_tokens,
  coalesce(sum(c.cost_micros), 0)::bigint as cost_micros`

/**
 * The calls of the current month that the caller may see: the policy of the table leaves out those of others.
 */
const callsOfMonth = sql`
  from ai_calls c
 where c.account_id = app.account_id()
   and c.period_start = (select app.quota_period(a) from accounts a where a.id = app.account_id())`

export const selectMonth = readStatement(
  AiUsageMonth,
  () => sql`
    select app.quota_period(a) as starts_at, app.quota_period(a, 1) as resets_at,
           case when app.role() = 'admin' or app.team_role() = 'admin' then 'account' else 'own' end as covers,
           app.quota_used(a.id, 'ai_cost_micros') as used_micros, app.quota_limit(a.id, 'ai_cost_micros') as limit_micros
      from accounts a where a.id = app.account_id()`,
)

export const selectTotal = readStatement(AiUsageTotals, () => sql`select ${totals} ${callsOfMonth}`)

export const selectByDay = readStatement(
  AiUsageDay,
  () =>
    sql`select to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD') as date, ${totals} ${callsOfMonth} group by 1 order by 1 desc`,
)

export const selectByPrompt = readStatement(
  AiUsagePrompt,
  () =>
    sql`select c.prompt, ${totals} ${callsOfMonth} group by c.prompt order by cost_micros desc, c.prompt collate "C"`,
)

export const selectByPerson = readStatement(
  AiUsagePerson,
  () => sql`
    select p.user_id, u.full_name as name, p.calls, p.failed_calls, p.input_tokens, p.cached_tokens, p.output_tokens, p.reasoning_tokens,
           p.cost_micros
      from (select c.user_id, ${totals} ${callsOfMonth} group by c.user_id order by cost_micros desc, c.user_id limit 200) p
      left join users u on u.account_id = app.account_id() and u.id = p.user_id
     order by p.cost_micros desc, p.user_id`,
)
