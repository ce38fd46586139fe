import * as z from 'zod'
import { Secret } from '#http/fields.ts'

export const StreamTicket = z
  .strictObject({
    ticket: Secret.describe('For `?ticket=` of the stream. Works once.').meta({
      example: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
    }),
    expires_in: z.int().describe('Seconds until the ticket expires.').meta({ example: 60 }),
  })
  .meta({ id: 'StreamTicketResponse' })
