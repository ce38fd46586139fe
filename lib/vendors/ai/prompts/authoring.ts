import * as z from 'zod'
import { intakeFieldTypes } from '#rules/flows/structure.ts'
import type { Prompt } from '#vendors/ai/ask.ts'
import { authoringCare } from './care.ts'

const text = (max: number) => z.string().trim().min(1).max(max)
const id = text(100)

/** The maximum number of nodes in a flow that the model generates. */
export const maxGeneratedNodes = 300

const node = z.strictObject({
  id,
  kind: z.enum(['decision', 'action', 'solution', 'procedure_step', 'section_header', 'procedure_end']),
  title: text(300),
  description: z.string().max(4000),
  options: z.array(z.strictObject({ label: text(300), leads_to: id })).max(20),
  next: id.nullable(),
})
const field = z.strictObject({
  key: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/),
  label: text(200),
  type: z.enum(intakeFieldTypes),
  required: z.boolean(),
  options: z.array(text(200)).max(30).nullable(),
})
const flow = z.strictObject({
  name: text(200),
  description: z.string().max(4000),
  nodes: z.array(node).min(1).max(maxGeneratedNodes),
  intake: z.array(field).max(30),
})
export type GeneratedFlow = z.infer<typeof flow>

const problemsRule = `If problems in the facts is not empty, it lists the errors in your previous answer. Correct all of them.`

const flowFormat = `Format of a flow:
- A flow is a list of nodes. Each node has a unique id. A new id contains only lowercase letters, digits and hyphens.
- Write short titles. The technician reads the title of a node first.
- Explain in the description how to carry out the node, in markdown.
- Ask in intake for every value that differs from case to case. Each intake field has a unique key. In titles and descriptions, write the
value as the placeholder {{key}}.
- In an intake field of the type select or multiselect, list at least one option. For every other type, set options to null.

A flow of the type troubleshooting is a tree:
- Use only nodes of the kinds decision, action and solution.
- The first node in the list is the root.
- A decision asks one question and has two or more options. leads_to of each option is the id of a successor. Set next to null.
- An action is something to do. next is the id of its only successor. Leave options empty.
- A solution ends its branch. Leave options empty and set next to null.
- Every node except the root is the successor of exactly one option or action. Branches never merge and never form a cycle.
- If two branches need the same step, write a separate node for each branch.

A flow of the type procedural or maintenance is a list of steps:
- List the procedure_step nodes in the order in which they are carried out.
- Use section_header nodes as headings.
- End the list with a procedure_end node. It is the only one in the flow.
- Leave options empty and set next to null in every node.

${problemsRule}`

/**
 * Write or change a flow in one turn of a conversation. `reply` is the first property. `flow` is the complete
 * draft, or null.
 */
export const flowDraft = {
  name: 'flow_draft',
  version: 3,
  instructions: `Write one flow of the type tree_type for the goal and the environment in the facts. If draft in the facts is not null,
change it as the newest message asks.

reply: Describe in markdown what you wrote or changed and what is still open. Do not repeat the flow.
flow: Return the complete flow. Include every node that stays, and keep its id. Return null if this turn changes nothing, or if too little
is known to write a first draft.

The flow follows these rules too:
${authoringCare}

${flowFormat}`,
  answer: z.strictObject({ reply: text(8000), flow: flow.nullable() }),
  answerTokens: 16_000,
  effort: 'medium',
} satisfies Prompt

/** Edit an existing flow. Nodes and steps are named by their ids. */
export const flowEdit = {
  name: 'flow_edit',
  version: 3,
  instructions: `Edit the flow in the facts: structure is its tree or its list of steps. Carry out only the change that instruction in the
facts asks for. If node in the facts is not null, it is the id of the node that the instruction refers to.

explanation: Tell the technician what you change and why.
edits: List the edits in the order in which they are carried out. Return an empty list if nothing has to change. Set every field that an edit
does not need to null; a field that is null stays as it is.
- update: Change fields of the node or step with this id.
- insert: Add a node or step with a new id. Set kind and title.
- remove: Remove the node or step with this id, and in a tree everything below it that no other edit links.
- move: Move the step with this id before or after the step anchor.

In a tree (troubleshooting):
- options of a decision replaces all its options. leads_to is the id of a node. next is the successor of an action.
- To put a new node in front of an existing one, set position to "before" and anchor to the existing id. Links to the existing node then lead
to the new one. The new node must lead to the existing one.
- Other new nodes must be linked by options or next of another edit. Exactly one link leads to each node except the root.

In a list of steps (procedural, maintenance):
- Set position and anchor of an insert to say where the step belongs. Without an anchor it is added before the end.
- A fallback step has the kind fallback_step. Its anchor is its step, or another fallback step of it.

${problemsRule}`,
  answer: z.strictObject({
    explanation: text(4000),
    edits: z
      .array(
        z.strictObject({
          op: z.enum(['update', 'insert', 'move', 'remove']),
          id,
          kind: z
            .enum([
              'decision',
              'action',
              'solution',
              'procedure_step',
              'section_header',
              'procedure_end',
              'fallback_step',
            ])
            .nullable(),
          title: text(300).nullable(),
          description: z.string().max(20_000).nullable(),
          options: z
            .array(z.strictObject({ label: text(300), leads_to: id }))
            .max(100)
            .nullable(),
          next: id.nullable(),
          estimated_minutes: z.int().min(0).max(10_080).nullable(),
          group_label: z.string().max(200).nullable(),
          position: z.enum(['before', 'after']).nullable(),
          anchor: id.nullable(),
        }),
      )
      .max(100),
  }),
  answerTokens: 12_000,
  effort: 'medium',
} satisfies Prompt

/** Convert a finished session to a flow. */
export const flowConversion = {
  name: 'flow_conversion',
  version: 3,
  instructions: `Convert the finished session in the facts to a flow that the next technician with a similar case can follow.

- Write a flow of the type tree_type.
- Arrange the steps in the order that worked in the session.
- Include the steps that were added during the session and what was learned from it.
- Leave out detours.
- If the facts contain flow, it is the flow that was run, with the added steps in place. answers describes the outcome of each node.
- Do not name any client, person, ticket or machine of this case. Ask in intake for every value that differs from case to case.
- If target in the facts is not null, your flow replaces the target. Return the complete new version, and keep the id of every node that
stays.

The flow follows these rules too:
${authoringCare}

${flowFormat}`,
  answer: z.strictObject({ flow }),
  answerTokens: 16_000,
  effort: 'medium',
} satisfies Prompt
