import * as z from 'zod'
import { Secret } from '#http/fields.ts'

export const StreamTicket = z
  .strictObject({
    ticket: Secret.describe('For `?ticket=` of the stream. Works once.'),
    expires_in: z.int().describe('Seconds until the ticket expires.'),
  })
  .meta({
    id: 'StreamTicketResponse',
    examples: [{ ticket: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU', expires_in: 60 }],
  })
