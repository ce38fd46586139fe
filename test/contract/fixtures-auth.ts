import { randomBytes } from 'node:crypto'
import type { Service } from '#test/support/app.ts'
import { obtainProviderCode, signInAtProvider } from '#test/support/oauth.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertPassword, insertReturningId } from './fixture-rows.ts'

const insertClient = (service: Service) =>
  insertReturningId(
    service,
    `insert into oauth_clients (id, name, redirect_uris) values ($1, 'Assistant', '{https://assistant.example/callback}') returning id`,
    [randomBytes(32).toString('base64url').slice(0, 22)],
  )

const insertIdentity = (service: Service, { id }: Person) =>
  service.sql(
    `insert into identities (provider, subject, user_id) values ('google', $1, $2) on conflict do nothing`,
    [randomBytes(8).toString('hex'), id],
  )

export const signInFixtures = {
  'identity.oauth.authorize': async () => ({ params: { provider: 'google' } }),
  'identity.oauth.completeSignIn': async (service) => {
    const email = `${randomBytes(8).toString('hex')}@people.example`
    return { params: { provider: 'google' }, body: await obtainProviderCode(service, 'google', { email }) }
  },

  'identity.identities.list': async (service, owner) => {
    await insertIdentity(service, owner)
    return {}
  },
  'identity.identities.startLink': async () => ({ params: { provider: 'google' } }),
  // Not the provider of the other fixtures, because a user has one identity of each.
  'identity.identities.finishLink': async (service, owner) => {
    await service.sql(`delete from identities where user_id = $1 and provider = 'microsoft'`, [owner.id])
    const { body } = await owner.call('POST', '/auth/me/identities/microsoft/authorize')
    const { code = '', state = '' } = await signInAtProvider(body.authorization_url, {
      oid: crypto.randomUUID(),
      email: owner.email,
    })
    return { params: { provider: 'microsoft' }, body: { code, state } }
  },
  'identity.identities.unlink': async (service, owner) => {
    await insertIdentity(service, owner)
    await insertPassword(service, owner)
    return { params: { provider: 'google' } }
  },

  'identity.consents.getClient': async (service) => ({
    params: { client_id: await insertClient(service) },
    query: { scope: 'flows:read psa:write' },
  }),
  'identity.consents.create': async (service) => ({
    body: {
      client_id: await insertClient(service),
      redirect_uri: 'https://assistant.example/callback',
      scopes: ['flows:read'],
      code_challenge: randomBytes(32).toString('base64url'),
    },
  }),

  'accounts.onboarding.getStatus': async () => ({}),
  'accounts.onboarding.completeStep': async () => ({
    body: { step: 2, action: 'complete', data: { shop_name: 'Northwind IT' } },
  }),
  'accounts.onboarding.dismissRest': async () => ({}),
} satisfies Record<string, Fixture>
