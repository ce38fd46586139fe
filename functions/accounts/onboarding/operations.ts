import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as onboarding from './service.ts'

export const onboardingOperations = [
  operation({
    id: 'accounts.onboarding.getStatus',
    route: 'GET /users/onboarding-status',
    summary: 'Get my onboarding status',
    description: 'The first steps in the service, and which of them I have done or dismissed.',
    access: 'user',
    skipGuards: 'account',
    limit: 'read',
    returns: schemas.OnboardingStatus,
    handle: ({ ctx }) => onboarding.getStatus(ctx),
  }),

  operation({
    id: 'accounts.onboarding.completeStep',
    route: 'PATCH /users/me/onboarding-step',
    summary: 'Complete or skip an onboarding step',
    description: `Steps can be left out, but a step below the highest one sent returns 409 \`onboarding_step_passed\`. Sending the same step again
changes nothing, except that a skipped step can still be completed.`,
    access: 'user',
    skipGuards: 'account',
    limit: 'write',
    body: schemas.OnboardingStep,
    returns: schemas.OnboardingStatus,
    errors: ['onboarding_step_passed'],
    handle: ({ ctx, body }) => onboarding.completeStep(ctx, body),
  }),

  operation({
    id: 'accounts.onboarding.dismissRest',
    route: 'POST /users/me/onboarding-dismiss-rest',
    summary: 'Dismiss the remaining onboarding steps',
    description: 'Steps that are done stay done.',
    access: 'user',
    skipGuards: 'account',
    limit: 'write',
    success: 200,
    returns: schemas.OnboardingStatus,
    handle: ({ ctx }) => onboarding.dismissRest(ctx),
  }),
]
