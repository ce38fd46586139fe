import * as z from 'zod'
import { acknowledgementFields, Urgency } from '#functions/ai/sessions/schemas.ts'
import { Instant } from '#functions/sessions/sessions/schemas.ts'
import { Id, Time } from '#http/fields.ts'
import { openStates } from '#rules/ai/session-values.ts'
import { handoverScopes, promiseKinds } from '#rules/oncall/handover.ts'

export const HandoverQuery = z.strictObject({
  since: Instant.optional().describe('When the shift began: at most 7 days ago, 12 hours by default.'),
  team_id: Id.optional().describe('Only what belongs to this team or to none.'),
})
export type HandoverQuery = z.infer<typeof HandoverQuery>

const HandoverCase = z
  .strictObject({
    session_id: Id.describe('Id of the AI session.'),
    title: z.string().describe('The title of the session.'),
    status: z
      .enum(openStates)
      .meta({ id: 'OpenAiSessionStatus' })
      .describe('The status of an open AI session.'),
    urgency: Urgency,
    client_name: z.string().nullable().describe('The client’s company.'),
    psa_ticket_id: z.string().nullable().describe('Id of the linked ticket.'),
    engineer_name: z.string().nullable().describe('Who escalated it or else works on it.'),
    claimant_name: z.string().nullable().describe('Who has claimed it.'),
    ...acknowledgementFields,
    next_steps: z
      .string()
      .nullable()
      .describe('The next steps of its escalation; null if I may not read the session.'),
    created_at: Time,
    escalated_at: Time.nullable().describe('When it was escalated.'),
    claimed_at: Time.nullable().describe('When it was claimed.'),
    script_runs: z.int().describe('The script runs since the begin of the shift.'),
  })
  .meta({ id: 'HandoverCase' })

const HandoverPromise = z
  .strictObject({
    kind: z
      .enum(promiseKinds)
      .meta({ id: 'HandoverPromiseKind' })
      .describe(
        '`client_note`: a note that the client reads. `pending_fix`: a fix that waits for its result. `timer`: a step that continues at a time.',
      ),
    text: z
      .string()
      .describe('The begin of the note, the fix with what it waits for, or the flow.')
      .meta({ example: 'We replace the driver tonight.' }),
    session_id: Id.nullable().describe('The session, of either kind; null for a note that belongs to none.'),
    is_ai: z.boolean().describe('Whether it is an AI session.'),
    psa_ticket_id: z.string().nullable().describe('Id of the ticket.'),
    told_at: Time.nullable().describe('When the ticket got the note; null for the others.'),
    due_at: Time.nullable().describe('Until when; only timers have such a time.'),
  })
  .meta({ id: 'HandoverPromise' })

const DutyUser = z
  .strictObject({
    id: Id,
    name: z.string().describe('The name of the user.').meta({ example: 'Dana Reyes' }),
  })
  .nullable()
const HandoverDuty = z
  .strictObject({
    schedule_id: Id.describe('The on-call schedule.'),
    schedule_name: z.string().describe('Its name.').meta({ example: 'Primary' }),
    user: DutyUser.describe('Who is on call now; null for nobody.'),
    until: Time.nullable().describe('Until when.'),
    next_user: DutyUser.describe('Who is on call next, within two days.'),
    next_from: Time.nullable().describe('From when.'),
  })
  .meta({ id: 'HandoverDuty' })

export const ShiftHandover = z
  .strictObject({
    since: Time.describe('When the shift began.'),
    until: Time.describe('Now.'),
    timezone: z.string().describe('The time zone of the times in `summary`.'),
    scope: z
      .enum(handoverScopes)
      .meta({ id: 'HandoverScope' })
      .describe('Whose open cases it has: all of the `account`, all of a `team`, or my `own` and the queue.'),
    summary: z
      .array(
        z.strictObject({
          text: z.string().describe('A sentence for people.').meta({
            example:
              'Since 21 Nov 2026, 01:00 (Europe/Berlin): No open case of the team, 0 wait for a colleague, 2 resolved, 0 with a time to continue.',
          }),
          url: z.string().nullable().describe('The case, or the schedule, in the frontend.'),
        }),
      )
      .describe('The handover in words: an overview, each case, what was promised, and who is on call.'),
    cases: z.array(HandoverCase).describe('Open cases, those that wait for a colleague first: at most 50.'),
    has_more_cases: z.boolean().describe('Whether there are more.'),
    resolved_count: z.int().describe('AI sessions that were resolved since.').meta({ example: 2 }),
    promises: z
      .array(HandoverPromise)
      .describe('What clients were told, and what waits: at most 20 of each kind.'),
    on_call: z.array(HandoverDuty).describe('Who is on call, by schedule.'),
  })
  .meta({ id: 'ShiftHandover' })
export type ShiftHandover = z.infer<typeof ShiftHandover>
