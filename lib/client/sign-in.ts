import { ApiError } from './api-error.ts'

/** The tokens of a sign-in. Each refresh replaces both. */
export interface Tokens {
  access_token: string
  refresh_token: string
}

export interface SignIn {
  get(): Tokens | null
  set(tokens: Tokens | null): void
  /** Replace tokens that the service refused. Return whether there are other tokens now. All callers share one request. */
  refresh(refused: Tokens): Promise<boolean>
}

/** Keep the tokens of a sign-in. `exchange` gets new tokens for a refresh token, `onChange` is called with every change. */
export function createSignIn(
  initial: Tokens | null,
  exchange: (refreshToken: string) => Promise<Tokens>,
  onChange: (tokens: Tokens | null) => void,
): SignIn {
  let tokens = initial
  let flight: Promise<void> | undefined
  const set = (next: Tokens | null) => {
    tokens = next
    onChange(next)
  }
  const replace = async (refused: Tokens) => {
    const next = await exchange(refused.refresh_token).catch((error: unknown) => {
      // Only a refusal ends the sign-in. After any other failure the same tokens may still work.
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    })
    // The user may have signed in or out meanwhile.
    if (tokens === refused) set(next)
  }
  const refresh = async (refused: Tokens) => {
    if (tokens === refused) {
      flight ??= replace(refused).finally(() => {
        flight = undefined
      })
      await flight
    }
    return tokens !== null
  }
  return { get: () => tokens, set, refresh }
}

/** Return the tokens of a sign-in's answer, or null when it has none, such as before the second factor. */
export function readTokens(answer: unknown): Tokens | null {
  const { access_token, refresh_token } = (answer ?? {}) as Partial<Tokens>
  return typeof access_token === 'string' && typeof refresh_token === 'string' ? { access_token, refresh_token } : null
}
