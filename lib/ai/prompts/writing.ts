import { z } from 'zod'
import type { Prompt } from '../ask.ts'

const text = (max: number) => z.string().trim().min(1).max(max)

const honest = `Say only what the facts say was seen, done and found; what is open stays open. No placeholders.`

/** Where a case stands, for one audience. */
export const statusUpdate = {
  name: 'status_update',
  version: 1,
  instructions: `Write where the case stands. audience "ticket_notes": terse notes for colleagues, with technical detail. "client_update": a
message to the client in plain words, no internal detail, no names of tools. "email_draft": the same as an e-mail with greeting and close. length
"quick": two or three sentences; "detailed": what was seen, what was done, what comes next. ${honest}`,
  answer: z.strictObject({ text: text(10_000) }),
  maxTokens: 3000,
} satisfies Prompt

/** What stays of a session. */
export const sessionOutput = {
  name: 'session_output',
  version: 1,
  instructions: `Write the output of the kind that is asked for, in markdown. "resolution_summary": problem, cause, what solved it, how it was
verified. "ticket_note": the same for the ticket, terse. "client_email": for the client, plain words, with greeting and close. "kb_article":
an article for colleagues who meet the problem again: symptoms, cause, resolution as numbered steps, how to verify; no client's name. ${honest}`,
  answer: z.strictObject({ text: text(20_000) }),
  maxTokens: 5000,
} satisfies Prompt

/** What a colleague must know to go on. `summary` comes first. */
export const handoffDraft = {
  name: 'handoff_draft',
  version: 1,
  instructions: `Draft the handoff of this case to a colleague who knows nothing of it. summary: the problem and where it stands. what_was_tried:
each thing tried with its result, one per line. next_steps: what to do next, one per line. reason: why it is handed over. urgency: by impact. ${honest}`,
  answer: z.strictObject({
    summary: text(8000),
    what_was_tried: z.string().trim().max(8000),
    next_steps: z.string().trim().max(8000),
    reason: z.string().trim().max(2000),
    urgency: z.enum(['low', 'normal', 'high', 'critical']),
  }),
  maxTokens: 4000,
} satisfies Prompt

/** A second opinion for whoever takes an escalation. */
export const escalationAssessment = {
  name: 'escalation_assessment',
  version: 1,
  instructions: `Assess this escalation for the colleague who takes it: the likeliest cause and what speaks for and against it, what has been ruled
out, the first three things to check, and what not to repeat. Markdown, at most 300 words. ${honest}`,
  answer: z.strictObject({ text: text(10_000) }),
  maxTokens: 2000,
  totalMs: 15_000,
} satisfies Prompt
