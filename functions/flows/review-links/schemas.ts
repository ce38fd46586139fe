import * as z from 'zod'

export const ReviewToken = z.object({
  token: z.string().min(1).max(2000).describe('The token of the link in the message.'),
})
