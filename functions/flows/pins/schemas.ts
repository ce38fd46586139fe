import * as z from 'zod'
import { exampleTree } from '../trees/schemas.ts'

export const maxPins = 100

export const PinOrder = z
  .strictObject({
    tree_ids: z
      .array(z.uuid())
      .max(maxPins)
      .refine((ids) => new Set(ids).size === ids.length, 'must contain each flow once')
      .describe('The ids of all my pinned flows, in their new order.'),
  })
  .meta({ id: 'PinOrder', examples: [{ tree_ids: [exampleTree.id] }] })
