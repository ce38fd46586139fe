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
    id: z.string().describe('Id in the ticketing system.'),
    name: z.string().describe('The client.'),
  })
  .meta({ id: 'PsaCompanyItem', examples: [{ id: '21', name: 'Contoso Dental' }] })

const RecordId = z.string().regex(ticketIdPattern)
export const TicketUpdate = z
  .strictObject({
    status_id: RecordId.describe('Id of a status of the board.'),
    board_id: RecordId.describe('Id of the new board. It needs a `status_id` of this board.'),
    member_id: z
      .union([RecordId, z.literal('me')])
      .nullable()
      .describe('Id of the member to assign; `me` for the member I am mapped to, null for nobody.'),
  })
  .partial()
  .meta({ id: 'PsaTicketUpdate', examples: [{ status_id: '11', member_id: 'me' }] })
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
  id: z.string().describe('Id in the ticketing system.'),
  summary: z.string().describe('Summary of the ticket.'),
  board: NullableText.describe('The board it is on.'),
  status: NullableText.describe('Its status on that board.'),
  priority: NullableText.describe('Its priority.'),
  company: NullableText.describe('The client.'),
  contact: NullableText.describe('The person who reported it.'),
  owner: NullableText.describe('The assigned member; null when there is none.'),
  updated_at: Time.nullable().describe('When it was last changed.'),
}
const exampleItem = {
  id: '4711',
  summary: 'Printer on the second floor is offline',
  board: 'Service Desk',
  status: 'New',
  priority: 'Priority 2 - High',
  company: 'Contoso Dental',
  contact: 'Maya Lindgren',
  owner: null,
  updated_at: '2026-11-21T09:30:00.000Z',
}
export const TicketItem = z.strictObject(item).meta({ id: 'PsaTicketItem', examples: [exampleItem] })

export const TicketPage = z
  .strictObject({
    items: z.array(TicketItem).describe('Open tickets, the most recently changed first.'),
    page: z.int().describe('Number of this page.'),
    page_size: z.int().describe('Requested number of tickets per page.'),
    has_more: z.boolean().describe('Whether a page follows.'),
  })
  .meta({
    id: 'PsaTicketPage',
    examples: [{ items: [exampleItem], page: 1, page_size: 25, has_more: false }],
  })

const ticketFields = {
  ...item,
  board_id: NullableText.describe('Id of its board.'),
  company_id: NullableText.describe('Id of the client.'),
  contact_id: NullableText.describe('Id of the contact who reported it.'),
  type: NullableText.describe('Type of the ticket.'),
  description: NullableText.describe('The report.'),
  is_closed: z.boolean().describe('Whether it is closed.'),
  merged_into: NullableText.describe(
    'Id of the ticket that it was merged into; null for most. What a session of it pushes goes there.',
  ),
  created_at: Time.nullable().describe('When it was opened.'),
  sub_type: NullableText.describe('Subtype in ConnectWise, first category in HaloPSA.'),
  item: NullableText.describe('Item in ConnectWise, second category in HaloPSA.'),
  sla: NullableText.describe('The service level agreement.'),
  is_in_sla: z
    .boolean()
    .nullable()
    .describe('Whether the agreement is met so far; null when the ticketing system does not say.'),
  sla_status: NullableText.describe(
    'What is due next by the agreement, in ConnectWise’s words; null in HaloPSA.',
  ),
  resolve_by: Time.nullable().describe(
    'When it must be resolved by the agreement; null in ConnectWise, which says it in `sla_status`.',
  ),
  required_by: Time.nullable().describe('When the client needs it.'),
  severity: NullableText.describe('Severity in ConnectWise, urgency in HaloPSA.'),
  impact: NullableText.describe('How many people it affects.'),
  site: NullableText.describe('The site of the client.'),
  team: NullableText.describe('The team that works on it.'),
  resources: z.array(z.string()).describe('The assigned people, at most 50.'),
  custom_fields: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the field.'),
        value: z.string().describe('Its value as text, at most 500 characters.'),
      }),
    )
    .describe('Fields of your own, at most 50. Fields without a value are left out.'),
}
const exampleTicket = {
  ...exampleItem,
  board_id: '1',
  company_id: '21',
  contact_id: '310',
  type: 'Hardware',
  description: 'Nothing prints since this morning.',
  is_closed: false,
  merged_into: null,
  created_at: '2026-11-21T08:55:00.000Z',
  sub_type: 'Printer',
  item: null,
  sla: 'Standard',
  is_in_sla: true,
  sla_status: 'Resolve by Sat 11/21 4:00 PM UTC+00',
  resolve_by: null,
  required_by: null,
  severity: 'Medium',
  impact: 'Low',
  site: 'Main office',
  team: 'First line',
  resources: ['dreyes'],
  custom_fields: [{ name: 'Building', value: 'North wing' }],
}
export const Ticket = z.strictObject(ticketFields).meta({ id: 'PsaTicket', examples: [exampleTicket] })
const Company = z.strictObject({
  id: z.string().describe('Id in the ticketing system.'),
  name: z.string().describe('The client.'),
  phone: NullableText.describe('Its phone number.'),
  address: NullableText.describe('Its postal address, in one line.'),
  website: NullableText.describe('Its website.'),
})
const Contact = z.strictObject({
  id: z.string().describe('Id in the ticketing system.'),
  name: z.string().describe('Name of the contact.'),
  title: NullableText.describe('Job title.'),
  email: NullableText.describe('E-mail address.'),
  phone: NullableText.describe('Phone number.'),
})
const Configuration = z.strictObject({
  id: z.string().describe('Id in the ticketing system.'),
  name: z.string().describe('Name of the device or service.'),
  type: NullableText.describe('Type of device or service.'),
  manufacturer: NullableText.describe('Manufacturer.'),
  model: NullableText.describe('Model.'),
  serial_number: NullableText.describe('Its serial number.'),
  operating_system: NullableText.describe('Operating system.'),
  ip_address: NullableText.describe('IP address.'),
})
const Note = z.strictObject({
  id: z.string().describe('Id in the ticketing system.'),
  text: z.string().describe('Text of the note.'),
  author: NullableText.describe('Author of the note.'),
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
export const TicketContext = z.strictObject(contextFields).meta({
  id: 'PsaTicketContext',
  examples: [
    {
      ticket: exampleTicket,
      company: {
        id: '21',
        name: 'Contoso Dental',
        phone: '+1 555 0142',
        address: '4 Mill Lane, Leeds',
        website: null,
      },
      contact: {
        id: '310',
        name: 'Maya Lindgren',
        title: 'Office manager',
        email: 'maya@contoso.example',
        phone: null,
      },
      configurations: [],
      notes: [
        {
          id: '9001',
          text: 'Tried another cable.',
          author: 'Dana Reyes',
          internal: true,
          created_at: '2026-11-21T09:20:00.000Z',
          added_by_service: false,
        },
      ],
      related_tickets: [],
      unavailable: [],
      fetched_at: '2026-11-21T09:30:00.000Z',
    },
  ],
})
export type TicketContext = z.infer<typeof TicketContext>
