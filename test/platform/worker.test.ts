import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { type AnyOperation, requiresToken } from '#http/operation.ts'
import { listCases, listSharedCases } from '#test/contract/cases.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { guards } from '#test/contract/guards.ts'
import { createRequestSetup } from '#test/contract/request-setup.ts'
import { createRefusedCaller, expectSuccess, send } from '#test/contract/requests.ts'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { startOwnService } from '#test/support/app.ts'
import { createAnsweredSession } from '#test/support/exports.ts'
import { someByDay } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'

// The complete contract is tested on Node. Here each operation runs in workerd, with Neon's driver and
// Upstash's clients.
const service = await startOwnService({}, { platform: 'cloudflare' })
afterAll(() => service.close())

const findOperation = (id: string) => operations.find((op) => op.id === id) as AnyOperation

describe.concurrent('the built Worker', () => {
  it.each(someByDay(listCases(), 160))(
    '%s returns its success status and a body of its schema for a valid request',
    async (_, op) => {
      const { sample, person } = await createRequestSetup(service, op)
      expectSuccess(op, await send(service, op, sample, { token: requiresToken(op) ? person.token : null }))
    },
  )

  it.each(listSharedCases(({ access }) => !['user', 'public', 'signed'].includes(access)))(
    'WIR-04 %s returns 403 to a role that its access excludes, and changes nothing',
    async (_, op) => {
      const account = await createAccount(service)
      const person = await createRefusedCaller(op, account)
      const sample = await getFixture(op)(service, person)
      const before = await readChecksums(service, account.id)
      const { status, body } = await send(service, op, sample, { token: person.token })
      expect([status, body]).toEqual([403, { detail: 'Not allowed' }])
      expect(await readChecksums(service, account.id)).toEqual(before)
    },
  )

  it.each(guards)('the guard $code stops a read, a write and a transaction', async ({ code, set }) => {
    for (const id of ['notifications.list', 'accounts.teams.rename', 'flows.trees.update']) {
      const { account, person, sample, rows } = await createRequestSetup(service, findOperation(id))
      await service.sql(set, [account.id])
      const before = await rows()
      const { status, body } = await send(service, findOperation(id), sample, { token: person.token })
      expect([id, status, body.code]).toEqual([id, 403, code])
      expect(await rows()).toEqual(before)
    }
  })

  it('SES-52 writes a PDF in scripts that need shaping', async () => {
    const { admin } = await createAccount(service)
    const note = 'प्रिंटर ऑफ़लाइन है, เครื่องพิมพ์ออฟไลน์, প্রিন্টার বন্ধ, الطابعة'
    const id = await createAnsweredSession(admin, [note])
    const response = await fetch(`${service.api}/api/v1/sessions/${id}/export?format=pdf`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(await response.arrayBuffer())), {
      mergePages: true,
    })
    expect(text.normalize('NFC').replace(/\s+/g, '')).toContain(note.normalize('NFC').replace(/\s+/g, ''))
  })

  it('KBI-18 reads the text of a compressed PDF', async () => {
    const { admin } = await createAccount(service)
    const id = await createAnsweredSession(admin, ['The spooler was restarted'])
    const headers = { authorization: `Bearer ${admin.token}` }
    const pdf = await (
      await fetch(`${service.api}/api/v1/sessions/${id}/export?format=pdf`, { headers })
    ).arrayBuffer()
    const content = Buffer.from(pdf).toString('base64')
    const imported = await admin.call('POST', '/kb-imports', { format: 'pdf', title: 'Spooler', content })
    expect([imported.status, imported.body.title]).toEqual([201, 'Spooler'])
    const converted = await admin.call('POST', `/kb-imports/${imported.body.id}/convert`)
    expect(JSON.stringify(converted.body.nodes)).toContain('The spooler was restarted')
  })

  it('WIR-09 returns 401 without a token, and for a token with a wrong signature', async () => {
    const op = findOperation('notifications.list')
    const { person } = await createRequestSetup(service, op)
    for (const token of [null, `${person.token.slice(0, -8)}AAAAAAAA`])
      expect((await send(service, op, {}, { token })).body).toEqual({ detail: 'Not authenticated' })
  })

  it('WIR-17 WIR-18 allows exactly as many of 32 concurrent calls as the limit permits', async () => {
    const op = findOperation('notifications.markAllRead')
    const { person } = await createRequestSetup(service, op)
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => send(service, op, {}, { token: person.token })),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10)
    const refused = responses.find(({ status }) => status === 429)
    expect(refused?.body).toEqual({ detail: 'Rate limit exceeded: 10 per minute' })
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
