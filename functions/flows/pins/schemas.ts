import * as z from 'zod'
import { hasNoDuplicates } from '../../../lib/text/duplicates.ts'
import { exampleTree } from '../trees/schemas.ts'

export const maxPins = 100

export const PinOrder = z
  .strictObject({
    tree_ids: z
      .array(z.uuid())
      .max(maxPins)
      .refine(hasNoDuplicates, 'must contain each flow once')
      .describe('The ids of all my pinned flows, in their new order.'),
  })
  .meta({ id: 'PinOrder', examples: [{ tree_ids: [exampleTree.id] }] })
