import type { BillingPort } from './billing.ts'
import type { StripeSettings } from './stripe.ts'

/** Create the port of `stripeBilling`, whose client is loaded by the first call: most requests do not need it. */
export function lazyStripe(settings: StripeSettings): BillingPort {
  let port: BillingPort | undefined
  const load = async (): Promise<BillingPort> => {
    const { stripeBilling } = await import('./stripe.ts')
    port ??= stripeBilling(settings)
    return port
  }
  return {
    isConfigured: settings.secretKey !== undefined,
    createReference: settings.references.sign,
    createPortalUrl: async (...parameters) => (await load()).createPortalUrl(...parameters),
    deleteCustomer: async (id) => (await load()).deleteCustomer(id),
    getSubscription: async (id) => (await load()).getSubscription(id),
    readEvent: async (body) => (await load()).readEvent(body),
  }
}
