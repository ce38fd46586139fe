import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request } from '../../support/app.ts'
import { type AccountOf, newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const { advance, linkIn } = desk(service)
const password = 'violet-tractor-81'
const anywhere = () => ({ 'cf-connecting-ip': `198.51.100.${crypto.randomUUID()}` })
const someone = () => `p-${crypto.randomUUID()}@people.example`
const unusable = { detail: 'invite_invalid_or_expired_or_revoked', code: 'invite_invalid_or_expired_or_revoked' }

async function invite({ admin }: AccountOf, email: string, role = 'engineer') {
  const made = await admin.call('POST', '/accounts/me/invites', { email, role })
  expectStatus(made, 201)
  return { ...made.body, code: await codeFor(email) } as { id: string; code: string; status: string }
}

const codeFor = (email: string, before?: string) => linkIn(email, /register\?code=([\w-]+)/, before)

const lookup = (code: string) => request(service, 'GET', `/accounts/invites/${encodeURIComponent(code)}/lookup`, { headers: anywhere() })
const join = (email: string, account_invite_code: string) =>
  request(service, 'POST', '/auth/register', {
    body: { email, password, full_name: 'New Comer', account_invite_code },
    headers: anywhere(),
  })

it('ACC-01 looks a live code up without a token', async () => {
  const account = await newAccount(service)
  const email = someone()
  const { code } = await invite(account, email, 'viewer')
  const answer = await lookup(code)
  const invited = { account_name: 'Test account', inviter_name: account.admin.fullName, invited_email: email, role: 'viewer' }
  expect([answer.status, answer.body]).toEqual([200, invited])
})

it('AUT-22 NOT-53 joins the account with the role of the invite, without trial or account of its own, and tells the inviter', async () => {
  const account = await newAccount(service)
  const email = someone()
  const { code } = await invite(account, email)
  const before = await service.sql('select id from accounts')
  const joined = await join(email, code)
  expectStatus(joined, 201)
  expect(joined.body.user).toMatchObject({
    account_id: account.id,
    role: 'engineer',
    team_id: account.teamId,
    team_role: 'member',
    email_verified: true,
  })
  expect(await service.sql('select id from accounts')).toHaveLength(before.length)
  expect((await account.admin.call('GET', '/notifications')).body).toMatchObject([
    { event_key: 'member.joined', title: 'New Comer joined the account' },
  ])
  expect((await account.admin.call('GET', '/accounts/me/invites')).body).toMatchObject([{ status: 'accepted', email }])
})

it('ACC-02 ACC-13 answers the same 404 for an unknown, used, revoked, renewed or expired code', async () => {
  const account = await newAccount(service)
  const [used, revoked, renewed, expired] = [someone(), someone(), someone(), someone()]
  const codes = { unknown: 'never-was-a-code', used: (await invite(account, used)).code, revoked: '', renewed: '', expired: '' }
  expectStatus(await join(used, codes.used), 201)
  const second = await invite(account, revoked)
  codes.revoked = second.code
  expectStatus(await account.admin.call('DELETE', `/accounts/me/invites/${second.id}`), 204)
  expectStatus(await account.admin.call('DELETE', `/accounts/me/invites/${second.id}`), 409)
  const third = await invite(account, renewed)
  codes.renewed = third.code
  expectStatus(await account.admin.call('POST', `/accounts/me/invites/${third.id}/resend`), 202)
  expectStatus(await lookup(await codeFor(renewed, third.code)), 200)
  codes.expired = (await invite(account, expired)).code
  await advance(7 * 24 * 3600 - 60)
  expectStatus(await lookup(codes.expired), 200)
  await advance(61)
  for (const [kind, code] of Object.entries(codes)) {
    const answers = [await lookup(code), await join(someone(), code)]
    for (const answer of answers) expect([kind, answer.status, answer.body]).toEqual([kind, 404, unusable])
  }
})

it('refuses a code for another address and leaves it usable', async () => {
  const account = await newAccount(service)
  const email = someone()
  const { code } = await invite(account, email)
  const other = await join(someone(), code)
  expect([other.status, other.body.code]).toEqual([400, 'invite_email_mismatch'])
  expectStatus(await join(email.toUpperCase(), code), 201)
})

it('refuses a second open invite for an address, and one for a member', async () => {
  const account = await newAccount(service)
  const email = someone()
  await invite(account, email)
  const again = await account.admin.call('POST', '/accounts/me/invites', { email: email.toUpperCase(), role: 'viewer' })
  expect([again.status, again.body.code]).toEqual([409, 'invite_open'])
  const member = await account.admin.call('POST', '/accounts/me/invites', { email: account.admin.email, role: 'viewer' })
  expect([member.status, member.body.code]).toEqual([409, 'already_member'])
})

it('ACC-12 invites nobody beyond the seats of the plan, ten at once neither', async () => {
  const account = await newAccount(service)
  await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [account.id])
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => account.admin.call('POST', '/accounts/me/invites', { email: someone(), role: 'viewer' })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
  expect(new Set(answers.filter(({ status }) => status !== 201).map(({ status, body }) => `${status} ${body.code}`))).toEqual(
    new Set(['409 seat_limit_reached']),
  )
})

it('ACC-18 lets nobody join when the seats are taken, and keeps the invite', async () => {
  const account = await newAccount(service)
  const email = someone()
  const { code } = await invite(account, email)
  await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [account.id])
  const [a] = [await account.colleague(), await account.colleague()]
  const full = await join(email, code)
  expect([full.status, full.body.code]).toEqual([409, 'seat_limit_reached'])
  await account.admin.call('DELETE', `/accounts/me/members/${a?.id}`)
  expectStatus(await join(email, code), 201)
})

it('AUT-08 lets one of many who use a code at once join', async () => {
  for (let round = 0; round < 3; round++) {
    const account = await newAccount(service)
    const email = someone()
    const { code } = await invite(account, email)
    const answers = await Promise.all(Array.from({ length: 8 }, () => join(email, code)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.every(({ status }) => [201, 404, 409].includes(status))).toBe(true)
    expect((await account.admin.call('GET', '/accounts/me/members')).body).toHaveLength(2)
  }
})
