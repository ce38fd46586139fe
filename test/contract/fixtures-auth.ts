import { randomBytes } from 'node:crypto'
import { obtainProviderCode } from '../support/oauth.ts'
import type { Fixture } from './fixture-rows.ts'

export const signInFixtures: Record<string, Fixture> = {
  'identity.oauth.authorize': async () => ({ params: { provider: 'google' } }),
  'identity.oauth.completeSignIn': async (service) => {
    const email = `${randomBytes(8).toString('hex')}@people.example`
    return { params: { provider: 'google' }, body: await obtainProviderCode(service, 'google', { email }) }
  },

  'accounts.onboarding.getStatus': async () => ({}),
  'accounts.onboarding.completeStep': async () => ({ body: { step: 2, action: 'complete', data: { shop_name: 'Northwind IT' } } }),
  'accounts.onboarding.dismissRest': async () => ({}),
}
