import type * as z from 'zod'
import { type AskContext, ask, type Prompt, type Question, toProviderProblem } from './ask.ts'

const maxRepeats = 2
// As long as one question with its second call. The lease of an idempotency key is longer.
const totalMs = 240_000

/**
 * Ask until `judge` accepts the answer. The problems of a rejected answer are added to the facts, at most
 * twice and within four minutes. Throw 502 `ai_provider_error`.
 */
export async function askUntilValid<S extends z.ZodObject, T>(
  context: AskContext,
  prompt: Prompt<S>,
  { facts, turns = [] }: Question,
  judge: (answer: z.output<S>) => { value: T } | { problems: string[] },
): Promise<T> {
  const deadline = Date.now() + totalMs
  let problems: string[] = []
  for (let n = 0; n <= maxRepeats && Date.now() < deadline; n++) {
    const timedPrompt = { ...prompt, totalMs: deadline - Date.now() }
    const judgement = judge(await ask(context, timedPrompt, { facts: { ...facts, problems }, turns }))
    if ('value' in judgement) return judgement.value
    problems = judgement.problems.slice(0, 20)
  }
  throw toProviderProblem(new Error(`The answer was not usable: ${problems.length} problems`))
}
