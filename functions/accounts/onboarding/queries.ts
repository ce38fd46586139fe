import { sql } from 'kysely'
import { readStatement, writeStatement } from '#db/statement.ts'
import { OnboardingStatus, type OnboardingStep } from './schemas.ts'

/**
 * The columns of an OnboardingStatus, from `onboarding o`, whose row may be missing, and from the facts `f`.
 */
const statusColumns = sql`
  coalesce(o.current_step, 0) as current_step, coalesce(o.completed_steps, '{}') as completed_steps,
  coalesce(o.skipped_steps, '{}') as skipped_steps, o.dismissed_at is not null as dismissed,
  coalesce(2 = any (o.completed_steps), false) as shop_setup_done,
  f.email_verified, f.tried_ai_assistant, f.psa_connected, f.team_invited, f.first_flow_created`
const onboardingFacts = sql`app.onboarding_facts(app.account_id(), app.user_id()) f`

export const selectStatus = readStatement(
  OnboardingStatus,
  () => sql`
    select ${statusColumns} from ${onboardingFacts} left join onboarding o on o.account_id = app.account_id() and o.user_id = app.user_id()`,
)

/**
 * Store a completed or skipped step. Change nothing and return undefined for a step below the highest one
 * sent. Keep a completed step as it is; complete a skipped step.
 */
export const upsertStep = writeStatement(OnboardingStatus, ({ step, action, data = {} }: OnboardingStep) => {
  const isCompleted = action === 'complete'
  const stepData = JSON.stringify(isCompleted ? { [step]: data } : {})
  return sql`
    with o as (
      insert into onboarding as o (current_step, completed_steps, skipped_steps, data)
      values (${step}, case when ${isCompleted} then array[${step}::integer] else '{}' end,
              case when ${isCompleted} then '{}' else array[${step}::integer] end, ${stepData}::jsonb)
      on conflict (account_id, user_id) do update set
        current_step = excluded.current_step,
        completed_steps = o.completed_steps || case when ${step} = any (o.completed_steps) then '{}' else excluded.completed_steps end,
        skipped_steps = array_remove(o.skipped_steps, ${step}::integer)
          || case when ${step} = any (o.completed_steps || excluded.completed_steps) then '{}' else array[${step}::integer] end,
        data = excluded.data || o.data,
        updated_at = case when ${step} = any (o.completed_steps) or ${step} = any (o.skipped_steps) and not ${isCompleted}
                          then o.updated_at else excluded.updated_at end
       where o.current_step <= excluded.current_step
      returning *
    )
    select ${statusColumns} from o, ${onboardingFacts}`
})

export const upsertDismissal = writeStatement(
  OnboardingStatus,
  () => sql`
    with o as (
      insert into onboarding as o (dismissed_at) values (app.now())
      on conflict (account_id, user_id) do update set dismissed_at = coalesce(o.dismissed_at, excluded.dismissed_at)
      returning *
    )
    select ${statusColumns} from o, ${onboardingFacts}`,
)
