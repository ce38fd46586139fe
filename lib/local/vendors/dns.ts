import { Resolver } from 'node:dns/promises'
import { Hono } from 'hono'

type RecordType = 'A' | 'AAAA' | 'MX' | 'TXT'
/** A DNS response: status 0 is success, 2 SERVFAIL, 3 NXDOMAIN. `data` contains the values. */
type Resolution = { status: 0 | 2 | 3; data: string[] }
type Zone = { a?: string[]; aaaa?: string[]; mx?: string[]; txt?: string[]; missing?: true }

const typeNumbers = { A: 1, AAAA: 28, MX: 15, TXT: 16 } as const
const publicAddress = '93.184.216.34'
const privateAddress = '10.0.0.7'
const loopback: Zone = { a: ['127.0.0.1'], aaaa: ['::1'] }

/** The addresses of these names and of all names below them. */
const zones: Record<string, Zone> = {
  localhost: loopback,
  'localtest.me': loopback,
  'lvh.me': loopback,
  'metadata.google.internal': { a: ['169.254.169.254'] },
  '_dmarc.public.test': { txt: ['"v=DMARC1; p=reject"'] },
  'public.test': {
    a: [publicAddress],
    mx: ['10 mail.public.test.'],
    txt: ['"v=spf1 include:mail.public.test" " -all"'],
  },
  'private.test': { a: [privateAddress] },
  'mapped.test': { aaaa: [`::ffff:${privateAddress}`] },
  'mixed.test': { a: [publicAddress, privateAddress] },
  'missing.test': { missing: true },
}

/**
 * Create a DNS-over-HTTPS route with JSON responses. The names in `zones`, those of nip.io and sslip.io, and
 * the TXT records that are put with `PUT /<name>` need no network. All other names are resolved by the
 * machine's resolver.
 */
export function createDnsRoutes(): Hono {
  const app = new Hono()
  const texts = new Map<string, string[]>()
  app.put('/:name', async (c) => {
    texts.set(c.req.param('name'), [JSON.stringify(await c.req.text())])
    return c.body(null, 204)
  })
  app.get('/', async (c) => {
    const type = parseType(c.req.query('type') ?? 'A')
    const name = (c.req.query('name') ?? '').toLowerCase().replace(/\.$/, '')
    if (!type || !isName(name))
      return c.json({ error: 'name and type (A, AAAA, MX or TXT) are required' }, 400)
    const text = type === 'TXT' ? texts.get(name) : undefined
    const { status, data } =
      (text && { status: 0, data: text }) ??
      resolveLocally(name, type) ??
      (await resolveOnNetwork(name, type))
    const response = {
      Status: status,
      TC: false,
      RD: true,
      RA: true,
      Question: [{ name, type: typeNumbers[type] }],
      Answer:
        data.length > 0
          ? data.map((address) => ({ name, type: typeNumbers[type], TTL: 60, data: address }))
          : undefined,
    }
    return c.body(JSON.stringify(response), 200, { 'content-type': 'application/dns-json' })
  })
  return app
}

function parseType(type: string): RecordType | undefined {
  const types = Object.entries(typeNumbers) as [RecordType, number][]
  return types.find(([name, number]) => name === type.toUpperCase() || String(number) === type)?.[0]
}

function isName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name)
}

function resolveLocally(name: string, type: RecordType): Resolution | undefined {
  const wildcard = /^(.+)\.(?:nip|sslip)\.io$/.exec(name)?.[1]
  if (wildcard) return resolveEmbedded(wildcard, type)
  const zone = Object.entries(zones).find(([suffix]) => name === suffix || name.endsWith(`.${suffix}`))?.[1]
  if (!zone) return undefined
  if (zone.missing) return { status: 3, data: [] }
  return { status: 0, data: { A: zone.a, AAAA: zone.aaaa, MX: zone.mx, TXT: zone.txt }[type] ?? [] }
}

/**
 * Resolve the address inside a nip.io or sslip.io name: with dots, with dashes, as eight hex digits, or IPv6
 * with dashes.
 */
function resolveEmbedded(labels: string, type: RecordType): Resolution {
  const v4 =
    /(?:^|[.-])((?:\d{1,3}[.-]){3}\d{1,3})(?=[.-]|$)/.exec(labels)?.[1]?.replaceAll('-', '.') ??
    parseHexAddress(labels)
  if (v4?.split('.').every((part) => Number(part) <= 255))
    return { status: 0, data: type === 'A' ? [v4] : [] }
  const v6 = (labels.split('.').at(-1) ?? '').replaceAll('-', ':')
  if (v6.includes(':') && URL.canParse(`http://[${v6}]/`))
    return { status: 0, data: type === 'AAAA' ? [v6] : [] }
  return { status: 3, data: [] }
}

function parseHexAddress(labels: string): string | undefined {
  const hex = /(?:^|[.-])([0-9a-f]{8})$/.exec(labels)?.[1]
  return hex
    ?.match(/../g)
    ?.map((byte) => Number.parseInt(byte, 16))
    .join('.')
}

async function resolveType(resolver: Resolver, name: string, type: RecordType): Promise<string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(name)
    case 'AAAA':
      return resolver.resolve6(name)
    case 'MX':
      return (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange}.`)
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((strings) =>
        strings.map((text) => JSON.stringify(text)).join(' '),
      )
  }
}

async function resolveOnNetwork(name: string, type: RecordType): Promise<Resolution> {
  const resolver = new Resolver({ timeout: 1500, tries: 1 })
  const deadline = setTimeout(() => resolver.cancel(), 1500)
  try {
    return { status: 0, data: await resolveType(resolver, name, type) }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENODATA') return { status: 0, data: [] }
    return { status: code === 'ENOTFOUND' ? 3 : 2, data: [] }
  } finally {
    clearTimeout(deadline)
  }
}
