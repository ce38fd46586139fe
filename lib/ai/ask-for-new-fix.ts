import type * as z from 'zod'
import { type AnswerListener, type AskContext, ask, type Prompt, type Question } from './ask.ts'
import type { FixIdea } from './prompts/diagnosis.ts'

const maxCalls = 3
// As long as one question with its second call. The lease of an idempotency key is longer.
const totalMs = 240_000

/**
 * Ask, and ask again with the refused fixes in the facts while the model proposes a fix that was tried, at most three times and within four
 * minutes. Return the last answer, and whether its fix is still one that was tried.
 */
export async function askForNewFix<S extends z.ZodObject>(
  context: AskContext,
  prompt: Prompt<S>,
  { facts, turns = [] }: Question,
  isRepeated: (answer: z.output<S>) => boolean,
  listener?: AnswerListener,
): Promise<{ answer: z.output<S>; isRepeated: boolean }> {
  const deadline = Date.now() + totalMs
  const refused: FixIdea[] = []
  for (;;) {
    const timedPrompt = refused.length > 0 ? { ...prompt, totalMs: deadline - Date.now() } : prompt
    const refused_fixes = refused.map(({ title, description }) => ({ title, description }))
    const answer = await ask(context, timedPrompt, { facts: { ...facts, refused_fixes }, turns }, listener)
    if (!isRepeated(answer)) return { answer, isRepeated: false }
    refused.push(answer.fix as FixIdea)
    if (refused.length === maxCalls || Date.now() >= deadline) return { answer, isRepeated: true }
    listener?.onRestart()
  }
}
