import { z } from 'zod'
import { exampleIds, Id, idParams, Name, Text, Time } from '../../../lib/http/fields.ts'

export const AiSessionId = idParams('session_id', 'AI session')

export const SessionType = z.enum(['guided', 'chat']).describe('Led step by step, or a free conversation.')
export const AiStatus = z
  .enum(['active', 'parked', 'requesting_escalation', 'escalated', 'claimed', 'resolved', 'abandoned', 'archived'])
  .describe(
    'Worked on, laid aside, waiting for a colleague (twice: the first is an older word), taken by one, or over in one of three ways.',
  )
export const AiOutcome = z.enum(['resolved', 'workaround', 'not_reproducible']).describe('How it ended.')
export const EnvironmentTags = z
  .array(z.string().trim().min(1).max(100))
  .max(20)
  .describe('What the environment is like, in words that the model may take into account.')
export const PsaTicketId = z.string().trim().min(1).max(64).describe('A ticket at the PSA, by its id there.')

export const EvidenceItem = z.strictObject({
  id: Id,
  text: z.string().describe('What was observed.'),
  source: z.enum(['user', 'ai']).describe('Who wrote it down.'),
  created_at: Time,
})

const ItemId = z.string().min(1).max(100).describe('Of the item, chosen by the client.')
const LaneText = z.string().trim().min(1).max(2000)
const encoder = new TextEncoder()
export const TaskLane = z
  .strictObject({
    questions: z
      .array(
        z.strictObject({
          id: ItemId,
          text: LaneText.describe('What to find out.'),
          answered: z.boolean().optional().describe('Whether it is.'),
        }),
      )
      .max(50)
      .describe('At most 50.'),
    actions: z
      .array(
        z.strictObject({ id: ItemId, text: LaneText.describe('What to do.'), done: z.boolean().optional().describe('Whether it is.') }),
      )
      .max(50)
      .describe('At most 50.'),
    responses: z
      .array(
        z.strictObject({
          id: ItemId,
          question_id: z.string().max(100).optional().describe('The question it answers.'),
          action_id: z.string().max(100).optional().describe('The action it tells of.'),
          text: z.string().trim().min(1).max(20_000).describe('What was said.'),
        }),
      )
      .max(100)
      .describe('At most 100.'),
  })
  .refine((lane) => encoder.encode(JSON.stringify(lane)).byteLength <= 256 * 1024, 'At most 256 KB in all')
  .meta({
    id: 'TaskLane',
    examples: [
      {
        questions: [{ id: 'q1', text: 'Since when?', answered: true }],
        actions: [{ id: 'a1', text: 'Ping the printer', done: false }],
        responses: [{ id: 'r1', question_id: 'q1', text: 'Since this morning' }],
      },
    ],
  })
export type TaskLane = z.infer<typeof TaskLane>

export const GuidedStep = z
  .strictObject({
    step_id: Id.describe('Of the step.'),
    kind: z.enum(['question', 'action', 'fix']).describe('Something to find out, to do, or the fix.'),
    text: z.string().describe('What to find out or do; markdown.'),
    options: z.array(z.string()).describe('Foreseen answers to a question; any other may be given.'),
    rationale: z.string().nullable().describe('Why it comes now.'),
    response: z.string().nullable().describe('What was answered; null while it is the current step.'),
    created_at: Time,
  })
  .meta({
    id: 'GuidedStep',
    examples: [
      {
        step_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e51',
        kind: 'question',
        text: 'Does the printer answer a ping?',
        options: ['Yes', 'No'],
        rationale: 'It tells the network from the printer.',
        response: null,
        created_at: '2026-11-21T09:30:05.000Z',
      },
    ],
  })

export const AiMessage = z
  .strictObject({
    id: Id,
    role: z.enum(['user', 'assistant']).describe('Who said it: a technician or the model.'),
    content: z.string().describe('What was said; of the model, markdown.'),
    upload_ids: z.array(Id).describe('Pictures that came with it.'),
    branch_id: Id.describe('The branch it was said on.'),
    created_at: Time,
  })
  .meta({
    id: 'AiMessage',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e52',
        role: 'user',
        content: 'Reception cannot print since this morning.',
        upload_ids: [],
        branch_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e53',
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })

export const exampleSessionId = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e50'

export const OutcomeProposal = z
  .strictObject({
    outcome: z
      .enum(['applied_success', 'applied_failed', 'applied_partial', 'applied_pending'])
      .describe('What the model takes the technician to have said.'),
    reason: z.string().describe('From which words.'),
    created_at: Time,
  })
  .describe('A proposal of the model’s that waits for the technician.')

export const SuggestedFix = z
  .strictObject({
    id: Id,
    session_id: Id.describe('The session it is for.'),
    title: z.string().describe('What it is, in a line.'),
    description: z.string().describe('What to do; markdown.'),
    kind: z.enum(['manual', 'script', 'template']).describe('Done by hand, by a drafted script, or by a template of the library.'),
    script_template_id: Id.nullable().describe('The template.'),
    status: z
      .enum(['proposed', 'applied_success', 'applied_failed', 'applied_partial', 'applied_pending', 'dismissed'])
      .describe('What became of it. Success, failed and dismissed are final.'),
    applied_at: Time.nullable().describe('When it was first applied.'),
    verified_at: Time.nullable().describe('When its success or failure was established.'),
    partial_notes: z.string().nullable().describe('What of it helped.'),
    pending_reason: z.string().nullable().describe('What is waited for.'),
    failure_reason: z.string().nullable().describe('Why it failed.'),
    ai_drafted_script: z.string().nullable().describe('A script that does it.'),
    ai_drafted_parameters: z.array(z.json()).describe('What the script needs to be told; as a template’s `parameters_schema`.'),
    ai_outcome_proposal: OutcomeProposal.nullable().describe('What the model takes its outcome to be; it waits for the technician.'),
    created_at: Time,
  })
  .meta({
    id: 'SuggestedFix',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e54',
        session_id: exampleSessionId,
        title: 'Restart the print spooler',
        description: 'On the print server, restart the service **Spooler**.',
        kind: 'script',
        script_template_id: null,
        status: 'proposed',
        applied_at: null,
        verified_at: null,
        partial_notes: null,
        pending_reason: null,
        failure_reason: null,
        ai_drafted_script: "Restart-Service -Name 'Spooler' -Force",
        ai_drafted_parameters: [],
        ai_outcome_proposal: null,
        created_at: '2026-11-21T09:32:00.000Z',
      },
    ],
  })
export type SuggestedFix = z.infer<typeof SuggestedFix>

export const Fact = z
  .strictObject({
    id: Id,
    key: z.string().describe('What it is about; one fact per key.'),
    value: z.string().describe('What is known.'),
    source: z.enum(['user', 'ai']).describe('Who settled it.'),
    created_by: Id.describe('Who settled it, or in whose session the model did.'),
    created_at: Time,
    updated_at: Time.describe('When it was last corrected.'),
  })
  .meta({
    id: 'AiFact',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e55',
        key: 'printer',
        value: 'PRN-2F-03',
        source: 'user',
        created_by: exampleIds.user,
        created_at: '2026-11-21T09:31:00.000Z',
        updated_at: '2026-11-21T09:31:00.000Z',
      },
    ],
  })

export const Urgency = z.enum(['low', 'normal', 'high', 'critical']).describe('How soon somebody must look at it.')
export const Handoff = z
  .strictObject({
    id: Id,
    session_id: Id.describe('The session that was handed over.'),
    intent: z.enum(['park', 'escalate']).describe('Laid aside, or given to a colleague.'),
    created_by: Id.describe('Who handed it over.'),
    target_user_id: Id.nullable().describe('Whom it is aimed at; anybody may claim it.'),
    reason: z.string().describe('Why.'),
    summary: z.string().describe('The problem and where it stands.'),
    what_was_tried: z.string().describe('What was done, with its results.'),
    next_steps: z.string().describe('What comes next.'),
    urgency: Urgency,
    claimed_by: Id.nullable().describe('Who took it.'),
    claimed_at: Time.nullable().describe('When.'),
    ai_assessment: z.string().nullable().describe('The model’s second opinion; markdown.'),
    assessment_status: z
      .enum(['pending', 'ready', 'failed', 'timed_out'])
      .nullable()
      .describe('Where the second opinion stands; null when there is none to come, as for what was only laid aside.'),
    first_action_at: Time.nullable().describe('When the colleague first did something.'),
    created_at: Time,
  })
  .meta({
    id: 'Handoff',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e56',
        session_id: exampleSessionId,
        intent: 'escalate',
        created_by: exampleIds.user,
        target_user_id: null,
        reason: 'Needs rights on the print server.',
        summary: 'Reception cannot print; the spooler of the server stops.',
        what_was_tried: 'Restarted the spooler: partly.',
        next_steps: 'Replace the driver.',
        urgency: 'high',
        claimed_by: null,
        claimed_at: null,
        ai_assessment: null,
        assessment_status: 'pending',
        first_action_at: null,
        created_at: '2026-11-21T09:40:00.000Z',
      },
    ],
  })
export type Handoff = z.infer<typeof Handoff>

const item = {
  id: Id,
  account_id: Id,
  user_id: Id.describe('Who began it.'),
  user_name: z.string().nullable().describe('Their name.'),
  session_type: SessionType,
  title: z.string().describe('What it is about, in a line.'),
  status: AiStatus,
  problem_summary: z.string().nullable().describe('The problem as it was reported.'),
  psa_ticket_id: z.string().nullable().describe('The ticket it is for.'),
  tree_id: Id.nullable().describe('The flow that the model keeps to.'),
  environment_tags: z.array(z.string()).describe('What the environment is like.'),
  client_name: z.string().nullable().describe('The client’s company.'),
  asset_name: z.string().nullable().describe('The machine or device at fault.'),
  issue_category: z.string().nullable().describe('What kind of problem it is.'),
  escalated_to_id: Id.nullable().describe('Whom its last escalation was aimed at.'),
  picked_up_by_id: Id.nullable().describe('The colleague who works on it now.'),
  state_version: z.int().describe('Grows with every change of a fact or a fix.'),
  outcome: AiOutcome.nullable().describe('How it ended; null while it has not been resolved.'),
  created_at: Time,
  updated_at: Time.describe('When it last changed.'),
  resolved_at: Time.nullable().describe('When it was resolved.'),
}
export const exampleItem = {
  id: exampleSessionId,
  account_id: exampleIds.account,
  user_id: exampleIds.user,
  user_name: 'Dana Reyes',
  session_type: 'chat' as const,
  title: 'Reception cannot print',
  status: 'active' as const,
  problem_summary: 'Reception cannot print since this morning.',
  psa_ticket_id: '48213',
  tree_id: null,
  environment_tags: ['windows 11'],
  client_name: 'Contoso Dental',
  asset_name: 'PRN-2F-03',
  issue_category: 'Printing',
  escalated_to_id: null,
  picked_up_by_id: null,
  state_version: 1,
  outcome: null,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:31:00.000Z',
  resolved_at: null,
}

export const AiSessionListItem = z.strictObject(item).meta({ id: 'AISessionListItem', examples: [exampleItem] })
export type AiSessionListItem = z.infer<typeof AiSessionListItem>

export const AiSessionDetail = z
  .strictObject({
    ...item,
    triage_hypothesis: z.string().nullable().describe('The likeliest cause.'),
    evidence_items: z.array(EvidenceItem).describe('What was observed; the model only adds to it.'),
    pending_task_lane: TaskLane.describe('What is to be found out and done.'),
    is_branching: z.boolean().describe('Whether there is more than the main line.'),
    active_branch_id: Id.describe('The branch that is worked on.'),
    escalation_package: z.record(z.string(), z.json()).nullable().describe('What the last escalation handed over.'),
    resolution_notes: z.string().nullable().describe('What was said at its end.'),
    steps: z.array(GuidedStep).describe('Of a guided session, in their order.'),
    messages: z.array(AiMessage).describe('Of the active branch, in their order.'),
    suggested_fixes: z.array(SuggestedFix).describe('In the order they were suggested.'),
    facts: z.array(Fact).describe('What is settled.'),
    handoffs: z.array(Handoff).describe('Newest first.'),
  })
  .meta({
    id: 'AISessionDetail',
    examples: [
      {
        ...exampleItem,
        triage_hypothesis: 'The spooler of the print server stopped.',
        evidence_items: [],
        pending_task_lane: { questions: [], actions: [], responses: [] },
        is_branching: false,
        active_branch_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e53',
        escalation_package: null,
        resolution_notes: null,
        steps: [],
        messages: [],
        suggested_fixes: [],
        facts: [],
        handoffs: [],
      },
    ],
  })
export type AiSessionDetail = z.infer<typeof AiSessionDetail>

export const AiSessionCreate = z
  .strictObject({
    session_type: SessionType,
    problem_summary: Text.optional().describe('The problem as it was reported.'),
    psa_ticket_id: PsaTicketId.optional(),
    tree_id: Id.optional().describe('A published troubleshooting flow that the model keeps to.'),
    client_name: Name.optional().describe('The client’s company.'),
    asset_name: Name.optional().describe('The machine or device at fault.'),
    environment_tags: EnvironmentTags.optional(),
  })
  .meta({
    id: 'AISessionCreate',
    examples: [{ session_type: 'chat', problem_summary: 'Reception cannot print since this morning.', psa_ticket_id: '48213' }],
  })
export type AiSessionCreate = z.infer<typeof AiSessionCreate>

export const AiSessionQuery = z.strictObject({
  session_type: SessionType.optional().describe('Only of this kind.'),
  psa_ticket_id: PsaTicketId.optional().describe('Only for this ticket.'),
  status: AiStatus.optional().describe('Only in this state.'),
})
export type AiSessionQuery = z.infer<typeof AiSessionQuery>

export const Resolve = z
  .strictObject({ outcome: AiOutcome, notes: Text.optional().describe('What solved it, and how that was seen.') })
  .meta({ id: 'AISessionResolve', examples: [{ outcome: 'resolved', notes: 'Replaced the driver; two test pages came out.' }] })
export type Resolve = z.infer<typeof Resolve>

export const SessionClose = z
  .strictObject({
    session_id: Id,
    status: AiStatus,
    handoff_id: Id.nullable().describe('The handoff that was made.'),
    documentation: z.string().describe('What the case came to, as it goes to the ticket; empty when nothing was written.'),
    psa_push: z
      .enum(['pushed', 'queued', 'failed', 'not_linked'])
      .describe('Where the documentation’s way to the ticket stands; `not_linked` without a ticket or without a connected PSA.'),
    notified: z.int().describe('How many are told of it: notifications in the app, and mails and chat messages that go out.'),
  })
  .meta({
    id: 'SessionCloseResponse',
    examples: [
      {
        session_id: exampleSessionId,
        status: 'resolved',
        handoff_id: null,
        documentation: 'Reception cannot print',
        psa_push: 'queued',
        notified: 0,
      },
    ],
  })
export type SessionClose = z.infer<typeof SessionClose>
