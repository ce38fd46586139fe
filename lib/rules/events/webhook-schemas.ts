import * as z from 'zod'
import { aiOutcomes, urgencies } from '#rules/ai/session-values.ts'
import { pushSources } from '#rules/events/push-values.ts'
import { sessionOutcomes } from '#rules/flows/session-row.ts'
import { TreeType } from '#rules/flows/structure.ts'
import { JsonValue } from '#rules/json-value.ts'
import { substituteOutcomes } from '#rules/oncall/substitutes.ts'
import { Uuid } from '#rules/uuid.ts'

// The data of each event, as receivers of webhooks get it. Fields are only ever added.

const Id = Uuid
const OptionalId = Id.nullable()
const Time = z.iso.datetime({ precision: 3 })
const TeamId = OptionalId.meta({ id: 'OptionalTeamId' }).describe('The team; null without one.')
const SessionTitle = z.string().describe('The title of the session.')
const TicketId = z.string().nullable().describe('The ticket number.')
const Reason = z.string().describe('Why.')
const Owner = Id.describe('Id of the owner of the schedule.')
const SubmittedBy = Id.describe('Id of the user who submitted it.')
const DecidedBy = OptionalId.describe('Id of the admin who decided.')
const ClaimedBy = OptionalId.describe('Id of the colleague who claimed it; null while unclaimed.')
const FlowName = z.string().describe('The name of the flow.')
const ScheduleFields = {
  schedule_id: Id.describe('Id of the maintenance schedule.'),
  schedule_name: z.string().describe('Its name.'),
}
const proposalFields = {
  proposal_id: Id.describe('Id of the flow proposal.'),
  team_id: TeamId,
  flow_name: FlowName,
}
const substituteFields = {
  request_id: Id.describe('Id of the request for a substitute.'),
  schedule_id: Id.describe('Id of the on-call schedule.'),
  schedule_name: z.string().describe('Its name.'),
  user_id: Id.describe('Id of the user whose shift it is.'),
  name: z.string().describe('Their name.'),
  starts_at: z.string().describe('When the shift starts, RFC 3339.'),
  ends_at: z.string().describe('When it ends.'),
  team_id: TeamId,
}
const approvalFields = {
  approval_id: Id.describe('Id of the approval.'),
  session_id: Id.describe('Id of the session, or of the AI session.'),
  title: z.string().describe('What is to be approved.'),
  team_id: TeamId,
}

/**
 * What an alert shows of the session besides the texts of the handoff; absent where there is nothing to show.
 */
export const AlertContext = {
  handoff_id: z.string().optional().describe('Id of the handoff, with which it is claimed.'),
  ticket_url: z.string().nullish().describe('Where the ticketing system shows the ticket.'),
  fixes: z.string().optional().describe('The suggested fixes with their outcomes, each in a line.'),
  known: z.string().optional().describe('What was observed, each in a line.'),
  reminder: z
    .string()
    .optional()
    .describe('How long it waits, which round it is and who was told before, in a reminder.'),
  assessment: z.string().optional().describe('The start of the assessment, in the alert about it.'),
}

const EscalationDetails = z
  .strictObject({
    urgency: z.enum(urgencies).meta({ id: 'Urgency' }).describe('How urgent it is.'),
    client_name: z.string().nullable().describe('The client’s company.'),
    psa_ticket_id: TicketId,
    reason: z.string().describe('Why the session was handed over.'),
    summary: z.string().describe('The problem and its current state.'),
    what_was_tried: z.string().describe('What was tried, with the results.'),
    next_steps: z.string().describe('What to do next.'),
    ...AlertContext,
  })
  .describe(
    'As in the alert: each text has at most 2,000 characters and is masked if the account masks its exports.',
  )

const AuditRange = z
  .strictObject({
    first_sequence: z.int().describe('The number of the first entry.').meta({ example: 4096 }),
    last_sequence: z.int().describe('The number of the last entry.').meta({ example: 4097 }),
  })
  .meta({ id: 'WebhookAuditRange' })
  .describe('Entries of the audit log that follow each other.')

/** The ranges of the audit log that a webhook did not get. */
export const MissedAuditEntries = z
  .array(AuditRange)
  .describe(
    'The entries of the audit log that it did not get and that no replay had sent when this was written, at most 20 ranges of 30 days.',
  )

/** An entry of the audit log. `changes` of more than 8,000 bytes do not fit into a message. */
const AuditLogMessage = z
  .strictObject({
    sequence: z
      .int()
      .describe(
        'Its number in the audit log of the account. A number that is missing was deleted, as `audit_log_days` says.',
      ),
    id: Id.describe('Id of the entry.'),
    account_id: Id.describe('Id of the account.'),
    actor_id: OptionalId.describe(
      'The user who acted; null for the service itself, and for the provider that provisions members.',
    ),
    actor_name: z.string().nullable().describe('The name of that user.'),
    action: z.string().describe('The resource type and what was done.').meta({ example: 'member.updated' }),
    resource_type: z.string().describe('The type of the changed resource.').meta({ example: 'member' }),
    resource_id: OptionalId.describe('The id of the changed resource.'),
    changes: z
      .record(z.string(), JsonValue)
      .nullable()
      .describe(
        'The old and the new value of each changed field, `[redacted]` for a secret; null if they have more than 8,000 bytes.',
      )
      .meta({ example: { role: { from: 'viewer', to: 'engineer' } } }),
    ip: z.string().nullable().describe("The client's IP address."),
    created_at: Time.describe('When it happened.'),
  })
  .meta({ id: 'WebhookAuditEntry' })

/** The shape of each event's `data`, by event. */
export const webhookData = {
  'audit.recorded': z.strictObject({
    ...AuditRange.shape,
    missed: MissedAuditEntries,
    entries: z
      .array(AuditLogMessage)
      .describe('The entries by their numbers, at most 100. A number that is missing was deleted.'),
  }),
  'flow.published': z.strictObject({
    flow_id: Id.describe('Id of the flow.'),
    version: z.int().describe('The published version.'),
    flow_name: FlowName,
    flow_type: TreeType.describe('The kind of flow.'),
    visibility: z
      .enum(['team', 'account', 'public'])
      .meta({ id: 'PublishedFlowVisibility' })
      .describe('Private flows cause no event.'),
    team_id: TeamId,
    published_by: OptionalId.describe('Id of the user who saved it.'),
  }),
  'schedule.run': z.strictObject({
    ...ScheduleFields,
    run_id: Id.describe('Id of the run.'),
    trigger: z.enum(['scheduled', 'manual']).meta({ id: 'RunTrigger' }).describe('What started it.'),
    status: z
      .enum(['created', 'failed'])
      .meta({ id: 'CompletedRunStatus' })
      .describe('Whether its sessions were created.'),
    error: z.string().nullable().describe('Why it failed.'),
    batch_ids: z.array(Id).describe('The batches that were created.'),
    session_count: z.int().describe('The sessions that were created.'),
    team_id: TeamId,
  }),
  'session.completed': z.strictObject({
    session_id: Id.describe('Id of the session or AI session.'),
    kind: z
      .enum(['flow', 'ai'])
      .meta({ id: 'CompletedSessionKind' })
      .describe('`flow`: a run of a flow. `ai`: an AI session.'),
    outcome: z
      .enum([...new Set([...sessionOutcomes, ...aiOutcomes])])
      .meta({ id: 'CompletedSessionOutcome' })
      .describe('The outcome.'),
    ticket_id: TicketId,
    flow_id: OptionalId.describe('Id of the flow; null for an AI session.'),
    flow_name: FlowName.nullable(),
    batch_id: OptionalId.describe('Id of the batch, if the session belongs to one.'),
    parent_session_id: OptionalId.describe(
      'Id of the session that runs it as a sub-flow, of which it is a part.',
    ),
    user_id: Id.describe('Id of the user whose session it is.'),
    team_id: TeamId,
    completed_at: Time.describe('When it was completed.'),
  }),
  'session.escalated': z.strictObject({
    session_id: Id.describe('Id of the AI session.'),
    engineer_id: OptionalId.describe('Id of the user who escalated.'),
    engineer_name: z.string().describe('Their name.'),
    target_user_id: OptionalId.describe('Id of the colleague who was asked; null for anyone.'),
    on_call_user_ids: z.array(Id).describe('Ids of the users on call who were told at once.'),
    team_id: TeamId,
    ticket_id: TicketId,
    problem: z.string().describe('The problem, at most 2,000 characters.'),
    details: EscalationDetails.nullable().describe('The details; null for an older session.'),
  }),
  'escalation.reminded': z.strictObject({
    session_id: Id.describe('Id of the AI session.'),
    handoff_id: Id.describe('Id of the handoff.'),
    team_id: TeamId,
    ticket_id: TicketId,
    problem: z.string().describe('The problem, at most 2,000 characters.'),
    round: z.int().describe('The round of the escalation policy, from 1.'),
    rounds: z.int().describe('How many rounds the policy has.'),
    step: z.int().describe('The step of the round, from 1.'),
    user_ids: z.array(Id).describe('The users who were notified.'),
    told_user_ids: z.array(Id).describe('The users who were told of the escalation before.'),
    waiting_seconds: z.int().describe('How long it waits for a colleague, in seconds.'),
  }),
  'escalation.unreached': z.strictObject({
    session_id: Id.describe('Id of the AI session.'),
    handoff_id: Id.describe('Id of the handoff.'),
    team_id: TeamId,
    ticket_id: TicketId,
    problem: z.string().describe('The problem, at most 2,000 characters.'),
    round: z.int().describe('The round of the escalation policy, from 1.'),
    step: z.int().describe('The step that reached nobody, from 1.'),
    is_whole_policy: z.boolean().describe('Whether no step has reached anybody by the end of the round.'),
  }),
  'escalation.acknowledged': z.strictObject({
    session_id: Id.describe('Id of the AI session.'),
    handoff_id: Id.describe('Id of the handoff.'),
    team_id: TeamId,
    acknowledged_by: OptionalId.describe('Id of the colleague; null for the link in a chat channel.'),
    name: z.string().nullable().describe('Their name.'),
  }),
  'handoff.claimed': z.strictObject({
    session_id: Id.describe('Id of the AI session.'),
    title: SessionTitle,
    claimed_by: ClaimedBy,
    claimant_name: z.string().describe('Their name.'),
    engineer_id: Id.describe('Id of the user who escalated.'),
    team_id: TeamId,
  }),
  'handoff.assessment_ready': z.strictObject({
    session_id: Id.describe('Id of the AI session.'),
    title: SessionTitle,
    claimed_by: ClaimedBy,
    team_id: TeamId,
  }),
  'proposal.submitted': z.strictObject({
    ...proposalFields,
    submitted_by: SubmittedBy.nullable(),
    submitter_name: z.string().describe('Their name.'),
  }),
  'proposal.approved': z.strictObject({
    ...proposalFields,
    submitted_by: SubmittedBy,
    decided_by: DecidedBy,
  }),
  'proposal.rejected': z.strictObject({
    ...proposalFields,
    submitted_by: SubmittedBy,
    decided_by: DecidedBy,
    reason: Reason,
  }),
  'approval.requested': z.strictObject({
    ...approvalFields,
    requested_by: OptionalId.describe('Id of the technician.'),
    requester_name: z.string().describe('Their name.'),
    user_ids: z.array(Id).describe('The users who may decide.'),
  }),
  'approval.decided': z.strictObject({
    ...approvalFields,
    is_approved: z.boolean().describe('Whether it was approved; otherwise it was rejected.'),
    decided_by: OptionalId.describe('Id of the user who decided.'),
    approver_name: z.string().describe('Their name.'),
    comment: z.string().describe('Their comment; empty without one.'),
  }),
  'approval.expired': z.strictObject(approvalFields),
  'session.timer_due': z.strictObject({
    session_id: Id.describe('Id of the session.'),
    flow_name: FlowName,
    step_title: z.string().describe('The title of the step that waits.'),
    user_id: Id.describe('Id of the user of the session.'),
    team_id: TeamId,
  }),
  'handover.due': z.strictObject({
    team_id: Id.describe('Id of the team.'),
    team_name: z.string().describe('Its name.'),
    text: z
      .string()
      .describe('The handover in words, a sentence per line with its address.')
      .meta({ example: '1 open escalation: Reception cannot print' }),
  }),
  'flow.review_due': z.strictObject({
    owner_id: OptionalId.describe('Id of the user who reviews the flows; null for the admins.'),
    team_id: TeamId,
    count: z.int().describe('How many flows are announced.').meta({ example: 1 }),
    flows: z
      .array(
        z.strictObject({
          flow_id: Id.describe('Id of the flow.'),
          flow_name: FlowName,
          due_on: z.iso.date().describe('The day from which its review is overdue.'),
        }),
      )
      .describe('The longest overdue ones, at most ten.'),
  }),
  'maintenance.batch_created': z.strictObject({
    ...ScheduleFields,
    session_count: z.int().describe('The sessions that wait.'),
    owner_id: Owner,
    team_id: TeamId,
  }),
  'maintenance.run_failed': z.strictObject({
    ...ScheduleFields,
    reason: Reason,
    owner_id: Owner,
    team_id: TeamId,
  }),
  'psa.push_failed': z.strictObject({
    source: z.enum(pushSources).meta({ id: 'PsaPushSource' }).describe('What it is about.'),
    source_id: Id.describe('Id of the session, AI session, output or user.'),
    ticket_id: z.string().nullable().describe('The ticket number; null for a ticket that was not created.'),
    reason: Reason,
    owner_id: OptionalId.describe('Id of the user who pushed it.'),
  }),
  'oncall.overridden': z.strictObject({
    schedule_id: Id.describe('Id of the on-call schedule.'),
    schedule_name: z.string().describe('Its name.'),
    user_id: Id.describe('Id of the user who is on call instead.'),
    name: z.string().describe('Their name.'),
    starts_at: z.string().describe('When the override starts, RFC 3339.'),
    ends_at: z.string().describe('When it ends.'),
    has_ended: z.boolean().describe('Whether the override was deleted.').meta({ example: false }),
    replaced_user_ids: z
      .array(Id)
      .describe('Ids of the users who would have been on call, or are again after its deletion.'),
    team_id: TeamId,
  }),
  'oncall.changed': z.strictObject({
    schedule_id: Id.describe('Id of the on-call schedule.'),
    schedule_name: z.string().describe('Its name.'),
    user_id: OptionalId.describe('Id of the user who is on call now; null for nobody.'),
    name: z.string().nullable().describe('Their name.'),
    previous_user_id: OptionalId.describe('Id of the user who was on call before; null for nobody.'),
    schedule_deleted: z.boolean().describe('Whether the schedule was deleted.').meta({ example: false }),
    team_id: TeamId,
  }),
  'oncall.shift_starts': z.strictObject({
    schedule_id: Id.describe('Id of the on-call schedule.'),
    schedule_name: z.string().describe('Its name.'),
    user_id: Id.describe('Id of the user whose shift begins.'),
    name: z.string().describe('Their name.'),
    starts_at: z.string().describe('When the shift begins, RFC 3339.'),
    ends_at: z.string().nullable().describe('When it ends; null if nothing ends it within a month.'),
    team_id: TeamId,
  }),
  'oncall.substitute_requested': z.strictObject(substituteFields),
  'oncall.substitute_updated': z.strictObject({
    ...substituteFields,
    outcome: z
      .enum(substituteOutcomes)
      .meta({ id: 'OnCallSubstituteOutcome' })
      .describe(
        '`declined`: everybody has declined. `unanswered`: nobody has accepted, and the shift comes near.',
      ),
    accepted_by: OptionalId.describe('Id of the user who has accepted; null for the other outcomes.'),
    accepted_by_name: z.string().nullable().describe('Their name.'),
  }),
  'alert.opened': z.strictObject({
    alert_id: Id.describe('Id of the alert.'),
    title: z.string().describe('The title of the alert.'),
    source_name: z.string().describe('The name of its source.').meta({ example: 'Prometheus' }),
    ai_session_id: OptionalId.describe('Id of the AI session that it opened.'),
    session_id: OptionalId.describe('Id of the session that it prepared.'),
    owner_id: Owner,
    team_id: TeamId,
  }),
  'alert.limited': z.strictObject({
    source_id: Id.describe('Id of the alert source.'),
    source_name: z.string().describe('Its name.').meta({ example: 'Prometheus' }),
    reason: Reason,
  }),
  'channel.disconnected': z.strictObject({
    config_id: Id.describe('Id of the config.'),
    host: z.string().describe('Host of its webhook.'),
  }),
  'phone.limited': z.strictObject({
    gateway_id: Id.describe('Id of the gateway.'),
    daily_limit: z.int().describe('How many messages and calls a day has.').meta({ example: 100 }),
  }),
  'member.joined': z.strictObject({
    user_id: OptionalId.describe('Id of the new member.'),
    name: z.string().describe('Their name.'),
    invited_by: Id.describe('Id of the user who invited them.'),
    team_id: TeamId,
  }),
  'webhook.test': z.strictObject({
    webhook_id: Id.describe('Id of the webhook.'),
    message: z
      .string()
      .describe('A sentence for people.')
      .meta({ example: 'Webhooks of Support Flow arrive here.' }),
  }),
} as const

export type WebhookType = keyof typeof webhookData
export type WebhookData<T extends WebhookType> = z.output<(typeof webhookData)[T]>
