import type { MaskingLevel } from '#rules/masking/levels.ts'
import { clip } from '#rules/text/clip.ts'
import { parseJson } from '#rules/text/json.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'
import { readStart } from './read-at-most.ts'
import { limitWait, parseRetryAfter } from './send-result.ts'

// What another system says when it refuses a call. Its sentence often says what to do, so it is shown beside
// ours; it is never read as anything but text.

/** The most of a refusal that is read, in characters. */
const maxBody = 16 * 1024
const maxSentence = 300
const maxSentences = 3
const maxLevels = 5
const maxValues = 200

/** Keys under which APIs put a sentence for people, whatever else they have. */
const sentenceKey =
  /^(?:(?:status|err|error)?_?(?:message|msg)|error_?description|detail|details|title|description|reason|text|errors?|faultstring|non_field_errors|exceptionmessage)$/i
/** Words for programs, such as `invalid_grant` or `InvalidObject`, which say nothing to people. */
const isCode = (text: string) => !/\s/.test(text.trim()) && !/[.!]$/.test(text.trim())

/**
 * Return what a refusal says to people, as one line of at most 300 characters: the sentence of its JSON, or
 * its plain text. Passwords, tokens, keys and the `secrets` of the call are masked; with the level `all`,
 * addresses too. Return null for a page, and when it says nothing.
 */
export async function readSentence(
  body: string,
  secrets: readonly string[] = [],
  level: MaskingLevel = 'secrets',
): Promise<string | null> {
  const start = body.slice(0, maxBody)
  const parsed = parseJson(start)
  const sentences = parsed === undefined ? [isPage.test(start) ? '' : start] : listSentences(parsed)
  const words = sentences.map(toLine).filter((text) => text !== '')
  const texts = words.filter((text) => !isCode(text))
  const unique = [...new Set(texts.length > 0 ? texts : words.slice(0, 1))]
  const hidden = unique
    .filter((text) => !unique.some((other) => other !== text && other.includes(text)))
    .slice(0, maxSentences)
    .map((text) => text.replace(/(?<![\s:;.])[\s:;.]+$/, ''))
    .join('; ')
  if (hidden === '') return null
  // Loaded by the first refusal, because the masking rules are large.
  const { maskAll } = await import('#rules/release.ts')
  return clip(maskAll(hideSecrets(hidden, secrets), level), maxSentence) || null
}

/** List the texts of a JSON value that are sentences for people, those of the outside first. */
function listSentences(root: unknown): string[] {
  const found: string[] = []
  let values = 0
  const walk = (value: unknown, key: string, level: number) => {
    if (level > maxLevels || ++values > maxValues) return
    // A text alone is what is wrong, and so are the texts of a list, such as `{"title": ["is too long"]}`.
    if (typeof value === 'string') found.push(value)
    else if (Array.isArray(value)) {
      for (const item of value)
        if (typeof item !== 'string') walk(item, key, level + 1)
        else walk(sentenceKey.test(key) || key === '' ? item : `${key}: ${item}`, key, level + 1)
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value)
      for (const [name, each] of entries)
        if (typeof each === 'string' ? sentenceKey.test(name) : typeof each === 'object')
          walk(each, name, level + 1)
    }
  }
  walk(root, '', 0)
  return found
}

// An address in angle brackets, with which a mail server begins, is no markup.
const [isPage, tag] = [/^\s*<(?![^<>\s]{1,320}@)/, /<(?![^<>\s]{1,320}@)[^<>]{0,200}>/g]

const toLine = (text: string) =>
  removeInvisible(
    text
      .toWellFormed()
      .replace(tag, ' ')
      .replace(/[\p{Cc}\p{Z}]+/gu, ' '),
  ).trim()

/** Hide what was sent to sign in, which some systems repeat, and the rest of a key that they have masked themselves. */
function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= 4)
    .reduce((line, secret) => line.replaceAll(secret, '…'), text)
    .replace(/(?<![\w.-])[\w.-]*\*{3,}[\w.*-]*/g, '…')
}

/**
 * Read what an answer with an error says: its sentence, and the seconds that it asks to wait, in a header or
 * in the body. A body that cannot be read says nothing.
 */
export async function readRefusal(
  response: Response,
  secrets: readonly string[],
): Promise<{ sentence: string | null; retryAfterSeconds: number | undefined }> {
  const body = await readStart(response, maxBody).catch(() => '')
  const waitMs = readWaitMs(body)
  return {
    sentence: await readSentence(body, secrets),
    retryAfterSeconds:
      parseRetryAfter(response.headers.get('retry-after')) ?? (waitMs && Math.ceil(waitMs / 1000)),
  }
}

/** Return our sentence with that of the other system behind it. */
export function addSentence(ours: string, sentence: string | null): string {
  return sentence ? `${ours}: ${sentence}` : ours
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const duration = String.raw`((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|[smhd])(?![a-z])[\s,]*)+)`
const waits = [
  // https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto (RetryInfo)
  new RegExp(String.raw`"retry_?delay"\s*:\s*"${duration}`, 'i'),
  new RegExp(String.raw`(?:try again|retry|available|wait|resets?)[^.\d]{0,40}?${duration}`, 'i'),
  // "300 Requests per rolling 5 minute window": after the window at the latest.
  new RegExp(
    String.raw`\brequests\s+(?:per|in|every|within)\s+(?:an?\s+|the\s+)?(?:rolling\s+|last\s+)?${duration}`,
    'i',
  ),
]
const waitNumber = /"(?:retry_?after|retry_?in|retry_?after_?(?:seconds|ms))"\s*:\s*"?(\d+(?:\.\d+)?)/i

/** Return how long the body of an answer asks to wait, in milliseconds from 1 to a day. */
export function readWaitMs(body: string): number | undefined {
  const start = body.slice(0, maxBody)
  const number = waitNumber.exec(start)
  if (number) return limitWait(Number(number[1]) * (/ms"/i.test(number[0]) ? 1 : 1000)) || undefined
  for (const wait of waits) {
    const written = wait.exec(start)?.[1]
    if (written !== undefined) return limitWait(readDuration(written)) || undefined
  }
  return undefined
}

function readDuration(text: string): number {
  let ms = 0
  for (const [, number, word = ''] of text.toLowerCase().matchAll(/(?<!\d)(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unit = word.startsWith('ms') || word.startsWith('milli') ? 'ms' : word[0]
    ms += Number(number) * unitMs[unit as keyof typeof unitMs]
  }
  return ms
}
