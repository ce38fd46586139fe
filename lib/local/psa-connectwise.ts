import { type Context, Hono } from 'hono'
import type { LocalPsa, LocalTicket } from './psa-company.ts'
import { parseConditions } from './psa-conditions.ts'

const root = '/v4_6_release/apis/3.0'
const allowed = `Basic ${Buffer.from('demo+demo:demo').toString('base64')}`

/** ConnectWise Manage as far as it is asked here: bare lists without totals, keys that are absent rather than null, its error bodies. */
export function connectwiseRoutes(psa: LocalPsa): Hono {
  const app = new Hono()
  const { company } = psa
  app.use('*', async (c, next) => {
    if (c.req.header('authorization') !== allowed || c.req.header('clientid') !== 'demo')
      return refuse(c, 401, 'Unauthorized', 'Access is denied')
    await next()
    return undefined
  })
  app.onError((error, c) => refuse(c, 400, 'InvalidConditions', error.message))
  app.get(`${root}/system/info`, (c) => c.json({ version: 'v2026.1', isCloud: false, serverTimeZone: 'GMT Standard Time' }))
  app.get(`${root}/service/boards`, (c) =>
    listed(
      c,
      company.boards.map(({ id, name, inactive }) => ({ id, name, inactiveFlag: inactive, projectFlag: false })),
    ),
  )
  app.get(`${root}/service/boards/:id/statuses`, (c) =>
    listed(
      c,
      company.statuses
        .filter(({ boardId }) => boardId === Number(c.req.param('id')))
        .map(({ id, name, closed }) => ({ id, name, closedStatus: closed })),
    ),
  )
  app.get(`${root}/system/members`, (c) => listed(c, company.members.map(memberBody)))
  ticketRoutes(app, psa)
  recordRoutes(app, psa)
  app.all('*', (c) => refuse(c, 404, 'NotFound', `No route for ${c.req.path}`))
  return app
}

function ticketRoutes(app: Hono, psa: LocalPsa): void {
  const find = (c: Context) => psa.ticket(Number(c.req.param('id')))
  const none = (c: Context) => refuse(c, 404, 'NotFound', `Ticket ${c.req.param('id')} not found`)
  app.get(`${root}/service/tickets`, (c) =>
    listed(
      c,
      psa.company.tickets.map((ticket) => ticketBody(psa, ticket)),
    ),
  )
  app.get(`${root}/service/tickets/:id{[0-9]+}`, (c) => {
    const ticket = find(c)
    return ticket ? c.json({ ...ticketBody(psa, ticket), initialDescription: ticket.description }) : none(c)
  })
  app.get(`${root}/service/tickets/:id{[0-9]+}/notes`, (c) => {
    const ticket = find(c)
    return ticket
      ? listed(
          c,
          ticket.notes.map((note) => noteBody(ticket.id, note)),
        )
      : none(c)
  })
  app.post(`${root}/service/tickets/:id{[0-9]+}/notes`, async (c) => {
    const ticket = find(c)
    if (!ticket) return none(c)
    const { text, internalAnalysisFlag } = await c.req.json<{ text?: string; internalAnalysisFlag?: boolean }>()
    if (!text)
      return refuse(c, 400, 'InvalidObject', 'ticketNote object is invalid', [
        { code: 'MissingRequiredField', field: 'text', message: 'The text field is required.' },
      ])
    return c.json(noteBody(ticket.id, psa.write(ticket, text, internalAnalysisFlag === true)), 201)
  })
  app.get(`${root}/service/tickets/:id{[0-9]+}/configurations`, (c) => {
    const ticket = find(c)
    if (!ticket) return none(c)
    const own = psa.company.configurations.filter(({ id }) => ticket.configurationIds.includes(id))
    return listed(
      c,
      own.map(({ id, name }) => ({ id, deviceIdentifier: name, _info: { configuration_href: `${root}/company/configurations/${id}` } })),
    )
  })
}

function recordRoutes(app: Hono, { company }: LocalPsa): void {
  const by = <T extends { id: number }>(list: readonly T[], c: Context) => list.find(({ id }) => id === Number(c.req.param('id')))
  app.get(`${root}/company/companies/:id{[0-9]+}`, (c) => {
    const found = by(company.companies, c)
    if (!found) return refuse(c, 404, 'NotFound', 'Company not found')
    if (found.restricted) return refuse(c, 403, 'Forbidden', 'Your security role does not allow this')
    const { id, name, identifier, phone, street, city, zip } = found
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
    const found = by(company.contacts, c)
    if (!found) return refuse(c, 404, 'NotFound', 'Contact not found')
    const [firstName, ...rest] = found.name.split(' ')
    const items = [
      { communicationType: 'Email', value: found.email, defaultFlag: true },
      ...(found.phone ? [{ communicationType: 'Phone', value: found.phone, defaultFlag: true }] : []),
    ]
    return c.json({
      id: found.id,
      firstName,
      lastName: rest.join(' '),
      ...(found.title ? { title: found.title } : {}),
      communicationItems: items,
    })
  })
  app.get(`${root}/company/configurations/:id{[0-9]+}`, (c) => {
    const found = by(company.configurations, c)
    if (!found) return refuse(c, 404, 'NotFound', 'Configuration not found')
    const { id, name, type, maker, model, serial, os, ip } = found
    const optional = { ...(os ? { osType: os } : {}), ...(ip ? { ipAddress: ip } : {}) }
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

/** One page of what meets the conditions, in the order that is asked for. */
function listed(c: Context, items: object[]): Response {
  const { conditions, orderBy = 'id', page = '1', pageSize = '25' } = c.req.query()
  if (Number(pageSize) > 1000) return refuse(c, 400, 'InvalidPageSize', 'pageSize may not exceed 1000')
  const found = conditions ? items.filter(parseConditions(conditions)) : items
  const orders = orderBy.split(',').map((part) => part.trim().split(' '))
  const of = (item: object, name: string) => {
    const own = item as Record<string, unknown> & { _info?: Record<string, unknown> }
    return (own[name] ?? own._info?.[name] ?? 0) as number
  }
  const sorted = found.toSorted((a, b) => {
    for (const [name = 'id', way] of orders) {
      const [x, y] = [of(a, name), of(b, name)]
      if (x !== y) return (x < y ? -1 : 1) * (way === 'desc' ? -1 : 1)
    }
    return 0
  })
  const from = (Number(page) - 1) * Number(pageSize)
  return c.json(sorted.slice(from, from + Number(pageSize)))
}

function ticketBody({ company }: LocalPsa, ticket: LocalTicket) {
  const ref = <T extends { id: number; name: string }>(list: readonly T[], id: number | null) => {
    const found = list.find((one) => one.id === id)
    return found && { id: found.id, name: found.name, ...('identifier' in found ? { identifier: found.identifier } : {}) }
  }
  const [contact, owner] = [ref(company.contacts, ticket.contactId), ref(company.members, ticket.memberId)]
  const identifier = owner && 'identifier' in owner ? String(owner.identifier) : undefined
  return {
    ...{ id: ticket.id, summary: ticket.summary, recordType: 'ServiceTicket', board: ref(company.boards, ticket.boardId) },
    ...{ status: { ...ref(company.statuses, ticket.statusId), Sort: 1 }, company: ref(company.companies, ticket.companyId), site: null },
    ...(contact ? { contact, contactName: contact.name } : {}),
    ...(owner ? { owner, resources: identifier } : {}),
    ...{ priority: ref(company.priorities, ticket.priorityId), severity: 'Medium', closedFlag: ticket.closed },
    _info: { lastUpdated: seconds(ticket.updatedAt), dateEntered: seconds(ticket.createdAt), updatedBy: identifier ?? 'system' },
  }
}

function noteBody(ticketId: number, { id, text, internal, author, at }: LocalTicket['notes'][number]) {
  const flags = { detailDescriptionFlag: !internal, internalAnalysisFlag: internal, resolutionFlag: false }
  return {
    id,
    ticketId,
    text,
    ...flags,
    member: { name: author },
    contact: null,
    dateCreated: seconds(at),
    createdBy: author,
    internalFlag: internal,
  }
}

function memberBody({ id, identifier, name, email, inactive }: LocalPsa['company']['members'][number]) {
  const [firstName, ...rest] = name.split(' ')
  return {
    id,
    identifier,
    firstName,
    lastName: rest.join(' '),
    ...(email ? { officeEmail: email } : {}),
    inactiveFlag: inactive,
    licenseClass: 'F',
  }
}

const seconds = (at: string) => at.replace(/\.\d+Z$/, 'Z')

function refuse(c: Context, status: 400 | 401 | 403 | 404, code: string, message: string, errors: object[] | null = null): Response {
  return c.json({ code, message, ...(errors ? { errors } : {}) }, status)
}
