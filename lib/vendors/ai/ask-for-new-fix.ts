import type * as z from 'zod'
import { type AnswerListener, type AskContext, ask, type Prompt, type Question } from './ask.ts'
import type { Lookups } from './lookups.ts'
import type { FixIdea } from './prompts/diagnosis.ts'

const maxCalls = 3
// The default time limit of one question. The lease of an idempotency key is longer.
const totalMs = 240_000

/**
 * Ask the model for a fix. While it proposes one that was tried, ask again with the refused fixes in the
 * facts. Ask at most three times and within four minutes. Return the last answer, and whether its fix was
 * tried before.
 */
export async function askForNewFix<S extends z.ZodObject>(
  context: AskContext,
  prompt: Prompt<S>,
  { facts, turns = [] }: Question,
  isRepeated: (answer: z.output<S>) => boolean,
  listener?: AnswerListener,
  lookups?: Lookups,
): Promise<{ answer: z.output<S>; isRepeated: boolean }> {
  const deadline = Date.now() + totalMs
  const refusedFixes: FixIdea[] = []
  for (;;) {
    const timedPrompt = refusedFixes.length > 0 ? { ...prompt, totalMs: deadline - Date.now() } : prompt
    const refused_fixes = refusedFixes.map(({ title, description }) => ({ title, description }))
    const answer = await ask(
      context,
      timedPrompt,
      { facts: { ...facts, refused_fixes }, turns },
      listener,
      lookups,
    )
    if (!isRepeated(answer)) return { answer, isRepeated: false }
    refusedFixes.push(answer.fix as FixIdea)
    if (refusedFixes.length === maxCalls || Date.now() >= deadline) return { answer, isRepeated: true }
    listener?.onRestart()
  }
}
