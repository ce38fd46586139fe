import { z } from 'zod'
import type { Prompt } from '../ask.ts'

const place = z.int().min(1).max(100)

/** Names and groups the pieces of an article. Their texts stay where they are: an answer holds numbers and titles. */
export const articleNodes = {
  name: 'article_nodes',
  version: 1,
  instructions: `The facts hold a knowledge article in numbered pieces, in its order; of long ones the beginning. Say what each is in a guided flow.
groups: each piece that is no section in exactly one group, in order; first and last are the numbers of its pieces, equal for one alone. Group only
neighbours that are one step together, such as a command with the words that introduce it; never across a section. kind: step for something to do,
note for something to know, decision for a question that the groups right behind it answer, option for each of these answers, solution for what
ends the work. title: what it is called in at most ten words, by the piece's own words, an order for a step.`,
  answer: z.strictObject({
    groups: z
      .array(
        z.strictObject({
          first: place,
          last: place,
          kind: z.enum(['step', 'note', 'decision', 'option', 'solution']),
          title: z.string().trim().min(1).max(300),
        }),
      )
      .max(100),
  }),
  maxTokens: 10_000,
} satisfies Prompt
