import * as z from 'zod'
import { urgencies } from '#rules/ai/session-values.ts'
import type { Prompt } from '#vendors/ai/ask.ts'
import { diagnosisCare, reportCare } from './care.ts'
import { CitedNumbers, sourceRules } from './diagnosis.ts'

const text = (max: number) => z.string().trim().min(1).max(max)

const factualityRules = `Report only observations, actions and results that the facts state. Describe open points as open. A fix
with the status applied_success worked, applied_partial worked in part, applied_failed did not work, and applied_pending has no result yet.
Any other fix was not applied. Without a resolution the case is not solved, and with the status abandoned it was given up.
triage_hypothesis is a suspected cause: do not call it the cause unless cause_confirmed is true. Do not write
placeholders such as [name].`

/** Write the status of a case for one audience. */
export const statusUpdate = {
  name: 'status_update',
  version: 5,
  instructions: `Write a status update for the case in the facts. Follow audience and length in the facts.

audience:
- "ticket_notes": Write terse notes for colleagues, with technical detail.
- "client_update": Write a message to the client in plain words. Include no internal details and no names of tools.
- "email_draft": Write the message as for "client_update", in the form of an e-mail with a greeting and a closing.
length:
- "quick": Write two or three sentences.
- "detailed": State what was observed, what was done and what comes next.

${reportCare}
${factualityRules}`,
  answer: z.strictObject({ text: text(10_000) }),
  answerTokens: 3000,
  effort: 'low',
} satisfies Prompt

/** Write a document of one kind about a session. */
export const sessionOutput = {
  name: 'session_output',
  version: 4,
  instructions: `Write a document about the case in the facts, in markdown. kind in the facts selects the document:
- "resolution_summary": Describe the problem, the cause, what solved it and how the solution was verified.
- "ticket_note": Write the same content as a terse note for the ticket.
- "client_email": Write an e-mail to the client in plain words, with a greeting and a closing.
- "kb_article": Write an article for colleagues who meet the same problem. Describe the symptoms, the cause, the resolution as numbered
steps and how to verify it. Do not name the client.

${factualityRules}`,
  answer: z.strictObject({ text: text(20_000) }),
  answerTokens: 5000,
  effort: 'low',
} satisfies Prompt

/**
 * Draft the handoff of a case to a colleague. `summary` is the first property, so that it can be streamed
 * first.
 */
export const handoffDraft = {
  name: 'handoff_draft',
  version: 5,
  instructions: `Draft the handoff of the case in the facts to a colleague who does not know the case.

summary: Describe the problem and its current state.
what_was_tried: List each attempt with its result, one per line.
next_steps: List what to do next, one step per line.
reason: State why the case is handed over.
urgency: Choose the urgency by the impact of the problem. A sign of an attack is "critical".

${reportCare}
${factualityRules}`,
  answer: z.strictObject({
    summary: text(8000),
    what_was_tried: z.string().trim().max(8000),
    next_steps: z.string().trim().max(8000),
    reason: z.string().trim().max(2000),
    urgency: z.enum(urgencies),
  }),
  answerTokens: 4000,
  effort: 'low',
} satisfies Prompt

/** Write a second opinion for the engineer who takes over an escalation. */
export const escalationAssessment = {
  name: 'escalation_assessment',
  version: 6,
  instructions: `Assess the escalation in the facts for the colleague who takes it over. Write markdown of at most 300 words. Include:
- the suspected cause, with the evidence for it and against it
- what has been ruled out
- the first three things to check
- what not to repeat

${diagnosisCare}

${sourceRules}

${factualityRules}`,
  answer: z.strictObject({ text: text(10_000), citations: CitedNumbers }),
  answerTokens: 2000,
  effort: 'low',
  totalMs: 15_000,
} satisfies Prompt
