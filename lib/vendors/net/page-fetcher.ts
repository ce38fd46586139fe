import { AnswerTooLongError, createBoundedFetch } from './bounded-fetch.ts'
import type { OutboundGuard } from './guard.ts'
import { failedSend, parseRetryAfter, type SendResult } from './send-result.ts'

/** A document of the web. */
export interface WebPage {
  bytes: Uint8Array<ArrayBuffer>
  /** The media type, with its parameters. */
  type: string
  /** The address after the redirects. */
  url: string
}

/** Why a page could not be fetched. The error completes nothing: it is a sentence for users. */
export type PageFailure = SendResult & { ok: false }

const maxRedirects = 3

/**
 * Fetch a page of at most `maxBytes`. Follow up to three redirects, each of which the guard checks. `gone` of
 * a failure means that a retry cannot help.
 */
export async function fetchPage(
  guard: OutboundGuard,
  url: string,
  { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number },
): Promise<WebPage | PageFailure> {
  const fetchBounded = createBoundedFetch('link', { timeoutMs, maxBytes })
  const headers = {
    'user-agent': 'SupportFlow-Articles/1',
    accept: 'text/html, application/xhtml+xml, text/markdown, application/pdf, */*;q=0.5',
  }
  let target = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const refusal = await guard.findRefusal(target, 'sending')
    if (refusal)
      return {
        ok: false,
        status: null,
        error: `The address${redirects > 0 ? ' that it redirects to' : ''} ${refusal}`,
        gone: true,
      }
    try {
      const response = await fetchBounded(target, { headers })
      const location =
        response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (location === null) return await readPage(response, target)
      await response.body?.cancel().catch(() => undefined)
      if (!URL.canParse(location, target))
        return { ok: false, status: response.status, error: 'The page redirects to no address', gone: true }
      target = new URL(location, target).href
    } catch (error) {
      const isTooLong = error instanceof AnswerTooLongError
      return {
        ...failedSend(error, timeoutMs),
        ...(isTooLong ? { error: 'The page is larger than 5 MB', gone: true } : {}),
      }
    }
  }
  return { ok: false, status: null, error: 'The page redirects too often', gone: true }
}

async function readPage(response: Response, url: string): Promise<WebPage | PageFailure> {
  const { status, headers } = response
  if (response.ok)
    return {
      bytes: new Uint8Array(await response.arrayBuffer()),
      type: headers.get('content-type') ?? '',
      url,
    }
  await response.body?.cancel().catch(() => undefined)
  const mayPass = status === 408 || status === 429 || status >= 500
  const retryAfterSeconds = parseRetryAfter(headers.get('retry-after'))
  return {
    ok: false,
    status,
    error: `The page answered ${status}`,
    gone: !mayPass,
    retryAfterSeconds: retryAfterSeconds || undefined,
  }
}
