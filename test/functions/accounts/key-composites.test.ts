import { expect, it } from 'vitest'
import { createKey } from '#test/support/api-keys.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, flowBody } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await sharedService()

it('SEA-10 a key finds only the types that its scopes let it read', async () => {
  const account = await createAccount(service)
  const word = `zebra${Date.now()}`
  await createFlow(account.admin, { name: word, visibility: 'account' })
  await createSession(account.admin, { client_name: word })
  const find = async (scopes: string[], query = '') => {
    const key = await createKey(service, account, { scopes })
    const { results } = expectStatus(await key.call('GET', `/search?q=${word}${query}`), 200).body
    return [...new Set(results.map(({ type }: { type: string }) => type))].toSorted()
  }
  expect(await find(['search:read'])).toEqual([])
  expect(await find(['search:read', 'flows:read'])).toEqual(['flow'])
  expect(await find(['search:read', 'sessions:write'])).toEqual(['session'])
  expect(await find(['search:read', 'flows:read'], '&types=session')).toEqual([])
  expect(await find(['*:read'])).toEqual(['flow', 'session'])
})

it('KEY-15 only a person makes a flow public or creates a link to it', async () => {
  const account = await createAccount(service)
  const key = await createKey(service, account, { role: 'admin', scopes: ['*:write'] })
  const code = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code]
  const closed = [403, 'closed_to_keys']
  for (const sharing of [{ visibility: 'public' }, { is_public: true }])
    expect(code(await key.call('POST', '/trees', flowBody(sharing)))).toEqual(closed)
  const { id } = await createFlow(account.admin, { visibility: 'account' })
  expect(code(await key.call('PUT', `/trees/${id}`, { visibility: 'public' }))).toEqual(closed)
  expect(code(await key.call('POST', `/trees/${id}/share`, {}))).toEqual(closed)
  expectStatus(await account.admin.call('PUT', `/trees/${id}`, { visibility: 'public' }), 200)
  expectStatus(await key.call('PUT', `/trees/${id}`, { name: 'Renamed' }), 200)
})
