import { afterAll, describe, expect, it } from 'vitest'
import { dashboard, type Service, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { createErasure } from '#test/support/erasure.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { signInThroughProvider } from '#test/support/oauth.ts'
import { createAccount, createPerson } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import { callWith, enableTotp, login, register } from '#test/support/two-factor.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { waitForLink } = dashboard(service)
const { erase } = createErasure(service)
const password = 'violet-tractor-81'
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`

interface Holder {
  email: string
  id: string
  accountId: string
  token: string
}

/** The ways in which somebody holds an address that they have not proved. */
const holders: Record<string, (service: Service) => Promise<Holder>> = {
  'who registered': register,
  'whose provider does not verify addresses': async () => {
    const email = randomEmail()
    const { body } = await signInThroughProvider(service, 'microsoft', { email })
    expect(body.user.email_verified).toBe(false)
    return { email, id: body.user.id, accountId: body.user.account_id, token: body.access_token }
  },
  'who was deactivated': async () => {
    const person = await register(service)
    await createColleague(person, 'admin')
    await service.sql('update users set is_active = false where id = $1', [person.id])
    return person
  },
}

const createColleague = ({ accountId }: Holder, role: string) =>
  createPerson(service, { accountId, teamId: null, teamRole: null, role, superAdmin: false })

async function invite(email: string) {
  const { admin } = await createAccount(service)
  expectStatus(await admin.call('POST', '/accounts/me/invites', { email, role: 'engineer' }), 201)
  return waitForLink(email, /register\?code=([\w-]+)/)
}
const join = (email: string, account_invite_code: string) =>
  postWithoutToken(service, '/auth/register', { email, password, full_name: 'Owner', account_invite_code })

/** The ways in which somebody else proves the address. Each returns the token of a sign-in. */
const proofs: Record<string, (email: string) => Promise<string>> = {
  'an invite and a password': async (email) =>
    expectStatus(await join(email, await invite(email)), 201).body.access_token,
  'an invite and a provider': async (email) => {
    const fields = { account_invite_code: await invite(email) }
    const persona = { email, sub: `sub-${crypto.randomUUID()}`, oid: crypto.randomUUID() }
    return expectStatus(await signInThroughProvider(service, 'microsoft', persona, fields), 200).body
      .access_token
  },
  'a provider that verifies addresses': async (email) =>
    expectStatus(await signInThroughProvider(service, 'google', { email: email.toUpperCase() }), 200).body
      .access_token,
  'a change of address': async (email) => {
    const person = await register(service)
    const { body } = await person.call('POST', '/auth/me/email-change', { new_email: email, password })
    const token = await waitForLink(email, /confirm-email\?token=([\w-]+)/)
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(3_600_000)
    expectStatus(await postWithoutToken(service, '/auth/confirm-email', { token }), 204)
    return person.token
  },
}

/** Whether the account will end; undefined when it has. */
const selectEnd = async (id: string) =>
  (await service.sql('select deletes_at is not null as ends from accounts where id = $1', [id]))[0]?.ends

describe.each(Object.entries(proofs))('AUT-79 an address that is proved by %s', (_, prove) => {
  it.each(Object.entries(holders))('is lost by a person %s, and an empty account ends', async (_, hold) => {
    const holder = await hold(service)
    const token = await prove(holder.email)
    const { body } = await callWith(service, token)('GET', '/auth/me')
    expect([body.email.toLowerCase(), body.email_verified]).toEqual([holder.email, true])
    expect(body.id).not.toBe(holder.id)
    expect((await callWith(service, holder.token)('GET', '/auth/me')).status).toBe(401)
    expect(
      await service.sql('select email from users where id = $1 and erased_at is null', [holder.id]),
    ).toEqual([])
    const colleagues = await service.sql('select id from users where account_id = $1 and is_active', [
      holder.accountId,
    ])
    await erase()
    expect(await service.sql('select id from accounts where id = $1', [holder.accountId])).toHaveLength(
      colleagues.length,
    )
  })
})

it('AUT-79 makes the oldest colleague an admin, and lets an account with work end after 14 days', async () => {
  const [shared, worked] = [await register(service), await register(service)]
  const [first, second] = [
    await createColleague(shared, 'engineer'),
    await createColleague(shared, 'engineer'),
  ]
  expectStatus(await join(shared.email, await invite(shared.email)), 201)
  expect(
    await service.sql(`select id, role from users where id = any ($1) order by role`, [
      [first.id, second.id],
    ]),
  ).toEqual([
    { id: first.id, role: 'admin' },
    { id: second.id, role: 'engineer' },
  ])
  await erase()
  expect(await selectEnd(shared.accountId)).toBe(false)
  await createFlow(worked as never)
  expectStatus(await join(worked.email, await invite(worked.email)), 201)
  await erase()
  expect(await selectEnd(worked.accountId)).toBe(true)
})

it('AUT-79 gives an address to one of 32 people who prove it at the same moment, and keeps a proved one', async () => {
  const holder = await register(service)
  const codes = await Promise.all(Array.from({ length: 32 }, () => invite(holder.email).catch(() => '')))
  const answers = await runConcurrently((n) => join(holder.email, codes[n] as string))
  expect(countByStatus(answers)[201]).toBe(1)
  expect(countByStatus(answers)[500]).toBeUndefined()
  const refused = await signInThroughProvider(service, 'google', { email: holder.email })
  expect([refused.status, refused.body.code]).toEqual([409, 'email_taken'])
})

it('AUT-79 leaves nothing to whoever set up an unproved address before its owner reset the password', async () => {
  const holder = await register(service)
  await enableTotp(service, holder)
  await service.sql(
    `insert into identities (provider, subject, user_id) values ('google', gen_random_uuid(), $1)`,
    [holder.id],
  )
  await service.sql(
    `insert into passkeys (user_id, name, credential_id, public_key, counter) values ($1, 'mine', 'x', 'x', 0)`,
    [holder.id],
  )
  const keyInput = { name: 'k', role: 'viewer', scopes: ['flows:read'] }
  expectStatus(await holder.call('POST', '/api-keys', keyInput), 201)
  await postWithoutToken(service, '/auth/forgot-password', { email: holder.email })
  const token = await waitForLink(holder.email, /reset-password\?token=([\w-]+)/)
  expectStatus(
    await postWithoutToken(service, '/auth/reset-password', { token, new_password: 'amber-wagon-52' }),
    204,
  )
  const signedIn = await login(service, holder, { password: 'amber-wagon-52' })
  expect([signedIn.status, signedIn.body.user?.email_verified]).toEqual([200, true])
  for (const table of ['identities', 'passkeys', 'totp_factors', 'recovery_codes'])
    expect([table, await service.sql(`select from ${table} where user_id = $1`, [holder.id])]).toEqual([
      table,
      [],
    ])
  expect(
    await service.sql('select from api_keys where account_id = $1 and revoked_at is null', [
      holder.accountId,
    ]),
  ).toEqual([])
})

it('AUT-80 ends an account in which nobody has verified an address for 14 days, where e-mails are sent', async () => {
  const [unproved, paying, shared] = [
    await register(service),
    await register(service),
    await register(service),
  ]
  const proved = await createAccount(service)
  await service.sql(`update accounts set subscription_status = 'active' where id = $1`, [paying.accountId])
  await createColleague(shared, 'engineer')
  const isThere = async ({ accountId }: { accountId: string }) =>
    (await service.sql('select from accounts where id = $1', [accountId])).length === 1
  const age = (days: number) =>
    service.sql(
      `update users set created_at = app.now() - make_interval(days => $2) where account_id = any ($1)`,
      [[unproved, paying, shared, proved.admin].map(({ accountId }) => accountId), days],
    )
  await age(13)
  await erase()
  expect(await isThere(unproved)).toBe(true)
  await age(14)
  const { ports } = service.services as unknown as { ports: { mail: object } }
  await erase({ mail: { ...ports.mail, isConfigured: false } as never })
  expect(await isThere(unproved)).toBe(true)
  await erase()
  expect(await Promise.all([unproved, paying, shared, proved.admin].map(isThere))).toEqual([
    false,
    true,
    true,
    true,
  ])
})
