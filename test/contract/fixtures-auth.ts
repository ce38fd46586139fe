import { randomBytes } from 'node:crypto'
import type { Service } from '#test/support/app.ts'
import { obtainProviderCode } from '#test/support/oauth.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'

const insertClient = (service: Service) =>
  insertReturningId(
    service,
    `insert into oauth_clients (id, name, redirect_uris) values ($1, 'Assistant', '{https://assistant.example/callback}') returning id`,
    [randomBytes(32).toString('base64url').slice(0, 22)],
  )

export const signInFixtures = {
  'identity.oauth.authorize': async () => ({ params: { provider: 'google' } }),
  'identity.oauth.completeSignIn': async (service) => {
    const email = `${randomBytes(8).toString('hex')}@people.example`
    return { params: { provider: 'google' }, body: await obtainProviderCode(service, 'google', { email }) }
  },

  'identity.consents.getClient': async (service) => ({ params: { client_id: await insertClient(service) } }),
  'identity.consents.create': async (service) => ({
    body: {
      client_id: await insertClient(service),
      redirect_uri: 'https://assistant.example/callback',
      scopes: ['flows:read'],
      code_challenge: randomBytes(32).toString('base64url'),
    },
  }),

  'accounts.onboarding.getStatus': async () => ({}),
  'accounts.onboarding.completeStep': async () => ({ body: { step: 2, action: 'complete', data: { shop_name: 'Northwind IT' } } }),
  'accounts.onboarding.dismissRest': async () => ({}),
} satisfies Record<string, Fixture>
