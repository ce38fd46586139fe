import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseConditions } from '#local/vendors/psa/psa-conditions.ts'
import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { readTicketText } from '#rules/audience.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { toIdList, toLiteral } from '#vendors/psa/conditions.ts'
import { createConnectWise } from '#vendors/psa/connectwise.ts'
import * as connectWiseRecords from '#vendors/psa/connectwise-wire.ts'
import { createHaloPsa } from '#vendors/psa/halopsa.ts'
import * as haloPsaRecords from '#vendors/psa/halopsa-wire.ts'
import type { PsaHttp } from '#vendors/psa/http.ts'
import { toPromptNotes } from '#vendors/psa/prompt.ts'
import { PsaError, type PsaPort, parseTicketId } from '#vendors/psa/psa.ts'

const baseUrl = 'https://psa.example.com'
const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')

const connectWise = {
  provider: 'connectwise',
  baseUrl,
  identity: { company_id: 'c', client_id: 'i' },
  secrets: { public_key: 'p', private_key: 's' },
}

it('PSA-08 adds at most the ten newest notes to a prompt, each cut to 200 characters', () => {
  const note = { author: 'Dana', internal: true, created_at: null, added_by_service: false }
  const notes = Array.from({ length: 14 }, (_, n) => ({ ...note, text: `${n} ${'👩‍💻x '.repeat(200)}` }))
  const previews = toPromptNotes({ notes }).map(({ text }) => text)
  expect(previews.map((text) => text.split(' ')[0])).toEqual(Array.from({ length: 10 }, (_, n) => String(n)))
  for (const text of previews) expect([Array.from(text).length, text.isWellFormed()]).toEqual([200, true])
  const [own, other] = [
    { ...note, text: 'own', added_by_service: true },
    { ...note, text: ' two\n\n lines ' },
  ]
  expect(toPromptNotes({ notes: [own, other] })).toEqual([
    { internal: true, author: 'Dana', at: null, text: 'two lines' },
  ])
})

describe('conditions', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed())
  it('toLiteral writes any value as one literal', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.string({ unit: fc.constantFrom('"', '\\', ' or id=1', ')', 'x') })),
        (value) => {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: a literal drops control characters
          const cleanValue = value.replace(/[\u0000-\u001f\u007f]/g, '')
          const test = parseConditions(`owner=${toLiteral(value)} and id=1`)
          expect(test({ owner: cleanValue, id: 1 })).toBe(true)
          expect(test({ owner: `${cleanValue}!`, id: 1 })).toBe(false)
          expect(test({ owner: cleanValue, id: 2 })).toBe(false)
        },
      ),
    )
  })
  it('toIdList and parseTicketId accept only numeric ids', () => {
    expect([toIdList(['1', '2)', '22']), toIdList(['x']), toIdList([])]).toEqual(['(1,22)', '(0)', '(0)'])
    expect(['4711', ' #4711 ', 'T-1', '', '1'.repeat(16)].map(parseTicketId)).toEqual([
      '4711',
      '4711',
      null,
      null,
      null,
    ])
  })
})

describe('a hostile ticket id', () => {
  const hostileIds = [
    '../../system/members?pageSize=2#',
    '..',
    '.',
    '',
    '1/notes',
    '1?a=b',
    '1#',
    '%2e%2e',
    '%2f',
    '\\..\\..',
    '\ud800',
    '//x.example',
  ]
  const haloPsa = {
    provider: 'halopsa',
    baseUrl,
    identity: { client_id: 'i', tenant: null },
    secrets: { client_secret: 's' },
  }
  /** Return the paths that the port calls, without the tickets' own path before the id and after it. */
  async function listPaths(createPort: (http: PsaHttp) => PsaPort, id: string): Promise<string[]> {
    const paths: string[] = []
    const http: PsaHttp = async ({ url }) => {
      const { pathname, host, hash } = new URL(url)
      if (!pathname.endsWith('/auth/token')) paths.push(`${host}${pathname}${hash}`)
      return { access_token: 't', id: 1 }
    }
    const port = createPort(http)
    const [note, sought] = [
      readTicketText('internal', 'x'),
      { text: 'x', since: '2026-11-21T09:00:00.000Z' },
    ] as const
    for (const call of [
      () => port.getTicketContext(id),
      () => port.addNote(id, note),
      () => port.findNote(id, sought),
    ])
      await call().catch((error: unknown) => expect(error).toBeInstanceOf(PsaError))
    return paths
  }

  it.each(hostileIds)('PSA-14 stays within its segment of the path: %s', async (id) => {
    const encodedId = id.isWellFormed() ? encodeURIComponent(id) : ''
    const allowed = ['/v4_6_release/apis/3.0/service/tickets/', '/api/Tickets/'].map(
      (path) => `psa.example.com${path}${encodedId}`,
    )
    const others = ['Actions', 'Status', 'Asset', 'Tickets'].map((name) => `psa.example.com/api/${name}`)
    const paths = [
      ...(await listPaths((http) => createConnectWise(connectWise as never, http), id)),
      ...(await listPaths((http) => createHaloPsa(haloPsa as never, http), id)),
    ]
    for (const path of paths.filter((called) => !others.includes(called)))
      expect(
        allowed.flatMap((ticket) => [
          ticket,
          `${ticket}/notes`,
          `${ticket}/allNotes`,
          `${ticket}/configurations`,
        ]),
      ).toContain(path)
  })
})

describe('a record of the provider', () => {
  const schemas = Object.entries({ connectWise: connectWiseRecords, haloPsa: haloPsaRecords }).flatMap(
    ([provider, exported]) =>
      Object.entries(exported).flatMap(([name, schema]) =>
        schema instanceof z.ZodType ? [[`${provider} ${name}`, schema] as const] : [],
      ),
  )

  it.each(schemas)('PSA-15 %s is read although every key but the id is absent', (_, schema) => {
    expect(schema.safeParse({ id: 7, record_count: 1 })).toMatchObject({ success: true })
  })
})

describe('a ConnectWise ticket', () => {
  it.each([
    [
      {
        contact: { id: 1, name: 'Ada' },
        contactName: 'A. L.',
        owner: { id: 2, name: 'Bo', identifier: 'bo' },
        resources: 'cy',
      },
      'Ada',
      'Bo',
    ],
    [{ contactName: 'A. L.', owner: { id: 2, identifier: 'bo' }, resources: 'cy' }, 'A. L.', 'bo'],
    [{ resources: 'cy' }, null, 'cy'],
    [{}, null, null],
  ])('shows the best name of its contact and owner that is there: %j', (fields, contact, owner) => {
    expect(
      connectWiseRecords.toTicketItem(connectWiseRecords.TicketWire.parse({ id: 7, ...fields })),
    ).toMatchObject({ contact, owner })
  })
})

describe('the address of ConnectWise', () => {
  const api = 'https://psa.example.com/v4_6_release/apis/3.0'
  it.each([
    ['https://psa.example.com', api],
    ['https://psa.example.com/v4_6_release', api],
    ['https://psa.example.com/v4_6_release/', api],
    ['https://psa.example.com/v4_6_release/apis', api],
    ['https://psa.example.com/v4_6_release/apis/3.0/', api],
    ['https://psa.example.com/v2026_1', 'https://psa.example.com/v2026_1/apis/3.0'],
    ['https://psa.example.com/psa', 'https://psa.example.com/psa/v4_6_release/apis/3.0'],
    ['https://na.myconnectwise.net/v4_6_release', 'https://api-na.myconnectwise.net/v4_6_release/apis/3.0'],
  ])('PSA-16 %s leads to the API at %s', async (address, root) => {
    const called: string[] = []
    const http: PsaHttp = async ({ url }) => called.push(url) && {}
    await createConnectWise({ ...connectWise, baseUrl: address } as never, http).checkCredentials()
    expect(called).toEqual([`${root}/system/info`])
  })
})

describe('vault', () => {
  it('decrypts a secret for the same context with every configured key', async () => {
    const oldVault = createVault([{ version: 1, key: key(1) }])
    const vault = createVault([
      { version: 2, key: key(2) },
      { version: 1, key: key(1) },
    ])
    const sealed = await oldVault.seal('sesame ✓', 'psa:a:connectwise')
    expect(sealed).not.toContain('sesame')
    expect(await oldVault.seal('sesame ✓', 'psa:a:connectwise')).not.toBe(sealed)
    expect(await vault.open(sealed, 'psa:a:connectwise')).toBe('sesame ✓')
    expect(await vault.seal('x', 'y')).toMatch(/^2\./)
  })
  it('refuses to decrypt for another context, with another key, or after a change', async () => {
    const vault = createVault([{ version: 1, key: key(1) }])
    const sealed = await vault.seal('sesame', 'psa:a:connectwise')
    await expect(vault.open(sealed, 'psa:b:connectwise')).rejects.toThrow()
    await expect(vault.open(sealed, 'psa:a:halopsa')).rejects.toThrow()
    await expect(
      createVault([{ version: 1, key: key(3) }]).open(sealed, 'psa:a:connectwise'),
    ).rejects.toThrow()
    await expect(
      createVault([{ version: 4, key: key(1) }]).open(sealed, 'psa:a:connectwise'),
    ).rejects.toThrow('version 1')
    const lastTwoChanged = sealed.replace(/..$/, (lastTwo) =>
      lastTwo.replace(/./g, (letter) => (letter === 'A' ? 'B' : 'A')),
    )
    await expect(vault.open(lastTwoChanged, 'psa:a:connectwise')).rejects.toThrow()
  })
})

it('buildPsaData returns the same data with 200 tickets every time', () => {
  const data = buildPsaData()
  expect(data).toEqual(buildPsaData())
  expect([data.tickets.length, data.tickets[0]?.id, data.tickets.at(-1)?.id]).toEqual([200, 4601, 4800])
  expect(data.tickets.filter(({ memberId }) => memberId === null).length).toBeGreaterThan(30)
})

// The folder contains recorded responses of the provider, which may not be published.
const recordingsFolder = process.env.PSA_RECORDED ?? ''
describe('the ConnectWise client with recorded responses', () => {
  const readRecording = (name: string) =>
    JSON.parse(readFileSync(`${recordingsFolder}/${name}.json`, 'utf8')) as unknown
  const recordingNames: [RegExp, string][] = [
    [/\/service\/tickets\/\d+\/(notes|allNotes)/, 'service-note-list'],
    [/\/service\/tickets\/\d+$/, 'service-ticket'],
    [/\/service\/tickets\?/, 'service-ticket-list'],
    [/\/service\/boards/, 'board-list'],
    [/\/system\/members/, 'member-list'],
    [/\/company\/companies/, 'company'],
  ]
  const http: PsaHttp = async ({ url }) => {
    const name = recordingNames.find(([pattern]) => pattern.test(url))?.[1]
    if (name) return readRecording(name)
    return url.includes('/contacts/') ? (readRecording('company-contact-list') as unknown[])[0] : []
  }
  const identity = { company_id: 'x', client_id: 'y' }
  const port = createConnectWise(
    {
      provider: 'connectwise',
      baseUrl: 'https://x.example',
      identity,
      secrets: { public_key: 'a', private_key: 'b' },
    },
    http,
  )

  it('returns the recorded tickets, notes, members and boards', async (context) => {
    if (!existsSync(recordingsFolder))
      return context.skip('PSA_RECORDED is not a folder of recorded responses')
    const ticketRecording = readRecording('service-ticket') as {
      id: number
      summary: string
      board: { name: string }
      status: { name: string }
    }
    const { ticket, unavailable, ...ticketContext } = await port.getTicketContext(String(ticketRecording.id))
    expect([ticket.id, ticket.summary, ticket.board, ticket.status]).toEqual([
      String(ticketRecording.id),
      ticketRecording.summary,
      ticketRecording.board.name,
      ticketRecording.status.name,
    ])
    expect([unavailable, ticketContext.company?.name]).toEqual([
      [],
      (readRecording('company') as { name: string }).name,
    ])
    const text = JSON.stringify(readRecording('company-contact-list'))
    for (const value of Object.values(ticketContext.contact ?? {}).filter(
      (part) => part !== ticketContext.contact?.name,
    ))
      expect(text).toContain(value)
    expect(ticketContext.contact?.email).toContain('@')
    const [note] = readRecording('service-note-list') as { text: string; member: { lastName: string } }[]
    expect(ticketContext.notes[0]).toMatchObject({
      text: note?.text,
      author: expect.stringContaining(note?.member.lastName ?? '?'),
    })
    const [member] = readRecording('member-list') as { id: number; identifier: string; officeEmail: string }[]
    expect((await port.listMembers())[0]).toMatchObject({
      id: String(member?.id),
      identifier: member?.identifier,
      email: member?.officeEmail,
    })
    expect((await port.listBoards())[0]?.name).toBe(ticketRecording.board.name)
    const search = {
      boardIds: [],
      assignedTo: null,
      unassigned: false,
      companyId: null,
      words: [],
      page: 1,
      pageSize: 25,
    }
    expect((await port.searchTickets(search)).items[0]).toMatchObject({
      id: ticket.id,
      company: ticket.company,
      contact: ticket.contact,
    })
  })
})

it.each([
  ['https://na.myconnectwise.net', 'https://api-na.myconnectwise.net/v4_6_release/apis/3.0'],
  ['https://staging.connectwisedev.com/', 'https://api-staging.connectwisedev.com/v4_6_release/apis/3.0'],
  [
    'https://api-eu.myconnectwise.net/v4_6_release/apis/3.0/',
    'https://api-eu.myconnectwise.net/v4_6_release/apis/3.0',
  ],
  ['https://desk.example:8443/manage', 'https://desk.example:8443/manage/v4_6_release/apis/3.0'],
])('createConnectWise calls the API of %s', async (baseUrl, root) => {
  const urls: string[] = []
  const http: PsaHttp = async ({ url }) => {
    urls.push(url)
    return {}
  }
  const identity = { company_id: 'x', client_id: 'y' }
  await createConnectWise(
    { provider: 'connectwise', baseUrl, identity, secrets: { public_key: 'a', private_key: 'b' } },
    http,
  ).checkCredentials()
  expect(urls).toEqual([`${root}/system/info`])
})
