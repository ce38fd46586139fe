import * as z from 'zod'
import { canSpend, createBudget, runWithin, spend } from '#rules/budget.ts'
import { convertHtmlToText } from '#rules/knowledge/html-to-text.ts'
import { cut } from '#rules/text/clip.ts'
import { countMarkupSteps } from '#rules/text/xml.ts'
import { envelope, flag, id, list, optionalId, optionalNumber, part, text, time } from '#vendors/net/wire.ts'
import type { TicketDetails, TicketNote } from './psa.ts'
import { detail, joinParts, name, parseAnswer, parseItems, toCustomFields, toNames } from './wire.ts'

// HaloPSA's records, and their conversion to ours.

export type StatusNames = ReadonlyMap<string, string | null>
// HaloPSA assigns unassigned tickets to this agent.
export const unassignedAgentId = '1'

export const TicketList = envelope('tickets', { tickets: list, record_count: optionalNumber })
const ActionList = envelope('actions', { actions: list })
export const StatusWire = z
  .object({ id, name: text })
  .transform((status) => ({ id: status.id, name: status.name ?? `Status ${status.id}`, is_closed: null }))
export const ClientList = envelope('clients', { clients: list })
export const ClientItemWire = z
  .object({ id, name: text })
  .transform((client) => ({ id: client.id, name: client.name ?? `Client ${client.id}` }))
export const TicketReferenceWire = z.object({ id, third_party_id_string: text })
export const AssetList = envelope('assets', { assets: list })
export const Team = z
  .object({ id, name: text, inactive: flag })
  .transform((team) => ({ ...team, name: team.name ?? `Team ${team.id}` }))
export const Agent = z
  .object({ id, name: text, email: text, isdisabled: flag })
  .transform(({ name, email, ...agent }) => ({
    ...agent,
    identifier: email ?? name ?? agent.id,
    name: name ?? agent.id,
    email,
  }))

export const TicketWire = z.object({
  id,
  summary: text,
  details: text,
  details_html: text,
  team: text,
  team_id: optionalId,
  client_id: optionalId,
  client_name: text,
  user_id: optionalId,
  user_name: text,
  agent_id: optionalId,
  agent_name: text,
  tickettype_name: text,
  dateoccurred: time,
  lastactiondate: time,
  hasbeenclosed: flag,
  status_id: optionalId,
  priority: part(z.object({ name: text })),
  category_1: detail,
  category_2: detail,
  sla_name: detail,
  excludefromsla: flag,
  slatimeleft: optionalNumber,
  fixbydate: time,
  deadlinedate: time,
  urgency: detail,
  impact: detail,
  site_name: detail,
  additional_agents: list,
  customfields: list,
  merged_into_id: optionalId,
})
// `value` of a choice is its number; `display` is its text.
const CustomFieldWire = z
  .object({ label: detail, name: detail, display: detail, value: detail })
  .transform((field) => ({ name: field.label ?? field.name, value: field.display ?? field.value }))
const AdditionalAgentWire = z.object({ agent_name: name, name })
export const toTicketItem = (statuses: StatusNames) => (wire: z.output<typeof TicketWire>) => ({
  id: wire.id,
  summary: wire.summary ?? '',
  board: wire.team,
  status: statuses.get(wire.status_id ?? '') ?? null,
  priority: wire.priority?.name ?? null,
  company: wire.client_name,
  contact: wire.user_name,
  owner: wire.agent_id === unassignedAgentId ? null : wire.agent_name,
  updated_at: wire.lastactiondate,
})
/** HaloPSA writes 0 for no client, user or ticket. */
const nullIfZero = (someId: string | null) => (someId === '0' ? null : someId)
export function toTicket(wire: z.output<typeof TicketWire>, statuses: StatusNames) {
  return {
    ...toTicketItem(statuses)(wire),
    board_id: wire.team_id,
    company_id: nullIfZero(wire.client_id),
    contact_id: nullIfZero(wire.user_id),
    type: wire.tickettype_name,
    description: runWithin(createBudget(), () => readPlain(wire.details) ?? readHtmlField(wire.details_html)),
    is_closed: wire.hasbeenclosed,
    merged_into: nullIfZero(wire.merged_into_id),
    created_at: wire.dateoccurred,
    ...toDetails(wire),
  }
}

/** HaloPSA's numbers of urgency and impact start at 1. */
function toDetails(wire: z.output<typeof TicketWire>): TicketDetails {
  const others = parseItems(AdditionalAgentWire, wire.additional_agents).map(
    (agent) => agent.agent_name ?? agent.name,
  )
  return {
    sub_type: wire.category_1,
    item: wire.category_2,
    sla: wire.sla_name,
    is_in_sla: wire.excludefromsla || typeof wire.slatimeleft !== 'number' ? null : wire.slatimeleft >= 0,
    sla_status: null,
    resolve_by: wire.fixbydate,
    required_by: wire.deadlinedate,
    severity: nullIfZero(wire.urgency),
    impact: nullIfZero(wire.impact),
    site: wire.site_name,
    team: wire.team,
    resources: toNames([wire.agent_id === unassignedAgentId ? null : wire.agent_name, ...others]),
    custom_fields: toCustomFields(CustomFieldWire, wire.customfields),
  }
}

export const ClientWire = z.object({
  id,
  name: text,
  website: text,
  phonenumber: text,
  main_site: part(z.object({ line1: text, line2: text, line3: text, postcode: text })),
})
export function toCompany({
  id,
  name,
  website,
  phonenumber: phone,
  main_site: at,
}: z.output<typeof ClientWire>) {
  const address = at ? joinParts(at.line1, at.line2, at.line3, at.postcode) : null
  return { id, name: name ?? `Client ${id}`, phone, address, website }
}
export const UserWire = z
  .object({ id, name: text, jobtitle: text, emailaddress: text, phonenumber: text })
  .transform(({ id, name, jobtitle: title, emailaddress: email, phonenumber: phone }) => ({
    id,
    name: name ?? `User ${id}`,
    title,
    email,
    phone,
  }))
/** Whether HaloPSA sends mails to a user. */
export const UserMailWire = z.object({ neversendemails: flag })
export const Asset = z
  .object({
    id,
    inventory_number: text,
    key_field: text,
    assettype_name: text,
    manufacturer_name: text,
    model: text,
    serial_number: text,
    os: text,
    ip_address: text,
  })
  .transform((wire) => ({
    id: wire.id,
    name: wire.key_field ?? wire.inventory_number ?? `Asset ${wire.id}`,
    type: wire.assettype_name,
    manufacturer: wire.manufacturer_name,
    model: wire.model,
    serial_number: wire.serial_number,
    operating_system: wire.os,
    ip_address: wire.ip_address,
  }))
const Action = z.object({
  id,
  who: text,
  note: text,
  note_html: text,
  hiddenfromuser: flag,
  datetime: time,
})
/**
 * Whether an action is on an invoice. The number is a text, such as INV-0071. We take 0 and negative numbers for
 * none; no documentation that we have seen says what an action without an invoice has.
 */
export const isBilledAction = z
  .object({ actioninvoicenumber: text, action_invoice_line_id: optionalNumber })
  .transform(
    ({ actioninvoicenumber: invoice, action_invoice_line_id: line }) =>
      (invoice !== null && !(Number(invoice) <= 0)) || (line !== null && line > 0),
  )

/** Longer texts are cut: they are shown, and are context of AI calls, which take less. */
const maxHtmlLength = 64 * 1024

/**
 * Read the notes of a list of actions. HTML that takes too much work is left out for the plain text that
 * HaloPSA sends with it.
 */
export function readNotes(answer: unknown): TicketNote[] {
  const actions = parseItems(Action, parseAnswer(ActionList, answer).actions)
  return runWithin(createBudget(), () =>
    actions.map((wire) => ({
      id: wire.id,
      text: readHtmlField(wire.note_html) ?? readPlain(wire.note) ?? '',
      author: wire.who,
      internal: wire.hiddenfromuser,
      created_at: wire.datetime,
    })),
  )
}

const tag = /<\/?(?:p|br|div|span|b|strong|em|i|u|[uo]l|li|a|img|font|table|t[rdh]|h[1-6])(?:\s[^<>]*)?\/?>/i
/** Read a field of plain text, into which some integrations write HTML. */
const readPlain = (value: string | null) =>
  value !== null && tag.test(value) ? (readHtmlField(value) ?? value) : value

function readHtmlField(html: string | null): string | null {
  if (html === null) return null
  const start = cut(html, maxHtmlLength)
  const steps = countMarkupSteps(start)
  if (!canSpend(steps)) return null
  spend(steps)
  return convertHtmlToText(start)
}
