import { parseConfig } from '#config.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { sealWebhookSecret } from '#vendors/webhooks/sealed-secrets.ts'
import { createWebhookSecret } from '#vendors/webhooks/sign.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'

export async function insertWebhook(
  service: Service,
  { accountId }: Pick<Person, 'accountId'>,
  events: readonly string[] = ['member.joined'],
): Promise<string> {
  // An account has at most ten.
  await service.sql(
    `delete from webhooks where id in (select id from webhooks where account_id = $1 order by created_at desc, id desc offset 6)`,
    [accountId],
  )
  const id = crypto.randomUUID()
  const vault = createVault(parseConfig(service.settings).CREDENTIALS_KEY)
  const secret = await sealWebhookSecret(vault, { accountId, webhookId: id }, createWebhookSecret())
  return insertReturningId(
    service,
    `insert into webhooks (id, account_id, url, events, secret) values ($1, $2, $3, $5, $4) returning id`,
    [id, accountId, `${service.localOrigin}/hooks/${id}`, secret, events],
  )
}

export async function insertFailedDelivery(
  service: Service,
  owner: Person,
): Promise<{ id: string; webhookId: string }> {
  const webhookId = await insertWebhook(service, owner)
  const id = await insertReturningId(
    service,
    `insert into webhook_deliveries (account_id, webhook_id, message_id, type, subject, payload, state, attempts, next_attempt_at, last_error)
     values ($1, $2, 'msg_1', 'member.joined', 'x', '{"type":"member.joined"}', 'failed', 10, null, 'The receiver returned 500') returning id`,
    [owner.accountId, webhookId],
  )
  return { id, webhookId }
}

const onWebhook: Fixture = async (service, owner) => ({
  params: { webhook_id: await insertWebhook(service, owner) },
})

export const webhookFixtures = {
  'webhooks.list': async (service, owner) => {
    await insertWebhook(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'webhooks.create': async (service) => ({
    body: {
      url: `${service.localOrigin}/hooks/contract`,
      events: ['session.completed'],
      description: 'Ticket mirror',
    },
  }),
  'webhooks.update': async (service, owner) => ({
    ...(await onWebhook(service, owner)),
    body: { events: ['flow.published'] },
  }),
  'webhooks.delete': onWebhook,
  'webhooks.test': onWebhook,
  'webhooks.rotateSecret': onWebhook,
  'webhooks.listDeliveries': async (service, owner) => ({
    params: { webhook_id: (await insertFailedDelivery(service, owner)).webhookId },
    query: { skip: '0', limit: '20', state: 'failed' },
  }),
  'webhooks.replay': async (service, owner) => {
    const { id, webhookId } = await insertFailedDelivery(service, owner)
    return { params: { webhook_id: webhookId }, body: { delivery_id: id } }
  },
} satisfies Record<string, Fixture>
