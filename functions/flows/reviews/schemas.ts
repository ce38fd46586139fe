import * as z from 'zod'
import { ReviewMonths, reviewFields } from '#functions/flows/trees/schemas.ts'
import { StoredReplay } from '#functions/flows/versions/schemas.ts'
import { Id } from '#http/fields.ts'

export const ReviewUpdate = z
  .strictObject({
    owner_id: Id.nullable().describe(
      'Who reviews it: an active engineer or admin who sees it. Null for the admins of its team and account.',
    ),
    months: ReviewMonths.describe(
      'How often it is reviewed, in months; null for `flow_review_months` of the account.',
    ),
    is_evergreen: z.boolean().describe('Whether it needs no review.').meta({ example: false }),
  })
  .partial()
  .meta({ id: 'FlowReviewUpdate' })
export type ReviewUpdate = z.infer<typeof ReviewUpdate>

export const FlowReview = z
  .strictObject({
    tree_id: Id.describe('The flow.'),
    ...reviewFields,
    since_review: z
      .strictObject({
        runs: z
          .int()
          .describe('Sessions that were started since, or since the flow was first published.')
          .meta({ example: 48 }),
        ended: z.int().describe('Those of them that were completed or abandoned.').meta({ example: 46 }),
        resolved: z.int().describe('Those of them that were resolved.').meta({ example: 41 }),
        replay: StoredReplay,
        open_findings: z.int().describe('What flow health finds now.').meta({ example: 2 }),
      })
      .describe('What happened since the last review. It is a hint, and never confirms a flow.'),
  })
  .meta({ id: 'FlowReview' })
export type FlowReview = z.infer<typeof FlowReview>
