import type * as z from 'zod'
import { AnswerTooLongError, createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { failedSend, parseRetryAfter } from '#vendors/net/send-result.ts'
import { ArticlesError, type ArticleVendor, vendorNames } from './articles.ts'

// The articles of a slice are read within the lease of its attempt, 60 s.
const defaultLimits = { callMs: 10_000, totalMs: 35_000 }
// HTML of 5 MB whose `<` and `>` are escaped in JSON, or a page of 25 articles.
const maxBytes = 16 * 1024 * 1024
const defaultPauseSeconds = 60

export interface ArticlesConnection {
  vendor: ArticleVendor
  /** Without a slash at the end. */
  baseUrl: string
  apiKey: string
}

/** Get a path below the base URL, and parse its JSON. Throw an ArticlesError. */
export type GetJson = <S extends z.ZodType>(path: string, shape: S) => Promise<z.output<S>>

/**
 * Create a function that calls a vendor during one slice. No redirect is followed, since the key would go to
 * another address. Limits: 10 s a call, 35 s in total, 16 MiB an answer.
 */
export function createArticlesHttp(
  { vendor, baseUrl, apiKey }: ArticlesConnection,
  accept: string,
  guard: OutboundGuard,
  { callMs, totalMs } = defaultLimits,
): GetJson {
  const deadline = Date.now() + totalMs
  const name = vendorNames[vendor]
  let refusal: Promise<string | null> | undefined
  return async (path, shape) => {
    refusal ??= guard.findRefusal(baseUrl, 'sending')
    const reason = await refusal
    if (reason) throw finalError(null, `The address of ${name} ${reason}`)
    const timeoutMs = Math.min(callMs, deadline - Date.now())
    if (timeoutMs <= 0)
      throw new ArticlesError('late', { ok: false, status: null, error: `${name} did not answer in time` })
    const { success, data } = shape.safeParse(await getJson(`${baseUrl}${path}`, timeoutMs))
    if (!success) throw otherError(200, `${name} did not answer as documented`)
    return data
  }

  async function getJson(url: string, timeoutMs: number): Promise<unknown> {
    try {
      const response = await createBoundedFetch('articles', { timeoutMs, maxBytes })(url, {
        headers: { accept, 'x-api-key': apiKey },
      })
      if (response.ok) return await response.json()
      await response.body?.cancel().catch(() => undefined)
      throw toError(name, response)
    } catch (error) {
      if (error instanceof ArticlesError) throw error
      if (error instanceof SyntaxError) throw otherError(200, `${name} did not answer with JSON`)
      const isTooLong = error instanceof AnswerTooLongError
      const failed = failedSend(error, callMs)
      throw new ArticlesError(isTooLong ? 'too_large' : 'other', {
        ...failed,
        error: `${name}: ${failed.error}`,
        gone: isTooLong,
      })
    }
  }
}

function toError(name: string, { status, headers }: Response): ArticlesError {
  if (status === 401 || status === 403) return finalError(status, `${name} refused the API key`)
  if (status === 404)
    return new ArticlesError('missing', {
      ok: false,
      status,
      error: `${name} has nothing at this address`,
      gone: true,
    })
  const retryAfterSeconds = parseRetryAfter(headers.get('retry-after'))
  if (status === 429) {
    const error = `${name} limits our calls`
    return new ArticlesError('other', {
      ok: false,
      status,
      error,
      isPostponed: true,
      retryAfterSeconds: retryAfterSeconds ?? defaultPauseSeconds,
    })
  }
  if (status >= 300 && status < 400)
    return finalError(status, `${name} redirects to another address; enter that address`)
  const error = `${name} answered ${status}`
  if (status < 500 && status !== 408) return finalError(status, error)
  return new ArticlesError('other', {
    ok: false,
    status,
    error,
    retryAfterSeconds: retryAfterSeconds || undefined,
  })
}

const otherError = (status: number | null, error: string) =>
  new ArticlesError('other', { ok: false, status, error })
const finalError = (status: number | null, error: string) =>
  new ArticlesError('other', { ok: false, status, error, gone: true })
