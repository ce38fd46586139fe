import { z } from 'zod'

// What a flow is made of, as callers may send it and as it is stored: the same shapes, the stored ones in normal form (normalise.ts).

export const treeTypes = ['troubleshooting', 'procedural', 'maintenance'] as const
export const TreeType = z
  .enum(treeTypes)
  .describe('`troubleshooting` is a decision tree, `procedural` a list of steps, `maintenance` a procedural flow run on many targets.')
export type TreeType = z.infer<typeof TreeType>

export const caps = { nodes: 500, depth: 50, steps: 300 } as const

const NodeId = z.string().trim().min(1).max(100).describe('Unique in the flow.')
const Title = z
  .string()
  .max(300)
  .nullish()
  .describe('What the technician reads first. `{{key}}` is filled from the intake form. Needed to publish.')
const Description = z.string().max(20_000).nullish().describe('Markdown. `{{key}}` is filled from the intake form.')
const Minutes = z.int().min(0).max(10_080).nullish().describe('How long it takes, in minutes.')
const LibraryVisibility = z
  .enum(['none', 'team', 'account'])
  .nullish()
  .describe('Who finds this step in the step library once the flow is published; `team` when not said.')
const ScriptTemplateId = z.uuid().nullish().describe('A script template to run at this point.')

export const Attachment = z
  .strictObject({
    title: z.string().trim().min(1).max(200).describe('What it is.'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .describe('Where it is.'),
  })
  .meta({ id: 'FlowAttachment', examples: [{ title: 'Vendor article', url: 'https://support.example.com/kb/4711' }] })

export const FlowOption = z
  .strictObject({
    id: NodeId.optional().describe('Unique in its decision; made when not sent.'),
    label: z.string().max(300).describe('What the technician chooses.'),
    next_node_id: NodeId.nullish().describe('The direct child it leads to.'),
  })
  .meta({ id: 'FlowOption', examples: [{ id: 'yes', label: 'Yes, it pings', next_node_id: 'check-queue' }] })
export type FlowOption = z.infer<typeof FlowOption>

export const FlowNode = z
  .strictObject({
    id: NodeId,
    type: z
      .enum(['decision', 'action', 'solution'])
      .describe('A decision asks and has options, an action is done and leads on, a solution ends its branch.'),
    title: Title,
    description: Description,
    options: z.array(FlowOption).max(100).nullish().describe('Of a decision: each leads to a direct child.'),
    next_node_id: NodeId.nullish().describe('Of an action: its one direct child.'),
    get children() {
      return z.array(FlowNode).max(caps.nodes).nullish().describe('The nodes below this one.')
    },
    attachments: z.array(Attachment).max(20).nullish().describe('Links to what helps here.'),
    estimated_minutes: Minutes,
    script_template_id: ScriptTemplateId,
    library_visibility: LibraryVisibility,
    action: z.string().max(300).nullish().describe('Older name of an action’s title; read when there is no title.'),
    solution: z.string().max(300).nullish().describe('Older name of a solution’s title; read when there is no title.'),
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
  .describe('What to do when the step does not work out. It holds no fallback steps of its own.')
  .meta({ id: 'FallbackStep', examples: [{ id: 'console', title: 'Use the console port', description: '' }] })
export type FallbackStep = z.infer<typeof FallbackStep>

export const FlowStep = z
  .strictObject({
    id: NodeId,
    type: z
      .enum(['procedure_step', 'section_header', 'procedure_end'])
      .describe('A step to do, a heading over the steps that follow, or the one end in last place.'),
    title: Title,
    description: Description,
    group_label: z.string().max(200).nullish().describe('Shown beside the steps that share it.'),
    library_visibility: LibraryVisibility,
    fallback_steps: z.array(FallbackStep).max(50).nullish().describe('Tried in order when the step fails.'),
    script_template_id: ScriptTemplateId,
    estimated_minutes: Minutes,
    attachments: z.array(Attachment).max(20).nullish().describe('Links to what helps here.'),
  })
  .meta({
    id: 'FlowStep',
    examples: [{ id: 'snapshot', type: 'procedure_step', title: 'Take a snapshot of {{server}}', description: '', group_label: 'Before' }],
  })
export type FlowStep = z.infer<typeof FlowStep>

export const StepList = z
  .strictObject({
    // More than the cap, so that a flow too long is told so as a flow, with every other problem beside it.
    steps: z.array(FlowStep).max(2000).describe('In the order they are done; the last is the `procedure_end`.'),
  })
  .meta({ id: 'FlowSteps', examples: [{ steps: [{ id: 'end', type: 'procedure_end', title: 'Done', description: '' }] }] })
export type StepList = z.infer<typeof StepList>

export const TreeStructure = z
  .union([StepList, FlowNode])
  .describe('The root node of a troubleshooting flow, or the steps of a procedural or maintenance flow.')
/** Null while a draft has none. */
export const NullableStructure = TreeStructure.nullable().describe(
  'The root node of a troubleshooting flow, or the steps of another; null while there is none.',
)
export type TreeStructure = z.infer<typeof TreeStructure>

export const IntakeField = z
  .strictObject({
    key: z
      .string()
      .max(60)
      .regex(/^[a-z][a-z0-9_]*$/, 'Must be lower-case letters, digits and underscores, beginning with a letter')
      .describe('The variable the answer becomes: `{{key}}` in texts.'),
    label: z.string().trim().min(1).max(200).describe('The question.'),
    type: z
      .enum(['text', 'textarea', 'number', 'select', 'multiselect', 'boolean', 'date', 'email', 'ip', 'hostname'])
      .describe('What kind of answer it takes.'),
    required: z.boolean().default(false).describe('Whether a session needs an answer to begin.'),
    options: z.array(z.string().trim().min(1).max(200)).max(100).nullish().describe('Of a select: what may be chosen.'),
    default: z
      .union([z.string().max(20_000), z.number(), z.boolean(), z.array(z.string().max(200)).max(100)])
      .nullish()
      .describe('The answer when none is given.'),
    help_text: z.string().max(1000).nullish().describe('Shown below the question.'),
    min: z.number().nullish().describe('Least number, or least length of a text.'),
    max: z.number().nullish().describe('Greatest number, or greatest length of a text.'),
    pattern: z.string().max(200).nullish().describe('A regular expression that the whole answer matches.'),
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
    const seen = new Set<string>()
    for (const [index, { key }] of fields.entries()) {
      if (seen.has(key)) ctx.addIssue({ code: 'custom', path: [index, 'key'], message: `The key ${key} is used twice` })
      seen.add(key)
    }
  })
  .describe('What is asked before a session begins; the answers become its variables.')
export type IntakeForm = z.infer<typeof IntakeForm>

/** What the rules look at. */
export interface Flow {
  tree_type: TreeType
  tree_structure: TreeStructure | null
  intake_form: readonly IntakeField[]
}

export function isStepList(structure: TreeStructure): structure is StepList {
  return 'steps' in structure
}

/** Whether a structure is of the kind its flow type needs. */
export function fitsType(type: TreeType, structure: TreeStructure): boolean {
  return (type === 'troubleshooting') !== isStepList(structure)
}
