import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { parseConditions } from './psa-conditions.ts'
import { addConnectwiseWrites, findTicketOf, sendMissing } from './psa-connectwise-writes.ts'
import type { LocalPsa, LocalTicket } from './psa-data.ts'

const root = '/v4_6_release/apis/3.0'
/** The path of the key that signs callbacks. */
export const signingKeyPath = '/v4_6_release/services/signing-key'
export const localSigningKey = 'local-signing-key-8d1f'
const requiredAuthorization = `Basic ${Buffer.from('demo+demo:demo').toString('base64')}`

/**
 * Create routes that emulate the part of ConnectWise Manage that the service uses. As in the vendor's API,
 * lists are bare arrays without totals, most empty fields are omitted rather than null, and errors have the
 * vendor's format.
 */
export function createConnectwiseRoutes(psa: LocalPsa): Hono {
  const app = new Hono()
  const { data } = psa
  // The address is in the callbacks, and needs no credentials.
  app.get(signingKeyPath, (c) => c.json({ signing_key: localSigningKey }))
  app.use('*', async (c, next) => {
    if (c.req.header('authorization') !== requiredAuthorization || c.req.header('clientid') !== 'demo')
      return sendError(c, 401, 'Unauthorized', 'Access is denied')
    await next()
    return undefined
  })
  app.onError((error, c) => sendError(c, 400, 'InvalidConditions', error.message))
  app.get(`${root}/system/info`, (c) =>
    c.json({ version: 'v2026.1', isCloud: false, serverTimeZone: 'GMT Standard Time' }),
  )
  app.get(`${root}/service/boards`, (c) =>
    sendPage(
      c,
      data.boards.map(({ id, name, inactive }) => ({ id, name, inactiveFlag: inactive, projectFlag: false })),
    ),
  )
  app.get(`${root}/service/boards/:id/statuses`, (c) =>
    sendPage(
      c,
      data.statuses
        .filter(({ boardId }) => boardId === Number(c.req.param('id')))
        .map(({ id, name, closed, inactive }) => ({ id, name, closedStatus: closed, inactive })),
    ),
  )
  app.get(`${root}/system/members`, (c) => sendPage(c, data.members.map(toMemberBody)))
  addTicketRoutes(app, psa, 'service')
  addTicketRoutes(app, psa, 'project')
  addConnectwiseWrites(app, psa, {
    root,
    sendPage,
    sendError,
    toTicketBody: (ticket) => toTicketBody(psa, ticket),
  })
  addRecordRoutes(app, psa)
  app.all('*', (c) => sendError(c, 404, 'NotFound', `No route for ${c.req.path}`))
  return app
}

// A note belongs to at least one section of its ticket:
// https://developer.connectwise.com/Products/ConnectWise_PSA/REST#/TicketNotes
const NewNote = z
  .object({
    text: z.string().min(1),
    detailDescriptionFlag: z.boolean().default(false),
    internalAnalysisFlag: z.boolean().default(false),
    resolutionFlag: z.boolean().default(false),
    internalFlag: z.boolean().optional(),
    externalFlag: z.boolean().optional(),
    processNotifications: z.boolean().optional(),
  })
  .refine(
    ({ detailDescriptionFlag, internalAnalysisFlag, resolutionFlag }) =>
      detailDescriptionFlag || internalAnalysisFlag || resolutionFlag,
    {
      path: ['detailDescriptionFlag'],
    },
  )

function addTicketRoutes(app: Hono, psa: LocalPsa, kind: 'service' | 'project'): void {
  const findTicket = (c: Context) => findTicketOf(psa, kind, c)
  const notFound = (c: Context) => sendError(c, 404, 'NotFound', `Ticket ${c.req.param('id')} not found`)
  app.get(`${root}/${kind}/tickets`, (c) =>
    sendPage(
      c,
      (kind === 'project' ? psa.data.projectTickets : psa.data.tickets).map((ticket) =>
        toTicketBody(psa, ticket),
      ),
    ),
  )
  app.get(`${root}/${kind}/tickets/:id{[0-9]+}`, (c) => {
    const ticket = findTicket(c)
    return ticket
      ? c.json({ ...toTicketBody(psa, ticket), initialDescription: ticket.description })
      : notFound(c)
  })
  app.get(`${root}/${kind}/tickets/:id{[0-9]+}/notes`, (c) => {
    const ticket = findTicket(c)
    return ticket
      ? sendPage(
          c,
          ticket.notes.filter(({ isTimeEntry }) => !isTimeEntry).map((note) => toNoteBody(ticket.id, note)),
        )
      : notFound(c)
  })
  app.get(`${root}/${kind}/tickets/:id{[0-9]+}/allNotes`, (c) => {
    const ticket = findTicket(c)
    return ticket
      ? sendPage(
          c,
          ticket.notes.map((note) => toTicketNoteBody(ticket, note)),
        )
      : notFound(c)
  })
  app.post(`${root}/${kind}/tickets/:id{[0-9]+}/notes`, async (c) => {
    const ticket = findTicket(c)
    if (!ticket) return notFound(c)
    const { data: input, error } = NewNote.safeParse(await c.req.json())
    if (!input) return sendMissing(c, 'ticketNote', String(error.issues[0]?.path[0] ?? 'text'))
    const note = psa.addNote(ticket, input.text, input.internalAnalysisFlag)
    if (input.resolutionFlag) note.resolution = true
    return c.json(toNoteBody(ticket.id, note), 201)
  })
  app.get(`${root}/${kind}/tickets/:id{[0-9]+}/configurations`, (c) => {
    const ticket = findTicket(c)
    if (!ticket) return notFound(c)
    const configurations = psa.data.configurations.filter(({ id }) => ticket.configurationIds.includes(id))
    return sendPage(
      c,
      configurations.map(({ id, name }) => ({
        id,
        deviceIdentifier: name,
        _info: { configuration_href: `${root}/company/configurations/${id}` },
      })),
    )
  })
}

function addRecordRoutes(app: Hono, { data }: LocalPsa): void {
  const findById = <T extends { id: number }>(list: readonly T[], c: Context) =>
    list.find(({ id }) => id === Number(c.req.param('id')))
  app.get(`${root}/company/companies`, (c) =>
    sendPage(
      c,
      data.companies.map(({ id, name, identifier }) => ({ id, name, identifier, deletedFlag: false })),
    ),
  )
  app.get(`${root}/company/companies/:id{[0-9]+}`, (c) => {
    const record = findById(data.companies, c)
    if (!record) return sendError(c, 404, 'NotFound', 'Company not found')
    if (record.restricted) return sendError(c, 403, 'Forbidden', 'Your security role does not allow this')
    const { id, name, identifier, phone, street, city, zip } = record
    return c.json({
      id,
      identifier,
      name,
      phoneNumber: phone,
      website: null,
      addressLine1: street,
      city,
      zip,
      state: null,
      deletedFlag: false,
    })
  })
  app.get(`${root}/company/contacts/:id{[0-9]+}`, (c) => {
    const contact = findById(data.contacts, c)
    if (!contact) return sendError(c, 404, 'NotFound', 'Contact not found')
    const [firstName, ...rest] = contact.name.split(' ')
    const items = [
      { communicationType: 'Email', value: contact.email, defaultFlag: true },
      ...(contact.phone ? [{ communicationType: 'Phone', value: contact.phone, defaultFlag: true }] : []),
    ]
    return c.json({
      id: contact.id,
      firstName,
      lastName: rest.join(' '),
      title: contact.title || undefined,
      communicationItems: items,
    })
  })
  app.get(`${root}/company/configurations/:id{[0-9]+}`, (c) => {
    const configuration = findById(data.configurations, c)
    if (!configuration) return sendError(c, 404, 'NotFound', 'Configuration not found')
    const { id, name, type, maker, model, serial, os, ip } = configuration
    const optional = { osType: os || undefined, ipAddress: ip || undefined }
    return c.json({
      id,
      name,
      type: { id: 1, name: type },
      manufacturer: { id: 2, name: maker },
      modelNumber: model,
      serialNumber: serial,
      ...optional,
    })
  })
}

/** Send one page of the items that meet the request's conditions, in the requested order. */
function sendPage(c: Context, items: object[]): Response {
  const { conditions, orderBy = 'id', page = '1', pageSize = '25' } = c.req.query()
  if (Number(pageSize) > 1000) return sendError(c, 400, 'InvalidPageSize', 'pageSize may not exceed 1000')
  const matches = conditions ? items.filter(parseConditions(conditions)) : items
  const orders = orderBy.split(',').map((part) => part.trim().split(' '))
  const sortValue = (item: object, name: string) => {
    const fields = item as Record<string, unknown> & { _info?: Record<string, unknown> }
    return (fields[name] ?? fields._info?.[name] ?? 0) as number
  }
  const sorted = matches.toSorted((a, b) => {
    for (const [name = 'id', direction] of orders) {
      const [x, y] = [sortValue(a, name), sortValue(b, name)]
      if (x !== y) return (x < y ? -1 : 1) * (direction === 'desc' ? -1 : 1)
    }
    return 0
  })
  const from = (Number(page) - 1) * Number(pageSize)
  return c.json(sorted.slice(from, from + Number(pageSize)))
}

function toTicketBody({ data }: LocalPsa, ticket: LocalTicket) {
  const toReference = <T extends { id: number; name: string }>(list: readonly T[], id: number | null) => {
    const record = list.find((item) => item.id === id)
    return (
      record && {
        id: record.id,
        name: record.name,
        identifier: 'identifier' in record ? record.identifier : undefined,
      }
    )
  }
  const [contact, owner] = [
    toReference(data.contacts, ticket.contactId),
    toReference(data.members, ticket.memberId),
  ]
  const identifier = owner && 'identifier' in owner ? String(owner.identifier) : undefined
  return {
    id: ticket.id,
    summary: ticket.summary,
    recordType: data.projectTickets.includes(ticket) ? 'ProjectTicket' : 'ServiceTicket',
    board: toReference(data.boards, ticket.boardId),
    status: { ...toReference(data.statuses, ticket.statusId), Sort: 1 },
    company: toReference(data.companies, ticket.companyId),
    ...toDetailFields(data, ticket, identifier),
    ...(contact ? { contact, contactName: contact.name, contactEmailAddress: findEmail(data, ticket) } : {}),
    ...(owner ? { owner } : {}),
    priority: toReference(data.priorities, ticket.priorityId),
    ...(ticket.reference ? { externalXRef: ticket.reference } : {}),
    ...(ticket.mergedInto ? { mergedParentTicket: { id: ticket.mergedInto, summary: '' } } : {}),
    ...(ticket.type ? { type: { id: 1, name: ticket.type } } : {}),
    closedFlag: ticket.closed,
    _info: {
      lastUpdated: removeFraction(ticket.updatedAt),
      dateEntered: removeFraction(ticket.createdAt),
      updatedBy: identifier ?? 'system',
    },
  }
}

const findEmail = ({ contacts }: LocalPsa['data'], { contactId }: LocalTicket) =>
  contacts.find(({ id }) => id === contactId)?.email

function toDetailFields(
  data: LocalPsa['data'],
  { details }: LocalTicket,
  ownerIdentifier: string | undefined,
) {
  const others = data.members
    .filter(({ id }) => details.otherMemberIds.includes(id))
    .map(({ identifier }) => identifier)
  const named = (name: string) => ({ id: 1, name })
  const due = new Date(details.resolveBy).toUTCString().slice(0, 22)
  return {
    subType: named(details.subType),
    item: named(details.item),
    team: named(details.team),
    site: named(details.site),
    sla: named(details.sla),
    isInSla: details.isInSla,
    slaStatus: `Resolve by ${due} UTC+00`,
    ...(details.requiredBy ? { requiredDate: removeFraction(details.requiredBy) } : {}),
    severity: levels[details.severity],
    impact: levels[details.impact],
    ...(ownerIdentifier ? { resources: [ownerIdentifier, ...others].join(', ') } : {}),
    automaticEmailContactFlag: details.mailsContact,
    customFields: details.customFields.map(({ name, value }, index) => ({
      id: index + 1,
      caption: name,
      type: typeof value === 'boolean' ? 'Checkbox' : 'Text',
      entryMethod: 'EntryField',
      numberOfDecimals: 0,
      ...(value === null ? {} : { value }),
    })),
  }
}
const levels: Readonly<Record<number, string>> = { 1: 'High', 2: 'Medium', 3: 'Low' }

function toNoteBody(
  ticketId: number,
  { id, text, internal, resolution = false, author, createdAt }: LocalTicket['notes'][number],
) {
  const flags = {
    detailDescriptionFlag: !internal && !resolution,
    internalAnalysisFlag: internal,
    resolutionFlag: resolution,
  }
  return {
    id,
    ticketId,
    text,
    ...flags,
    member: { name: author },
    contact: null,
    dateCreated: removeFraction(createdAt),
    createdBy: author,
    internalFlag: internal,
  }
}

/**
 * The vendor's ServiceTicketNote. Unlike a ServiceNote, it has its times in `_info`, and a time entry has its
 * start.
 */
function toTicketNoteBody(
  ticket: LocalTicket,
  { id, text, internal, resolution = false, author, createdAt, isTimeEntry }: LocalTicket['notes'][number],
) {
  const time = removeFraction(createdAt)
  return {
    id,
    noteType: isTimeEntry ? 'TimeEntry' : 'TicketNote',
    ticket: { id: ticket.id, summary: ticket.summary },
    text,
    detailDescriptionFlag: !internal && !resolution,
    internalAnalysisFlag: internal,
    resolutionFlag: resolution,
    ...(isTimeEntry ? { timeStart: time, timeEnd: time } : {}),
    bundledFlag: false,
    mergedFlag: false,
    issueFlag: false,
    createdByParentFlag: false,
    member: { id: 176, identifier: author.slice(0, 5), name: author },
    _info: isTimeEntry ? {} : { lastUpdated: time, updatedBy: author, sortByDate: time },
  }
}

function toMemberBody({ id, identifier, name, email, inactive }: LocalPsa['data']['members'][number]) {
  const [firstName, ...rest] = name.split(' ')
  return {
    id,
    identifier,
    firstName,
    lastName: rest.join(' '),
    officeEmail: email || undefined,
    inactiveFlag: inactive,
    licenseClass: 'F',
  }
}

/** Remove the fraction of a second from a timestamp. */
const removeFraction = (timestamp: string) => timestamp.replace(/\.\d+Z$/, 'Z')

function sendError(
  c: Context,
  status: 400 | 401 | 403 | 404,
  code: string,
  message: string,
  errors: object[] | null = null,
): Response {
  return c.json({ code, message, errors: errors || undefined }, status)
}
