import { expect, it } from 'vitest'
import { createKey } from '#test/support/api-keys.ts'
import { request, sharedService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const unverify = ({ id }: Person) =>
  service.sql('update users set email_verified_at = null, created_at = now() where id = $1', [id])
const diagnose = (person: Person) =>
  person.call('POST', '/ai-sessions', { session_type: 'chat', problem_summary: 'Nothing prints' })

it('AIM-08 refuses an operation of the model at once to a person who has not verified their address', async () => {
  const { admin } = await createAccount(service)
  await unverify(admin)
  const goal = { goal: 'Fix a printer', tree_type: 'troubleshooting' }
  for (const [path, body] of [
    ['/ai-sessions', { session_type: 'chat', problem_summary: 'Nothing prints' }],
    ['/ai/flow-builder/conversations', goal],
    ['/script-builder/sessions', { origin: 'standalone' }],
    ['/network-diagrams/generate', { description: 'Two switches', mode: 'replace' }],
  ] as const) {
    const answer = await admin.call('POST', path, body)
    expect([path, ...codeOf(answer)]).toEqual([path, 403, 'email_not_verified'])
  }
  expectStatus(await admin.call('GET', '/ai-sessions'), 200)
  expectStatus(await admin.call('GET', '/trees'), 200)
  await service.sql('update users set email_verified_at = now() where id = $1', [admin.id])
  expectStatus(await diagnose(admin), 201)
})

it('AIM-08 calls no model for the key of somebody who has not verified their address', async () => {
  const account = await createAccount(service)
  const key = await createKey(service, account, { role: 'admin', team_id: account.teamId })
  const { body: session } = expectStatus(await diagnose(key), 201)
  await unverify(account.admin)
  const answer = await key.call('POST', `/ai-sessions/${session.id}/chat`, { message: 'Still nothing' })
  expect(codeOf(answer)).toEqual([403, 'email_not_verified'])
})

it('AIM-09 all accounts without a paid plan share a daily budget, and paid ones do not', async () => {
  const own = await startOwnService({ AI_UNPAID_DAILY_BUDGET: '0.000001' })
  try {
    const accounts = await Promise.all([1, 2, 3].map(() => createAccount(own)))
    const [first, second, paid] = accounts.map(({ admin }) => admin) as [Person, Person, Person]
    await own.sql(`update accounts set subscription_status = 'active', trial_ends_at = null where id = $1`, [
      paid.accountId,
    ])
    const chat = async (person: Person) => {
      const { body } = await diagnose(person)
      return body.id
        ? person.call('POST', `/ai-sessions/${body.id}/chat`, { message: 'Nothing prints' })
        : diagnose(person)
    }
    await chat(first)
    const refused = await chat(second)
    expect(codeOf(refused)).toEqual([429, 'ai_budget_exhausted'])
    expect(refused.body).toMatchObject({ is_shared: true, resets_at: expect.stringMatching(/T00:00:00/) })
    expect(refused.body.detail).toContain('all accounts without a paid plan')
    expectStatus(await chat(paid), 200)
  } finally {
    await own.close()
  }
})

it('AUT-62 counts registrations per /48 network of IPv6 as well', async () => {
  const site = `2001:db8:${(process.pid % 9000) + 1000}`
  const statuses: number[] = []
  for (let network = 0; network < 12; network++) {
    const headers = { 'cf-connecting-ip': `${site}:${network}::1` }
    const body = {
      email: `farm-${crypto.randomUUID()}@people.example`,
      password: 'violet-tractor-81',
      full_name: 'Farm',
    }
    statuses.push((await request(service, 'POST', '/auth/register', { body, headers })).status)
  }
  expect(statuses).toEqual([...Array(10).fill(201), 429, 429])
})

it('AUT-62 counts a registration from an IPv4 address once', async () => {
  const address = `203.0.${process.pid % 250}.${1 + (Date.now() % 250)}`
  const statuses: number[] = []
  for (let n = 0; n < 6; n++) {
    const body = {
      email: `farm-${crypto.randomUUID()}@people.example`,
      password: 'violet-tractor-81',
      full_name: 'Farm',
    }
    statuses.push(
      (await request(service, 'POST', '/auth/register', { body, headers: { 'cf-connecting-ip': address } }))
        .status,
    )
  }
  expect(statuses).toEqual([...Array(5).fill(201), 429])
})
