import * as z from 'zod'
import { Variables } from '#functions/sessions/sessions/schemas.ts'

export const SubflowStart = z
  .strictObject({
    variables: Variables.optional().describe(
      'Variables of the sub-flow. They override those that the step passes.',
    ),
  })
  .prefault({})
  .meta({ id: 'SubflowStart' })
export type SubflowStart = z.infer<typeof SubflowStart>
