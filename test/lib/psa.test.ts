import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVault } from '../../lib/auth/vault.ts'
import { redisCache } from '../../lib/cache/cache.ts'
import { buildCompany } from '../../lib/local/psa-company.ts'
import { parseConditions } from '../../lib/local/psa-conditions.ts'
import { toIdList, toLiteral } from '../../lib/psa/conditions.ts'
import { createConnectWise } from '../../lib/psa/connectwise.ts'
import type { PsaHttp } from '../../lib/psa/http.ts'
import { toPromptNotes } from '../../lib/psa/prompt.ts'
import { parseTicketId } from '../../lib/psa/psa.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')

it('PSA-08 gives a prompt at most ten notes of 200 characters each, the newest', () => {
  const notes = Array.from({ length: 14 }, (_, n) => ({
    id: String(n),
    text: `${n} ${'👩‍💻x '.repeat(200)}`,
    author: null,
    internal: true,
    created_at: null,
  }))
  const previews = toPromptNotes({ notes })
  expect(previews.map((text) => text.split(' ')[0])).toEqual(Array.from({ length: 10 }, (_, n) => String(n)))
  for (const text of previews) expect([Array.from(text).length, text.isWellFormed()]).toEqual([200, true])
  expect(toPromptNotes({ notes: [{ id: '1', text: ' two\n\n lines ', author: null, internal: false, created_at: null }] })).toEqual([
    'two lines',
  ])
})

describe('conditions', () => {
  const printable = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed())
  it('hold a value that can be anything and ends nowhere else than it should', () => {
    fc.assert(
      fc.property(fc.oneof(printable, fc.string({ unit: fc.constantFrom('"', '\\', ' or id=1', ')', 'x') })), (value) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what a literal leaves out
        const kept = value.replace(/[\u0000-\u001f\u007f]/g, '')
        const test = parseConditions(`owner=${toLiteral(value)} and id=1`)
        expect(test({ owner: kept, id: 1 })).toBe(true)
        expect(test({ owner: `${kept}!`, id: 1 })).toBe(false)
        expect(test({ owner: kept, id: 2 })).toBe(false)
      }),
    )
  })
  it('take ids that are numbers and no others', () => {
    expect([toIdList(['1', '2)', '22']), toIdList(['x']), toIdList([])]).toEqual(['(1,22)', '(0)', '(0)'])
    expect(['4711', ' #4711 ', 'T-1', '', '1'.repeat(16)].map(parseTicketId)).toEqual(['4711', '4711', null, null, null])
  })
})

describe('the vault', () => {
  it('opens what it sealed for the same context, under every key it has', async () => {
    const [old, both] = [
      createVault([{ version: 1, key: key(1) }]),
      createVault([
        { version: 2, key: key(2) },
        { version: 1, key: key(1) },
      ]),
    ]
    const sealed = await old.seal('sesame ✓', 'psa:a:connectwise')
    expect(sealed).not.toContain('sesame')
    expect(await old.seal('sesame ✓', 'psa:a:connectwise')).not.toBe(sealed)
    expect(await both.open(sealed, 'psa:a:connectwise')).toBe('sesame ✓')
    expect(await both.seal('x', 'y')).toMatch(/^2\./)
  })
  it('opens nothing for another context, another key, or after a change', async () => {
    const vault = createVault([{ version: 1, key: key(1) }])
    const sealed = await vault.seal('sesame', 'psa:a:connectwise')
    await expect(vault.open(sealed, 'psa:b:connectwise')).rejects.toThrow()
    await expect(vault.open(sealed, 'psa:a:halopsa')).rejects.toThrow()
    await expect(createVault([{ version: 1, key: key(3) }]).open(sealed, 'psa:a:connectwise')).rejects.toThrow()
    await expect(createVault([{ version: 4, key: key(1) }]).open(sealed, 'psa:a:connectwise')).rejects.toThrow('version 1')
    const flipped = sealed.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    await expect(
      vault.open(`${flipped.slice(0, -2)}${flipped.at(-2) === 'A' ? 'B' : 'A'}${flipped.at(-1)}`, 'psa:a:connectwise'),
    ).rejects.toThrow()
  })
})

it('asks a cache that failed again only after five seconds, and answers a miss meanwhile', async () => {
  let now = 0
  const cache = redisCache('http://127.0.0.1:9', 'x', 250, () => now)
  expect(await cache.get('k')).toBeUndefined()
  const began = performance.now()
  await cache.set('k', 1, 60)
  expect(performance.now() - began).toBeLessThan(20)
  now = 5001
  expect(await cache.get('k')).toBeUndefined()
})

it('makes the same company every time, with 200 tickets', () => {
  const company = buildCompany()
  expect(company).toEqual(buildCompany())
  expect([company.tickets.length, company.tickets[0]?.id, company.tickets.at(-1)?.id]).toEqual([200, 4601, 4800])
  expect(company.tickets.filter(({ memberId }) => memberId === null).length).toBeGreaterThan(30)
})

// A folder of answers as the provider gave them, which are nobody's to publish.
const recorded = process.env.PSA_RECORDED ?? ''
describe('answers that were recorded from the provider', () => {
  const given = (name: string) => JSON.parse(readFileSync(`${recorded}/${name}.json`, 'utf8')) as unknown
  const answers: [RegExp, string][] = [
    [/\/service\/tickets\/\d+\/notes/, 'service-note-list'],
    [/\/service\/tickets\/\d+$/, 'service-ticket'],
    [/\/service\/tickets\?/, 'service-ticket-list'],
    [/\/service\/boards/, 'board-list'],
    [/\/system\/members/, 'member-list'],
    [/\/company\/companies/, 'company'],
  ]
  const http: PsaHttp = async ({ url }) => {
    const found = answers.find(([pattern]) => pattern.test(url))?.[1]
    if (found) return given(found)
    return url.includes('/contacts/') ? (given('company-contact-list') as unknown[])[0] : []
  }
  const identity = { company_id: 'x', client_id: 'y' }
  const port = createConnectWise(
    { provider: 'connectwise', baseUrl: 'https://x.example', identity, secrets: { public_key: 'a', private_key: 'b' } },
    http,
  )

  it('are understood whole', async (context) => {
    if (!existsSync(recorded)) return context.skip('PSA_RECORDED names no folder of recorded answers')
    const wire = given('service-ticket') as { id: number; summary: string; board: { name: string }; status: { name: string } }
    const { ticket, unavailable, ...sides } = await port.getTicketContext(String(wire.id))
    expect([ticket.id, ticket.summary, ticket.board, ticket.status]).toEqual([
      String(wire.id),
      wire.summary,
      wire.board.name,
      wire.status.name,
    ])
    expect([unavailable, sides.company?.name]).toEqual([[], (given('company') as { name: string }).name])
    const text = JSON.stringify(given('company-contact-list'))
    for (const value of Object.values(sides.contact ?? {}).filter((part) => part !== sides.contact?.name)) expect(text).toContain(value)
    expect(sides.contact?.email).toContain('@')
    const [note] = given('service-note-list') as { text: string; member: { lastName: string } }[]
    expect(sides.notes[0]).toMatchObject({ text: note?.text, author: expect.stringContaining(note?.member.lastName ?? '?') })
    const [member] = given('member-list') as { id: number; identifier: string; officeEmail: string }[]
    expect((await port.listMembers())[0]).toMatchObject({ id: String(member?.id), identifier: member?.identifier, email: member?.officeEmail })
    expect((await port.listBoards())[0]?.name).toBe(wire.board.name)
    const search = { boardIds: [], assignedTo: null, unassigned: false, page: 1, pageSize: 25 }
    expect((await port.searchTickets(search)).items[0]).toMatchObject({ id: ticket.id, company: ticket.company, contact: ticket.contact })
  })
})
