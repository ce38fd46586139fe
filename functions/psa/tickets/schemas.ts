import * as z from 'zod'
import { Time } from '#http/fields.ts'
import { contextParts, ticketIdPattern } from '#vendors/psa/psa.ts'

/** The errors of an operation that calls the ticketing system. */
export const psaErrors = [
  'psa_auth_failed',
  'psa_error',
  'psa_not_connected',
  'psa_rate_limited',
  'psa_unavailable',
] as const

export const TicketId = z.object({
  ticket_id: z.string().regex(ticketIdPattern).describe('Id of the ticket in the ticketing system.'),
})

export const BoardId = z.object({
  board_id: z.string().regex(ticketIdPattern).describe('Id of the board in the ticketing system.'),
})

export const CompanyQuery = z.strictObject({
  text: z
    .string()
    .trim()
    .max(200)
    .default('')
    .describe('Only clients whose name contains each of these words.'),
})
export const CompanyItem = z
  .strictObject({
    id: z.string().describe('Id in the ticketing system.').meta({ example: '21' }),
    name: z.string().describe('The client.').meta({ example: 'Contoso Dental' }),
  })
  .meta({ id: 'PsaCompanyItem' })

const RecordId = z.string().regex(ticketIdPattern)
export const TicketUpdate = z
  .strictObject({
    status_id: RecordId.describe('Id of a status of the board.').meta({ example: '11' }),
    board_id: RecordId.describe('Id of the new board. It needs a `status_id` of this board.'),
    member_id: z
      .union([RecordId, z.literal('me')])
      .nullable()
      .describe('Id of the member to assign; `me` for the member I am mapped to, null for nobody.')
      .meta({ example: 'me' }),
  })
  .partial()
  .meta({ id: 'PsaTicketUpdate' })
export type TicketUpdate = z.infer<typeof TicketUpdate>

const Flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
const idListPattern = /^\d{1,15}(,\d{1,15}){0,49}$/

export const TicketQuery = z.strictObject({
  assigned_to_me: Flag.describe(
    'Only tickets of the member I am mapped to. Returns 409 `psa_member_not_mapped` without a mapping.',
  ),
  unassigned: Flag.describe('Only tickets without an owner. Cannot be combined with `assigned_to_me`.'),
  board_ids: z
    .string()
    .regex(idListPattern, 'must be up to 50 ids, separated by commas')
    .transform((text) => text.split(','))
    .optional()
    .describe('Only tickets of these boards: ids, separated by commas.'),
  text: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Only tickets whose summary contains each of these words. A single number also finds the ticket with this id.',
    ),
  page: z.coerce.number().int().min(1).max(10_000).default(1).describe('Number of the page, from 1.'),
  page_size: z.coerce.number().int().min(1).max(100).default(25).describe('Tickets per page.'),
})
export type TicketQuery = z.infer<typeof TicketQuery>

const NullableText = z.string().nullable()
const item = {
  id: z.string().describe('Id in the ticketing system.').meta({ example: '4711' }),
  summary: z
    .string()
    .describe('Summary of the ticket.')
    .meta({ example: 'Printer on the second floor is offline' }),
  board: NullableText.describe('The board it is on.'),
  status: NullableText.describe('Its status on that board.').meta({ example: 'New' }),
  priority: NullableText.describe('Its priority.'),
  company: NullableText.describe('The client.'),
  contact: NullableText.describe('The person who reported it.'),
  owner: NullableText.describe('The assigned member; null when there is none.'),
  updated_at: Time.nullable().describe('When it was last changed.'),
}
export const TicketItem = z.strictObject(item).meta({ id: 'PsaTicketItem' })

export const TicketPage = z
  .strictObject({
    items: z.array(TicketItem).describe('Open tickets, the most recently changed first.'),
    page: z.int().describe('Number of this page.'),
    page_size: z.int().describe('Requested number of tickets per page.').meta({ example: 25 }),
    has_more: z.boolean().describe('Whether a page follows.'),
  })
  .meta({ id: 'PsaTicketPage' })

const ticketFields = {
  ...item,
  board_id: NullableText.describe('Id of its board.'),
  company_id: NullableText.describe('Id of the client.'),
  contact_id: NullableText.describe('Id of the contact who reported it.').meta({ example: '310' }),
  type: NullableText.describe('Type of the ticket.').meta({ example: 'Hardware' }),
  description: NullableText.describe('The report.').meta({ example: 'Nothing prints since this morning.' }),
  is_closed: z.boolean().describe('Whether it is closed.'),
  merged_into: NullableText.describe(
    'Id of the ticket that it was merged into; null for most. What a session of it pushes goes there.',
  ),
  created_at: Time.nullable().describe('When it was opened.'),
  sub_type: NullableText.describe('Subtype in ConnectWise, first category in HaloPSA.').meta({
    example: 'Printer',
  }),
  item: NullableText.describe('Item in ConnectWise, second category in HaloPSA.'),
  sla: NullableText.describe('The service level agreement.').meta({ example: 'Standard' }),
  is_in_sla: z
    .boolean()
    .nullable()
    .describe('Whether the agreement is met so far; null when the ticketing system does not say.')
    .meta({ example: true }),
  sla_status: NullableText.describe(
    'What is due next by the agreement, in ConnectWise’s words; null in HaloPSA.',
  ).meta({ example: 'Resolve by Sat 11/21 4:00 PM UTC+00' }),
  resolve_by: Time.nullable().describe(
    'When it must be resolved by the agreement; null in ConnectWise, which says it in `sla_status`.',
  ),
  required_by: Time.nullable().describe('When the client needs it.'),
  severity: NullableText.describe('Severity in ConnectWise, urgency in HaloPSA.').meta({ example: 'Medium' }),
  impact: NullableText.describe('How many people it affects.').meta({ example: 'Low' }),
  site: NullableText.describe('The site of the client.'),
  team: NullableText.describe('The team that works on it.').meta({ example: 'First line' }),
  resources: z
    .array(z.string())
    .describe('The assigned people, at most 50.')
    .meta({ example: ['dreyes'] }),
  custom_fields: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the field.').meta({ example: 'Building' }),
        value: z
          .string()
          .describe('Its value as text, at most 500 characters.')
          .meta({ example: 'North wing' }),
      }),
    )
    .describe('Fields of your own, at most 50. Fields without a value are left out.'),
}
export const Ticket = z.strictObject(ticketFields).meta({ id: 'PsaTicket' })
const Company = z.strictObject({
  id: z.string().describe('Id in the ticketing system.').meta({ example: '21' }),
  name: z.string().describe('The client.').meta({ example: 'Contoso Dental' }),
  phone: NullableText.describe('Its phone number.').meta({ example: '+1 555 0142' }),
  address: NullableText.describe('Its postal address, in one line.').meta({ example: '4 Mill Lane, Leeds' }),
  website: NullableText.describe('Its website.'),
})
const Contact = z.strictObject({
  id: z.string().describe('Id in the ticketing system.').meta({ example: '310' }),
  name: z.string().describe('Name of the contact.').meta({ example: 'Maya Lindgren' }),
  title: NullableText.describe('Job title.').meta({ example: 'Office manager' }),
  email: NullableText.describe('E-mail address.'),
  phone: NullableText.describe('Phone number.'),
})
const Configuration = z.strictObject({
  id: z.string().describe('Id in the ticketing system.').meta({ example: '77' }),
  name: z.string().describe('Name of the device or service.').meta({ example: 'PRN-2F-03' }),
  type: NullableText.describe('Type of device or service.'),
  manufacturer: NullableText.describe('Manufacturer.'),
  model: NullableText.describe('Model.'),
  serial_number: NullableText.describe('Its serial number.'),
  operating_system: NullableText.describe('Operating system.'),
  ip_address: NullableText.describe('IP address.'),
})
const Note = z.strictObject({
  id: z.string().describe('Id in the ticketing system.').meta({ example: '9001' }),
  text: z.string().describe('Text of the note.').meta({ example: 'Tried another cable.' }),
  author: NullableText.describe('Author of the note.').meta({ example: 'Dana Reyes' }),
  internal: z.boolean().describe('Whether the note is hidden from the client.'),
  created_at: Time.nullable().describe('When it was written.'),
})
const MarkedNote = Note.extend({
  added_by_service: z.boolean().describe('Whether it was pushed by this service.'),
})

const contextFields = {
  ticket: Ticket.describe('The ticket itself.'),
  company: Company.nullable().describe('The client; null when the ticket names none.'),
  contact: Contact.nullable().describe('The person who reported it; null when the ticket names none.'),
  configurations: z.array(Configuration).describe('Affected devices and services, at most 10.'),
  notes: z.array(MarkedNote).describe('The newest 50 notes, newest first.'),
  related_tickets: z
    .array(TicketItem)
    .describe('Up to 10 other tickets of the client, the most recently changed first.'),
  unavailable: z
    .array(z.enum(contextParts).meta({ id: 'TicketContextPart' }))
    .describe('Parts that could not be read this time and are therefore empty.'),
  fetched_at: Time.describe('When it was read from the ticketing system. It is cached for five minutes.'),
}
/** A context as the cache has it. */
export const CachedContext = z.strictObject({ ...contextFields, notes: z.array(Note) })
export const TicketContext = z.strictObject(contextFields).meta({ id: 'PsaTicketContext' })
export type TicketContext = z.infer<typeof TicketContext>
