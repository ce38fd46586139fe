import * as z from 'zod'

// What schemas say about a wrong value. Each message completes the sentence “<field> …”, as those of the
// handlers do.

type Issue = z.core.$ZodRawIssue
type Part<Code extends Issue['code']> = Extract<Issue, { code: Code }>

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a time',
  tuple: 'a list',
}
const formats: Record<string, string> = {
  email: 'an e-mail address',
  url: 'an address such as https://example.com',
  uuid: 'an id',
  datetime: 'a time such as 2026-01-31T08:30:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time of day such as 08:30',
  duration: 'a duration',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'a range of IPv4 addresses',
  cidrv6: 'a range of IPv6 addresses',
  base64: 'base64',
  base64url: 'base64url',
  jwt: 'a JWT',
  json_string: 'JSON',
}
const units: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
  object: ['key', 'keys'],
  file: ['byte', 'bytes'],
}
const maxListedValues = 20

/** Return what is wrong with a value. */
export function describeIssue(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${kinds[issue.expected] ?? `of the type ${issue.expected}`}`
    case 'too_small':
      return describeMinimum(issue)
    case 'too_big':
      return describeMaximum(issue)
    case 'invalid_format':
      return describeFormat(issue)
    case 'invalid_value':
      return describeValues(issue.values)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return 'has unknown keys'
    case 'invalid_key':
      return 'has a key that is not valid'
    default:
      return 'is not valid'
  }
}

function describeMinimum({ origin, minimum, inclusive = true }: Part<'too_small'>): string {
  const unit = units[origin]
  if (!unit) return `must be ${inclusive ? 'at least' : 'greater than'} ${minimum}`
  return Number(minimum) === 1 && origin !== 'object'
    ? 'must not be empty'
    : `must have at least ${minimum} ${unit[Number(minimum) === 1 ? 0 : 1]}`
}

function describeMaximum({ origin, maximum, inclusive = true }: Part<'too_big'>): string {
  const unit = units[origin]
  if (!unit) return `must be ${inclusive ? 'at most' : 'less than'} ${maximum}`
  return `must have at most ${maximum} ${unit[Number(maximum) === 1 ? 0 : 1]}`
}

function describeFormat(issue: Part<'invalid_format'>): string {
  const name = formats[issue.format]
  if (name) return `must be ${name}`
  const { prefix, suffix, includes, pattern } = issue as {
    prefix?: string
    suffix?: string
    includes?: string
    pattern?: string
  }
  if (prefix !== undefined) return `must start with ${prefix}`
  if (suffix !== undefined) return `must end with ${suffix}`
  if (includes !== undefined) return `must contain ${includes}`
  return pattern === undefined ? 'has a wrong format' : `must match the pattern ${pattern}`
}

function describeValues(values: readonly unknown[]): string {
  const listed = values.slice(0, maxListedValues).map(String)
  if (values.length === 1) return `must be ${listed[0]}`
  const more = values.length - listed.length
  return `must be one of ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

z.config({ customError: describeIssue })
