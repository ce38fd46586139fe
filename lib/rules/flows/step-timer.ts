import * as z from 'zod'
import { timeOfDayPattern } from '#rules/text/time-of-day.ts'

// When the user of a session is reminded of a step.

const maxMinutes = 43_200

export const StepTimer = z
  .union([
    z.strictObject({
      minutes: z.int().min(1).max(maxMinutes).describe('Minutes from the arrival at the step.'),
    }),
    z.strictObject({
      until: z
        .string()
        .regex(timeOfDayPattern, 'must be a time of day such as 18:00')
        .describe('The next such time of day in the time zone of the session’s user.'),
    }),
  ])
  .describe(
    'When the user of the session is reminded of the step, unless it was answered or the session has ended.',
  )
  .meta({ id: 'StepTimer', examples: [{ minutes: 30 }] })
export type StepTimer = z.infer<typeof StepTimer>

/** Format a timer as one word: `30` for minutes, or a time of day. */
export function formatTimer(timer: StepTimer): string {
  return 'minutes' in timer ? String(timer.minutes) : timer.until
}

/** Parse a timer from one word. It is not validated: the schema does that. */
export function parseTimer(word: string): { minutes: number } | { until: string } {
  return /^\d{1,9}$/.test(word) ? { minutes: Number(word) } : { until: word }
}
