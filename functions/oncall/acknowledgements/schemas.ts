import * as z from 'zod'

export const AcknowledgementToken = z.object({
  token: z.string().min(1).max(1000).describe('The token of the link in the message.'),
})
