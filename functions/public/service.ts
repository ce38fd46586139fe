import type { PlatformDb } from '../../lib/db/scope.ts'
import { publishDeliveries } from '../../lib/events/outbox.ts'
import { type Base, type Context, Redirect } from '../../lib/http/operation.ts'
import type { Letter } from '../../lib/mail/layout.ts'
import * as queries from './queries.ts'
import type { SalesLeadCreate } from './schemas.ts'

type Visitor = Context<'post', 'public', string>

export async function betaSignup() {
  return new Redirect('/register?from=beta')
}

export async function listPlans({ platform }: Visitor) {
  return queries.selectPublicPlans(platform)
}

export async function config({ config }: Base) {
  const providers = { google: config.GOOGLE_CLIENT_ID, microsoft: config.MICROSOFT_CLIENT_ID }
  return {
    self_serve_enabled: config.SELF_SERVE_ENABLED,
    oauth_providers: (['google', 'microsoft'] as const).filter((provider) => providers[provider]),
  }
}

/** Stored with the mail that tells of it; analytics hear of it when they can. */
export async function createLead({ platform, config, queue, analytics, after }: Visitor, lead: SalesLeadCreate) {
  const { delivery_id, ...receipt } = await queries.insertLead(platform, lead, config.SALES_EMAIL ?? null)
  if (delivery_id) after(() => publishDeliveries(queue, [delivery_id]))
  const properties = { source: lead.source, seats: lead.seats ?? null }
  after(() => analytics.capture({ event: 'sales_lead_created', subject: receipt.id, properties }))
  return receipt
}

/** What sales reads, and whom an answer goes to; undefined for a lead that is gone. */
export async function leadLetter(platform: PlatformDb, id: string): Promise<(Letter & { replyTo: string }) | undefined> {
  const lead = await queries.selectLead(platform, id)
  if (!lead) return undefined
  const facts = [
    `${lead.name}, ${lead.company}`,
    lead.email,
    ...(lead.phone ? [lead.phone] : []),
    ...(lead.seats ? [`${lead.seats} seats`] : []),
    `From: ${lead.source}`,
  ]
  const paragraphs = [facts.join('\n'), ...(lead.message ? [lead.message] : [])]
  return { subject: `Sales lead: ${lead.company}`, paragraphs, replyTo: lead.email }
}
