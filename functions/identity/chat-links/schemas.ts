import * as z from 'zod'
import { Id, Secret, Time } from '#http/fields.ts'

const token = Secret.min(1).max(2000)

export const RequestToken = z.object({ token: token.describe('The token of the link.') })

export const ChatLinkRequest = z
  .strictObject({
    chat_user: z
      .string()
      .describe('What the chat tool calls the user, and their workspace.')
      .meta({ example: 'dana (northwind)' }),
  })
  .meta({ id: 'ChatLinkRequest' })
export type ChatLinkRequest = z.infer<typeof ChatLinkRequest>

export const ChatLinkCreate = z
  .strictObject({ token: token.describe('The token of the link.') })
  .meta({ id: 'ChatLinkCreate' })

export const ChatLink = z
  .strictObject({
    id: Id.describe('Id of the sign-in.'),
    chat_user: ChatLinkRequest.shape.chat_user,
    created_at: Time,
  })
  .meta({ id: 'ChatLink' })
export type ChatLink = z.infer<typeof ChatLink>
