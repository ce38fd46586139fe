import * as z from 'zod'
import { flag, id, list, optionalFlag, optionalId, part, text, time } from '#vendors/net/wire.ts'
import type { Configuration, Member, TicketDetails } from './psa.ts'
import { detail, joinParts, name, parseItems, reference, toCustomFields, toNames } from './wire.ts'

// ConnectWise's records, and their conversion to the types of psa.ts.

const Info = part(z.object({ lastUpdated: time, dateEntered: time, sortByDate: time }))
/** What the API returns for a created record, of which only the id is needed. */
export const CreatedRecord = z.object({ id })
export const StatusWire = z
  .object({ id, name: text, closedStatus: flag, inactive: flag })
  .transform(({ id, name, closedStatus, inactive }) => ({
    id,
    name: name ?? `Status ${id}`,
    is_closed: closedStatus,
    inactive,
  }))
export const CompanyItemWire = z
  .object({ id, name: text })
  .transform((company) => ({ id: company.id, name: company.name ?? `Company ${company.id}` }))
export const TicketReferenceWire = z.object({ id, externalXRef: text })
export const TimeEntryWire = z.object({ id, internalNotes: text, status: text, invoice: reference })
const billedStatuses = ['Billed', 'BilledAgreement', 'WrittenOff']
/**
 * A time entry has a status and, on an invoice, a reference to it:
 * https://github.com/tjone270/pyconnectwise-psa/blob/0763118f99cf1067f197b2f3e278e83f77fac416/docs/TimeEntry.md
 */
export const isBilled = ({ status, invoice }: z.output<typeof TimeEntryWire>) =>
  invoice.id !== null || billedStatuses.includes(status ?? '')
export const BoardWire = z
  .object({ id, name: text })
  .transform((board) => ({ id: board.id, name: board.name ?? `Board ${board.id}` }))
export const TicketWire = z.object({
  id,
  summary: text,
  board: reference,
  status: reference,
  priority: reference,
  company: reference,
  contact: reference,
  contactName: text,
  owner: reference,
  resources: text,
  type: reference,
  initialDescription: text,
  closedFlag: flag,
  _info: Info,
  subType: name,
  item: name,
  sla: name,
  isInSla: optionalFlag,
  slaStatus: detail,
  requiredDate: time,
  severity: detail,
  impact: detail,
  site: name,
  team: name,
  customFields: list,
  mergedParentTicket: reference,
})
// Whom the ticket has mailed: https://developer.connectwise.com/Products/ConnectWise_PSA/REST#/Tickets
export const TicketMailWire = z.object({
  contact: reference,
  contactEmailAddress: text,
  automaticEmailContactFlag: flag,
})
// The value is a text, a number, a date or a flag:
// https://developer.connectwise.com/Best_Practices/PSA_API_Requests
const CustomFieldWire = z
  .object({
    caption: detail,
    value: z.union([z.boolean().transform((value) => (value ? 'Yes' : 'No')), detail]),
  })
  .transform(({ caption, value }) => ({ name: caption, value }))

export function toTicketItem(wire: z.output<typeof TicketWire>) {
  return {
    id: wire.id,
    summary: wire.summary ?? '',
    board: wire.board.name,
    status: wire.status.name,
    priority: wire.priority.name,
    company: wire.company.name,
    contact: wire.contact.name ?? wire.contactName,
    owner: wire.owner.name ?? wire.owner.identifier ?? wire.resources ?? null,
    updated_at: wire._info?.lastUpdated ?? null,
  }
}

export function toTicket(wire: z.output<typeof TicketWire>) {
  return {
    ...toTicketItem(wire),
    board_id: wire.board.id,
    company_id: wire.company.id,
    contact_id: wire.contact.id,
    type: wire.type.name,
    description: wire.initialDescription,
    is_closed: wire.closedFlag,
    merged_into: wire.mergedParentTicket.id,
    created_at: wire._info?.dateEntered ?? null,
    ...toDetails(wire),
  }
}

function toDetails(wire: z.output<typeof TicketWire>): TicketDetails {
  return {
    sub_type: wire.subType,
    item: wire.item,
    sla: wire.sla,
    is_in_sla: wire.isInSla ?? null,
    sla_status: wire.slaStatus,
    resolve_by: null,
    required_by: wire.requiredDate,
    severity: wire.severity,
    impact: wire.impact,
    site: wire.site,
    team: wire.team,
    resources: toNames((wire.resources ?? '').split(',')),
    custom_fields: toCustomFields(CustomFieldWire, wire.customFields),
  }
}

export const CompanyWire = z.object({
  id,
  name: text,
  phoneNumber: text,
  website: text,
  addressLine1: text,
  addressLine2: text,
  city: text,
  state: text,
  zip: text,
})
export function toCompany(wire: z.output<typeof CompanyWire>) {
  const { id, name, website, phoneNumber: phone } = wire
  const address = joinParts(wire.addressLine1, wire.addressLine2, wire.city, joinParts(wire.state, wire.zip))
  return { id, name: name ?? `Company ${id}`, phone, address, website }
}

const Communication = z.object({ communicationType: text, value: text, defaultFlag: flag })
export const ContactWire = z.object({
  id,
  firstName: text,
  lastName: text,
  title: text,
  communicationItems: list,
})
export function toContact({
  id,
  firstName,
  lastName,
  title,
  communicationItems,
}: z.output<typeof ContactWire>) {
  const items = parseItems(Communication, communicationItems)
  const findValue = (kind: string) => {
    const matching = items.filter(({ communicationType }) => communicationType === kind)
    return (matching.find(({ defaultFlag }) => defaultFlag) ?? matching[0])?.value ?? null
  }
  return {
    id,
    name: [firstName, lastName].filter(Boolean).join(' ') || `Contact ${id}`,
    title,
    email: findValue('Email'),
    phone: findValue('Phone'),
  }
}

export const ConfigurationRef = z.object({ id, deviceIdentifier: text })
export const ConfigurationWire = z.object({
  id,
  name: text,
  type: reference,
  manufacturer: reference,
  modelNumber: text,
  serialNumber: text,
  osType: text,
  osInfo: text,
  ipAddress: text,
})
export function toConfiguration(wire: z.output<typeof ConfigurationWire>): Omit<Configuration, 'name'> {
  const {
    id,
    type,
    manufacturer,
    modelNumber: model,
    serialNumber: serial_number,
    osInfo,
    osType,
    ipAddress: ip_address,
  } = wire
  return {
    id,
    type: type.name,
    manufacturer: manufacturer.name,
    model,
    serial_number,
    operating_system: osInfo ?? osType,
    ip_address,
  }
}

// The author is a member or a contact. Some versions send a reference (`name`), others the full record
// (`firstName`, `lastName`).
const Author = part(z.object({ name: text, firstName: text, lastName: text, identifier: text }))
// `allNotes` also lists the notes of time entries, whose ids are numbered separately. Its times are in
// `_info`.
export const NoteWire = z
  .object({
    id,
    noteType: text,
    text,
    member: Author,
    contact: Author,
    createdBy: text,
    originalAuthor: text,
    internalAnalysisFlag: flag,
    internalFlag: flag,
    dateCreated: time,
    timeStart: time,
    _info: Info,
  })
  .transform((wire) => ({
    id: wire.noteType === 'TimeEntry' ? `time-${wire.id}` : wire.id,
    text: wire.text ?? '',
    author: toAuthorName(wire.member) ?? toAuthorName(wire.contact) ?? wire.createdBy ?? wire.originalAuthor,
    internal: wire.internalAnalysisFlag || wire.internalFlag,
    created_at:
      wire.dateCreated ??
      wire._info?.dateEntered ??
      wire._info?.sortByDate ??
      wire.timeStart ??
      wire._info?.lastUpdated ??
      null,
  }))
function toAuthorName(who: z.output<typeof Author>): string | null {
  return who
    ? (who.name ?? ([who.firstName, who.lastName].filter(Boolean).join(' ') || who.identifier))
    : null
}

export const MemberWire = z.object({
  id: optionalId,
  identifier: text,
  firstName: text,
  lastName: text,
  officeEmail: text,
  inactiveFlag: flag,
})
export type WireMember = z.output<typeof MemberWire>
export const isActiveMember = (wire: WireMember): wire is WireMember & { id: string; identifier: string } =>
  Boolean(wire.id && wire.identifier) && !wire.inactiveFlag
export function toMember({
  id,
  identifier,
  firstName,
  lastName,
  officeEmail: email,
}: WireMember & { id: string; identifier: string }): Member {
  return { id, identifier, name: [firstName, lastName].filter(Boolean).join(' ') || identifier, email }
}
