import type { Context, Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { OnboardingStep } from './schemas.ts'

export async function status({ db }: Reader) {
  return queries.selectStatus(db)
}

export async function takeStep({ db }: Context<'patch', 'user', undefined>, step: OnboardingStep) {
  const taken = await queries.takeStep(db, step)
  if (!taken) throw new Problem('conflict', 'A later step was sent already', { code: 'onboarding_step_passed' })
  return taken
}

export async function dismissRest({ db }: Writer) {
  return queries.dismiss(db)
}
