import { createHash } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import { withConnection } from '#db/migrate/connection.ts'
import { createAiSession } from '#test/support/ai.ts'
import { createKey } from '#test/support/api-keys.ts'
import { request, sharedService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { escalateSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAnsweredSession, exportSession } from '#test/support/exports.ts'
import { createFlow, flowBody } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { randomIpAddress } from '#test/support/public-requests.ts'
import { createApiKey } from '#vendors/auth/api-keys.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'

const service = await sharedService()
/** Run a statement as the role of the service, which `app.enter` asks for. */
async function asService<Row extends object>(statement: string, values: unknown[]): Promise<Row[]> {
  const { username: user, password, pathname } = new URL(service.settings.DATABASE_URL ?? '')
  const port = inject('shared').postgresPort
  const connection = { host: '127.0.0.1', port, user, password, database: pathname.slice(1) }
  return withConnection(connection, async (client) => (await client.query<Row>(statement, values)).rows)
}
const input = { name: 'Ticket sync', role: 'engineer', scopes: ['flows:read'] }
const validFlow = flowBody()
const listKeys = async ({ call }: Person) => (await call('GET', '/api-keys')).body
const expire = (id: string) => service.sql(`update api_keys set expires_at = app.now() where id = $1`, [id])
const countUsers = async (accountId: string) =>
  (await service.sql('select from users where account_id = $1', [accountId])).length

describe('creating a key', () => {
  it('KEY-01 returns the key once and stores its hash', async () => {
    const { admin } = await createAccount(service)
    const { body } = expectStatus(
      await admin.call('POST', '/api-keys', { ...input, scopes: ['flows:read', 'flows:read'] }),
      201,
    )
    const { key, ...row } = body
    expect(key).toMatch(/^sfk_[0-9A-Za-z]{93}$/)
    expect(row).toMatchObject({
      ...input,
      allowed_ranges: [],
      expires_at: null,
      last_used_at: null,
      creator_name: admin.fullName,
    })
    expect(await listKeys(admin)).toEqual([row])
    expect(row.last_characters).toBe(key.slice(-4))
    const stored = await service.sql<{ hash: Buffer }>('select * from api_keys where id = $1', [row.id])
    expect(stored[0]?.hash).toEqual(createHash('sha256').update(key).digest())
    const rows = await service.sql<{ text: string }>(
      `select to_jsonb(l)::text as text from audit_logs l where account_id = $1 union all select to_jsonb(u)::text from users u where account_id = $1
       union all select to_jsonb(k)::text from api_keys k where account_id = $1 union all select to_jsonb(i)::text from idempotency_keys i where account_id = $1`,
      [admin.accountId],
    )
    for (const { text } of rows) expect(text).not.toContain(key.slice(48, -6))
  })

  it.each([
    ['an unknown scope', { scopes: ['billing:read'] }],
    ['a right that a subject does not have', { scopes: ['accounts:write'] }],
    ['no scope', { scopes: [] }],
    ['a role that does not exist', { role: 'super_admin' }],
    ['text that is no address', { allowed_ranges: ['example.com'] }],
    ['a range with too many bits', { allowed_ranges: ['10.0.0.0/33'] }],
    ['a team that does not exist', { team_id: crypto.randomUUID() }],
    ['an octal address', { allowed_ranges: ['010.0.0.1'] }],
    ['21 ranges', { allowed_ranges: Array.from({ length: 21 }, (_, n) => `10.0.0.${n}`) }],
    ['an expiry in the past', { expires_at: '2020-01-01T00:00:00.000Z' }],
    ['a name without a visible character', { name: '\u200b' }],
  ])('KEY-01 refuses %s with 422 and creates nothing', async (_, change) => {
    const { admin } = await createAccount(service)
    expectStatus(await admin.call('POST', '/api-keys', { ...input, ...change }), 422)
    expect([await listKeys(admin), await countUsers(admin.accountId)]).toEqual([[], 1])
  })

  it('KEY-11 stores at most 50 keys when 32 are created at once at the limit, and one more after a key was revoked', async () => {
    const account = await createAccount(service)
    await service.sql(
      `with u as (insert into users (account_id, email, full_name, role, is_active, is_service)
                  select $1, gen_random_uuid() || '@keys.invalid', 'Old', 'viewer', false, true from generate_series(1, 40) returning id)
       insert into api_keys (id, account_id, hash, last_characters, scopes, created_by)
       select id, $1, sha256(uuid_send(id)), 'abcd', '{flows:read}', $2 from u`,
      [account.id, account.admin.id],
    )
    const creators = await Promise.all([account.admin, account.addColleague({ role: 'admin' })])
    const responses = await runConcurrently((n) =>
      (creators[n % 2] as Person).call('POST', '/api-keys', input),
    )
    expect(countByStatus(responses)).toEqual({ 201: 10, 409: 22 })
    expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'limit_reached',
      resource: 'api_keys',
      limit: 50,
    })
    const created = responses.find(({ status }) => status === 201)
    expectStatus(await account.admin.call('DELETE', `/api-keys/${created?.body.id}`), 204)
    expectStatus(await account.admin.call('POST', '/api-keys', input), 201)
  })
})

describe('using a key', () => {
  it('KEY-02 reads with flows:read, and returns 403 with the missing scope for a write, which changes nothing', async () => {
    const key = await createKey(service, await createAccount(service), { scopes: ['flows:read'] })
    expectStatus(await key.call('GET', '/trees'), 200)
    const { body } = expectStatus(await key.call('POST', '/trees', validFlow), 403)
    expect(body).toEqual({
      detail: 'This needs the scope flows:write',
      code: 'insufficient_scope',
      required_scope: 'flows:write',
    })
    expect(await service.sql('select from trees where account_id = $1', [key.accountId])).toEqual([])
  })

  it('KEY-03 does not list or create keys with *:read and *:write', async () => {
    const key = await createKey(service, await createAccount(service), {
      role: 'admin',
      scopes: ['*:read', '*:write'],
    })
    for (const call of [
      key.call('GET', '/api-keys'),
      key.call('POST', '/api-keys', input),
      key.call('DELETE', `/api-keys/${key.id}`),
    ])
      expect(expectStatus(await call, 403).body.code).toBe('closed_to_keys')
  })

  it('KEY-04 has its own role: a viewer’s key with *:write may not write', async () => {
    const key = await createKey(service, await createAccount(service), { role: 'viewer' })
    const { body } = expectStatus(await key.call('POST', '/trees', validFlow), 403)
    expect(body.code).toBeUndefined()
  })

  it('KEY-04 sees what its team sees, and not what another team does', async () => {
    const account = await createAccount(service)
    const { id } = await createFlow(account.admin, { visibility: 'team' })
    const { body: team } = await account.admin.call('POST', '/teams', { name: 'Another' })
    const keys = [account.teamId, team.id, undefined].map((team_id) =>
      createKey(service, account, team_id ? { team_id } : {}),
    )
    const statuses = []
    for (const key of keys) statuses.push((await (await key).call('GET', `/trees/${id}`)).status)
    expect(statuses).toEqual([200, 404, 404])
  })

  it('KEY-08 completes and exports a session, which stores the time of the export', async () => {
    const account = await createAccount(service)
    const key = await createKey(service, account, { team_id: account.teamId })
    const id = await createAnsweredSession(key, ['One'])
    expectStatus(await exportSession(key, id), 200)
    expect((await key.call('GET', `/sessions/${id}`)).body).toMatchObject({ exported_at: expect.any(String) })
  })

  it('KEY-02 a key sees no private flow of its creator, and no row of another account', async () => {
    const [account, other] = [await createAccount(service), await createAccount(service)]
    const { body: flow } = expectStatus(
      await account.admin.call('POST', '/trees', { ...validFlow, visibility: 'private' }),
      201,
    )
    const { body: theirs } = expectStatus(
      await other.admin.call('POST', '/trees', { ...validFlow, visibility: 'account' }),
      201,
    )
    const key = await createKey(service, account)
    for (const id of [flow.id, theirs.id]) expectStatus(await key.call('GET', `/trees/${id}`), 404)
  })

  it('KEY-05 returns 401 for a revoked key, and 404 when it is revoked again', async () => {
    const account = await createAccount(service)
    const key = await createKey(service, account)
    expectStatus(await key.call('GET', '/trees'), 200)
    expectStatus(await account.admin.call('DELETE', `/api-keys/${key.id}`), 204)
    expectStatus(await key.call('GET', '/trees'), 401)
    expectStatus(await key.call('GET', '/api-keys'), 401)
    expectStatus(await account.admin.call('DELETE', `/api-keys/${key.id}`), 404)
    expect(await listKeys(account.admin)).toEqual([])
  })

  it('KEY-05 returns 401 for an expired key', async () => {
    const key = await createKey(service, await createAccount(service))
    await expire(key.id)
    expectStatus(await key.call('GET', '/trees'), 401)
  })

  it('KEY-05 returns 401 for another key with the ids of an existing one, or with those of another account', async () => {
    const [account, other] = [await createAccount(service), await createAccount(service)]
    const { id: keyId, key } = await createKey(service, account)
    const forged = [
      createApiKey({ accountId: account.id, keyId }),
      createApiKey({ accountId: other.id, keyId }),
      createApiKey({ accountId: account.id, keyId: account.admin.id }),
      `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`,
      key.toLowerCase(),
      `${key}0`,
    ]
    for (const token of forged) expectStatus(await request(service, 'GET', '/trees', { token }), 401)
  })

  it('KEY-05 does not take a key from the query string, a cookie or the body', async () => {
    const { key } = await createKey(service, await createAccount(service))
    for (const name of ['key', 'api_key', 'access_token', 'ticket'])
      expectStatus(await request(service, 'GET', `/trees?${name}=${key}`), 401)
    expectStatus(
      await request(service, 'GET', '/trees', { headers: { cookie: `api_key=${key}`, 'x-api-key': key } }),
      401,
    )
  })

  it('KEY-06 works only from the addresses of its ranges', async () => {
    const key = await createKey(service, await createAccount(service), {
      allowed_ranges: ['203.0.113.64/26', '2001:db8:1::/48', '198.51.100.7'],
    })
    const [row] = await service.sql<{ allowed_ranges: string[] }>(
      'select allowed_ranges from api_keys where id = $1',
      [key.id],
    )
    expect(row?.allowed_ranges).toEqual(['203.0.113.64/26', '2001:db8:1::/48', '198.51.100.7/32'])
    const callFrom = (address: string) =>
      key.call('GET', '/trees', undefined, { 'cf-connecting-ip': address })
    for (const inside of ['203.0.113.127', '::ffff:203.0.113.64', '2001:db8:1:2::3', '198.51.100.7'])
      expectStatus(await callFrom(inside), 200)
    for (const outside of ['203.0.113.63', '::ffff:203.0.113.1', '2001:db8:2::1', '198.51.100.8'])
      expect([outside, expectStatus(await callFrom(outside), 403).body.code]).toEqual([
        outside,
        'address_not_allowed',
      ])
  })

  it('KEY-06 stores a range of IPv4 that is written as IPv6 as IPv4', async () => {
    const key = await createKey(service, await createAccount(service), {
      allowed_ranges: ['::ffff:203.0.113.0/120'],
    })
    expectStatus(await key.call('GET', '/trees', undefined, { 'cf-connecting-ip': '203.0.113.9' }), 200)
  })

  it.each([
    ['deactivated', { is_active: false }],
    ['demoted', { role: 'engineer' }],
  ])('KEY-07 is revoked when its creator is %s, with an audit entry', async (_, change) => {
    const account = await createAccount(service)
    const creator = await account.addColleague({ role: 'admin' })
    const key = await createKey(service, { admin: creator })
    expectStatus(await account.admin.call('PATCH', `/accounts/me/members/${creator.id}`, change), 200)
    expectStatus(await key.call('GET', '/trees'), 401)
    const { body } = await account.admin.call('GET', '/accounts/me/audit-logs')
    expect(body[0].action === 'api_key.updated' || body[1].action === 'api_key.updated').toBe(true)
  })
})

describe('the user of a key', () => {
  it('KEY-08 takes no seat, is no member, and is named by rows and audit entries', async () => {
    const account = await createAccount(service)
    const members = (await account.admin.call('GET', '/accounts/me/members')).body
    const key = await createKey(service, account, { name: 'Nightly import', role: 'admin' })
    expect((await account.admin.call('GET', '/accounts/me/members')).body).toEqual(members)
    expect((await account.admin.call('GET', '/billing/subscription')).body).toMatchObject({ seats_used: 1 })
    const { body: flow } = expectStatus(
      await key.call('POST', '/trees', { ...validFlow, visibility: 'account' }),
      201,
    )
    expect((await account.admin.call('GET', `/trees/${flow.id}`)).body).toMatchObject({
      author_id: key.id,
      author_name: 'Nightly import',
    })
    expectStatus(await key.call('POST', '/script-templates/categories', { name: 'Imports' }), 201)
    const { body: log } = await account.admin.call('GET', '/accounts/me/audit-logs')
    expect(log.map(({ actor_id }: { actor_id: string }) => actor_id)).toEqual([key.id, account.admin.id])
  })

  it('KEY-08 escalates an AI session, and nobody else can be escalated to the key', async () => {
    const account = await createAccount(service)
    const key = await createKey(service, account, { team_id: account.teamId })
    const { handoffId } = await escalateSession(key, (await createAiSession(key)).id)
    expect((await account.admin.call('GET', '/ai-sessions/queue')).body).toMatchObject([
      { handoff_id: handoffId, engineer_name: key.fullName },
    ])
    const { body: notifications } = await account.admin.call('GET', '/notifications')
    expect(notifications).toContainEqual(
      expect.objectContaining({ title: expect.stringContaining(key.fullName) }),
    )
    const session = await createAiSession(account.admin)
    expectStatus(
      await account.admin.call('POST', `/ai-sessions/${session.id}/escalate`, { target_user_id: key.id }),
      404,
    )
  })

  it('KEY-08 is not changed, activated or moved by an admin', async () => {
    const account = await createAccount(service)
    const key = await createKey(service, account)
    const path = `/accounts/me/members/${key.id}`
    for (const change of [{ is_active: true }, { role: 'admin' }])
      expectStatus(await account.admin.call('PATCH', path, change), 404)
    expectStatus(await account.admin.call('DELETE', path), 404)
    expectStatus(
      await account.admin.call('PUT', `/teams/${account.teamId}/members/${key.id}`, { team_role: 'admin' }),
      404,
    )
    const [user] = await service.sql('select role, is_active, team_id from users where id = $1', [key.id])
    expect(user).toEqual({ role: 'engineer', is_active: false, team_id: null })
  })

  it('KEY-08 is not the last admin, so an admin’s key does not allow to remove the last person', async () => {
    const account = await createAccount(service)
    await createKey(service, account, { role: 'admin' })
    expect(
      expectStatus(await account.admin.call('DELETE', `/accounts/me/members/${account.admin.id}`), 409).body
        .code,
    ).toBe('last_admin')
  })

  it('KEY-08 has no sign-in: a reset link is not sent, and app.enter refuses the key as a sign-in', async () => {
    const key = await createKey(service, await createAccount(service))
    const [user] = await service.sql<{ email: string }>('select email from users where id = $1', [key.id])
    await request(service, 'POST', '/auth/forgot-password', {
      body: { email: user?.email },
      headers: { 'cf-connecting-ip': randomIpAddress() },
    })
    expect(await service.sql('select from deliveries where recipient = $1', [user?.email])).toEqual([])
    const entering = asService(`select app.enter($1, $2, $1, 'user', 'none', '')`, [key.id, key.accountId])
    await expect(entering).rejects.toMatchObject({ code: 'SF401' })
  })

  it('KEY-08 shares no idempotency key with its creator', async () => {
    const account = await createAccount(service)
    const key = await createKey(service, account)
    const headers = { 'idempotency-key': 'same' }
    const responses = [account.admin, key, key].map(
      (caller) => () => caller.call('POST', '/trees', validFlow, headers),
    )
    const ids: string[] = []
    for (const send of responses) ids.push(expectStatus(await send(), 201).body.id)
    expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([false, true])
  })
})

it('KEY-09 records the first use, and the next one after a minute', async () => {
  const account = await createAccount(service)
  const key = await createKey(service, account)
  const readKey = async () => (await listKeys(account.admin))[0]
  expectStatus(
    await key.call('GET', '/trees', undefined, { 'cf-connecting-ip': '203.0.113.5', 'user-agent': 'sync/1' }),
    200,
  )
  await expect
    .poll(readKey)
    .toMatchObject({ last_used_at: expect.any(String), last_ip: '203.0.113.5', last_user_agent: 'sync/1' })
  const record = (ip: string) =>
    service.sql('select app.record_key_use($1, $2, $3, $4)', [account.id, key.id, ip, 'sync/2'])
  await record('203.0.113.6')
  expect((await readKey()).last_ip).toBe('203.0.113.5')
  await service.sql(`update api_keys set last_used_at = last_used_at - interval '1 minute' where id = $1`, [
    key.id,
  ])
  await record('203.0.113.6')
  expect((await readKey()).last_ip).toBe('203.0.113.6')
})

it('KEY-10 the keys of an account share its limits, and those of another account do not', async () => {
  const [account, other] = [await createAccount(service), await createAccount(service)]
  const keys = await Promise.all(Array.from({ length: 5 }, () => createKey(service, account)))
  const remaining = async ({ call }: (typeof keys)[number]) =>
    Number((await call('GET', '/analytics/me')).headers.get('ratelimit-remaining'))
  const counts: number[] = []
  for (const key of keys) counts.push(await remaining(key))
  const [first = 0] = counts
  expect(counts).toEqual([first, first - 1, first - 2, first - 3, first - 4])
  const stranger = await createKey(service, other)
  expect(await remaining(stranger)).toBe(first)
})

it('KEY-10 five new keys that call at once share one limit', async () => {
  const account = await createAccount(service)
  const keys = await Promise.all(Array.from({ length: 5 }, () => createKey(service, account)))
  const responses = await Promise.all(
    keys.flatMap(({ call }) => Array.from({ length: 12 }, () => call('GET', '/analytics/team'))),
  )
  expect(countByStatus(responses)).toEqual({ 200: 30, 429: 30 })
})

it('KEY-10 a forged key with the ids of another one does not use up its limit', async () => {
  const account = await createAccount(service)
  const { id: keyId, call } = await createKey(service, account)
  const remaining = async () =>
    Number((await call('GET', '/analytics/me')).headers.get('ratelimit-remaining'))
  const before = await remaining()
  for (let n = 0; n < 5; n++) {
    const token = createApiKey({ accountId: account.id, keyId })
    expectStatus(
      await request(service, 'GET', '/analytics/me', {
        token,
        headers: { 'cf-connecting-ip': randomIpAddress() },
      }),
      401,
    )
  }
  expect(await remaining()).toBe(before - 1)
})

it('KEY-10 counts calls with unknown keys as those without a token, also when their checksum is right', async () => {
  const headers = { 'cf-connecting-ip': randomIpAddress() }
  const forge = () => createApiKey({ accountId: crypto.randomUUID(), keyId: crypto.randomUUID() })
  const responses = await Promise.all(
    Array.from({ length: 310 }, () => request(service, 'GET', '/analytics/me', { token: forge(), headers })),
  )
  expect(countByStatus(responses)).toEqual({ 401: 300, 429: 10 })
})

it('KEY-05 the check of open streams admits a key until it is revoked, and only with the scope', async () => {
  const account = await createAccount(service)
  const [reader, other] = [
    await createKey(service, account, { scopes: ['ai:read'] }),
    await createKey(service, account, { scopes: ['flows:read'] }),
  ]
  const ids = [reader.id, other.id, account.admin.id]
  const check = async () =>
    (
      await asService<{ id: string }>(
        `select id from app.still_let_in($1, $2, $2, 'engineer', 'ai_sessions') id`,
        [account.id, ids],
      )
    ).map(({ id }) => id)
  expect(await check()).toEqual([reader.id])
  expectStatus(await account.admin.call('DELETE', `/api-keys/${reader.id}`), 204)
  expect(await check()).toEqual([])
})

it('KEY-12 a stored hash admits a task of the key without its address, and no key without a hash', async () => {
  const account = await createAccount(service)
  const { key, id } = await createKey(service, account, {
    allowed_ranges: ['203.0.113.1'],
    scopes: ['ai:write'],
  })
  const enter = (hash: string | null, address: string | null) =>
    asService(`select app.enter_key($1, $2, $3, '{ai:write}', 'user', 'none', null, $4)`, [
      account.id,
      id,
      hash,
      address,
    ])
  await enter(await sha256Bytea(key), null)
  await expect(enter(await sha256Bytea(key), '')).rejects.toMatchObject({ code: 'SF4KA' })
  for (const hash of [null, await sha256Bytea('another')])
    await expect(enter(hash, null)).rejects.toMatchObject({ code: 'SF401' })
})
