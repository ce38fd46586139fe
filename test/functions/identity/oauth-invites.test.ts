import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request } from '../../support/app.ts'
import { callback, signInWith, visitProvider } from '../../support/oauth.ts'
import { type AccountOf, newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const { linkIn } = desk(service)
const providers = ['google', 'microsoft'] as const
const someone = () => `p-${crypto.randomUUID()}@people.example`

async function invite({ admin }: AccountOf, email: string, role = 'engineer'): Promise<string> {
  expectStatus(await admin.call('POST', '/accounts/me/invites', { email, role }), 201)
  return linkIn(email, /register\?code=([\w-]+)/)
}

const lookup = (code: string) =>
  request(service, 'GET', `/accounts/invites/${code}/lookup`, { headers: { 'cf-connecting-ip': `198.51.100.${crypto.randomUUID()}` } })
/** How many accounts, users and identities there are. */
const counts = () =>
  service.sql('select (select count(*) from accounts) a, (select count(*) from users) u, (select count(*) from identities) i')

it.each(providers)('AUT-14 AUT-15 lets a newcomer from %s join by invite: no account, no trial, the invite used', async (provider) => {
  const account = await newAccount(service)
  const email = someone()
  const code = await invite(account, email, 'viewer')
  const accounts = await service.sql('select id from accounts')
  const joined = await signInWith(service, provider, { email: email.toUpperCase(), name: 'Noa' }, { account_invite_code: code })
  expectStatus(joined, 200)
  expect(joined.body.user).toMatchObject({ account_id: account.id, role: 'viewer', team_id: account.teamId, team_role: 'member' })
  // The code reached the address, whatever the provider says of it.
  expect(joined.body.user.email_verified).toBe(true)
  expect(await service.sql('select id from accounts')).toHaveLength(accounts.length)
  const dead = await lookup(code)
  expect([dead.status, dead.body.code]).toEqual([404, 'invite_invalid_or_expired_or_revoked'])
  expect((await account.admin.call('GET', '/accounts/me/invites')).body).toMatchObject([{ status: 'accepted', email }])
  expect((await account.admin.call('GET', '/notifications')).body).toMatchObject([{ event_key: 'member.joined' }])
  expect((await signInWith(service, provider, { email: email.toUpperCase() }, { account_invite_code: code })).body.user.id).toBe(
    joined.body.user.id,
  )
})

it.each(providers)(
  'AUT-16 AUT-19 refuses an address of %s that is not the invited one, makes nobody, and leaves the invite usable',
  async (provider) => {
    const account = await newAccount(service)
    const email = someone()
    const code = await invite(account, email)
    const before = await counts()
    for (const more of [{ account_invite_code: code }, { account_invite_code: code, invited_email: email }, { invited_email: email }]) {
      const other = await signInWith(service, provider, { email: someone() }, more)
      expect([other.status, other.body.code]).toEqual([400, 'invite_email_mismatch'])
    }
    expect(await counts()).toEqual(before)
    const right = await signInWith(service, provider, { email }, { account_invite_code: code, invited_email: email.toUpperCase() })
    expect([right.status, right.body.user?.account_id]).toEqual([200, account.id])
  },
)

it('AUT-17 takes account_invite_code and invited_email or neither, and nothing else', async () => {
  const email = someone()
  const own = await signInWith(service, 'google', { email }, { invited_email: email })
  expect([own.status, own.body.user.role, own.body.user.email]).toEqual([200, 'admin', email])
  expectStatus(await signInWith(service, 'google', { email: someone() }), 200)
  const flow = await visitProvider(service, 'google', { email: someone() })
  for (const wrong of [{ invited_email: 'nobody' }, { account_invite_code: '' }, { account_invite_code: 1 }, { invite: 'x' }]) {
    expectStatus(await callback(service, 'google', { ...flow, ...wrong }), 422)
  }
  expectStatus(await callback(service, 'google', flow), 200)
})

it('AUT-14 refuses a newcomer with a code that works for nobody, and makes nobody', async () => {
  const before = await counts()
  const answer = await signInWith(service, 'google', { email: someone() }, { account_invite_code: 'never-was-a-code' })
  expect([answer.status, answer.body.code]).toEqual([404, 'invite_invalid_or_expired_or_revoked'])
  expect(await counts()).toEqual(before)
})

it('ACC-18 lets nobody join from a provider when the seats are taken, and keeps the invite', async () => {
  const account = await newAccount(service)
  const email = someone()
  const code = await invite(account, email)
  await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [account.id])
  await account.colleague()
  await account.colleague()
  const before = await counts()
  const full = await signInWith(service, 'google', { email }, { account_invite_code: code })
  expect([full.status, full.body.code]).toEqual([409, 'seat_limit_reached'])
  expect(await counts()).toEqual(before)
  expectStatus(await lookup(code), 200)
})

it('AUT-08 lets one of an invited pair join: by password and from a provider at the same moment', async () => {
  const account = await newAccount(service)
  const email = someone()
  const code = await invite(account, email)
  const flow = await visitProvider(service, 'google', { email })
  const body = { email, password: 'violet-tractor-81', full_name: 'By Password', account_invite_code: code }
  const answers = await Promise.all([
    callback(service, 'google', { ...flow, account_invite_code: code }),
    request(service, 'POST', '/auth/register', { body, headers: { 'cf-connecting-ip': `198.51.100.${crypto.randomUUID()}` } }),
  ])
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
  expect((await account.admin.call('GET', '/accounts/me/members')).body).toHaveLength(2)
})
