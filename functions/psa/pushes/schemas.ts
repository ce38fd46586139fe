import * as z from 'zod'
import { EmailProblem } from '#http/email-problem.ts'
import { Id, idParams, Time } from '#http/fields.ts'
import { isInternalNote, noteVisibilities } from '#rules/audience.ts'
import { pushKinds, pushSources } from '#rules/events/push-values.ts'
import { Uuid } from '#rules/uuid.ts'
import { ticketIdPattern } from '#vendors/psa/psa.ts'
import { refusals } from '#vendors/psa/recipient.ts'
import { maxEntryMinutes } from '#vendors/psa/time-entry.ts'
import { maxPushLength } from '#work/pushes.ts'

export const PushId = idParams('push_id', 'push')

const State = z
  .enum(['queued', 'retrying', 'pushed', 'failed'])
  .meta({ id: 'PsaPushState' })
  .describe(
    '`queued`: not attempted yet. `retrying`: waits for a retry. `pushed`: stored in the ticketing system. `failed`: no further attempt follows.',
  )
const SourceKind = z
  .enum(pushSources)
  .meta({ id: 'PsaPushSource' })
  .describe('What it documents: a session, an AI session, an output of an AI session, or a text of a user.')
const PushKind = z
  .enum(pushKinds)
  .meta({ id: 'PsaPushKind' })
  .describe('What is pushed: a note, a time entry or a new ticket.')
const Visibility = z
  .enum(noteVisibilities)
  .meta({ id: 'PsaNoteVisibility' })
  .describe(
    'Who sees it: `internal` only technicians, `client` also the client, `resolution` also the client, as the solution.',
  )

const emailProblem = EmailProblem.nullable().describe(
  'Why the address gets no e-mails of this service, which makes it likely that it gets none at all; null for no reason.',
)
export const ClientMail = z
  .strictObject({
    name: z
      .string()
      .nullable()
      .describe('Name of the contact; null until it was sent, and 90 days later.')
      .meta({ example: 'Maya Lindgren' }),
    address: z
      .string()
      .nullable()
      .describe('Address of the contact, which outputs show masked; null as the name.')
      .meta({ example: 'maya@contoso.example' }),
    sent_at: Time.nullable().describe('When the ticketing system took it; null until then.'),
    email_problem: emailProblem,
  })
  .meta({ id: 'PsaClientMail' })

export const Push = z
  .strictObject({
    id: Id,
    kind: PushKind,
    ticket_id: z
      .string()
      .nullable()
      .describe('Id of the ticket in the ticketing system; null until a new one was created.'),
    visibility: Visibility,
    internal: z.boolean().describe('Whether the note is hidden from the client.'),
    source_kind: SourceKind,
    source_id: Id.describe('Id of the session, AI session, output or user.'),
    requested_by: Id.nullable().describe('The user who requested it; null when a job did.'),
    requested_by_name: z
      .string()
      .nullable()
      .describe('The name of that user.')
      .meta({ example: 'Dana Reyes' }),
    state: State,
    attempts: z.int().describe('Number of attempts.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed.')
      .meta({ example: 'The ticketing system did not answer in time' }),
    next_attempt_at: Time.nullable().describe('When the next attempt is due; null when there is none.'),
    pushed_at: Time.nullable().describe('When it reached the ticketing system.'),
    ticket_status_id: z
      .string()
      .nullable()
      .describe('Id of the status that the ticket got with the note of a resolved case; null for none.'),
    provider_note_id: z
      .string()
      .nullable()
      .describe('Id of the note, time entry or ticket in the ticketing system.'),
    created_at: Time,
    client_mail: ClientMail.nullable().describe(
      'The e-mail with the note that the ticketing system sends to the contact of the ticket; null when none was requested.',
    ),
  })
  .meta({ id: 'PsaPush' })
export type Push = z.infer<typeof Push>

export const PushQuery = z.strictObject({
  state: State.optional().describe('Only notes in this state.'),
  source_id: Uuid.optional().describe('Only notes of this session, AI session or output.'),
})
export type PushQuery = z.infer<typeof PushQuery>

const notify = z
  .boolean()
  .default(false)
  .describe(
    'Whether the ticketing system also mails the note to the contact of the ticket. Only for a note that the client sees.',
  )
const notifyRefusal = { path: ['notify'], message: 'must be false for a note that the client does not see' }

const internal = z.boolean().default(true).describe('Whether the note is hidden from the client.')
export const SessionPush = z
  .strictObject({ internal, notify })
  .refine((push) => !(push.internal && push.notify), notifyRefusal)
  .prefault({})
  .meta({ id: 'SessionPush' })
export type SessionPush = z.infer<typeof SessionPush>

export const SessionPushPreviewQuery = z.strictObject({
  kind: PushKind.default('note').describe('What would be pushed.'),
  internal: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('Whether the note is hidden from the client. A client reads a new ticket.'),
})
export type SessionPushPreviewQuery = z.output<typeof SessionPushPreviewQuery>

export const PushPreview = z
  .strictObject({
    ticket_id: z
      .string()
      .nullable()
      .describe('Id of the ticket in the ticketing system; null for a new ticket.'),
    visibility: Visibility,
    text: z
      .string()
      .describe(
        'The note, or the description of a new ticket, as it would be pushed now: masked for those who will see it.',
      )
      .meta({ example: 'Your printer works again.' }),
    summary: z
      .string()
      .nullable()
      .describe('The summary of a new ticket; null for a note.')
      .meta({ example: 'Printer is offline' }),
    recipient: z
      .strictObject({
        name: z.string().describe('Name of the contact.').meta({ example: 'Maya Lindgren' }),
        address: z.string().describe('Address of the contact.').meta({ example: 'maya@contoso.example' }),
        email_problem: emailProblem,
      })
      .nullable()
      .describe('Whom the ticketing system would mail with `notify`; null for nobody.'),
    refusal: z
      .enum(refusals)
      .meta({ id: 'PsaMailRefusal' })
      .nullable()
      .describe(
        'Why nobody would be mailed. `no_contact`: the ticket has no contact. `no_address`: the contact has no address. `mail_off`: the ticketing system has e-mails to the contact of this ticket switched off. Null for a note that the client does not see.',
      ),
  })
  .meta({ id: 'PsaPushPreview' })
export type PushPreview = z.infer<typeof PushPreview>

export const TicketNote = z
  .strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(maxPushLength)
      .describe('Plain text.')
      .meta({ example: 'Replaced the toner.' }),
    visibility: Visibility.default('internal'),
    notify,
  })
  .refine((note) => !(isInternalNote[note.visibility] && note.notify), notifyRefusal)
  .meta({ id: 'PsaTicketNoteCreate' })
export type TicketNote = z.infer<typeof TicketNote>

export const TimeEntry = z
  .strictObject({
    minutes: z
      .int()
      .min(1)
      .max(maxEntryMinutes)
      .optional()
      .describe('Minutes before rounding. Without it, the time from the start to the end of the session.')
      .meta({ example: 25 }),
    note: z
      .string()
      .trim()
      .min(1)
      .max(2000)
      .optional()
      .describe('Plain text. Without it, the name of the flow and the outcome.')
      .meta({ example: 'Printer queue cleared' }),
    visibility: Visibility.default('internal'),
    user_id: Id.optional().describe(
      'For whom the time is booked: the member of this user at the ticketing system. Without it, for whoever asks; for an API key, for the user of the session.',
    ),
  })
  .prefault({})
  .meta({ id: 'PsaTimeEntryCreate' })
export type TimeEntry = z.infer<typeof TimeEntry>

const RecordId = z.string().regex(ticketIdPattern)
export const NewTicket = z
  .strictObject({
    summary: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('Without it, the name of the flow and the client.')
      .meta({ example: 'Printer is offline' }),
    company_id: RecordId.describe('Id of the client in the ticketing system.'),
    contact_id: RecordId.optional().describe('Id of the contact in the ticketing system.'),
    board_id: RecordId.optional().describe('Id of the board. Without it, the ticketing system chooses one.'),
  })
  .meta({ id: 'PsaTicketCreate' })
export type NewTicket = z.infer<typeof NewTicket>
