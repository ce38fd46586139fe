import { expect } from 'vitest'
import { randomToken, sha256Bytea } from '../../lib/auth/hash.ts'
import { expectStatus } from '../support/answers.ts'
import { desk, type Service } from '../support/app.ts'
import { type AccountOf, newAccount, type Person } from '../support/people.ts'
import { callers, deliverByHand, emitQuietly, escalation, tally, together, visit } from './callers.ts'

// Each proof throws where it does not hold, and says in which round.

/** One refresh token, presented by all at once: one gets the next token, which goes into the next round. */
export async function refreshHasOneWinner(service: Service, rounds: number): Promise<void> {
  const { admin } = await newAccount(service)
  let token = randomToken()
  await service.sql('insert into refresh_tokens (hash, sign_in_id) values ($1, $2)', [await sha256Bytea(token), admin.signInId])
  for (let round = 1; round <= rounds; round++) {
    const answers = await together(() => visit(service, '/auth/refresh', { refresh_token: token }))
    expect(tally(answers), `round ${round}`).toEqual({ 200: 1, 401: callers - 1 })
    token = answers.find(({ status }) => status === 200)?.body.refresh_token
  }
  const issued = await service.sql('select from refresh_tokens where sign_in_id = $1', [admin.signInId])
  expect(issued).toHaveLength(rounds + 1)
}

/** One link of a mail, followed by all at once: one verifies. */
export async function verificationHasOneWinner(service: Service, rounds: number): Promise<void> {
  const { admin } = await newAccount(service)
  for (let round = 1; round <= rounds; round++) {
    const token = randomToken()
    await service.sql('update users set email_verified_at = null where id = $1', [admin.id])
    await service.sql(
      "insert into one_time_tokens (hash, user_id, purpose, expires_at) values ($1, $2, 'verify_email', app.now() + interval '1 hour')",
      [await sha256Bytea(token), admin.id],
    )
    const answers = await together(() => visit(service, '/auth/verify-email', { token }))
    expect(tally(answers), `round ${round}`).toEqual({ 204: 1, 400: callers - 1 })
  }
}

const password = 'Copper-Kettle-Harbour-93'

/** One address, registered by all at once: one account comes of it. */
export async function registrationHasOneWinner(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const email = `race-${crypto.randomUUID()}@people.example`
    // Letters of another size are the same address.
    const spelled = (caller: number) => (caller % 2 ? email : email.toUpperCase())
    const answers = await together((caller) => visit(service, '/auth/register', { email: spelled(caller), password, full_name: 'Race' }))
    expect(tally(answers), `round ${round}`).toEqual({ 201: 1, 409: callers - 1 })
    expect(await service.sql('select from users where lower(email) = $1', [email])).toHaveLength(1)
  }
}

/** Wrong passwords from everywhere at once lock the address: no later sign-in gets through, not even the right one. */
export async function lockHoldsAgainstMany(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const email = `lock-${crypto.randomUUID()}@people.example`
    expectStatus(await visit(service, '/auth/register', { email, password, full_name: 'Lock' }), 201)
    const wrong = await together(() => visit(service, '/auth/login', { email, password: 'not-the-password' }))
    const counts = tally(wrong)
    expect((counts[401] ?? 0) + (counts[429] ?? 0), `round ${round}`).toBe(callers)
    expect(counts[401]).toBeGreaterThanOrEqual(10)
    const right = await together(() => visit(service, '/auth/login', { email, password }))
    expect(tally(right), `round ${round}`).toEqual({ 429: callers })
    expect(right[0]?.body.code).toBe('sign_in_locked')
  }
}

async function chatConfig(service: Service, { admin }: AccountOf): Promise<{ id: string; path: string }> {
  const path = `/chat/1/race-${crypto.randomUUID()}`
  const config = { channel: 'chat1_webhook', webhook_url: service.local + path, events_enabled: ['session.escalated'] }
  const made = await admin.call('POST', '/notifications/configs', config)
  expectStatus(made, 201)
  return { id: made.body.id, path }
}

const sentTo = async (service: Service, path: string): Promise<number> =>
  (await desk(service).read('chat')).filter((message) => message.path === path).length

/** Copies of one delivery message, all at once and each answered 200: one message is sent. */
export async function copiesSendOnce(service: Service, rounds: number): Promise<void> {
  const account = await newAccount(service)
  const { path } = await chatConfig(service, account)
  for (let round = 1; round <= rounds; round++) {
    const ids = await emitQuietly(service, account.id, escalation(`Copies, round ${round}`))
    const rows = await service.sql<{ id: string }>('select id from deliveries where id = any($1) and config_id is not null', [ids])
    expect(rows).toHaveLength(1)
    const answers = await together(() => deliverByHand(service, rows[0]?.id ?? '', 1))
    expect(tally(answers), `round ${round}`).toEqual({ 200: callers })
    expect(await sentTo(service, path), `round ${round}`).toBe(Math.min(round, 1000))
    const [row] = await service.sql('select state, attempts from deliveries where id = $1', [rows[0]?.id])
    expect(row).toEqual({ state: 'delivered', attempts: 1 })
  }
}

/** One POST under one key, sent by all at once: one row, and whoever is answered 201 is answered with that row. */
export async function keyedCreateIsOne(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await newAccount(service)
    const body = { channel: 'email', email_addresses: ['oncall@people.example'], events_enabled: [] }
    const answers = await together(() => admin.call('POST', '/notifications/configs', body, { 'idempotency-key': `round ${round}` }))
    const counts = tally(answers)
    // The key does not lift the limit of 10: the others are not let in.
    expect(counts[429], `round ${round}`).toBe(callers - 10)
    expect((counts[201] ?? 0) + (counts[409] ?? 0), `round ${round}`).toBe(10)
    const rows = await service.sql<{ id: string }>('select id from notification_configs where account_id = $1', [admin.accountId])
    expect(rows, `round ${round}`).toHaveLength(1)
    for (const { status, body } of answers) if (status === 201) expect(body.id).toBe(rows[0]?.id)
  }
}

/** The same for an operation that waits for somebody outside: one message leaves the house. */
export async function keyedTestSendsOnce(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const account = await newAccount(service)
    const { id, path } = await chatConfig(service, account)
    const test = () => account.admin.call('POST', '/notifications/configs/test', { config_id: id }, { 'idempotency-key': `round ${round}` })
    const counts = tally(await together(test))
    expect(counts[429], `round ${round}`).toBe(callers - 5)
    expect((counts[200] ?? 0) + (counts[409] ?? 0), `round ${round}`).toBe(5)
    expect(await sentTo(service, path), `round ${round}`).toBe(1)
  }
}

/** All is marked read while events arrive: what was there before is read, nothing is lost, and the count tells the truth. */
export async function markAllReadLosesNothing(service: Service, rounds: number): Promise<void> {
  const account = await newAccount(service)
  for (let round = 1; round <= rounds; round++) {
    const person = await account.colleague()
    const early = 4
    for (let n = 0; n < early; n++) await emitQuietly(service, account.id, escalation(`Early ${n}`, person.id))
    // Nine marks stay below the limit of ten with the last one.
    const marks = (caller: number) => caller % 4 === 1
    const answers = await together((caller) => (marks(caller) ? markAll(person) : emitTo(service, person, caller)))
    const late = answers.filter((answer) => answer === 'emitted').length
    expect(await inbox(service, person), `round ${round}`).toMatchObject({ all: early + late, odd: 0, unread_early: 0 })
    const { unread } = await inbox(service, person)
    expect((await person.call('GET', '/notifications/unread-count')).body).toEqual({ count: unread })
    await markAll(person)
    expect((await person.call('GET', '/notifications/unread-count')).body).toEqual({ count: 0 })
  }
}

async function markAll(person: Person): Promise<string> {
  const answer = await person.call('POST', '/notifications/mark-all-read')
  expect([answer.status, answer.body]).toEqual([200, { count: 0 }])
  return 'marked'
}

async function emitTo(service: Service, person: Person, caller: number): Promise<string> {
  await emitQuietly(service, person.accountId, escalation(`Late ${caller}`, person.id))
  return 'emitted'
}

async function inbox(service: Service, person: Person) {
  const [row] = await service.sql<{ all: number; unread: number; odd: number; unread_early: number }>(
    `select count(*)::int as all, count(*) filter (where not is_read)::int as unread,
            count(*) filter (where is_read <> (read_at is not null))::int as odd,
            count(*) filter (where not is_read and title like '%Early%')::int as unread_early
       from notifications where user_id = $1`,
    [person.id],
  )
  return row as { all: number; unread: number; odd: number; unread_early: number }
}

/** A user beyond a limit and an address beyond a limit stand in nobody else's way. */
export async function limitsAreOnesOwn(service: Service, rounds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const { admin, colleague } = await newAccount(service)
    const other = await colleague()
    const counts = tally(await together(() => admin.call('POST', '/notifications/mark-all-read')))
    expect(counts, `round ${round}`).toEqual({ 200: 10, 429: callers - 10 })
    expectStatus(await other.call('POST', '/notifications/mark-all-read'), 200)
    const [from, elsewhere] = [`round-${round}-${crypto.randomUUID()}`, `other-${round}-${crypto.randomUUID()}`]
    const visits = await together(() => visit(service, '/auth/verify-email', { token: randomToken() }, from))
    expect(tally(visits), `round ${round}`).toEqual({ 400: 10, 429: callers - 10 })
    expectStatus(await visit(service, '/auth/verify-email', { token: randomToken() }, elsewhere), 400)
  }
}
