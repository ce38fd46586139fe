import * as z from 'zod'
import { acknowledgementFields, Urgency } from '#functions/ai/sessions/schemas.ts'
import { PresenceEvent } from '#functions/presence/schemas.ts'
import { Id, Time } from '#http/fields.ts'
import { AlertContext } from '#rules/events/webhook-schemas.ts'
import { Uuid } from '#rules/uuid.ts'
import { jobKinds } from '#work/job-progress.ts'

export const HandoffId = z.object({
  session_id: Uuid.describe('Id of the AI session.'),
  handoff_id: Uuid.describe('Id of the handoff.'),
})

export const StreamQuery = z.strictObject({
  ticket: z
    .string()
    .max(100)
    .optional()
    .describe('Of `POST /auth/stream-ticket`, for an `EventSource`, which cannot send an access token.'),
  last_event_id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an event')
    .optional()
    .describe(
      'Id of the last event that the client has received, for a client that cannot send `Last-Event-ID`.',
    ),
})

export const QueueItem = z
  .strictObject({
    session_id: Id.describe('Id of the escalated session.'),
    handoff_id: Id.nullable()
      .describe('Id of its handoff; null for a session that was escalated without one.')
      .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e56' }),
    title: z.string().describe('The title of the session.'),
    engineer_name: z.string().nullable().describe('Name of the engineer who escalated it.'),
    psa_ticket_id: z.string().nullable().describe('Id of the linked ticket.'),
    client_name: z.string().nullable().describe('The client’s company.'),
    urgency: Urgency,
    target_user_id: Id.nullable().describe(
      'The colleague whom the escalation targets. Any engineer may claim it.',
    ),
    claimed_by: Id.nullable().describe(
      'The colleague who has claimed the escalation but not picked it up yet.',
    ),
    ...acknowledgementFields,
    created_at: Time.describe('When it was escalated; the last change of a session without a handoff.'),
  })
  .meta({ id: 'EscalationQueueItem' })
export type QueueItem = z.infer<typeof QueueItem>

const AlertText = z.string().describe('At most 2,000 characters.')

/** The events of the stream. */
export const EscalationEvents = {
  handoff_created: z
    .strictObject({
      ...AlertContext,
      handoff_id: Id.describe('Id of the handoff.'),
      session_id: Id.describe('Id of the escalated session.'),
      title: z.string().describe('The title of the session.'),
      engineer_name: z.string().describe('Name of the engineer who escalated it.'),
      target_user_id: Id.nullable().describe('The colleague whom the escalation targets.'),
      urgency: Urgency,
      psa_ticket_id: z.string().nullable().describe('Id of the linked ticket.'),
      client_name: z.string().nullable().describe('The client’s company.'),
      reason: AlertText,
      summary: AlertText,
      what_was_tried: AlertText,
      next_steps: AlertText,
      created_at: Time,
    })
    .meta({ id: 'HandoffCreatedEvent' }),
  handoff_claimed: z
    .strictObject({
      session_id: Id.describe('Id of the escalated session.'),
      claimed_by: Id.describe('The colleague who has it now.'),
      claimant_name: z.string().describe('Name of this colleague.'),
    })
    .meta({ id: 'HandoffClaimedEvent' }),
  handoff_closed: z
    .strictObject({
      session_id: Id.describe(
        'Id of the session, which no longer waits in the queue or is no longer parked.',
      ),
      reason: z
        .enum(['picked_up', 'resolved', 'abandoned', 'resumed'])
        .meta({ id: 'HandoffCloseReason' })
        .describe('Why its handoff is closed. `resumed`: its engineer goes on with a parked session.'),
    })
    .meta({ id: 'HandoffClosedEvent' }),
  handoff_assessment_ready: z
    .strictObject({
      handoff_id: Id.describe('Id of the handoff.'),
      session_id: Id.describe('Id of the escalated session.'),
      assessment_status: z
        .enum(['ready', 'failed', 'timed_out'])
        .meta({ id: 'AssessmentResult' })
        .describe('The state of the assessment.'),
    })
    .meta({ id: 'HandoffAssessmentReadyEvent' }),
  ai_task_finished: z
    .strictObject({
      task_id: Id.describe('Id of the task.'),
      user_id: Id.describe('The user whose request it is.'),
      operation: z.string().describe('The operation of the request.'),
      status: z.int().nullable().describe('Status of the answer; null if no attempt got one.'),
    })
    .meta({ id: 'AITaskFinishedEvent' }),
  ticket_changed: z
    .strictObject({
      ticket_id: z.string().describe('Id of the ticket in the ticketing system.'),
      status: z.string().nullable().describe('Its status; null if the ticket was deleted.'),
      is_closed: z.boolean().describe('Whether it is closed or deleted.'),
      merged_into: z
        .string()
        .nullable()
        .describe(
          'Id of the ticket that is left when it was merged; its maintenance schedules now have that.',
        ),
      sessions: z
        .array(
          z.strictObject({
            session_id: Id.describe('Id of the session.'),
            user_id: Id.describe('The user of the session.'),
          }),
        )
        .describe('Sessions of the ticket that are prepared or in progress, at most 50.'),
      paused_schedule_ids: z
        .array(Id)
        .describe('Maintenance schedules of the ticket that its closing has paused.'),
    })
    .meta({ id: 'TicketChangedEvent' }),
  script_run_finished: z
    .strictObject({
      run_id: Id.describe('Id of the run at the runner.'),
      session_id: Id.describe('The session, or the AI session.'),
      user_id: Id.describe('The user who started it.'),
      state: z
        .enum(['finished', 'failed', 'unknown'])
        .meta({ id: 'ScriptRunEventState' })
        .describe('How it ended.'),
      script_run_id: Id.nullable().describe(
        'The script run with its output; null for one that did not start.',
      ),
    })
    .meta({ id: 'ScriptRunFinishedEvent' }),
  presence: PresenceEvent,
  approval_changed: z
    .strictObject({
      approval_id: Id.describe('Id of the approval.'),
      session_id: Id.describe('Id of the session.'),
      state: z
        .enum(['pending', 'approved', 'rejected', 'expired'])
        .meta({ id: 'ApprovalEventState' })
        .describe('The new state of the approval.'),
      requested_by: Id.describe('The user who requested it.'),
      approver_ids: z.array(Id).describe('The users who may decide; empty once it is decided.'),
    })
    .meta({ id: 'ApprovalChangedEvent' }),
  kb_batch_finished: z
    .strictObject({
      batch_id: Id.describe('Id of the batch of articles.'),
      user_id: Id.describe('The user who started it.'),
      status: z.enum(['succeeded', 'failed']).meta({ id: 'KbBatchResult' }).describe('How it ended.'),
    })
    .meta({ id: 'KbBatchFinishedEvent' }),
  job_progressed: z
    .strictObject({
      kind: z
        .enum(jobKinds)
        .meta({ id: 'JobKind' })
        .describe(
          'What the job does: the export or import of the account, a batch of articles, or an AI task.',
        ),
      id: Id.describe('Id of the export, import, batch or task.'),
      user_id: Id.nullable().describe('The user who started it.'),
      phase: z.string().describe('The phase in its `progress`; `finished` when nothing follows.'),
      done: z.int().describe('What is done.'),
      total: z.int().describe('What there is to do.'),
    })
    .meta({ id: 'JobProgressedEvent' }),
  overflow: z.strictObject({ dropped: z.int().describe('Number of missed events.') }),
  replaced: z.strictObject({}).describe('A newer stream of this user replaces this one.'),
}
