import * as z from 'zod'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { Uuid } from '#rules/uuid.ts'

// The steps of an escalation policy.

export const targetTypes = ['user', 'schedule', 'channel'] as const

export const EscalationTarget = z
  .strictObject({
    type: z
      .enum(targetTypes)
      .meta({ id: 'EscalationTargetType' })
      .describe(
        '`user`: a member. `schedule`: who is on call by it at that time. `channel`: a notification config, such as a chat channel.',
      ),
    id: Uuid.describe('Id of the user, on-call schedule or notification config.'),
  })
  .meta({ id: 'EscalationTarget' })
export type EscalationTarget = z.infer<typeof EscalationTarget>

export const EscalationStep = z
  .strictObject({
    delay_minutes: z
      .int()
      .min(0)
      .max(1440)
      .describe('Minutes after the escalation or the previous step; 0 is at once.'),
    targets: z
      .array(EscalationTarget)
      .min(1)
      .max(10)
      .superRefine(refuseRepeats(({ id }) => id))
      .describe('Who is notified.'),
  })
  .meta({ id: 'EscalationStep' })
export type EscalationStep = z.infer<typeof EscalationStep>

/** Return whether all steps are at once: then each round would follow the one before without a pause. */
export function haveNoDelay(steps: readonly EscalationStep[]): boolean {
  return steps.every(({ delay_minutes }) => delay_minutes === 0)
}

/** Return whether a step, counted from 1, is taken with the escalation itself. */
export function isAtEscalation(
  steps: readonly EscalationStep[],
  { round, step }: { round: number; step: number },
): boolean {
  return round === 1 && haveNoDelay(steps.slice(0, step))
}

/**
 * Return the schedules that the steps after the first one with schedules name: whoever is on call by them is
 * told by these steps, not before.
 */
export function listBackUpIds(steps: readonly EscalationStep[]): string[] {
  const [first = [], ...later] = steps
    .map(({ targets }) => listTargetIds(targets, 'schedule'))
    .filter(({ length }) => length > 0)
  return later.flat().filter((id) => !first.includes(id))
}

/** Return the ids of the targets of one type, in their order. */
export function listTargetIds(
  targets: readonly EscalationTarget[],
  type: EscalationTarget['type'],
): string[] {
  return targets.filter((target) => target.type === type).map(({ id }) => id)
}
