import { afterAll, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { request, startOwnService } from '#test/support/app.ts'
import { countByStatus } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postWithoutToken, randomIpAddress } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const password = 'violet-tractor-81'
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`

function send(path: string, body: unknown, ip: string) {
  return request(service, 'POST', `/auth/${path}`, { body, token: null, headers: { 'cf-connecting-ip': ip } })
}
/** Register as many people, each from an address of their own. */
async function registerPeople(count: number) {
  const people = []
  for (let n = 0; n < count; n++) {
    const body = { email: randomEmail(), password, full_name: `Person ${n}` }
    people.push({
      ...body,
      ...expectStatus(await postWithoutToken(service, '/auth/register', body), 201).body,
    })
  }
  return people as { email: string; refresh_token: string }[]
}

it('AUT-81 40 people behind one address sign in at once, and get new tokens', async () => {
  const people = await registerPeople(40)
  const ip = randomIpAddress()
  const signIns = await Promise.all(people.map(({ email }) => send('login', { email, password }, ip)))
  expect(countByStatus(signIns)).toEqual({ 200: 40 })
  const refreshes = await Promise.all(
    people.map(({ refresh_token }) => send('refresh', { refresh_token }, ip)),
  )
  expect(countByStatus(refreshes)).toEqual({ 200: 40 })
})

it('AUT-81 an address has ten wrong passwords a minute, one after another or at once, between right ones too', async () => {
  const [person] = await registerPeople(1)
  const [ip, other] = [randomIpAddress(), randomIpAddress()]
  const guess = (from: string) => send('login', { email: randomEmail(), password: 'wrong' }, from)
  for (let n = 0; n < 10; n++) {
    expectStatus(await guess(ip), 401)
    if (n < 9) expectStatus(await send('login', { email: person?.email, password }, ip), 200)
  }
  for (const attempt of [await guess(ip), await send('login', { email: person?.email, password }, ip)]) {
    expect(attempt.body).toEqual({ detail: 'Rate limit exceeded: 10 per minute' })
    expect(Number(attempt.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(countByStatus(await Promise.all(Array.from({ length: 32 }, () => guess(other))))).toEqual({
    401: 10,
    429: 22,
  })
})

it('AUT-81 every operation that verifies a sign-in counts its failures alone', () => {
  const signIns = operations.filter(
    ({ access, strictLimit }) => access === 'public' && strictLimit === 'sign_in',
  )
  // They sign nobody in: they store something, or send a mail.
  const others = [
    'identity.auth.register',
    'identity.auth.logout',
    'identity.credentials.requestPasswordReset',
    'identity.credentials.resetPassword',
    'identity.credentials.verifyEmail',
    'identity.emailChanges.confirm',
    'identity.oauth.authorize',
    'identity.passkeys.startSignIn',
    'identity.sso.authorize',
    'identity.sso.lookUp',
  ]
  const counted = signIns.filter(({ transport }) => !transport?.countsFailures).map(({ id }) => id)
  expect(counted.sort()).toEqual(others.sort())
})
