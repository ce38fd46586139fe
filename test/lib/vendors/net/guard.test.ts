import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outboundGuard } from '#vendors/net/guard.ts'

const internalAddressMessage =
  'must not lead to a loopback, private, link-local, multicast or metadata address'
const publicAddress = '93.184.215.14'
const ownAddresses = ['https://api.supportflow.example', 'https://app.supportflow.example/x']

function createGuard(addressesByName: Record<string, string[] | null> = {}, allowed?: string) {
  const resolvedNames: string[] = []
  const resolve = async (name: string) => {
    resolvedNames.push(name)
    return name in addressesByName ? (addressesByName[name] ?? null) : [publicAddress]
  }
  return {
    resolvedNames,
    ...outboundGuard({ resolve }, { allowedOrigin: allowed, ports: [443, 8443], ownAddresses }),
  }
}

describe('IP addresses', () => {
  const internalAddresses = [
    ['loopback', '127.0.0.1', '127.8.9.1', '[::1]', '0.0.0.0', '[::]'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '[fc00::1]', '[fdff:ffff::1]'],
    ['link-local', '169.254.0.1', '[fe80::1]', '[febf::1]'],
    ['metadata', '169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
    ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', '[ff02::1]'],
    [
      'reserved and documentation',
      '0.1.2.3',
      '240.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.7',
      '203.0.113.9',
      '[2001:db8::1]',
    ],
    [
      'IPv4 inside IPv6',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[::a00:1]',
      '[::ffff:0:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::7f00:1]',
    ],
    ['tunnels', '[2002:7f00:1::]', '[2001::1]', '[2002:a9fe:a9fe::1]'],
    [
      'decimal, hexadecimal, octal and short',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '017700000001',
      '0177.0.0.1',
      '127.1',
      '0',
      '127.0.0.1.',
    ],
    ['full-width digits', '１２７.０.０.１', '①②⑦.⓪.⓪.①'],
  ].flatMap(([kind = '', ...hosts]) => hosts.map((host) => [kind, host] as const))

  it.each(internalAddresses)('NOT-41 refuses an address of the kind %s: %s', async (_, host) => {
    const { findRefusal, resolvedNames } = createGuard()
    for (const url of [`https://${host}/hook`, `https://${host}:8443`]) {
      expect([url, await findRefusal(url, 'saving'), await findRefusal(url, 'sending')]).toEqual([
        url,
        internalAddressMessage,
        internalAddressMessage,
      ])
    }
    expect(resolvedNames).toEqual([])
  })

  it('NOT-41 refuses random addresses of the internal IPv4 ranges in every notation', async () => {
    const ranges: [number, number][] = [
      [0x0a000000, 8],
      [0x7f000000, 8],
      [0xac100000, 12],
      [0xc0a80000, 16],
      [0xa9fe0000, 16],
      [0x64400000, 10],
      [0xe0000000, 4],
    ]
    const toNotations = (n: number) => [
      [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.'),
      [24, 16, 8, 0].map((shift) => `0${((n >>> shift) & 255).toString(8)}`).join('.'),
      `${n}`,
      `0x${n.toString(16)}`,
      `[::ffff:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}]`,
    ]
    const address = fc
      .tuple(fc.constantFrom(...ranges), fc.nat())
      .map(([[base, bits], n]) => base + (n % 2 ** (32 - bits)))
    const check = fc.asyncProperty(address, async (n) => {
      for (const host of toNotations(n))
        expect([host, await createGuard().findRefusal(`https://${host}/`, 'saving')]).toEqual([
          host,
          internalAddressMessage,
        ])
    })
    await fc.assert(check)
  })

  it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '100.128.0.1', '[2606:4700::1111]', '0x01010101'])(
    'accepts a public address: %s',
    async (host) => expect(await createGuard().findRefusal(`https://${host}/`, 'sending')).toBeNull(),
  )
})

describe('names', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'printer.local',
    'db.internal',
    'x.home.arpa',
    'wiki.intranet',
    'nas.lan',
    'intranet',
  ])('NOT-41 refuses an internal name without resolving it: %s', async (host) => {
    const { findRefusal, resolvedNames } = createGuard()
    expect([
      await findRefusal(`https://${host}/`, 'saving'),
      await findRefusal(`https://${host}/`, 'sending'),
    ]).toEqual([internalAddressMessage, internalAddressMessage])
    expect(resolvedNames).toEqual([])
  })

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    'not an address',
  ])(
    'NOT-41 refuses a name that resolves to %s among other addresses, when saving and when sending',
    async (address) => {
      const { findRefusal } = createGuard({ 'hooks.example.com': [publicAddress, address] })
      for (const moment of ['saving', 'sending'] as const)
        expect(await findRefusal('https://hooks.example.com/x', moment)).toBe(internalAddressMessage)
    },
  )

  it('NOT-41 accepts a name that cannot be resolved when saving, and refuses it when sending', async () => {
    for (const addresses of [null, []]) {
      const { findRefusal } = createGuard({ 'hooks.example.com': addresses })
      expect(await findRefusal('https://hooks.example.com/x', 'saving')).toBeNull()
      expect(await findRefusal('https://hooks.example.com/x', 'sending')).toBe(
        'has a name that cannot be resolved',
      )
    }
  })

  it('NOT-41 resolves a name each time, and refuses it when sending if it now leads to an internal address', async () => {
    const addressesByName: Record<string, string[]> = { 'rebind.example.com': [publicAddress] }
    const { findRefusal } = createGuard(addressesByName)
    expect(await findRefusal('https://rebind.example.com/', 'saving')).toBeNull()
    addressesByName['rebind.example.com'] = ['127.0.0.1']
    expect(await findRefusal('https://rebind.example.com/', 'sending')).toBe(internalAddressMessage)
  })

  it('accepts a name that has only public addresses, and resolves it in Punycode', async () => {
    const { findRefusal, resolvedNames } = createGuard()
    expect(await findRefusal('https://HOOKS.Bücher.example/x?y#z', 'sending')).toBeNull()
    expect(resolvedNames).toEqual(['hooks.xn--bcher-kva.example'])
  })
})

describe('form of the URL', () => {
  it.each([
    '',
    'nowhere',
    '/hook',
    '//example.com',
    'http://example.com/',
    'ftp://example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:,x',
  ])('NOT-40 accepts absolute https URLs only, not %s', async (url) =>
    expect(await createGuard().findRefusal(url, 'saving')).toBe('must be an absolute https address'),
  )

  it.each([
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://:secret@example.com/',
    'https://example.com@127.0.0.1/',
  ])('NOT-40 refuses credentials: %s', async (url) =>
    expect(await createGuard().findRefusal(url, 'saving')).toBe('must not contain credentials'),
  )
})

describe('ports and own hosts', () => {
  it.each(['22', '80', '444', '8444', '6379'])(
    'WIR-35 refuses the port %s, which is not in the settings',
    async (port) => {
      for (const moment of ['saving', 'sending'] as const)
        expect(await createGuard().findRefusal(`https://hooks.example.com:${port}/x`, moment)).toBe(
          'must use port 443 or 8443',
        )
    },
  )

  it('WIR-35 accepts only port 443 unless the settings name others', async () => {
    const { findRefusal } = outboundGuard({ resolve: async () => [publicAddress] })
    expect(await findRefusal('https://hooks.example.com:443/x', 'sending')).toBeNull()
    expect(await findRefusal('https://hooks.example.com:8443/x', 'sending')).toBe('must use port 443')
  })

  it.each([
    'api.supportflow.example',
    'API.supportflow.example.',
    'app.supportflow.example',
    'app.supportflow.example:8443',
  ])('WIR-35 refuses a host of this service: %s', async (host) => {
    const { findRefusal, resolvedNames } = createGuard()
    for (const moment of ['saving', 'sending'] as const)
      expect(await findRefusal(`https://${host}/x`, moment)).toBe('must not lead to this service')
    expect(resolvedNames).toEqual([])
  })
})

describe('allowed local origin', () => {
  it('accepts the allowed origin as 127.0.0.1 and as localhost, and no other local origin', async () => {
    const { findRefusal } = createGuard({}, 'http://127.0.0.1:8788')
    for (const url of ['http://127.0.0.1:8788/chat/1/x', 'http://localhost:8788/chat/2/x'])
      expect(await findRefusal(url, 'sending')).toBeNull()
    const otherUrls = [
      'http://127.0.0.1:8787/',
      'http://127.0.0.1/',
      'https://127.0.0.1:8788/',
      'http://[::1]:8788/',
      'http://127.0.0.2:8788/',
    ]
    for (const url of otherUrls) expect([url, await findRefusal(url, 'sending')]).not.toEqual([url, null])
    expect(await findRefusal('http://a:b@127.0.0.1:8788/', 'sending')).toBe('must not contain credentials')
  })

  it('refuses a local origin if none is allowed, as in production', async () => {
    expect(await createGuard().findRefusal('http://127.0.0.1:8788/chat/1/x', 'saving')).toBe(
      'must be an absolute https address',
    )
  })
})
