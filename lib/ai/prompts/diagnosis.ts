import { z } from 'zod'
import type { Prompt } from '../ask.ts'

const line = (max: number) => z.string().trim().min(1).max(max)

/** What the model has understood of the case; null and empty where it has not. */
export const Findings = z.strictObject({
  client_name: line(200).nullable(),
  asset_name: line(200).nullable(),
  issue_category: line(200).nullable(),
  triage_hypothesis: line(2000).nullable(),
  evidence: z.array(line(500)).max(5),
  facts: z.array(z.strictObject({ key: line(100), value: line(1000) })).max(10),
})
export type Findings = z.infer<typeof Findings>

/** A fix as the model puts it forward. A template is one of those in the facts, by its number there. */
export const FixIdea = z.strictObject({
  title: line(300),
  description: line(8000),
  template: z.int().min(1).max(50).nullable(),
  script: z.strictObject({ language: z.enum(['powershell', 'bash', 'python']), body: line(20_000) }).nullable(),
})
export type FixIdea = z.infer<typeof FixIdea>

const understanding = `findings: what the material says of the case. Fill client_name (the client's company), asset_name (the machine or device
at fault), issue_category (two or three words) and triage_hypothesis (the likeliest cause in a sentence) only from the material, null where it
says nothing. evidence: observations made since the last turn that are not among the facts' evidence yet. facts: settled details as key and value.
flows lists guided flows that may fit, with what they ask and where their ways end: prefer their questions and their fixes to your own.`

/** One turn of a chat. `reply` comes first, so that it can be shown while the rest is still to come. */
export const chatTurn = {
  name: 'chat_turn',
  version: 1,
  instructions: `Carry on the diagnosis with the technician. reply: what you say to them, in markdown, short and concrete: what you make of
it, then the next question or check. ${understanding}
questions and actions: what to find out from the user, and what to do, next; at most three new ones of each, none that is in the task lane already.
fix: a fix when one is likely enough to try or when the technician asks for one, else null; script only when a script does it, template by its
number when one of the templates in the facts does it. outcome: when the technician says how the open fix went, what they say, else null.`,
  answer: z.strictObject({
    reply: line(8000),
    findings: Findings,
    questions: z.array(line(500)).max(3),
    actions: z.array(line(500)).max(3),
    fix: FixIdea.nullable(),
    outcome: z
      .strictObject({ outcome: z.enum(['applied_success', 'applied_failed', 'applied_partial', 'applied_pending']), reason: line(1000) })
      .nullable(),
  }),
  maxTokens: 6000,
} satisfies Prompt
export type ChatTurn = z.infer<typeof chatTurn.answer>

/** The next step of a guided session. */
export const guidedStep = {
  name: 'guided_step',
  version: 1,
  instructions: `Lead the technician step by step. Give the one step that comes next after those in the facts: a question (with two to six options
when its answers can be foreseen), an action, or the fix once the cause is clear enough. Never repeat a step that was answered. text: what to
find out or do, in markdown. rationale: why, in a sentence. ${understanding}
fix: with kind "fix" alone, what is to be done; else null.`,
  answer: z.strictObject({
    kind: z.enum(['question', 'action', 'fix']),
    text: line(4000),
    options: z.array(line(300)).max(6),
    rationale: line(1000),
    findings: Findings,
    fix: FixIdea.nullable(),
  }),
  maxTokens: 4000,
} satisfies Prompt
export type GuidedStepAnswer = z.infer<typeof guidedStep.answer>
