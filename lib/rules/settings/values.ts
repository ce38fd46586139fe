import * as z from 'zod'

// Values of settings. A message completes "NAME: …", says the rule, and shows a value that keeps it.

const label = String.raw`[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?`
const hostName = String.raw`${label}(?:\.${label})*\.?`
const host = String.raw`(?:${hostName}|\[[\da-f:.]+\])`
const wholeHost = new RegExp(`^${host}$`, 'i')

/** Parse an address, and return it only if its host is one name or address. */
function parseAddress(text: string): URL | null {
  const url = URL.parse(text)
  return url && wholeHost.test(url.hostname) ? url : null
}

/** An http or https address, without a slash at the end. Paths are appended to it. */
export const Url = z
  .string()
  .refine((text) => {
    const url = parseAddress(text)
    return (
      url !== null &&
      /^https?:\/\/[^\s,]+$/i.test(text) &&
      !(url.username || url.password || text.includes('?') || text.includes('#'))
    )
  }, 'must be one http or https address without a user, `?` or `#`, such as `https://support.example.com`')
  .transform((url) => url.replace(/\/$/, ''))

/** A connection string. A folder of sockets may take the place of the host. */
export const PostgresUrl = z.string().refine((text) => {
  const url = URL.parse(text)
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || !url.username) return false
  const isSocket = /^\/|^%2f/i.test(url.hostname || (url.searchParams.get('host') ?? ''))
  return /^\/[^/\s,]+$/.test(url.pathname) && (isSocket || wholeHost.test(url.hostname))
}, 'must be one connection string with a user, a host and a database, such as `postgres://user:password@host:5432/database`; special characters of the password are encoded like in a URL')

export const RedisUrl = z.string().refine((text) => {
  const url = parseAddress(text)
  return url !== null && /^rediss?:$/.test(url.protocol) && /^(?:\/\d*)?$/.test(url.pathname)
}, 'must be one `redis://host:6379`, or `rediss://user:password@host:6379` with TLS')

/** A password is sent over TLS only. */
export const SmtpUrl = z.string().superRefine((text, ctx) => {
  const url = parseAddress(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || !/^\/?$/.test(url.pathname))
    ctx.addIssue(
      'must be smtp://… or smtps://…, such as `smtps://user:password@mail.example.com:465`, with the user and the password encoded like in a URL',
    )
  else if (url.username && url.searchParams.get('tls') === 'off')
    ctx.addIssue('must not have a password without TLS: remove `?tls=off`, or the user and the password')
})

/** A key or token that somebody else has made. Only they know whether it is right. */
export const Token = z
  .string()
  .regex(
    /^[\x21\x23-\x2b\x2d-\x7e]{1,2000}$/,
    'must be one key as its maker shows it, without blanks, quotes, commas and other letters than those of ASCII',
  )
/** A token of our own, which a caller sends. */
export const OwnToken = z
  .string()
  .regex(
    /^[\x21\x23-\x2b\x2d-\x7e]{20,2000}$/,
    'must be 20 characters or more without blanks, quotes and commas, such as the output of `openssl rand -hex 32`',
  )
/** A password, which is also part of a connection string. */
export const Password = z
  .string()
  .regex(
    /^[\x21-\x7e]{8,200}$/,
    'must be 8 to 200 characters of ASCII without blanks, such as the output of `openssl rand -hex 32`',
  )
/** A name without blanks: of a model, a bucket, an issuer. */
export const Name = z
  .string()
  .regex(/^[^\s,"'<>{}\p{Cc}]{1,200}$/u, 'must be one name without blanks, commas and quotes')
export const Domain = z
  .string()
  .regex(new RegExp(`^(?:${hostName})$`, 'i'), 'must be one domain, such as `app.example.com`')
  .refine((text) => !/^\d+(?:\.\d+)*$/.test(text), 'must be one domain, such as `app.example.com`')
/** Where a server listens. */
export const ListenAddress = z
  .string()
  .refine(
    (text) =>
      (wholeHost.test(text) && !/^[\d.]+$/.test(text)) ||
      z.union([z.ipv4(), z.ipv6()]).safeParse(text).success,
    'must be one address or host name of this machine, such as `127.0.0.1`',
  )
/** `host:port`, with a path where a proxy has one. */
export const HostPort = z
  .string()
  .regex(
    new RegExp(`^${host}:\\d{1,5}(?:/[\\w./-]*)?$`, 'i'),
    'must be `host:port`, such as `127.0.0.1:8080`',
  )
export const Folder = z
  .string()
  .regex(
    /^(?!\w+:\/\/)(?![-\d.]+$)(?![\d.]+(?:x|e)\d+$)[^\p{Cc}\p{Nl}\p{No}"'<>{},]{1,1000}$/u,
    'must be the path of one folder, such as `objects` or `/var/lib/support-flow`',
  )
export const Email = z.email({ error: 'must be one e-mail address, such as `support@example.com`' })
export const Flag = z
  .enum(['true', 'false'], { error: 'must be `true` or `false`' })
  .transform((text) => text === 'true')

/** One of some words. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.map((word) => `\`${word}\``).join(', ')}` })

/** A number of decimal digits between two others. */
export function numberBetween(least: number, most: number): z.ZodCoercedNumber {
  const error = `must be a number from ${least} to ${most} in decimal digits`
  return z.coerce.number({ error }).min(least, error).max(most, error)
}
/** A whole number between two others. */
export function count(least: number, most: number): z.ZodCoercedNumber {
  const error = `must be a whole number from ${least} to ${most} in decimal digits`
  return z.coerce.number({ error }).int(error).min(least, error).max(most, error)
}

const maxLength = 10_000
// What the examples of the settings have in place of a value: .dev.vars.example, .env.example.
const example =
  /\bep-name-pooler\b|^https:\/\/name\.upstash\.io\b|^(?:REDIS|QSTASH)_TOKEN$|^sig_(?:CURRENT|NEXT)$|<[a-z][a-z -]*>|…/

/**
 * Return what is wrong with a text whatever it is for: what files of settings, shells and templates leave when
 * something went wrong. A setting that names a folder may be a path.
 */
export function findSlip(name: string, text: string): string | undefined {
  if (text.trim() === '') return 'is blank: set it, or remove its line'
  if (/^(?:undefined|null|NaN|nil|None|\[object Object\])$/.test(text))
    return `is the word \`${text}\`, which a template or a script left: set its value, or remove its line`
  if (example.test(text)) return 'is still the example: replace it with the value of your own'
  if (text !== text.trim()) return 'must not begin or end with a blank or a line feed: remove it'
  if (/["'`]$/.test(text) || /^["'`][^"'`]*$/.test(text))
    return 'must not begin or end with a quote: remove it, or close it in the file of settings'
  if (text.length > maxLength) return `must have at most ${maxLength} characters: it may contain another file`
  if (!name.endsWith('_DIR') && /^\/(?:run|etc|var|home|opt|tmp|root|usr|mnt|srv)\/\S*$/.test(text))
    return 'is the path of a file: set what the file contains'
  return undefined
}
