import type * as z from 'zod'
import { AnswerTooLongError, createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { readAnswer } from '#vendors/net/read-answer.ts'
import { addSentence, readRefusal } from '#vendors/net/refusal.ts'
import { failedSend, type SendResult } from '#vendors/net/send-result.ts'
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
      if (response.ok) return await readAnswer(response)
      throw toError(vendor, response.status, await readRefusal(response, [apiKey]))
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

function toError(
  vendor: ArticleVendor,
  status: number,
  { sentence, retryAfterSeconds }: Awaited<ReturnType<typeof readRefusal>>,
): ArticlesError {
  const name = vendorNames[vendor]
  const fail = (kind: ArticlesError['kind'], message: string, more: Partial<SendResult & { ok: false }>) =>
    new ArticlesError(kind, { ok: false, status, error: addSentence(message, sentence), ...more })
  if (status === 401) return fail('other', `${name} refused the API key`, { gone: true })
  if (status === 404) return fail('missing', `${name} has nothing at this address`, { gone: true })
  if (status === 429)
    return fail('other', `${name} limits our calls`, {
      isPostponed: true,
      retryAfterSeconds: retryAfterSeconds ?? defaultPauseSeconds,
    })
  if (status >= 300 && status < 400)
    return fail('other', `${name} redirects to another address; enter that address`, { gone: true })
  const isFinal = status < 500 && status !== 408
  return fail(isFinal ? 'refused' : 'other', `${name} answered ${status}`, {
    gone: isFinal,
    retryAfterSeconds,
  })
}

const otherError = (status: number | null, error: string) =>
  new ArticlesError('other', { ok: false, status, error })
const finalError = (status: number | null, error: string) =>
  new ArticlesError('other', { ok: false, status, error, gone: true })
