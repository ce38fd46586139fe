import * as z from 'zod'
import { proposedKinds } from '#rules/knowledge/nodes.ts'
import type { Prompt } from '#vendors/ai/ask.ts'

const pieceNumber = z.int().min(1).max(100)

/**
 * Group and title the pieces of an article. The answer contains only numbers and titles, so the model cannot
 * change the article's text.
 */
export const articleNodes = {
  name: 'article_nodes',
  version: 2,
  instructions: `pieces in the facts contains a knowledge article as numbered pieces in reading order. Long pieces are cut off after their
beginning. Group the pieces and classify each group as a node of a guided flow.

groups: Put each piece whose kind is not section into exactly one group, and keep the reading order. Group only adjacent pieces that form
one step, such as a command and the sentence that introduces it. Never let a group include or cross a section.
first and last: Set these to the numbers of the first and the last piece of the group. For a group of one piece, both are the same number.
kind:
- step: something to do.
- note: something to know.
- decision: a question that is answered by at least two option groups, which follow immediately.
- option: one of the answers to the preceding decision.
- solution: the result that completes the work.
title: Write a title of at most ten words. Use the words of the piece. Write the title of a step as an imperative.`,
  answer: z.strictObject({
    groups: z
      .array(
        z.strictObject({
          first: pieceNumber,
          last: pieceNumber,
          kind: z.enum(proposedKinds),
          title: z.string().trim().min(1).max(300),
        }),
      )
      .max(100),
  }),
  answerTokens: 10_000,
  effort: 'low',
} satisfies Prompt
