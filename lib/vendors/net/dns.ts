import { createBoundedFetch } from './bounded-fetch.ts'
import { readAnswer } from './read-answer.ts'

export interface DnsResolver {
  /** Return every address of a name: an empty list when it has none, null when no server answered. */
  resolve(name: string): Promise<string[] | null>
}

const recordTypes = { A: 1, AAAA: 28, MX: 15, TXT: 16 } as const
export type RecordType = keyof typeof recordTypes

/** Reads the records of a name, for a person who looks for a mistake in them. */
export interface DnsRecords {
  /** Return the values of the records: an empty list when there are none, null when no server answered. */
  listRecords(name: string, type: RecordType): Promise<string[] | null>
}

interface DnsAnswer {
  Status: number
  Answer?: { type: number; data: string; TTL?: number }[]
}

/** The values of one type. */
interface Lookup {
  addresses: string[]
  /** How long they may be repeated, in seconds. The maximum if there are none. */
  ttl: number
}

const maxAddresses = 100
const maxCachedNames = 1000
// A name that leads elsewhere now must not be called for long at its old address, and a name without an
// address may get one.
const maxTtlSeconds = 60
const negativeTtlSeconds = 5

/**
 * Create a resolver that uses DNS over HTTPS in the JSON format (application/dns-json) of Cloudflare and
 * Google. It repeats an answer for as long as its records allow, at most one minute.
 */
export function dnsOverHttps(endpoint: string, now: () => number = Date.now): DnsResolver & DnsRecords {
  const fetchBounded = createBoundedFetch('dns', { timeoutMs: 2000, maxBytes: 64 * 1024 })
  const cache = new Map<string, { addresses: string[]; until: number }>()
  const ask = async (name: string, type: RecordType): Promise<Lookup | null> => {
    const url = `${endpoint}?name=${encodeURIComponent(name)}&type=${type}`
    const response = await fetchBounded(url, { headers: { accept: 'application/dns-json' } })
    if (!response.ok) return null
    return toLookup((await readAnswer(response)) as DnsAnswer, recordTypes[type])
  }
  return {
    async listRecords(name, type) {
      const lookup = await ask(name, type).catch(() => null)
      return lookup ? lookup.addresses.map(joinStrings) : null
    },
    async resolve(name) {
      const cached = cache.get(name)
      if (cached && now() < cached.until) return cached.addresses
      const answers = await Promise.all([
        ask(name, 'A').catch(() => null),
        ask(name, 'AAAA').catch(() => null),
      ])
      const knownAnswers = answers.filter((answer) => answer !== null)
      if (knownAnswers.length === 0) return null
      const addresses = knownAnswers.flatMap((lookup) => lookup.addresses)
      cache.delete(name)
      const ttl =
        addresses.length > 0 ? Math.min(...knownAnswers.map((lookup) => lookup.ttl)) : negativeTtlSeconds
      // A part of the addresses must not be taken for all of them.
      if (knownAnswers.length === answers.length) cache.set(name, { addresses, until: now() + ttl * 1000 })
      const [oldestName] = cache.keys()
      if (cache.size > maxCachedNames && oldestName !== undefined) cache.delete(oldestName)
      return addresses
    },
  }
}

/**
 * A text is one or more strings in quotes:
 * https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
 */
const joinStrings = (data: string) => data.replace(/" "/g, '').replace(/^"|"$/g, '')

function toLookup({ Status, Answer = [] }: DnsAnswer, type: number): Lookup | null {
  if (Status === 3) return { addresses: [], ttl: maxTtlSeconds }
  if (Status !== 0) return null
  // An alias counts too: its target may change before the addresses do.
  const ttl = Math.min(maxTtlSeconds, ...Answer.map(({ TTL }) => TTL ?? 0))
  const addresses = Answer.filter((record) => record.type === type).map(({ data }) => data)
  if (addresses.length > maxAddresses) return null
  return { addresses, ttl: addresses.length > 0 ? ttl : maxTtlSeconds }
}
