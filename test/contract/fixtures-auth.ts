import { randomBytes } from 'node:crypto'
import { visitProvider } from '../support/oauth.ts'
import type { Fixture } from './fixture-rows.ts'

export const signInFixtures: Record<string, Fixture> = {
  'auth.oauthAuthorize': async () => ({ params: { provider: 'google' } }),
  'auth.oauthCallback': async (service) => {
    const email = `${randomBytes(8).toString('hex')}@people.example`
    return { params: { provider: 'google' }, body: await visitProvider(service, 'google', { email }) }
  },

  'onboarding.status': async () => ({}),
  'onboarding.takeStep': async () => ({ body: { step: 2, action: 'complete', data: { shop_name: 'Northwind IT' } } }),
  'onboarding.dismissRest': async () => ({}),
}
