import * as z from 'zod'
import type { AiPort } from '#vendors/ai/ai.ts'
import { type Prompt, toCompletion } from '#vendors/ai/ask.ts'
import type { Case } from './cases.ts'

/**
 * Judge an answer by what a case expects of it. The criteria are ours; everything in the facts is material.
 */
const caseJudge = {
  name: 'case_judge',
  version: 1,
  instructions: `You judge the answer of an assistant to a technician. question in the facts is what the assistant was given, answer is what it
returned, criteria are numbered statements about the answer.

verdicts: For each criterion return its number, the words of the answer that decide it (an empty text if it has none), and passes: whether
the answer meets the whole criterion. An answer that is vague about it does not meet it. Style and length do not count.`,
  answer: z.strictObject({
    verdicts: z
      .array(
        z.strictObject({ number: z.int().min(1).max(10), words: z.string().max(1000), passes: z.boolean() }),
      )
      .min(1)
      .max(10),
  }),
  answerTokens: 2000,
  effort: 'low',
} satisfies Prompt

/**
 * Return whether the model finds that an answer meets all criteria of a case. A criterion without a verdict
 * is not met.
 */
export async function judgeAnswer(
  judge: AiPort,
  { facts, turns = [], expect }: Case,
  answer: string,
): Promise<boolean> {
  const criteria = (expect?.judge ?? []).map((text, index) => ({ number: index + 1, text }))
  const question = { facts: { question: { facts, turns }, answer, criteria } }
  const { text } = await judge.complete(toCompletion(caseJudge, question as never, Number.POSITIVE_INFINITY))
  const { verdicts } = caseJudge.answer.parse(JSON.parse(text))
  return criteria.every(({ number }) =>
    verdicts.some((verdict) => verdict.number === number && verdict.passes),
  )
}
