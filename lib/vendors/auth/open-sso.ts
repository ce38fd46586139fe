import { lazyPort } from '#vendors/lazy-port.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import type { SsoPort, SsoProvider } from './sso.ts'

/** So many providers keep their discovery document and keys in memory. */
const maxOpenProviders = 200

/** Open the providers of organisations, whose addresses the guard checks. */
export function createSso(guard: OutboundGuard, redirectBase: string): SsoPort {
  const providers = new Map<string, SsoProvider>()
  const redirectUri = (connectionId: string) => `${redirectBase}/oauth/sso/${connectionId}/callback`
  return {
    redirectUri,
    open(settings) {
      const key = `${settings.id}:${settings.version}`
      const known = providers.get(key)
      if (known) return known
      const load = async () =>
        (await import('./sso-provider.ts')).createSsoProvider(settings, redirectUri(settings.id), guard)
      const provider = lazyPort(load, {})
      providers.set(key, provider)
      const [oldest] = providers.keys()
      if (providers.size > maxOpenProviders && oldest !== undefined) providers.delete(oldest)
      return provider
    },
  }
}
