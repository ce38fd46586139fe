import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'
import { ApprovalRequirement } from './approval-requirement.ts'
import { EvidenceRequirements } from './evidence.ts'
import { Key } from './key.ts'
import { StepTimer } from './step-timer.ts'
import { Subflow } from './subflow-schema.ts'

// The schemas of a flow. Requests and stored flows have the same shape; stored flows are also in normal form
// (normalise.ts).

export const treeTypes = ['troubleshooting', 'procedural', 'maintenance'] as const
/** The structure of each type: a tree of nodes or a list of steps. */
export const structureByType: Record<(typeof treeTypes)[number], 'tree' | 'steps'> = {
  troubleshooting: 'tree',
  procedural: 'steps',
  maintenance: 'steps',
}
export const TreeType = z
  .enum(treeTypes)
  .meta({ id: 'FlowType' })
  .describe(
    '`troubleshooting`: a decision tree. `procedural`: a list of steps. `maintenance`: a list of steps that is run on many targets.',
  )
export type TreeType = z.infer<typeof TreeType>

export const flowLimits = { maxNodes: 500, maxDepth: 50, maxSteps: 300 } as const

const NodeId = z.string().trim().min(1).max(100).describe('Unique in the flow.')
const Title = z
  .string()
  .max(300)
  .nullish()
  .describe(
    'The first line the technician reads. `{{key}}` is filled from the intake form. Required to publish.',
  )
const Description = z
  .string()
  .max(20_000)
  .nullish()
  .describe('Markdown. `{{key}}` is filled from the intake form.')
const Minutes = z.int().min(0).max(10_080).nullish().describe('Estimated duration in minutes.')
const LibraryVisibility = z
  .enum(['none', 'team', 'account'])
  .meta({ id: 'LibraryVisibility' })
  .nullish()
  .describe('Who can find this step in the step library after the flow is published. The default is `team`.')
const ScriptTemplateId = Uuid.nullish().describe('A script template to run at this point.')

export const Attachment = z
  .strictObject({
    title: z.string().trim().min(1).max(200).describe('The title of the link.'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .describe('The address of the link.'),
  })
  .meta({
    id: 'FlowAttachment',
    examples: [{ title: 'Vendor article', url: 'https://support.example.com/kb/4711' }],
  })

export type Attachment = z.infer<typeof Attachment>

export const FlowOption = z
  .strictObject({
    id: NodeId.optional().describe('Unique in its decision. Generated if left out.'),
    label: z.string().max(300).describe('The text the technician chooses.'),
    next_node_id: NodeId.nullish().describe('The direct child that this option leads to.'),
  })
  .meta({ id: 'FlowOption', examples: [{ id: 'yes', label: 'Yes, it pings', next_node_id: 'check-queue' }] })
export type FlowOption = z.infer<typeof FlowOption>

export const FlowNode = z
  .strictObject({
    id: NodeId,
    type: z
      .enum(['decision', 'action', 'solution'])
      .meta({ id: 'FlowNodeType' })
      .describe(
        '`decision`: a question with options. `action`: something to do before the next node. `solution`: the end of a branch.',
      ),
    title: Title,
    description: Description,
    options: z
      .array(FlowOption)
      .max(100)
      .nullish()
      .describe('The options of a decision. Each leads to a direct child.'),
    next_node_id: NodeId.nullish().describe('The only direct child of an action.'),
    get children() {
      return z.array(FlowNode).max(flowLimits.maxNodes).nullish().describe('The nodes below this one.')
    },
    attachments: z.array(Attachment).max(20).nullish().describe('Links to helpful documents.'),
    estimated_minutes: Minutes,
    script_template_id: ScriptTemplateId,
    subflow: Subflow.nullish().describe('A flow to run at this point.'),
    library_visibility: LibraryVisibility,
    evidence: EvidenceRequirements,
    approval: ApprovalRequirement.nullish().describe('Who must approve the step before its answer counts.'),
    timer: StepTimer.nullish().describe('When the user of the session is reminded of the step.'),
    action: z
      .string()
      .max(300)
      .nullish()
      .describe('Deprecated: the title of an action. Used only if `title` is empty.'),
    solution: z
      .string()
      .max(300)
      .nullish()
      .describe('Deprecated: the title of a solution. Used only if `title` is empty.'),
  })
  .meta({
    id: 'FlowNode',
    examples: [
      {
        id: 'ping',
        type: 'decision',
        title: 'Does {{printer_ip}} answer a ping?',
        description: 'Run `ping {{printer_ip}}`.',
        options: [
          { id: 'yes', label: 'Yes', next_node_id: 'clear-queue' },
          { id: 'no', label: 'No', next_node_id: 'check-cable' },
        ],
        children: [
          { id: 'clear-queue', type: 'solution', title: 'Clear the print queue', description: '' },
          { id: 'check-cable', type: 'solution', title: 'Reseat the network cable', description: '' },
        ],
      },
    ],
  })
export type FlowNode = z.infer<typeof FlowNode>

export const FallbackStep = z
  .strictObject({ id: NodeId, title: Title, description: Description })
  .describe('What to do if the step fails. It cannot have fallback steps itself.')
  .meta({ id: 'FallbackStep', examples: [{ id: 'console', title: 'Use the console port', description: '' }] })
export type FallbackStep = z.infer<typeof FallbackStep>

export const FlowStep = z
  .strictObject({
    id: NodeId,
    type: z
      .enum(['procedure_step', 'section_header', 'procedure_end'])
      .meta({ id: 'FlowStepType' })
      .describe(
        '`procedure_step`: a step to do. `section_header`: a heading for the steps after it. `procedure_end`: the end, always the last step.',
      ),
    title: Title,
    description: Description,
    group_label: z
      .string()
      .max(200)
      .nullish()
      .describe('A label that groups steps. Steps with the same label are shown together.'),
    library_visibility: LibraryVisibility,
    fallback_steps: z
      .array(FallbackStep)
      .max(50)
      .nullish()
      .describe('Steps to try, in this order, if the step fails.'),
    script_template_id: ScriptTemplateId,
    subflow: Subflow.nullish().describe('A flow to run at this point.'),
    estimated_minutes: Minutes,
    attachments: z.array(Attachment).max(20).nullish().describe('Links to helpful documents.'),
    evidence: EvidenceRequirements,
    approval: ApprovalRequirement.nullish().describe('Who must approve the step before its answer counts.'),
    timer: StepTimer.nullish().describe('When the user of the session is reminded of the step.'),
  })
  .meta({
    id: 'FlowStep',
    examples: [
      {
        id: 'snapshot',
        type: 'procedure_step',
        title: 'Take a snapshot of {{server}}',
        description: '',
        group_label: 'Before',
      },
    ],
  })
export type FlowStep = z.infer<typeof FlowStep>

export const StepList = z
  .strictObject({
    // Higher than `flowLimits.maxSteps`, so that validateFlow reports a flow that is too long together with
    // its other problems.
    steps: z.array(FlowStep).max(2000).describe('The steps in order. The last one is the `procedure_end`.'),
  })
  .meta({
    id: 'FlowSteps',
    examples: [{ steps: [{ id: 'end', type: 'procedure_end', title: 'Done', description: '' }] }],
  })
export type StepList = z.infer<typeof StepList>

export const TreeStructure = z
  .union([StepList, FlowNode])
  .meta({ id: 'TreeStructure' })
  .describe('The root node of a troubleshooting flow, or the steps of a procedural or maintenance flow.')
/** A draft may have no structure yet. */
export const NullableStructure = TreeStructure.nullable().describe(
  'The root node of a troubleshooting flow, or the steps of another flow. Null for a draft without steps.',
)
export type TreeStructure = z.infer<typeof TreeStructure>

/** The types of answers that an intake form takes. */
export const intakeFieldTypes = [
  'text',
  'textarea',
  'number',
  'select',
  'multiselect',
  'boolean',
  'date',
  'email',
  'ip',
  'hostname',
] as const

export const IntakeField = z
  .strictObject({
    key: Key.describe('The name of the variable with the answer. Texts use it as `{{key}}`.'),
    label: z.string().trim().min(1).max(200).describe('The question.'),
    type: z.enum(intakeFieldTypes).meta({ id: 'IntakeFieldType' }).describe('The type of the answer.'),
    required: z.boolean().default(false).describe('Whether a session cannot start without an answer.'),
    options: z
      .array(z.string().trim().min(1).max(200))
      .max(100)
      .nullish()
      .describe('The options of a `select` or `multiselect`.'),
    default: z
      .union([z.string().max(20_000), z.number(), z.boolean(), z.array(z.string().max(200)).max(100)])
      .nullish()
      .describe('The answer if the user gives none.'),
    help_text: z.string().max(1000).nullish().describe('A hint shown below the question.'),
    min: z.number().nullish().describe('The minimum number, or the minimum length of a text.'),
    max: z.number().nullish().describe('The maximum number, or the maximum length of a text.'),
    pattern: z.string().max(200).nullish().describe('A regular expression that the whole answer must match.'),
    secret: z
      .boolean()
      .nullish()
      .describe(
        'Whether the answer is a secret: stored encrypted, filled into scripts, and never returned, exported or sent to a model.',
      ),
  })
  .refine(({ secret, type }) => !secret || type === 'text' || type === 'textarea', {
    path: ['type'],
    message: 'must be text or textarea for a secret field',
  })
  .refine(({ secret, default: answer }) => !secret || answer === undefined || answer === null, {
    path: ['default'],
    message: 'must be empty for a secret field, because the flow would contain the secret',
  })
  .meta({
    id: 'IntakeField',
    examples: [{ key: 'printer_ip', label: 'Address of the printer', type: 'ip', required: true }],
  })
export type IntakeField = z.infer<typeof IntakeField>

export const IntakeForm = z
  .array(IntakeField)
  .max(100)
  .superRefine((fields, ctx) => {
    const usedKeys = new Set<string>()
    for (const [index, { key }] of fields.entries()) {
      if (usedKeys.has(key))
        ctx.addIssue({
          code: 'custom',
          path: [index, 'key'],
          message: `must be unique; ${key} is used twice`,
        })
      usedKeys.add(key)
    }
  })
  .meta({ id: 'IntakeForm' })
  .describe('The questions asked before a session starts. The answers become its variables.')
export type IntakeForm = z.infer<typeof IntakeForm>

/** The parts of a flow that validation needs. */
export interface Flow {
  tree_type: TreeType
  tree_structure: TreeStructure | null
  intake_form: readonly IntakeField[]
}

export function isStepList(structure: TreeStructure): structure is StepList {
  return 'steps' in structure
}

/**
 * Return whether a flow of this type may have this structure: a tree for `troubleshooting`, steps for the
 * other types.
 */
export function matchesTreeType(type: TreeType, structure: TreeStructure): boolean {
  return (structureByType[type] === 'steps') === isStepList(structure)
}
