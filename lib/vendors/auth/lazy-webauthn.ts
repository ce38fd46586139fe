import type { Passkeys } from './passkeys.ts'

/** Create the port for pages of `origin`. `rpId` is its domain or a parent domain. Loads the library on first use: it parses certificates. */
export function lazyWebauthn(site: { rpId: string; origin: string }): Passkeys {
  const load = async () => (await import('./webauthn.ts')).createWebauthn(site)
  return {
    createRegistrationOptions: async (...args) => (await load()).createRegistrationOptions(...args),
    verifyRegistration: async (...args) => (await load()).verifyRegistration(...args),
    createSignInOptions: async (...args) => (await load()).createSignInOptions(...args),
    verifySignIn: async (...args) => (await load()).verifySignIn(...args),
  }
}
