import * as z from 'zod'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { Uuid } from '#rules/uuid.ts'

export const maxPins = 100

export const PinOrder = z
  .strictObject({
    tree_ids: z
      .array(Uuid)
      .max(maxPins)
      .superRefine(refuseRepeats())
      .describe('The ids of all my pinned flows, in their new order.'),
  })
  .meta({ id: 'PinOrder' })
