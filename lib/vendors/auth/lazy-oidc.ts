import type { IdentityProvider, ProviderSettings } from './oidc.ts'

/** Create an identity provider whose client is loaded by the first sign-in with it: most requests do not need it. */
export function lazyIdentityProvider(settings: ProviderSettings): IdentityProvider {
  let provider: IdentityProvider | undefined
  const load = async (): Promise<IdentityProvider> => {
    const { identityProvider } = await import('./oidc.ts')
    provider ??= identityProvider(settings)
    return provider
  }
  return {
    authorizationUrl: async (flow) => (await load()).authorizationUrl(flow),
    redeem: async (flow) => (await load()).redeem(flow),
  }
}
