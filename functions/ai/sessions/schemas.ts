import * as z from 'zod'
import { maxLaneBytes, maxLaneItems } from '#db/rows/ai-session.ts'
import { AlsoHere } from '#functions/presence/schemas.ts'
import { Flag, Id, idParams, MessageRole, Name, Text, Time, Version } from '#http/fields.ts'
import { escalationHints } from '#rules/ai/escalation-hints.ts'
import {
  aiOutcomes,
  aiStatuses,
  answerFailures,
  assessmentStatuses,
  citationKinds,
  fixKinds,
  fixStatuses,
  proposedOutcomes,
  stepKinds,
  urgencies,
} from '#rules/ai/session-values.ts'
import { JsonValue } from '#rules/json-value.ts'
import { removeRepeats } from '#rules/text/duplicates.ts'
import { ticketIdPattern } from '#vendors/psa/psa.ts'

export const AiSessionId = idParams('session_id', 'AI session')

const FactSource = z.enum(['user', 'ai']).meta({ id: 'FactSource' })
export const HandoffIntent = z.enum(['park', 'escalate']).meta({ id: 'HandoffIntent' })
export const SessionType = z
  .enum(['guided', 'chat'])
  .meta({ id: 'AiSessionType' })
  .describe('`guided`: step by step. `chat`: a free conversation.')
export const AiStatus = z
  .enum(aiStatuses)
  .meta({ id: 'AiSessionStatus' })
  .describe(
    '`active`: in progress. `parked`: paused. `escalated`: waits for a colleague. `requesting_escalation`: the older name of `escalated`. `claimed`: a colleague has claimed it. `resolved`: closed with an outcome. `abandoned`: closed without an outcome. `archived`: closed because it was idle.',
  )
export const AiOutcome = z
  .enum(aiOutcomes)
  .meta({ id: 'AiSessionOutcome' })
  .describe('The outcome of the session.')
export const EnvironmentTags = z
  .array(z.string().trim().min(1).max(100))
  .max(20)
  .transform(removeRepeats)
  .describe('Tags that describe the environment. The model takes them into account.')
export const PsaTicketId = z
  .string()
  .trim()
  .regex(ticketIdPattern, 'must be the number of a ticket')
  .describe('Id of the ticket in the PSA.')

export const EvidenceItem = z.strictObject({
  id: Id,
  text: z
    .string()
    .describe('What was observed.')
    .meta({ example: 'The queue shows “Error - Printing” for every job.' }),
  source: z
    .enum(['user', 'ai', 'alert'])
    .meta({ id: 'EvidenceSource' })
    .describe('Who added it: a person, the model, or an alert of monitoring.'),
  created_at: Time,
})

const ItemId = z
  .string()
  .min(1)
  .max(100)
  .meta({ id: 'TaskLaneItemId', example: 'q1' })
  .describe('Id of the item. The API client chooses it, or the service for items that the model adds.')
const LaneText = z.string().trim().min(1).max(2000)
const encoder = new TextEncoder()
export const taskLaneFields = {
  questions: z
    .array(
      z.strictObject({
        id: ItemId,
        text: LaneText.describe('What to find out.').meta({ example: 'Since when?' }),
        answered: z
          .boolean()
          .optional()
          .describe('Whether the question is answered.')
          .meta({ example: true }),
      }),
    )
    .max(maxLaneItems)
    .describe(`At most ${maxLaneItems}.`),
  actions: z
    .array(
      z.strictObject({
        id: ItemId,
        text: LaneText.describe('What to do.').meta({ example: 'Ping the printer' }),
        done: z.boolean().optional().describe('Whether the action is done.').meta({ example: false }),
      }),
    )
    .max(maxLaneItems)
    .describe(`At most ${maxLaneItems}.`),
  responses: z
    .array(
      z.strictObject({
        id: ItemId,
        question_id: z
          .string()
          .max(100)
          .optional()
          .describe('The question it answers.')
          .meta({ example: 'q1' }),
        action_id: z.string().max(100).optional().describe('The action it reports on.'),
        text: z
          .string()
          .trim()
          .min(1)
          .max(20_000)
          .describe('The response.')
          .meta({ example: 'Since this morning' }),
      }),
    )
    .max(100)
    .describe('At most 100.'),
}
/** Return whether a task lane is small enough to be stored. */
export const isTaskLaneSize = (lane: object) =>
  encoder.encode(JSON.stringify(lane)).byteLength <= maxLaneBytes
export const taskLaneSizeMessage = 'must be at most 256 KB in all'
export const TaskLane = z
  .strictObject(taskLaneFields)
  .refine(isTaskLaneSize, taskLaneSizeMessage)
  .meta({ id: 'TaskLane' })
export type TaskLane = z.infer<typeof TaskLane>

const Citation = z
  .strictObject({
    kind: z
      .enum(citationKinds)
      .meta({ id: 'CitationKind' })
      .describe('`flow`: a published flow. `article`: a knowledge import. `session`: a resolved AI session.'),
    id: Id,
    title: z.string().describe('Its title when it was used.'),
    ask: z
      .string()
      .optional()
      .describe('The colleague to ask about a session of the same client that you could not open.')
      .meta({ example: 'Nina Night' }),
  })
  .meta({ id: 'Citation' })
export const Citations = z
  .array(Citation)
  .describe(
    'The flows, articles and resolved sessions that the model has used, of those in its prompt. All of them, if it gave no answer.',
  )

export const Sources = Citations.describe(
  'The flows, articles and resolved sessions that fitted the case, best first. Empty if none did.',
)

export const FlowOffer = z
  .strictObject({
    text: z
      .string()
      .describe('That no flow fits, and the offer, in English.')
      .meta({ example: 'No flow fits. Draft one from this case once it is resolved?' }),
    operation: z
      .literal('authoring.proposals.create')
      .describe('The operation that drafts a flow from the case once it is resolved.'),
    path: z
      .string()
      .describe('Its path for this case.')
      .meta({ example: '/api/v1/sessions/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e30/flow-proposals' }),
  })
  .meta({ id: 'FlowOffer' })
  .nullable()
  .describe('The offer to draft a flow from the case; null if a published flow fitted it.')

export const Lookups = z
  .array(
    z.strictObject({
      tool: z.string().describe('The name of the tool, such as `check_domain`.'),
      arguments: z.record(z.string(), z.unknown()).describe('What the model asked for, masked.'),
      source: z.string().nullable().describe('Where it was looked up; null if it could not be read.'),
      summary: z.string().describe('What was found, or why nothing was.'),
    }),
  )
  .meta({
    id: 'Lookups',
    examples: [
      [{ tool: 'check_domain', arguments: { domain: 'example.com' }, source: 'DNS', summary: '1 address' }],
    ],
  })
  .describe('What the model has looked up for the answer. For technicians: no text for a client has it.')

export const AnswerFailure = z
  .enum(answerFailures)
  .meta({ id: 'AnswerFailure' })
  .nullable()
  .describe(
    'Why the model gave no answer; null if it did. `declined`: it refused. `unusable`: its answer was broken twice. `truncated`: it was too long twice. The text says so, and the citations are sources that may fit.',
  )

export const GuidedStep = z
  .strictObject({
    step_id: Id.describe('Id of the step.'),
    kind: z
      .enum(stepKinds)
      .meta({ id: 'GuidedStepKind' })
      .describe('`question`: a question to answer. `action`: an action to do. `fix`: a fix to apply.'),
    text: z
      .string()
      .describe('What to find out or do, as markdown.')
      .meta({ example: 'Does the printer answer a ping?' }),
    options: z
      .array(z.string())
      .describe('Suggested answers to a question. Other answers are allowed.')
      .meta({ example: ['Yes', 'No'] }),
    rationale: z
      .string()
      .nullable()
      .describe('Why this step comes next.')
      .meta({ example: 'It shows whether the network or the printer is at fault.' }),
    citations: Citations,
    sources: Sources,
    flow_offer: FlowOffer,
    lookups: Lookups,
    failure: AnswerFailure,
    response: z.string().nullable().describe('The answer; null while it is the current step.'),
    created_at: Time,
  })
  .meta({ id: 'GuidedStep' })

export const AiMessage = z
  .strictObject({
    id: Id,
    role: MessageRole.describe('The author. `user`: a technician. `assistant`: the model.'),
    content: z
      .string()
      .describe('The text of the message. The model writes markdown.')
      .meta({ example: 'Reception cannot print since this morning.' }),
    upload_ids: z.array(Id).describe('Ids of the attached images.'),
    branch_id: Id.describe('Id of the branch it belongs to.'),
    citations: Citations,
    sources: Sources,
    flow_offer: FlowOffer,
    lookups: Lookups,
    failure: AnswerFailure,
    created_at: Time,
  })
  .meta({ id: 'AiMessage' })

export const OutcomeProposal = z
  .strictObject({
    outcome: z
      .enum(proposedOutcomes)
      .meta({ id: 'ProposedFixOutcome' })
      .describe('The outcome that the model derives from the technician’s words.'),
    reason: z.string().describe('The words from which the model derives it.'),
    created_at: Time,
  })
  .describe('A proposal of the model. The technician decides on it.')

export const SuggestedFix = z
  .strictObject({
    id: Id,
    session_id: Id.describe('Id of the AI session.'),
    title: z.string().describe('The fix in one line.').meta({ example: 'Restart the print spooler' }),
    description: z
      .string()
      .describe('What to do, as markdown.')
      .meta({ example: 'On the print server, restart the service **Spooler**.' }),
    kind: z
      .enum(fixKinds)
      .meta({ id: 'FixKind' })
      .describe(
        'How it is applied. `manual`: by hand. `script`: by a drafted script. `template`: by a template of the library.',
      ),
    script_template_id: Id.nullable().describe('Id of the script template.'),
    status: z
      .enum(fixStatuses)
      .meta({ id: 'FixStatus' })
      .describe('The status of the fix. `applied_success`, `applied_failed` and `dismissed` are final.'),
    applied_at: Time.nullable().describe('When it was first applied.'),
    verified_at: Time.nullable().describe('When its success or failure was recorded.'),
    partial_notes: z.string().nullable().describe('What helped, for a partial outcome.'),
    pending_reason: z.string().nullable().describe('What the fix waits for, for a pending outcome.'),
    failure_reason: z.string().nullable().describe('Why it failed.'),
    ai_drafted_script: z
      .string()
      .nullable()
      .describe('A script that applies the fix.')
      .meta({ example: "Restart-Service -Name 'Spooler' -Force" }),
    ai_drafted_parameters: z
      .array(JsonValue)
      .describe('The parameters of the script, in the format of a template’s `parameters_schema`.'),
    ai_outcome_proposal: OutcomeProposal.nullable().describe(
      'The outcome that the model proposes. The technician decides on it.',
    ),
    created_at: Time,
  })
  .meta({ id: 'SuggestedFix' })
export type SuggestedFix = z.infer<typeof SuggestedFix>

export const Fact = z
  .strictObject({
    id: Id,
    key: z
      .string()
      .describe('The subject of the fact. A session has one fact per key.')
      .meta({ example: 'printer' }),
    value: z.string().describe('The value of the fact.').meta({ example: 'PRN-2F-03' }),
    source: FactSource.describe('Who recorded it.'),
    created_by: Id.describe(
      'The user who recorded it. For a fact of the model: the user who asked the model.',
    ),
    created_at: Time,
    updated_at: Time.describe('When it was last changed.'),
  })
  .meta({ id: 'AiFact' })

export const Urgency = z
  .enum(urgencies)
  .meta({ id: 'Urgency' })
  .describe('How soon an engineer must look at it.')
/** What a handoff says about the case. */
export const caseFields = {
  summary: z
    .string()
    .describe('The problem and its current state.')
    .meta({ example: 'Reception cannot print; the spooler of the server stops.' }),
  what_was_tried: z.string().describe('What was tried, with the results.'),
  next_steps: z.string().describe('What to do next.'),
}
const hintCodes = Object.keys(escalationHints) as (keyof typeof escalationHints)[]
export const EscalationHint = z
  .strictObject({
    code: z.enum(hintCodes).meta({ id: 'EscalationHintCode' }).describe('What is missing.'),
    text: z.string().describe('The same as a sentence.').meta({ example: escalationHints.no_client }),
  })
  .meta({ id: 'EscalationHint' })
/** Who takes care of an escalation before somebody claims it. */
export const acknowledgementFields = {
  acknowledged_by: Id.nullable().describe(
    'The colleague who acknowledged it: takes care of it, and has not claimed it. Null also for the link in a chat channel.',
  ),
  acknowledged_by_name: z.string().nullable().describe('Their name.').meta({ example: 'Dana Reyes' }),
  acknowledged_at: Time.nullable().describe('When it was acknowledged.'),
}

export const Handoff = z
  .strictObject({
    id: Id,
    also_here: AlsoHere.optional(),
    hints: z
      .array(EscalationHint)
      .optional()
      .describe('What the escalation lacks. Returned only by its request, and only if there is anything.'),
    session_id: Id.describe('Id of the AI session.'),
    intent: HandoffIntent.describe('`park`: parked. `escalate`: handed over to a colleague.'),
    created_by: Id.describe('The engineer who handed the session over.'),
    target_user_id: Id.nullable().describe('The colleague it targets. Any engineer may claim it.'),
    reason: z.string().describe('Why the session was handed over.'),
    ...caseFields,
    urgency: Urgency,
    claimed_by: Id.nullable().describe('The colleague who claimed it.'),
    claimed_at: Time.nullable().describe('When it was claimed.'),
    ...acknowledgementFields,
    ai_assessment: z
      .string()
      .nullable()
      .describe('The model’s assessment, as markdown; why there is none, if it has failed.'),
    assessment_status: z
      .enum(assessmentStatuses)
      .meta({ id: 'AssessmentStatus' })
      .nullable()
      .describe('The state of the assessment; null for a parked session, which gets none.')
      .meta({ example: 'pending' }),
    first_action_at: Time.nullable().describe('When the claimant first worked on the session.'),
    created_at: Time,
  })
  .meta({ id: 'Handoff' })
export type Handoff = z.infer<typeof Handoff>

/** The events of a text that the model writes. */
export const textEvents = {
  delta: z.strictObject({ text: z.string().describe('The next part of the text.') }),
  restart: z.strictObject({}).describe('The text streamed so far is void.'),
}

const item = {
  id: Id,
  account_id: Id,
  user_id: Id.describe('The user who created it.'),
  user_name: z.string().nullable().describe('Name of that user.'),
  session_type: SessionType,
  title: z.string().describe('The problem in one line.'),
  status: AiStatus,
  problem_summary: z.string().nullable().describe('The problem as reported.'),
  psa_ticket_id: z.string().nullable().describe('Id of the linked ticket in the PSA.'),
  tree_id: Id.nullable().describe('The flow that the model follows.'),
  environment_tags: z.array(z.string()).describe('Tags that describe the environment.'),
  client_name: z.string().nullable().describe('The client’s company.'),
  asset_name: z
    .string()
    .nullable()
    .describe('The affected machine or device.')
    .meta({ example: 'PRN-2F-03' }),
  issue_category: z.string().nullable().describe('The category of the problem.'),
  escalated_to_id: Id.nullable().describe('The target of its last escalation.'),
  picked_up_by_id: Id.nullable().describe('The colleague who picked it up and works on it now.'),
  picked_up_by_name: z.string().nullable().describe('Name of that colleague.'),
  state_version: z
    .int()
    .describe('Increases with every change of a fact or a fix, except when the model proposes an outcome.'),
  outcome: AiOutcome.nullable().describe('The outcome; null until it is resolved.'),
  created_at: Time,
  updated_at: Time.describe('When it last changed.'),
  resolved_at: Time.nullable().describe('When it was resolved.'),
}
const resolutionExample = 'We replaced the printer driver. Reception prints again.'

export const AiSessionListItem = z.strictObject(item).meta({ id: 'AISessionListItem' })
export type AiSessionListItem = z.infer<typeof AiSessionListItem>

export const AiSessionDetail = z
  .strictObject({
    ...item,
    also_here: AlsoHere.optional(),
    triage_hypothesis: z
      .string()
      .nullable()
      .describe('The suspected cause, or the cause once it is confirmed.')
      .meta({ example: 'The spooler of the print server stopped.' }),
    cause_confirmed: z.boolean().describe('Whether a person has confirmed the suspected cause.'),
    evidence_items: z.array(EvidenceItem).describe('The evidence. The model only adds to it.'),
    pending_task_lane: TaskLane.describe('Open questions and actions, with their responses.'),
    task_lane_version: Version,
    is_branching: z.boolean().describe('Whether the session has more than one branch.'),
    active_branch_id: Id.describe('Id of the active branch.'),
    escalation_package: z
      .record(z.string(), JsonValue)
      .nullable()
      .describe('The content of the last escalation.'),
    resolution_notes: z.string().nullable().describe('The notes of its resolution, for colleagues.'),
    resolution: z
      .string()
      .nullable()
      .describe('What the client is told of its resolution.')
      .meta({ example: resolutionExample }),
    follow_up: z.string().nullable().describe('What remains to be done after the resolution.'),
    steps: z.array(GuidedStep).describe('The steps of a guided session, in order.'),
    messages: z.array(AiMessage).describe('The messages of the active branch, in order.'),
    suggested_fixes: z.array(SuggestedFix).describe('In the order in which they were suggested.'),
    facts: z.array(Fact).describe('The recorded facts.'),
    handoffs: z.array(Handoff).describe('Newest first.'),
    hints: z.array(EscalationHint).describe('What an escalation would lack now, besides its own texts.'),
  })
  .meta({ id: 'AISessionDetail' })
export type AiSessionDetail = z.infer<typeof AiSessionDetail>

export const AiSessionCreate = z
  .strictObject({
    session_type: SessionType,
    problem_summary: Text.optional().describe('The problem as reported.'),
    psa_ticket_id: PsaTicketId.optional(),
    tree_id: Id.optional().describe('A published troubleshooting flow that the model follows.'),
    client_name: Name.optional().describe('The client’s company.'),
    asset_name: Name.optional().describe('The affected machine or device.'),
    environment_tags: EnvironmentTags.optional(),
  })
  .meta({ id: 'AISessionCreate' })
export type AiSessionCreate = z.infer<typeof AiSessionCreate>

export const AiSessionQuery = z.strictObject({
  session_type: SessionType.optional().describe('Only sessions of this type.'),
  psa_ticket_id: PsaTicketId.optional().describe('Only sessions of this ticket.'),
  status: AiStatus.optional().describe('Only sessions with this status.'),
  owner_left: Flag.prefault('false').describe(
    'Instead, the sessions of members who can no longer work: all for account admins, those of their team for team admins.',
  ),
})
export type AiSessionQuery = z.infer<typeof AiSessionQuery>

const outcomeFields = {
  outcome: z
    .enum([...proposedOutcomes, 'dismissed'])
    .meta({ id: 'FixOutcomeValue' })
    .describe(
      '`applied_partial`: it helped in part. `applied_pending`: the result is not known yet. The other outcomes, `applied_success`, `applied_failed` and `dismissed`, are final.',
    ),
  notes: Text.optional()
    .describe('What helped (required for a partial outcome) or why it failed. Not stored for other outcomes.')
    .meta({ example: 'Prints again, in black only.' }),
  reason: Text.optional().describe(
    'What the fix waits for (required for a pending outcome). Not stored for other outcomes.',
  ),
}
const requireExplanation = (
  { outcome, notes, reason }: { outcome: string } & { [K in 'notes' | 'reason']?: string | undefined },
  ctx: z.core.$RefinementCtx,
) => {
  if (outcome === 'applied_partial' && !notes)
    ctx.addIssue({ code: 'custom', path: ['notes'], message: 'is required for a partial outcome' })
  if (outcome === 'applied_pending' && !reason)
    ctx.addIssue({ code: 'custom', path: ['reason'], message: 'is required for a pending outcome' })
}

export const OutcomePatch = z
  .strictObject(outcomeFields)
  .superRefine(requireExplanation)
  .meta({ id: 'FixOutcome' })
export type OutcomePatch = z.infer<typeof OutcomePatch>

const FixOutcomeEntry = z
  .strictObject({ fix_id: Id.describe('Id of the fix.'), ...outcomeFields })
  .superRefine(requireExplanation)
  .meta({ id: 'FixOutcomeEntry' })
export type FixOutcomeEntry = z.infer<typeof FixOutcomeEntry>

export const AiSessionResolve = z
  .strictObject({
    outcome: AiOutcome,
    notes: Text.optional()
      .describe('What solved the problem, and how that was verified. Only colleagues read it.')
      .meta({ example: 'Replaced the driver; two test pages came out.' }),
    resolution: Text.optional()
      .describe(
        'What the client is told: a part of the ticket’s resolution. Addresses, paths and secrets are masked.',
      )
      .meta({ example: resolutionExample }),
    follow_up: Text.optional().describe('What remains to be done. Only colleagues read it.'),
    outcomes: z
      .array(FixOutcomeEntry)
      .max(50)
      .refine(
        (entries) => new Set(entries.map(({ fix_id }) => fix_id)).size === entries.length,
        'must name each fix once',
      )
      .default([])
      .describe(
        'Outcomes of fixes, recorded with the resolution. With at least one, open questions and actions are left out of the case.',
      ),
    accept_proposals: z
      .boolean()
      .default(false)
      .describe(
        'Record the outcomes that the model proposes, and leave open questions and actions out of the case.',
      ),
  })
  .meta({ id: 'AISessionResolve' })
export type AiSessionResolve = z.infer<typeof AiSessionResolve>

export const ResolutionPreview = z
  .strictObject({
    ticket_id: z.string().nullable().describe('Id of the ticket that gets both texts; null for none.'),
    documentation: z
      .string()
      .describe('The internal note, as colleagues would read it.')
      .meta({ example: 'Outcome: resolved' }),
    resolution: z
      .string()
      .describe('The resolution of the ticket, as the client would read it.')
      .meta({ example: resolutionExample }),
  })
  .meta({ id: 'ResolutionPreview' })
export type ResolutionPreview = z.infer<typeof ResolutionPreview>

export const SessionClose = z
  .strictObject({
    session_id: Id,
    also_here: AlsoHere.optional(),
    status: AiStatus,
    handoff_id: Id.nullable().describe('Id of the new handoff, if there is one.'),
    documentation: z
      .string()
      .describe(
        'The documentation of the case; empty when none was written. The note on the ticket is cut to 30,000 characters.',
      )
      .meta({ example: 'Reception cannot print' }),
    psa_push: z
      .enum(['pushed', 'queued', 'failed', 'not_linked'])
      .meta({ id: 'DocumentationPushState' })
      .describe(
        'The state of the push to the ticket; `not_linked` for an abandoned session, and without a ticket or a connected PSA.',
      ),
    hints: z
      .array(EscalationHint)
      .describe('What an escalation lacks; it was sent without. Empty for everything else.'),
    notified: z.int().describe('Number of people who were notified.').meta({ example: 0 }),
    proposed_minutes: z
      .int()
      .nullable()
      .describe(
        'The minutes from start to resolution, rounded up by the rule of the connection and at most 24 hours; null unless resolved.',
      )
      .meta({ example: 25 }),
  })
  .meta({ id: 'SessionCloseResponse' })
export type SessionClose = z.infer<typeof SessionClose>
