import type { Context, Hono } from 'hono'
import * as z from 'zod'
import type { LocalPsa, LocalTicket } from './psa-data.ts'

interface ConnectwiseFormat {
  root: string
  sendPage(c: Context, items: object[]): Response
  sendError(c: Context, status: 400 | 404, code: string, message: string, errors?: object[]): Response
  toTicketBody(ticket: LocalTicket): object
}

const Reference = z.object({ id: z.int() })
const Operation = z.strictObject({
  op: z.literal('replace'),
  path: z.enum(['board', 'status', 'owner']),
  value: Reference.nullable(),
})
const NewTicket = z.object({
  summary: z.string().min(1).max(100),
  company: Reference,
  contact: Reference.optional(),
  board: Reference.optional(),
  initialDescription: z.string().optional(),
  externalXRef: z.string().max(100).optional(),
})
const TicketMerge = z.object({ mergeTicketIds: z.array(z.int()).min(1) })
const NewTimeEntry = z.object({
  chargeToId: z.int(),
  chargeToType: z.enum(['ServiceTicket', 'ProjectTicket']),
  member: Reference,
  timeStart: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  actualHours: z.number().positive(),
  notes: z.string(),
  internalNotes: z.string(),
  addToInternalAnalysisFlag: z.boolean(),
})

/** Add the routes that change and create tickets and time entries. Errors have the vendor's format. */
export function addConnectwiseWrites(
  app: Hono,
  psa: LocalPsa,
  { root, sendPage, sendError, toTicketBody }: ConnectwiseFormat,
): void {
  const sendInvalid = (c: Context, message: string) => sendError(c, 400, 'InvalidObject', message)
  for (const kind of ['service', 'project'] as const)
    app.patch(`${root}/${kind}/tickets/:id{[0-9]+}`, async (c) => {
      const ticket = findTicketOf(psa, kind, c)
      if (!ticket) return sendError(c, 404, 'NotFound', `Ticket ${c.req.param('id')} not found`)
      const operations = z.array(Operation).safeParse(await c.req.json())
      if (!operations.success) return sendInvalid(c, 'The operations are invalid')
      const fields = { board: 'boardId', status: 'statusId', owner: 'memberId' } as const
      const change = Object.fromEntries(
        operations.data.map(({ path, value }) => [fields[path], value?.id ?? null]),
      )
      const refusal = psa.changeTicket(ticket, change)
      return refusal ? sendInvalid(c, refusal) : c.json(toTicketBody(ticket))
    })
  app.post(`${root}/service/tickets`, async (c) => {
    const { data: input, error } = NewTicket.safeParse(await c.req.json())
    if (!input) return sendMissing(c, 'ticket', String(error.issues[0]?.path[0]))
    if (!psa.data.companies.some(({ id }) => id === input.company.id))
      return sendInvalid(c, 'Company not found')
    const {
      summary,
      initialDescription: description = '',
      company,
      contact,
      board,
      externalXRef: reference,
    } = input
    const optional = reference === undefined ? {} : { reference }
    const ids = { companyId: company.id, contactId: contact?.id ?? null, boardId: board?.id ?? 1 }
    return c.json(toTicketBody(psa.createTicket({ summary, description, ...ids, ...optional })), 201)
  })
  // https://developer.connectwise.com/Products/ConnectWise_PSA/REST#/Tickets/postServiceTicketsByParentIdMerge
  app.post(`${root}/service/tickets/:id{[0-9]+}/merge`, async (c) => {
    const parent = findTicketOf(psa, 'service', c)
    const ids = TicketMerge.safeParse(await c.req.json()).data?.mergeTicketIds
    const tickets = ids?.map((id) => psa.findTicket(id)).filter((ticket) => ticket !== undefined)
    if (!parent || tickets?.length !== ids?.length || !tickets)
      return sendInvalid(c, 'A ticket does not exist')
    for (const ticket of tickets) psa.mergeTicket(ticket, parent)
    return c.json(toTicketBody(parent))
  })
  addTimeEntryDeletion(app, psa, { root, sendError })
  app.get(`${root}/time/entries`, (c) => sendPage(c, listTimeEntries(psa)))
  app.post(`${root}/time/entries`, async (c) => {
    const { data: input, error } = NewTimeEntry.safeParse(await c.req.json())
    if (!input) return sendMissing(c, 'timeEntry', String(error.issues[0]?.path[0]))
    const ticket =
      input.chargeToType === 'ProjectTicket'
        ? psa.findProjectTicket(input.chargeToId)
        : psa.findTicket(input.chargeToId)
    if (!ticket) return sendInvalid(c, 'The ticket does not exist')
    const {
      member,
      timeStart: startedAt,
      actualHours: hours,
      internalNotes,
      notes,
      addToInternalAnalysisFlag,
    } = input
    const timeEntry = { memberId: member.id, startedAt, hours, internalNotes }
    return c.json({ id: psa.addNote(ticket, notes, addToInternalAnalysisFlag, timeEntry).id, ...input }, 201)
  })
}

const NewInvoice = z.object({ ticket: Reference })

/** Add the routes that delete a time entry, and bill those of a ticket. */
function addTimeEntryDeletion(
  app: Hono,
  psa: LocalPsa,
  { root, sendError }: Pick<ConnectwiseFormat, 'root' | 'sendError'>,
): void {
  const { tickets, projectTickets } = psa.data
  // https://github.com/tjone270/pyconnectwise-psa/blob/0763118f99cf1067f197b2f3e278e83f77fac416/docs/TimeEntriesApi.md
  app.delete(`${root}/time/entries/:id{[0-9]+}`, (c) => {
    const id = Number(c.req.param('id'))
    const ticket = [...tickets, ...projectTickets].find(({ notes }) => notes.some((note) => note.id === id))
    const refusal = ticket ? psa.deleteNote(ticket, id) : 'missing'
    if (refusal === 'missing') return sendError(c, 404, 'NotFound', `TimeEntry ${id} not found`)
    if (refusal) return sendError(c, 400, 'InvalidObject', 'The time entry is billed')
    return c.body(null, 204)
  })
  // It bills the time of a ticket. That ConnectWise refuses to delete billed time is an assumption.
  app.post(`${root}/finance/invoices`, async (c) => {
    const { data: input } = NewInvoice.safeParse(await c.req.json())
    const ticket = input && psa.findTicket(input.ticket.id)
    if (!ticket) return sendMissing(c, 'invoice', 'ticket')
    for (const { timeEntry } of ticket.notes) if (timeEntry) timeEntry.isBilled = true
    return c.json({ id: 71 }, 201)
  })
}

function listTimeEntries({ data }: LocalPsa): object[] {
  return [...data.tickets, ...data.projectTickets].flatMap((ticket) =>
    ticket.notes.flatMap(({ id, text, timeEntry }) =>
      timeEntry
        ? [
            {
              id,
              chargeToId: ticket.id,
              chargeToType: data.projectTickets.includes(ticket) ? 'ProjectTicket' : 'ServiceTicket',
              notes: text,
              internalNotes: timeEntry.internalNotes,
              member: { id: timeEntry.memberId },
              timeStart: timeEntry.startedAt,
              actualHours: timeEntry.hours,
              status: timeEntry.isBilled ? 'Billed' : 'Open',
              ...(timeEntry.isBilled ? { invoice: { id: 71, identifier: '71' } } : {}),
            },
          ]
        : [],
    ),
  )
}

export function findTicketOf(
  psa: LocalPsa,
  kind: 'service' | 'project',
  c: Context,
): LocalTicket | undefined {
  const id = Number(c.req.param('id'))
  return kind === 'project' ? psa.findProjectTicket(id) : psa.findTicket(id)
}

/** Send the error for a required field that is missing or invalid. */
export function sendMissing(c: Context, object: string, field: string): Response {
  const errors = [
    { code: 'MissingRequiredField', message: `The ${field} field is required.`, resource: object, field },
  ]
  return c.json({ code: 'InvalidObject', message: `${object} object is invalid`, errors }, 400)
}
