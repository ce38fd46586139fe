import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { parseConfig } from '#config.ts'
import { signMailEvent } from '#local/vendors/resend.ts'
import type { Service } from '#test/support/app.ts'
import { createLinkToken, insertSignedConfig, signPress, writePress } from '#test/support/chat-presses.ts'
import type { Person } from '#test/support/people.ts'
import { createUnsubscribeTokens } from '#vendors/auth/unsubscribe-tokens.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertFullSession } from './fixtures-sessions.ts'

const createEmptySample: Fixture = async () => ({})
const createPageSample: Fixture = async () => ({ query: { skip: '0', limit: '20' } })

/** A unique plan name: changing a shared plan would change every account. */
function createPlanName(): string {
  return `p${randomBytes(8).toString('hex')}`
}

export function insertColleague(service: Service, { accountId }: Person): Promise<string> {
  const email = `${randomBytes(8).toString('hex')}@people.example`
  const statement = `insert into users (account_id, email, full_name, role) values ($1, $2, 'Vik Olsen', 'engineer') returning id`
  return insertReturningId(service, statement, [accountId, email])
}

/** Insert the presence of a person at a session of theirs. Return the session's id. */
export async function insertPresence(service: Service, owner: Person): Promise<string> {
  const { session_id } = await insertFullSession(service, owner)
  await service.sql(
    `insert into presence (account_id, resource_type, resource_id, user_id, tab_id, mode, expires_at)
     values ($1, 'session', $2, $3, '', 'viewing', app.now() + interval '1 minute')`,
    [owner.accountId, session_id, owner.id],
  )
  return session_id
}

const createUnsubscribeLink: Fixture = async ({ settings }) => {
  const addressHash = createHash('sha256')
    .update(`${randomBytes(8).toString('hex')}@strangers.example`)
    .digest('hex')
  return { params: { token: await createUnsubscribeTokens(parseConfig(settings)).sign(addressHash) } }
}

const beta = {
  reaction: 'positive',
  category: 'ai',
  text: 'It found the cause at once.',
  page_url: 'https://app.example/pilot/1',
}

/** Fixtures of public pages, feedback and administration. */
export const platformFixtures = {
  'search.find': async (service, owner) => {
    await insertFullSession(service, owner)
    return { query: { q: 'printer', types: 'session,flow', limit: '5' } }
  },
  'presence.list': async (service, owner) => ({
    query: { type: 'session', id: await insertPresence(service, owner) },
  }),
  'presence.put': async (service, owner) => ({
    body: { type: 'session', id: (await insertFullSession(service, owner)).session_id, mode: 'viewing' },
  }),
  'presence.delete': async (service, owner) => ({
    query: { type: 'session', id: await insertPresence(service, owner) },
  }),
  'public.signUpForBeta': createEmptySample,
  'public.listPlans': createEmptySample,
  'public.getConfig': createEmptySample,
  'public.createLead': async () => ({
    body: {
      email: 'nora@fabrikam.example',
      name: 'Nora Lindt',
      company: 'Fabrikam',
      source: 'pricing_page',
      message: 'Call me',
      seats: 40,
    },
  }),

  'notifications.bounces.receive': async (service) => {
    const data = { to: [`${crypto.randomUUID()}@example.com`], bounce: { type: 'Permanent' } }
    const event = { type: 'email.bounced', created_at: new Date().toISOString(), data }
    const { body, headers } = await signMailEvent(event, service.settings.RESEND_WEBHOOK_SECRET ?? '')
    return { content: { bytes: new TextEncoder().encode(body), headers } }
  },
  'notifications.chatActions.receive': async (service, owner) => {
    const config = await insertSignedConfig(service, owner)
    const bytes = writePress(config, { kind: 'claim', deliveryId: randomUUID() })
    return { params: { config_id: config.id }, content: { bytes, headers: signPress(config, bytes) } }
  },
  'identity.chatLinks.getRequest': async (service, owner) => ({
    params: { token: await createLinkToken(service, owner) },
  }),
  'identity.chatLinks.create': async (service, owner) => ({
    body: { token: await createLinkToken(service, owner) },
  }),
  'notifications.subscriptions.showPage': createUnsubscribeLink,
  'notifications.subscriptions.unsubscribe': createUnsubscribeLink,
  'notifications.subscriptions.resubscribe': createUnsubscribeLink,

  'feedback.create': async () => ({
    body: { subject: 'Shortcuts', message: 'Number keys, please.', page_url: '/sessions/1' },
  }),
  'feedback.createBeta': async () => ({ body: beta }),
  'feedback.listBeta': async (service, { accountId, id }) => {
    await service.sql(
      `insert into beta_feedback (account_id, user_id, reaction, category, text) values ($1, $2, 'neutral', 'ui', 'Fine')`,
      [accountId, id],
    )
    return { query: { category: 'ui', skip: '0', limit: '20' } }
  },

  'admin.users.list': async (_, owner) => ({ query: { q: owner.email, skip: '0', limit: '20' } }),
  'admin.users.get': async (service, owner) => ({
    params: { user_id: await insertColleague(service, owner) },
  }),
  'admin.users.setSuperAdmin': async (service, owner) => ({
    params: { user_id: await insertColleague(service, owner) },
    body: { is_super_admin: true },
  }),
  'admin.users.resetMfa': async (service, owner) => {
    const user_id = await insertColleague(service, owner)
    await service.sql(`insert into totp_factors (user_id, secret, confirmed_at) values ($1, '', now())`, [
      user_id,
    ])
    return { params: { user_id } }
  },
  'admin.users.changePlan': async (_, owner) => ({ params: { user_id: owner.id }, body: { plan: 'team' } }),
  'admin.users.extendTrial': async (_, owner) => ({ params: { user_id: owner.id }, body: { days: 14 } }),
  'admin.users.listAccounts': createPageSample,
  'admin.users.listAuditLogs': createPageSample,

  'admin.operations.get': createEmptySample,
  'admin.operations.replay': async () => ({ body: { outbox: 'deliveries' } }),
  'admin.plans.listLimits': createPageSample,
  'admin.plans.putLimits': async () => ({
    body: { plan: createPlanName(), max_users: 7, monthly_price_cents: 900, currency: 'eur', sort_order: 5 },
  }),
  'admin.plans.listFeatureFlags': createEmptySample,
  'admin.plans.putFeatureFlag': async (service) => {
    const plan = createPlanName()
    await service.sql('insert into plan_limits (plan) values ($1)', [plan])
    return { params: { flag_key: 'kb_import' }, body: { plan, enabled: true } }
  },
  'admin.plans.putFeatureOverride': async (_, { accountId }) => ({
    params: { account_id: accountId, flag_key: 'kb_import' },
    body: { enabled: true },
  }),
  'admin.plans.createInviteCode': async () => ({ body: { max_uses: 3, note: 'Spring fair' } }),
  'admin.plans.listInviteCodes': createPageSample,
  'admin.plans.listSalesLeads': createPageSample,
} satisfies Record<string, Fixture>
