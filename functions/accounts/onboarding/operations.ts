import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as onboarding from './service.ts'

export const onboardingOperations = [
  operation({
    id: 'accounts.onboarding.getStatus',
    method: 'get',
    path: '/users/onboarding-status',
    summary: 'How far I have come, and what is set up already',
    access: 'user',
    past: 'guards',
    limit: 'read',
    success: 200,
    returns: schemas.OnboardingStatus,
    handle: ({ ctx }) => onboarding.status(ctx),
  }),

  operation({
    id: 'accounts.onboarding.completeStep',
    method: 'patch',
    path: '/users/me/onboarding-step',
    summary: 'Complete or skip a step of the wizard',
    description: `Steps may be jumped over but not gone back to: a step below the highest one sent is 409 \`onboarding_step_passed\`. The same
step again changes nothing, but that a skipped one can still be completed.`,
    access: 'user',
    past: 'guards',
    limit: 'write',
    body: schemas.OnboardingStep,
    success: 200,
    returns: schemas.OnboardingStatus,
    errors: ['conflict'],
    handle: ({ ctx, body }) => onboarding.takeStep(ctx, body),
  }),

  operation({
    id: 'accounts.onboarding.dismissRest',
    method: 'post',
    path: '/users/me/onboarding-dismiss-rest',
    summary: 'Dismiss the remaining steps',
    access: 'user',
    past: 'guards',
    limit: 'write',
    success: 200,
    returns: schemas.OnboardingStatus,
    handle: ({ ctx }) => onboarding.dismissRest(ctx),
  }),
]
