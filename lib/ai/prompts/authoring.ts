import { z } from 'zod'
import type { Prompt } from '../ask.ts'

const text = (max: number) => z.string().trim().min(1).max(max)
const id = text(100)

/** A model writes at most as many nodes of a flow. */
export const mostNodes = 300

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
  type: z.enum(['text', 'textarea', 'number', 'select', 'multiselect', 'boolean', 'date', 'email', 'ip', 'hostname']),
  required: z.boolean(),
  options: z.array(text(200)).max(30).nullable(),
})
const flow = z.strictObject({
  name: text(200),
  description: z.string().max(4000),
  nodes: z.array(node).min(1).max(mostNodes),
  intake: z.array(field).max(30),
})
export type WrittenFlow = z.infer<typeof flow>

const howToWrite = `A flow is a list of nodes with ids of small letters, digits and dashes. A troubleshooting flow is a tree: its first node is the root;
a decision asks one thing and has two or more options, each leading to a node; an action is done and leads on by next; a solution ends its way. Every
node but the root is led to exactly once. A procedural or maintenance flow is a list of procedure_step nodes in their order, with section_header nodes
as headings, and one procedure_end as the last; options are empty and next is null. Titles are what the technician reads first, short; descriptions say
how, in markdown. What differs from case to case is asked in intake and stands in texts as {{key}}. When problems stand in the facts, they are what was
wrong with your last answer: mend that.`

/** One turn of writing a flow. `reply` comes first; `flow` is the whole draft, or null while there is not enough to write one. */
export const flowDraft = {
  name: 'flow_draft',
  version: 1,
  instructions: `Write, or change as the newest message asks, one flow of the type in the facts for the goal and the environment there. reply: what you
wrote or changed and what is still open, in markdown, without repeating the flow. flow: the whole flow with every node that stays, under its id; null
when this turn changes nothing or too little is known to begin. ${howToWrite}`,
  answer: z.strictObject({ reply: text(8000), flow: flow.nullable() }),
  maxTokens: 16_000,
} satisfies Prompt

/** One edit of a flow at hand, as operations of a JSON patch. */
export const flowEdit = {
  name: 'flow_edit',
  version: 1,
  instructions: `Do the one thing that the instruction asks of the flow in the facts, and nothing else. explanation: what you change and why, for the
technician. patch: operations of a JSON patch (RFC 6902) on structure, whose paths begin at its root as /title or /children/0/title; value is JSON text,
null for remove and move; from is null but for move. Ids stay unique in the flow; an option's next_node_id names a direct child of its decision, an
action's its one child. Attach no script. An empty patch when nothing is to be done. When a node is named in the facts, the instruction is about it.
When problems stand in the facts, they are what was wrong with your last answer: mend that.`,
  answer: z.strictObject({
    explanation: text(4000),
    patch: z
      .array(
        z.strictObject({
          op: z.enum(['add', 'remove', 'replace', 'move']),
          path: z.string().max(1000),
          from: z.string().max(1000).nullable(),
          value: z.string().max(100_000).nullable(),
        }),
      )
      .max(100),
  }),
  maxTokens: 12_000,
} satisfies Prompt

/** A flow from what somebody did in a session. */
export const flowConversion = {
  name: 'flow_conversion',
  version: 1,
  instructions: `Make of the finished session in the facts a flow that the next technician with such a case can follow: of the type in the facts, in the
order that proved right, with what was added and learned on the way, and without the detours. flow is the flow that was run, with the steps that were
added at their places; answers say how each node went. Name no client, person, ticket or machine of this case: what differs from case to case is asked
in intake. With a target in the facts, the answer is to take its place: give all of it, as it is to be from now on, every node that stays under its id.
${howToWrite}`,
  answer: z.strictObject({ flow }),
  maxTokens: 16_000,
} satisfies Prompt
