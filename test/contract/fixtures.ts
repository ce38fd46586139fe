import { randomBytes } from 'node:crypto'
import type { OperationId } from '#client/types.ts'
import type { AnyOperation } from '#http/operation.ts'
import {
  type Fixture,
  insertConfig,
  insertDelivery,
  insertNotification,
  insertOneTimeToken,
  insertPassword,
  insertRefreshToken,
  password,
} from './fixture-rows.ts'
import { aiFixtures } from './fixtures-ai.ts'
import { alertFixtures } from './fixtures-alerts.ts'
import { approvalFixtures } from './fixtures-approvals.ts'
import { signInFixtures } from './fixtures-auth.ts'
import { authoringFixtures } from './fixtures-authoring.ts'
import { billingFixtures } from './fixtures-billing.ts'
import { diagramFixtures } from './fixtures-diagrams.ts'
import { escalationFixtures } from './fixtures-escalations.ts'
import { exportFixtures } from './fixtures-exports.ts'
import { flowFixtures } from './fixtures-flows.ts'
import { knowledgeFixtures } from './fixtures-knowledge.ts'
import { maintenanceFixtures } from './fixtures-maintenance.ts'
import { mcpFixtures } from './fixtures-mcp.ts'
import { memberFixtures } from './fixtures-members.ts'
import { onCallFixtures } from './fixtures-oncall.ts'
import { phoneFixtures } from './fixtures-phone.ts'
import { platformFixtures } from './fixtures-platform.ts'
import { psaFixtures } from './fixtures-psa.ts'
import { pushFixtures } from './fixtures-push.ts'
import { runnerFixtures } from './fixtures-runner.ts'
import { scriptFixtures } from './fixtures-scripts.ts'
import { sessionFixtures } from './fixtures-sessions.ts'
import { ssoFixtures } from './fixtures-sso.ts'
import { twoFactorFixtures } from './fixtures-two-factor.ts'
import { uploadFixtures } from './fixtures-uploads.ts'
import { webhookFixtures } from './fixtures-webhooks.ts'

const createConfig: Fixture = async (service, owner) => ({
  params: { config_id: await insertConfig(service, owner) },
})
const createRefreshToken: Fixture = async (service, owner) => ({
  body: { refresh_token: await insertRefreshToken(service, owner) },
})

export const fixtures: Readonly<Record<OperationId, Fixture>> = {
  ...memberFixtures,
  ...ssoFixtures,
  ...aiFixtures,
  ...authoringFixtures,
  ...escalationFixtures,
  ...flowFixtures,
  ...diagramFixtures,
  ...scriptFixtures,
  ...knowledgeFixtures,
  ...sessionFixtures,
  ...approvalFixtures,
  ...maintenanceFixtures,
  ...onCallFixtures,
  ...phoneFixtures,
  ...platformFixtures,
  ...pushFixtures,
  ...signInFixtures,
  ...twoFactorFixtures,
  ...billingFixtures,
  ...uploadFixtures,
  ...psaFixtures,
  ...alertFixtures,
  ...mcpFixtures,
  ...runnerFixtures,
  ...webhookFixtures,
  ...exportFixtures,
  'identity.auth.register': async () => ({
    body: {
      email: `${randomBytes(8).toString('hex')}@people.example`,
      password,
      full_name: 'Dana Reyes',
      account_name: 'Northwind IT',
    },
  }),
  'identity.auth.login': async (service, owner) => {
    await insertPassword(service, owner)
    return { body: { email: owner.email, password } }
  },
  'identity.auth.refresh': createRefreshToken,
  'identity.auth.logout': createRefreshToken,
  'identity.auth.getMe': async () => ({}),
  'identity.auth.deleteMe': async (_, owner) => ({ body: { email: owner.email } }),
  'identity.auth.getFeatureFlags': async () => ({}),
  'identity.auth.updateMe': async () => ({ body: { full_name: 'Dana R. Reyes', timezone: 'Europe/Berlin' } }),
  'identity.credentials.changePassword': async (service, owner) => {
    await insertPassword(service, owner)
    return { body: { current_password: password, new_password: 'copper-lantern-27' } }
  },
  'identity.credentials.verifyEmail': async (service, owner) => ({
    body: { token: await insertOneTimeToken(service, owner, 'verify_email') },
  }),
  'identity.credentials.resendVerification': async (service, owner) => {
    await service.sql('update users set email_verified_at = null where id = $1', [owner.id])
    return {}
  },

  'notifications.listConfigs': async (service, owner) => {
    await insertConfig(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'notifications.createConfig': async () => ({
    body: {
      channel: 'email',
      email_addresses: ['oncall@northwind.example'],
      events_enabled: ['session.escalated'],
    },
  }),
  'notifications.updateConfig': async (service, owner) => ({
    ...(await createConfig(service, owner)),
    body: { events_enabled: ['psa.push_failed'] },
  }),
  'notifications.deleteConfig': createConfig,
  'notifications.testConfig': async (service, owner) => ({
    body: { config_id: await insertConfig(service, owner) },
  }),
  'notifications.listDeliveries': async (service, owner) => ({
    params: { config_id: (await insertDelivery(service, owner)).configId },
    query: { skip: '0', limit: '20' },
  }),
  'notifications.retryDelivery': async (service, owner) => ({
    params: { delivery_id: (await insertDelivery(service, owner)).id },
  }),
  'notifications.listEventKeys': async () => ({}),
  'notifications.list': async (service, owner) => {
    await insertNotification(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'notifications.countUnread': async (service, owner) => {
    await insertNotification(service, owner)
    return {}
  },
  'notifications.preferences.get': async (service, owner) => {
    await service.sql(
      `insert into mail_preferences (account_id, user_id, digest) values ($1, $2, 'daily') on conflict do nothing`,
      [owner.accountId, owner.id],
    )
    return {}
  },
  'notifications.preferences.replace': async () => ({
    body: {
      quiet_hours: { days: ['monday'], from: '22:00', to: '06:00' },
      digest: 'daily',
      email_events: ['handoff.claimed'],
    },
  }),
  'notifications.preferences.test': async (service, owner) => {
    await service.sql(`update users set email_verified_at = app.now() where id = $1`, [owner.id])
    return {}
  },
  'notifications.markRead': async (service, owner) => ({
    params: { notification_id: await insertNotification(service, owner) },
  }),
  'notifications.markAllRead': async (service, owner) => {
    await insertNotification(service, owner)
    return {}
  },
}

export function getFixture(op: AnyOperation): Fixture {
  const fixture = (fixtures as Readonly<Record<string, Fixture>>)[op.id]
  if (!fixture)
    throw new Error(`Operation ${op.id} has no fixture: add one to test/contract/fixtures-<subject>.ts`)
  return fixture
}
