import type { PlatformDb } from '#db/scope.ts'
import { type BaseContext, type Context, Redirect } from '#http/operation.ts'
import { writeLeadContent } from '#vendors/mail/contents.ts'
import type { EmailContent } from '#vendors/mail/layout.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { SalesLeadCreate } from './schemas.ts'

type PublicContext = Context<'post', 'public', string>

export async function signUpForBeta() {
  return new Redirect('/register?from=beta')
}

export async function listPlans({ platform }: PublicContext) {
  return queries.selectPublicPlans(platform)
}

export async function getConfig({ config }: BaseContext) {
  const providers = { google: config.GOOGLE_CLIENT_ID, microsoft: config.MICROSOFT_CLIENT_ID }
  return {
    self_serve_enabled: config.SELF_SERVE_ENABLED,
    oauth_providers: (['google', 'microsoft'] as const).filter((provider) => providers[provider]),
  }
}

/**
 * Insert a lead and queue an e-mail to sales. The analytics event is sent after the commit and may be lost.
 */
export async function createLead(
  { platform, config, analytics, afterCommit }: PublicContext,
  lead: SalesLeadCreate,
) {
  const { delivery_id, ...receipt } = await queries.insertLead.one(platform, lead, config.SALES_EMAIL ?? null)
  if (delivery_id) enqueueDelivery(platform, delivery_id)
  const properties = { source: lead.source, seats: lead.seats ?? null }
  afterCommit(() => analytics.capture({ event: 'sales_lead_created', subject: receipt.id, properties }))
  return receipt
}

/** Return the e-mail to sales, with the lead's address as reply-to. Return undefined for a deleted lead. */
export async function getLeadEmail(
  platform: PlatformDb,
  id: string,
): Promise<(EmailContent & { replyTo: string }) | undefined> {
  const lead = await queries.selectLead(platform, id)
  if (!lead) return undefined
  return { ...writeLeadContent(lead), replyTo: lead.email }
}
