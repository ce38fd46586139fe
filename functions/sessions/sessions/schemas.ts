import * as z from 'zod'
import { AlsoHere } from '#functions/presence/schemas.ts'
import { Flag, Id, idParams, Name, Time } from '#http/fields.ts'
import { ApprovalRequirement } from '#rules/flows/approval-requirement.ts'
import { EvidenceRequirement } from '#rules/flows/evidence.ts'
import { customStepSources, sessionOutcomes, sessionStates } from '#rules/flows/session-row.ts'
import { stepOutcomes } from '#rules/flows/step-navigation.ts'
import { StepTimer } from '#rules/flows/step-timer.ts'
import { Attachment, IntakeForm, TreeStructure, TreeType } from '#rules/flows/structure.ts'
import { Subflow } from '#rules/flows/subflow-schema.ts'
import { JsonValue } from '#rules/json-value.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'
import { Uuid } from '#rules/uuid.ts'

export const SessionId = idParams('session_id', 'session')

const encoder = new TextEncoder()
export const JsonByName = z.record(z.string().max(100), JsonValue)
/**
 * The values for the placeholders in the flow's texts: JSON values by key. A key has at most 100 characters.
 */
export const Variables = JsonByName.refine(
  (variables) => Object.keys(variables).length <= 200,
  'must have at most 200 variables',
)
  .refine(
    (variables) => encoder.encode(JSON.stringify(variables)).byteLength <= 64 * 1024,
    'must have at most 64 KB',
  )
  .meta({ id: 'SessionVariables' })
  .describe(
    'Answers to the intake form by key, and other values for the placeholders in the texts. At most 200 keys and 64 KB.',
  )
export type Variables = z.infer<typeof Variables>

/** A time in a request. */
export const Instant = z.iso
  .datetime({ offset: true })
  .refine((text) => text > '2000' && text < '2100', 'must be between the years 2000 and 2100')
  .meta({ example: '2026-11-21T09:30:00.000Z' })

const Note = z.string().max(20_000)
export const StepOutcome = z.enum(stepOutcomes).meta({ id: 'StepOutcome' }).describe('Result of the step.')
export const State = z
  .enum(sessionStates)
  .meta({ id: 'SessionState' })
  .describe(
    '`prepared`: stored to start later. `in_progress`: running. `completed`: finished with an outcome. `abandoned`: ended without one.',
  )
export const Outcome = z
  .enum(sessionOutcomes)
  .meta({ id: 'SessionOutcome' })
  .describe('Outcome of the session.')
export const TargetLabel = z.string().overwrite(removeInvisible).trim().min(1).max(255)

const StepText = z
  .strictObject({
    id: z.string().describe('Id in the flow.').meta({ example: 'danger' }),
    title: z.string().describe('Title, with placeholders filled.').meta({ example: 'Production' }),
    description: z
      .string()
      .describe('Markdown, with placeholders filled. Values are escaped.')
      .meta({ example: 'Call the change board first.' }),
  })
  .meta({ id: 'SessionStepText' })

const ProvidedEvidence = z
  .strictObject({
    key: z.string().describe('The key of the requirement.').meta({ example: 'serial' }),
    type: z
      .enum(['screenshot', 'text', 'number', 'boolean', 'select'])
      .meta({ id: 'ProvidedEvidenceType' })
      .describe('The type of the evidence.'),
    label: z.string().describe('What was required.').meta({ example: 'Serial number' }),
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .nullable()
      .describe('The value; null for a screenshot.')
      .meta({ example: 'X-4711' }),
    upload_id: Id.nullable().describe('The upload of a screenshot.'),
  })
  .meta({ id: 'SessionEvidence' })

const Decision = z
  .strictObject({
    step_id: z.string().describe('The step that was answered.'),
    option_id: z.string().nullable().describe('The chosen option of a decision.'),
    outcome: StepOutcome.nullable().describe('The result of any other step.'),
    note: z.string().nullable().describe('Note of the technician.'),
    started_at: Time.describe(
      'Start of the step: the value in the request, by default the previous answer or session start.',
    ),
    duration_seconds: z
      .int()
      .describe('Step duration: the value in the request, by default the time from its start to the answer.'),
    decided_at: Time.describe('When it was answered.'),
    decided_by: Id.describe('Who answered it.'),
    decided_by_name: z.string().nullable().describe('The name of that user.').meta({ example: 'Dana Reyes' }),
    evidence: z
      .array(ProvidedEvidence)
      .describe('The evidence that was provided. A required note is in `note`.'),
    section_headers: z.array(StepText).describe('The section headers directly before the step.'),
  })
  .meta({ id: 'SessionDecision' })

const FallbackRecord = z
  .strictObject({
    step_id: z.string().describe('The step that failed.'),
    fallback_step_id: z.string().describe('The fallback step that was used.').meta({ example: 'backup' }),
    outcome: StepOutcome,
    note: z.string().nullable().describe('Note of the technician.'),
    decided_at: Time.describe('When it was recorded.'),
    decided_by: Id.describe('Who recorded it.'),
    decided_by_name: z.string().nullable().describe('The name of that user.').meta({ example: 'Dana Reyes' }),
  })
  .meta({ id: 'FallbackStepRecord' })

export const CustomStepSource = z
  .enum(customStepSources)
  .meta({ id: 'CustomStepSource' })
  .describe(
    '`ad-hoc`: written during the session. `step-library`: taken from the step library. `forked-tree`: taken from another flow.',
  )
const CustomStep = z
  .strictObject({
    id: Id,
    source: CustomStepSource,
    after_step_id: z.string().describe('The step that it followed.'),
    title: z.string().describe('What was done.').meta({ example: 'Asked whether the printer was moved' }),
    description: z.string().describe('How it was done, in markdown.'),
    library_step_id: Id.nullable().describe('The library step it was taken from.'),
    tree_id: Id.nullable().describe('The flow it was taken from.'),
    node_id: z.string().nullable().describe('The node or step of that flow.'),
    created_by: Id.describe('Who added it.'),
    created_by_name: z.string().nullable().describe('The name of that user.').meta({ example: 'Dana Reyes' }),
    created_at: Time,
  })
  .meta({ id: 'SessionCustomStep' })

export const CurrentStep = z
  .strictObject({
    id: z.string().describe('Id of the step.').meta({ example: 'queue' }),
    type: z
      .string()
      .describe('`decision`, `action`, `solution` or `procedure_step`.')
      .meta({ example: 'action' }),
    title: z
      .string()
      .describe('What to do or find out, with placeholders filled.')
      .meta({ example: 'Clear the print queue of 10.0.8.21' }),
    description: z
      .string()
      .describe('How to do it, in markdown, with placeholders filled. Values are escaped.'),
    options: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the option.').meta({ example: 'yes' }),
          label: z.string().describe('Text of the option.').meta({ example: 'Yes, it pings' }),
        }),
      )
      .describe('The choices of a decision.'),
    fallback_steps: z.array(StepText).describe('What to try when the step fails.'),
    section_headers: z.array(StepText).describe('The section headers directly before the step.'),
    section_title: z.string().nullable().describe('Title of the section that the step belongs to.'),
    group_label: z.string().nullable().describe('Label of the group that the step belongs to.'),
    estimated_minutes: z.int().nullable().describe('Estimated duration in minutes.'),
    script_template_id: z.string().nullable().describe('A script template to run at this point.'),
    subflow: Subflow.nullable().describe(
      'The flow to run at this point, with `POST /sessions/{session_id}/subflows`.',
    ),
    attachments: z.array(Attachment).describe('Links to helpful documents.'),
    evidence: z.array(EvidenceRequirement).describe('What an answer must provide.'),
    timer: StepTimer.nullable().describe('When the user of the session is reminded of the step.'),
    approval: ApprovalRequirement.nullable().describe('Who must approve the step before its answer counts.'),
  })
  .meta({ id: 'SessionCurrentStep' })

export const Progress = z
  .strictObject({
    answered: z.int().describe('Number of answered steps.'),
    total: z
      .int()
      .describe(
        'Number of steps. For a tree: the answered steps plus the longest remaining path, so it falls when an answer leaves a longer path.',
      ),
    percent: z
      .int()
      .describe(
        '0 to 100; 100 when every step is answered, and for a completed session. It never falls from one answer to the next.',
      ),
  })
  .meta({ id: 'SessionProgress' })

export const ProcedureEnd = StepText.extend({
  section_headers: z.array(StepText).describe('The section headers directly before the end.'),
})
  .nullable()
  .describe('The closing text of a procedure as soon as no step is left; otherwise null.')

const snapshotFields = {
  name: z.string().describe('Name of the flow.'),
  description: z.string().describe('Purpose of the flow.'),
  category: z.string().nullable().describe('Name of its category.'),
  version: z.int().describe('The version that the session runs.'),
  tree_type: TreeType,
}

const sessionFields = {
  id: Id,
  account_id: Id,
  team_id: Id.nullable().describe('The team of the user who created it.'),
  user_id: Id.describe('The user who runs it.'),
  user_name: z.string().nullable().describe('The name of that user.'),
  tree_id: Id.describe('The flow. It may have been changed or deleted since.'),
  state: State,
  ticket_number: z.string().nullable().describe('The ticket it is for.'),
  client_name: z.string().nullable().describe('The client it is for.'),
  outcome: Outcome.nullable().describe('Outcome of the session; null until it is completed.'),
  batch_id: Id.nullable().describe('The batch that it belongs to.'),
  target_label: z.string().nullable().describe('The target it is run on.'),
  current_step_id: z
    .string()
    .nullable()
    .describe('The step to answer next; null before the start and at the end.')
    .meta({ example: 'cable' }),
  parent_session_id: Id.nullable().describe('The session that runs this one as a sub-flow.'),
  parent_step_id: z.string().nullable().describe('The step of that session that runs this one.'),
  subflow_session_id: Id.nullable().describe('The open session of a sub-flow that this session waits for.'),
  progress: Progress.describe('Progress of the session.'),
  exported_at: Time.nullable().describe('When it was first exported after its completion.'),
  assigned_at: Time.nullable().describe(
    'When its user was given it by a colleague or took it; null for whoever created it.',
  ),
  started_at: Time.nullable().describe('When it was started; null while it is prepared.'),
  completed_at: Time.nullable().describe('When it was completed.'),
  created_at: Time,
}

export const SessionListItem = z
  .strictObject({
    ...sessionFields,
    tree_snapshot: z.strictObject(snapshotFields).describe('The version of the flow that the session runs.'),
  })
  .meta({ id: 'SessionListItem' })
export type SessionListItem = z.infer<typeof SessionListItem>

export const Session = z
  .strictObject({
    ...sessionFields,
    also_here: AlsoHere.optional(),
    tree_snapshot: z
      .strictObject({
        ...snapshotFields,
        tree_structure: TreeStructure.describe(
          'The root node or the steps of the flow, with unfilled placeholders.',
        ),
        intake_form: IntakeForm,
      })
      .describe('The version of the flow that the session runs.'),
    variables: JsonByName.describe(
      'Values for the placeholders in the texts. A secret field shows `{"secret": true, "set": …}` only.',
    ),
    current_step: CurrentStep.nullable().describe(
      'The current step with its placeholders filled; null when there is none.',
    ),
    procedure_end: ProcedureEnd,
    timer_due_at: Time.nullable().describe(
      'When the user is reminded of the current step; null without a running timer.',
    ),
    flow_overdue_since: z.iso
      .date()
      .nullable()
      .describe(
        'Since when the review of the flow is overdue: check its steps with more care. Null if it is not, and once the session has ended.',
      )
      .meta({ example: '2026-11-02' }),
    decisions: z.array(Decision).describe('The answers so far, in order.'),
    fallback_decisions: z.array(FallbackRecord).describe('The fallback steps that were used.'),
    custom_steps: z.array(CustomStep).describe('Steps that were done and are not part of the flow.'),
    notes: z.string().nullable().describe('Notes about the session.'),
    next_steps: z.string().nullable().describe('What remains to be done.'),
  })
  .meta({ id: 'SessionResponse' })
export type Session = z.infer<typeof Session>

/** What an answer changes. */
export const SessionChanges = Session.pick({
  ...{
    id: true,
    state: true,
    outcome: true,
    current_step_id: true,
    current_step: true,
    procedure_end: true,
    timer_due_at: true,
  },
  ...{ subflow_session_id: true, progress: true },
})
  .extend({
    decision: Decision.nullable().describe('The newest answer; null before the first one.'),
    fallback_decision: FallbackRecord.nullable().describe(
      'The newest fallback step; null before the first one.',
    ),
  })
  .meta({ id: 'SessionChanges' })
export type SessionChanges = z.infer<typeof SessionChanges>

const isInRange = (text: string) => text > '2000' && text < '2100'
/** A time, or a date for the whole day in the account's time zone. */
const InstantOrDay = z.union([
  Instant,
  z.iso.date().refine(isInRange, 'must be between the years 2000 and 2100'),
])
const SearchText = z.string().trim().min(1).max(200)
export const SessionQuery = z.strictObject({
  ticket_number: SearchText.optional().describe('Part of the ticket number, ignoring case.'),
  client_name: SearchText.optional().describe('Part of the client’s name, ignoring case.'),
  tree_name: SearchText.optional().describe(
    'Part of the name that the flow had when the session was created, ignoring case.',
  ),
  started_after: InstantOrDay.optional().describe(
    'Started at this time or later. A date is the whole day in the account’s time zone.',
  ),
  started_before: InstantOrDay.optional().describe('Started at this time or earlier, or on this date.'),
  completed_after: InstantOrDay.optional().describe('Completed at this time or later, or on this date.'),
  completed_before: InstantOrDay.optional().describe('Completed at this time or earlier, or on this date.'),
  batch_id: Id.optional().describe('Only sessions of this batch.'),
  state: State.optional().describe('Only sessions in this state.'),
  user_id: Uuid.optional().describe('Only sessions of this user.'),
  mine: Flag.optional().describe('`true`: only my sessions. `false`: only those of others.'),
})
export type SessionQuery = z.infer<typeof SessionQuery>

/** What a session is for, and its answers to the intake form. */
export const caseFields = {
  ticket_number: Name.optional().describe('The ticket it is for.'),
  client_name: Name.optional().describe('The client it is for.'),
  variables: Variables.optional(),
}

const startFields = { tree_id: Id.describe('A published flow that I can see.'), ...caseFields }

export const SessionStart = z.strictObject(startFields).meta({ id: 'SessionStart' })
export type SessionStart = z.infer<typeof SessionStart>

export const SessionPrepare = z
  .strictObject({
    ...startFields,
    target_label: TargetLabel.optional().describe('The target that it will be run on.'),
  })
  .meta({ id: 'SessionPrepare' })
export type SessionPrepare = z.infer<typeof SessionPrepare>

export const PreparedStart = z
  .strictObject({ variables: Variables.optional() })
  .prefault({})
  .meta({ id: 'PreparedSessionStart' })

export const SessionReassign = z
  .strictObject({
    user_id: Id.describe(
      'The colleague: a member of the session’s team or an account admin, active and no viewer.',
    ),
  })
  .meta({ id: 'SessionReassign' })

export const VariablesUpdate = Variables.describe(
  'Variables to set; null removes a variable. All others are kept, also a secret field sent back as it was read.',
).meta({
  id: 'SessionVariablesUpdate',
  examples: [{ printer_ip: '10.0.8.22' }],
})

export const SessionVariables = JsonByName.describe(
  'All current variables of the session. A secret field shows `{"secret": true, "set": …}` only.',
).meta({
  id: 'SessionVariablesResponse',
  examples: [{ printer_ip: '10.0.8.22', floor: 2 }],
})

export const SessionUpdate = z
  .strictObject({
    ticket_number: Name.nullable().describe('The ticket it is for; null for none.'),
    client_name: Name.nullable().describe('The client it is for; null for none.'),
    notes: Note.nullable()
      .describe('Notes about the session.')
      .meta({ example: 'The client calls back at noon.' }),
    next_steps: Note.nullable().describe('What remains to be done.'),
    state: z.literal('abandoned').describe('Abandons a session that is prepared or in progress.'),
  })
  .partial()
  .meta({ id: 'SessionUpdate' })
export type SessionUpdate = z.infer<typeof SessionUpdate>
