import { createClient, type Tokens } from '@support-flow/client'

type Listener = () => void
const listeners = new Set<Listener>()
const storageKey = 'support-desk-tokens'

function storeTokens(tokens: Tokens | null): void {
  if (tokens) localStorage.setItem(storageKey, JSON.stringify(tokens))
  else localStorage.removeItem(storageKey)
  for (const listener of listeners) listener()
}

export const client = createClient({
  baseUrl: import.meta.env.VITE_API_URL,
  // With `loadTokens` all tabs share one sign-in and each refresh of it.
  loadTokens: () => JSON.parse(localStorage.getItem(storageKey) ?? 'null'),
  onTokens: storeTokens,
})

/**
 * Sign out here and at the service. Without a connection, the tokens of this browser are forgotten all the
 * same.
 */
export async function signOut(): Promise<void> {
  const tokens = client.getTokens()
  try {
    if (tokens) await client.identity.auth.logout({ refresh_token: tokens.refresh_token })
  } finally {
    client.setTokens(null)
  }
}

// For useSyncExternalStore: the page changes when the user signs in or out, or when the service ends the
// sign-in.
export const isSignedIn = (): boolean => client.getTokens() !== null
export function onSignInChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
