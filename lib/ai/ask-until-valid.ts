import type { z } from 'zod'
import { type Asking, ask, type Prompt, providerError, type Question } from './ask.ts'

const again = 2
// As long as one question may take with its second call; an idempotency key's lease is longer.
const totalMs = 240_000

/**
 * Asks until the answer is of use: what is wrong with one goes back to the model as `problems` among the facts, twice at most and for four
 * minutes in all. Throws 502 `ai_provider_error`.
 */
export async function askUntilFit<S extends z.ZodObject, T>(
  asking: Asking,
  prompt: Prompt<S>,
  { facts, turns = [] }: Question,
  judge: (answer: z.output<S>) => { fit: T } | { problems: string[] },
): Promise<T> {
  const deadline = Date.now() + totalMs
  let problems: string[] = []
  for (let n = 0; n <= again && Date.now() < deadline; n++) {
    const timed = { ...prompt, totalMs: deadline - Date.now() }
    const judged = judge(await ask(asking, timed, { facts: { ...facts, problems }, turns }))
    if ('fit' in judged) return judged.fit
    problems = judged.problems.slice(0, 20)
  }
  throw providerError(new Error(`The answer was not usable: ${problems.length} problems`))
}
