import { afterAll, expect, it } from 'vitest'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { postWithoutToken, randomIpAddress } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock } = dashboard(service)
const password = 'violet-tractor-81'
const newPassword = 'copper-lantern-27'
const post = (path: string, body: unknown) => postWithoutToken(service, `/auth/${path}`, body)
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`

interface Registered {
  email: string
  access_token: string
  device_token: string
  user: { id: string; account_id: string }
}

async function register(): Promise<Registered> {
  const email = randomEmail()
  const { body } = expectStatus(await post('register', { email, password, full_name: 'Dana Reyes' }), 201)
  return { email, ...body }
}

async function lock(email: string): Promise<void> {
  const guesses = await runConcurrently((n) => post('login', { email, password: `wrong ${n}` }), 10)
  expect(countByStatus(guesses)).toEqual({ 401: 10 })
}

it('AUT-37 verifies at most 10 of 50 parallel guesses from 50 addresses', async () => {
  const { email } = await register()
  const guesses = await runConcurrently((n) => post('login', { email, password: `wrong ${n}` }), 50)
  expect(countByStatus(guesses)).toEqual({ 401: 10, 429: 40 })
  const locks = await service.sql(
    `select from audit_logs a join users u on u.id = a.resource_id where u.email = $1`,
    [email],
  )
  expect(locks).toHaveLength(1)
})

it('AUT-38 answers a right and a wrong password alike while the address is locked, for known and unknown addresses', async () => {
  const [{ email }, unknown] = [await register(), randomEmail()]
  await lock(email)
  await lock(unknown)
  const answers = [
    await post('login', { email, password }),
    await post('login', { email, password: 'wrong' }),
    await post('login', { email: unknown, password }),
  ]
  const [first, ...others] = answers.map(({ status, text, headers }) => {
    const names = [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name)).toSorted()
    return { status, text, names, isLong: Number(headers.get('retry-after')) > 880 }
  })
  expect(first).toMatchObject({ status: 429, isLong: true })
  for (const other of others) expect(other).toEqual(first)
})

it('AUT-38 hashes no password while the address is locked, whether the password is right or wrong', async () => {
  const { email } = await register()
  await lock(email)
  const [row] = await service.sql<{ id: string }>('select id from users where email = $1', [email])
  // A stored text that is no hash: verifying it would make the right password wrong, and the lock must answer
  // before.
  await service.sql(`update passwords set hash = 'no hash' where user_id = $1`, [row?.id])
  expectStatus(await post('login', { email, password }), 429)
})

it('AUT-39 lets a person sign in from a device used before while strangers keep the address locked', async () => {
  const { email, device_token } = await register()
  await lock(email)
  const { body } = expectStatus(await post('login', { email, password, device_token }), 200)
  expect(body.device_token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expectStatus(await post('login', { email, password }), 429)
  expectStatus(await post('login', { email, password, device_token: body.device_token }), 200)
})

it('AUT-39 verifies at most 5 of 32 parallel guesses with a device token, and leaves the address unlocked', async () => {
  const { email, device_token } = await register()
  const guesses = await runConcurrently((n) => post('login', { email, password: `wrong ${n}`, device_token }))
  expect(countByStatus(guesses)).toEqual({ 401: 5, 429: 27 })
  expectStatus(await post('login', { email, password, device_token }), 429)
  expectStatus(await post('login', { email, password }), 200)
  await advanceClock(901)
  expectStatus(await post('login', { email, password, device_token }), 200)
})

it('AUT-39 ignores the device token of another user, a changed one and an access token', async () => {
  const [{ email, access_token, device_token }, other] = [await register(), await register()]
  await lock(email)
  for (const token of [other.device_token, `${device_token.slice(0, -4)}AAAA`, access_token, 'nonsense'])
    expectStatus(await post('login', { email, password, device_token: token }), 429)
})

it('AUT-39 ends the device tokens of a user with a password change', async () => {
  const { email, access_token, device_token } = await register()
  const change = { current_password: password, new_password: newPassword }
  expectStatus(
    await request(service, 'POST', '/auth/change-password', { token: access_token, body: change }),
    204,
  )
  await lock(email)
  expectStatus(await post('login', { email, password: newPassword, device_token }), 429)
})

it('AUT-40 signs a user out everywhere, and ends the device tokens', async () => {
  const { email, access_token, device_token } = await register()
  const second = (await post('login', { email, password })).body
  expectStatus(await request(service, 'DELETE', '/auth/me/sessions', { token: access_token }), 204)
  for (const token of [access_token, second.access_token])
    expectStatus(await request(service, 'GET', '/auth/me', { token }), 401)
  await lock(email)
  expectStatus(await post('login', { email, password, device_token }), 429)
})

it('AUT-39 refuses a device token as an access token', async () => {
  const { device_token } = await register()
  expectStatus(await request(service, 'GET', '/auth/me', { token: device_token }), 401)
})

it('AUT-41 stores what was typed as an address only as a hash, and deletes it when the lock is over', async () => {
  const typed = `my-password-${crypto.randomUUID()}`
  await post('login', { email: typed, password })
  const rows = await service.sql<{ row: string }>(
    'select row_to_json(t)::text as row from sign_in_attempts t',
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.map(({ row }) => row).join()).not.toContain(typed)
  await advanceClock(901)
  expect(await service.sql('select from sign_in_attempts')).toEqual([])
})

it('AUT-78 a flood of wrong sign-ins from many addresses leaves room for those who have signed in from theirs before', async () => {
  const addresses = Array.from({ length: 6 }, () => randomIpAddress())
  const people = await Promise.all(
    addresses.map(async (address) => {
      const email = randomEmail()
      const body = { email, password, full_name: 'Dana Reyes' }
      expectStatus(await postWithoutToken(service, '/auth/register', body, address), 201)
      return { email, address }
    }),
  )
  const flood = Promise.all(
    Array.from({ length: 200 }, () => post('login', { email: randomEmail(), password: 'wrong-password-1' })),
  )
  const right = await Promise.all(
    people.map(({ email, address }) =>
      postWithoutToken(service, '/auth/login', { email, password }, address),
    ),
  )
  expect(countByStatus(right)).toEqual({ 200: 6 })
  const tried = countByStatus(await flood)
  expect(Object.keys(tried).every((status) => ['401', '503'].includes(status))).toBe(true)
})
