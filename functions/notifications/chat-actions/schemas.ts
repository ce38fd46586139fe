import * as z from 'zod'

export const PressReceipt = z
  .strictObject({
    result: z
      .enum(['done', 'refused', 'not_linked', 'ignored'])
      .meta({ id: 'PressResult' })
      .describe('`ignored`: it is no press of a button that acts.')
      .meta({ example: 'done' }),
  })
  .meta({ id: 'PressReceipt' })
export type PressReceipt = z.infer<typeof PressReceipt>
