import type { Context, ReadContext, WriteContext } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import * as queries from './queries.ts'
import type { OnboardingStep } from './schemas.ts'

export async function getStatus({ db }: ReadContext) {
  return queries.selectStatus.one(db)
}

export async function completeStep({ db }: Context<'patch', 'user', undefined>, step: OnboardingStep) {
  const status = await queries.upsertStep.first(db, step)
  if (!status) throw new Problem('onboarding_step_passed', 'A later step was already sent')
  return status
}

export async function dismissRest({ db }: WriteContext) {
  return queries.upsertDismissal.one(db)
}
