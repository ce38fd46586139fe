import { ApiError } from './api-error.ts'
import type { Wait } from './wait.ts'

/** The tokens of a sign-in. Each refresh replaces both. */
export interface Tokens {
  access_token: string
  refresh_token: string
}

export interface SignIn {
  get(): Tokens | null
  set(tokens: Tokens | null): void
  /** Return an access token that has not expired, if there is one. */
  getFresh(): Promise<string | undefined>
  /**
   * Replace tokens that the service refused. Return whether there are other tokens now. All callers share one
   * request.
   */
  refresh(refused: Tokens): Promise<boolean>
}

export interface SignInOptions {
  tokens: Tokens | null
  /** Get new tokens for a refresh token. */
  exchange: (refreshToken: string) => Promise<Tokens>
  /** Called with every change. */
  onTokens: (tokens: Tokens | null) => void
  /** Return the tokens that another tab may have stored. */
  loadTokens: (() => Tokens | null) | undefined
  wait: Wait
}

/** How long a tab without locks waits for the tokens that another tab is receiving, in milliseconds. */
const otherTabMs = 1000

/** Keep the tokens of a sign-in, which may be shared with other tabs. */
export function createSignIn({
  tokens: initial,
  exchange,
  onTokens,
  loadTokens,
  wait,
}: SignInOptions): SignIn {
  let tokens = initial
  let flight: Promise<void> | undefined
  const set = (next: Tokens | null) => {
    tokens = next
    onTokens(next)
  }
  /** Take over the tokens that another tab has got for the same sign-in. Return whether there are any. */
  const takeStored = (refused: Tokens) => {
    const storedTokens = loadTokens?.()
    if (
      !storedTokens ||
      tokens !== refused ||
      storedTokens.refresh_token === refused.refresh_token ||
      !isSameSignIn(storedTokens, refused)
    )
      return false
    tokens = storedTokens
    return true
  }
  const replace = async (refused: Tokens) => {
    if (takeStored(refused)) return
    const next = await exchange(refused.refresh_token).catch((error: unknown) => {
      // Only a refusal ends the sign-in. After any other failure the same tokens may still work.
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    })
    // Another tab has used the refresh token a moment before. The service accepts this for 5 seconds.
    if (!next && loadTokens && !findLocks()) await wait(otherTabMs, undefined)
    if (!next && takeStored(refused)) return
    // The user may have signed in or out meanwhile.
    if (tokens === refused) set(next)
  }
  const refresh = async (refused: Tokens) => {
    if (tokens === refused) {
      flight ??= (loadTokens ? runLocked(() => replace(refused)) : replace(refused)).finally(() => {
        flight = undefined
      })
      await flight
    }
    return tokens !== null
  }
  const getFresh = async () => {
    if (tokens && isExpired(tokens.access_token)) await refresh(tokens)
    return tokens?.access_token
  }
  return { get: () => tokens, set, getFresh, refresh }
}

/**
 * The used part of https://developer.mozilla.org/en-US/docs/Web/API/Web_Locks_API, which pages without TLS do
 * not have.
 */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>
}

function findLocks(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks
}

/** Run `work` in one tab at a time, where the browser has locks. */
function runLocked(work: () => Promise<void>): Promise<void> {
  return findLocks()?.request('support-flow-refresh', work) ?? work()
}

/** Return whether tokens are of the same sign-in. Those of another user must not repeat this user's call. */
function isSameSignIn(a: Tokens, b: Tokens): boolean {
  const { sid } = readClaims(a.access_token)
  return sid !== undefined && sid === readClaims(b.access_token).sid
}

function isExpired(accessToken: string): boolean {
  return Number(readClaims(accessToken).exp) * 1000 < Date.now()
}

/** Read the claims of an access token. Only the service checks its signature. */
function readClaims(accessToken: string): { sid?: unknown; exp?: unknown } {
  try {
    return JSON.parse(atob((accessToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return {}
  }
}

/** Return the tokens of a sign-in's answer, or null when it has none, such as before the second factor. */
export function readTokens(answer: unknown): Tokens | null {
  const { access_token, refresh_token } = (answer ?? {}) as Partial<Tokens>
  return typeof access_token === 'string' && typeof refresh_token === 'string'
    ? { access_token, refresh_token }
    : null
}
