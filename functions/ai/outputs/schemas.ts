import * as z from 'zod'
import { AiSessionId, SessionClose } from '#functions/ai/sessions/schemas.ts'
import { ClientMail } from '#functions/psa/pushes/schemas.ts'
import { Id, Time } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const OutputId = AiSessionId.extend({ output_id: Uuid.describe('Id of the output.') })
export type OutputId = z.infer<typeof OutputId>

const Kind = z
  .enum(['resolution_summary', 'ticket_note', 'client_email', 'kb_article'])
  .meta({ id: 'AiOutputKind' })
  .describe(
    '`resolution_summary`: a summary for colleagues. `ticket_note`: a note for the ticket. `client_email`: an e-mail to the client. `kb_article`: an article for the knowledge base.',
  )

export const Output = z
  .strictObject({
    id: Id,
    session_id: Id.describe('Id of the AI session.'),
    kind: Kind,
    content: z
      .string()
      .describe('The text, as markdown, masked for its readers as a push has it.')
      .meta({ example: 'Problem: Reception cannot print\n\nResult: new driver, two test pages printed.' }),
    edited: z.boolean().describe('Whether a user changed the text of the model.'),
    pushed_at: Time.nullable().describe('When it was added to the ticket.'),
    psa_push: z
      .enum(['queued', 'pushed', 'failed'])
      .meta({ id: 'AiOutputPushState' })
      .nullable()
      .describe('State of the push to the ticket; null while no push has been requested, and after an edit.'),
    client_mail: ClientMail.nullable().describe(
      'The e-mail with a pushed `client_email` that the ticketing system sends to the contact of the ticket, with a masked address; null when none was requested.',
    ),
    created_by: Id.describe('The user who requested it.'),
    created_at: Time,
    updated_at: Time.describe('When it last changed.'),
  })
  .meta({ id: 'AiOutput' })
export type Output = z.infer<typeof Output>

export const OutputCreate = z.strictObject({ kind: Kind }).meta({ id: 'AiOutputCreate' })
export type OutputCreate = z.infer<typeof OutputCreate>

export const OutputPatch = z
  .strictObject({
    content: z
      .string()
      .trim()
      .min(1)
      .max(100_000)
      .describe('The new text, as markdown.')
      .meta({ example: 'Problem: Reception cannot print\n\nResult: new driver.' }),
  })
  .partial()
  .prefault({})
  .meta({ id: 'AiOutputPatch' })
export type OutputPatch = z.infer<typeof OutputPatch>

export const OutputPush = z
  .strictObject({
    notify: z
      .boolean()
      .default(false)
      .describe('Whether the ticketing system also mails a `client_email` to the contact of the ticket.'),
  })
  .prefault({})
  .meta({ id: 'AiOutputPush' })
export type OutputPush = z.infer<typeof OutputPush>

export const StatusUpdateCreate = z
  .strictObject({
    audience: z
      .enum(['ticket_notes', 'client_update', 'email_draft'])
      .meta({ id: 'StatusUpdateAudience' })
      .describe(
        '`ticket_notes`: colleagues. `client_update`: the client. `email_draft`: the client, as an e-mail.',
      ),
    length: z
      .enum(['quick', 'detailed'])
      .meta({ id: 'StatusUpdateLength' })
      .describe('`quick`: a few sentences. `detailed`: the whole case.'),
  })
  .meta({ id: 'StatusUpdateCreate' })
export type StatusUpdateCreate = z.infer<typeof StatusUpdateCreate>

export const StatusUpdate = z
  .strictObject({
    text: z
      .string()
      .describe('The status of the case. It is not stored.')
      .meta({ example: 'We are working on your report: “Reception cannot print”.' }),
  })
  .meta({ id: 'StatusUpdate' })

export const DocumentationPush = SessionClose.pick({ session_id: true, psa_push: true }).meta({
  id: 'DocumentationPush',
})
export type DocumentationPush = z.infer<typeof DocumentationPush>
