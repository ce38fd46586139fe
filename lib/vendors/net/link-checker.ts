import type { LinkState } from '#rules/flows/health/links.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import type { OutboundGuard } from './guard.ts'

export interface LinkResult {
  state: LinkState
  /** The HTTP status of the last answer; null without one. */
  status: number | null
}

const timeoutMs = 5000
const maxRedirects = 3
// The page exists, but not for anonymous callers, or not for this request.
const restrictedStatuses: readonly number[] = [401, 403, 405, 406, 407, 429, 451]

/**
 * Create a function that calls a link and follows up to three redirects, each of which the guard checks. It
 * reads no body. An address that the guard refuses is not called, and is not broken: it may belong to the
 * internal network of the account.
 */
export function createLinkChecker(guard: OutboundGuard): (url: string) => Promise<LinkResult> {
  const fetchBounded = createBoundedFetch('link', { timeoutMs, maxBytes: Number.MAX_SAFE_INTEGER })
  return async (url) => {
    let target = url
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const refusal = await guard.findRefusal(target, 'sending')
      if (refusal)
        return refusal.includes('cannot be resolved') ? { state: 'broken', status: null } : notChecked
      const response = await fetchBounded(target, {
        headers: { 'user-agent': 'SupportFlow-Links/1', accept: '*/*' },
      }).catch(() => null)
      if (!response) return { state: 'broken', status: null }
      await response.body?.cancel().catch(() => undefined)
      const location =
        response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (location === null) return toResult(response.status)
      if (!URL.canParse(location, target)) return { state: 'broken', status: response.status }
      target = new URL(location, target).href
    }
    return { state: 'broken', status: null }
  }
}

const notChecked: LinkResult = { state: 'not_checked', status: null }

function toResult(status: number): LinkResult {
  return { state: status < 400 || restrictedStatuses.includes(status) ? 'ok' : 'broken', status }
}
