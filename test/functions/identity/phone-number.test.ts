import { afterAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createNumber, setUpGateway } from '#test/support/phone.ts'
import { enableTotp, register } from '#test/support/two-factor.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock, listRecords, setFault } = dashboard(service)
const path = '/auth/me/phone-number'
const password = 'violet-tractor-81'

const listMessages = async (number: string) =>
  (await listRecords('phone')).filter(({ to }) => to === number).map(({ text }) => text as string)
type Caller = Pick<Person, 'call'>
const ask = (person: Caller, number: string) => person.call('POST', path, { number, password })
const confirm = (person: Caller, code: string) => person.call('POST', `${path}/confirm`, { code })
const settle = () => service.stack.localServer.qstash.waitUntilSettled()
/** Return the code of the newest message to a number. */
async function readCode(number: string): Promise<string> {
  await settle()
  return /^(\d{6}) is your Support Flow code/.exec((await listMessages(number))[0] ?? '')?.[1] ?? ''
}

const toOther = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

/** Register the admin of an account with a gateway. */
async function registerWithGateway(changes = {}) {
  const person = await register(service)
  await setUpGateway(service, person, changes)
  return person
}

describe('my phone number', () => {
  it('PHO-05 counts once the code that was sent to it is confirmed, and the present one stays until then', async () => {
    const person = await registerWithGateway()
    const [first, second] = [createNumber(), createNumber()]
    expect(expectStatus(await ask(person, first), 202).body).toMatchObject({
      number: null,
      pending_number: first,
    })
    const code = await readCode(first)
    expect((await confirm(person, code)).body).toMatchObject({ number: first, pending_number: null })
    expectStatus(await confirm(person, code), 400)
    expectStatus(await ask(person, second), 202)
    expect((await person.call('GET', path)).body).toMatchObject({ number: first, pending_number: second })
    expect((await confirm(person, await readCode(second))).body).toMatchObject({ number: second })
    expectStatus(await person.call('DELETE', path), 204)
    expect((await person.call('GET', path)).body).toMatchObject({ number: null, verified_at: null })
    const actions = await service.sql<{ action: string }>(
      `select action from audit_logs where resource_id = $1 and action like 'phone_number%' order by created_at, id`,
      [person.id],
    )
    const [requested, confirmed] = ['phone_number.requested', 'phone_number.confirmed']
    expect(actions.map(({ action }) => action)).toEqual([
      requested,
      confirmed,
      requested,
      confirmed,
      'phone_number.deleted',
    ])
  })

  it('PHO-06 compares at most 5 codes, however many are tried at once', async () => {
    const person = await registerWithGateway()
    const number = createNumber()
    expectStatus(await ask(person, number), 202)
    const code = await readCode(number)
    const answers = await runConcurrently(() => confirm(person, toOther(code)))
    expect(countByStatus(answers)).toEqual({ 400: 10, 429: 22 })
    expect(
      await service.sql('select code_attempts from phone_numbers where user_id = $1', [person.id]),
    ).toEqual([{ code_attempts: 5 }])
  })

  it('PHO-06 ends a code after 5 attempts and after 10 minutes', async () => {
    const person = await registerWithGateway()
    const number = createNumber()
    expectStatus(await ask(person, number), 202)
    const code = await readCode(number)
    for (let n = 0; n < 5; n++) expectStatus(await confirm(person, toOther(code)), 400)
    expectStatus(await confirm(person, code), 400)
    expectStatus(await ask(person, number), 202)
    expect((await confirm(person, await readCode(number))).body).toMatchObject({ number })
    expectStatus(await ask(person, number), 202)
    const late = await readCode(number)
    await advanceClock(601)
    expectStatus(await confirm(person, late), 400)
    expect((await person.call('GET', path)).body).toMatchObject({ number, pending_number: null })
  })

  it('PHO-06 makes no number of a code of another person, of an earlier number, or before it is sent', async () => {
    const account = await createAccount(service)
    await setUpGateway(service, account.admin)
    const colleague = await account.addColleague()
    const [mine, theirs] = [createNumber(), createNumber()]
    const askFreely = (person: Caller, number: string) => person.call('POST', path, { number })
    expectStatus(await askFreely(account.admin, mine), 202)
    expectStatus(await askFreely(colleague, theirs), 202)
    const [code, other] = [await readCode(mine), await readCode(theirs)]
    if (code !== other) expectStatus(await confirm(colleague, code), 400)
    expectStatus(await askFreely(colleague, createNumber()), 202)
    await settle()
    expectStatus(await confirm(colleague, other), 400)
    await service.sql('update phone_numbers set code_hash = null where user_id = $1', [account.admin.id])
    expectStatus(await confirm(account.admin, code), 400)
  })

  it('PHO-07 answers the same whether the gateway sends, refuses, is down, or too many codes were sent', async () => {
    const shape = { number: null, verified_at: null, code_expires_at: expect.any(String) }
    const answerTo = async (person: Caller, number: string) => {
      const { status, body } = await ask(person, number)
      expect(body).toEqual({ ...shape, pending_number: number })
      return status
    }
    const person = await registerWithGateway()
    const number = createNumber()
    expect(await answerTo(person, '+15005550001')).toBe(202)
    await setFault({ service: 'phone', mode: 'error', times: 1 })
    expect(await answerTo(person, number)).toBe(202)
    await settle()
    expect(await answerTo(person, number)).toBe(202)
    expect(await answerTo(person, createNumber())).toBe(202)
    await settle()
    expect((await person.call('GET', path)).body).toMatchObject({ pending_number: number })
    // Another person and account: the number had its three.
    const counts = await Promise.all(
      Array.from({ length: 3 }, async () => answerTo(await registerWithGateway(), number)),
    )
    expect(counts).toEqual([202, 202, 202])
    await settle()
    expect((await listMessages(number)).length).toBeLessThanOrEqual(3)
  })

  it('PHO-07 sends no code again by itself: whoever waits for one asks for another', async () => {
    const person = await registerWithGateway()
    const number = createNumber()
    await setFault({ service: 'phone', mode: 'rate_limit', times: 1 })
    expectStatus(await ask(person, number), 202)
    await settle()
    expect(
      await service.sql(
        `select state, attempts from deliveries where user_id = $1 and purpose = 'verify_phone'`,
        [person.id],
      ),
    ).toEqual([{ state: 'failed', attempts: 1 }])
    expect((await person.call('GET', '/notifications/phone-gateway')).body.last_error).toContain('20429')
  })

  it('PHO-08 needs the password, a fresh second factor where there is one, a gateway, and an allowed prefix', async () => {
    const person = await register(service)
    expect((await ask(person, createNumber())).body.code).toBe('no_phone_gateway')
    await setUpGateway(service, person, { allowed_prefixes: ['+4930'] })
    expectStatus(await person.call('POST', path, { number: createNumber() }), 422)
    expectStatus(
      await person.call('POST', path, { number: createNumber(), password: 'wrong-password-1' }),
      400,
    )
    expect((await ask(person, '+491701234567')).body.errors).toMatchObject([{ loc: ['body', 'number'] }])
    for (const number of ['030123456', '+0123456789', '+49 30 123456', '+123', `+49${'1'.repeat(20)}`])
      expectStatus(await ask(person, number), 422)
    const secured = await registerWithGateway()
    await enableTotp(service, secured)
    await service.sql('update sign_ins set second_factor_at = null where user_id = $1', [secured.id])
    expect((await ask(secured, createNumber())).body.code).toBe('step_up_required')
    expect((await secured.call('DELETE', path)).body.code).toBe('step_up_required')
  })

  it('PHO-09 goes with whoever leaves, and nobody else sees it', async () => {
    const account = await createAccount(service)
    await setUpGateway(service, account.admin)
    const person = await account.addColleague()
    const number = createNumber()
    const give = () =>
      service.sql(
        `insert into phone_numbers (account_id, user_id, number, verified_at) values ($1, $2, $3, app.now())`,
        [account.id, person.id, number],
      )
    await give()
    const answers = await Promise.all(
      ['/accounts/me/members', '/accounts/me/audit-logs', '/accounts/me', '/notifications'].map((at) =>
        account.admin.call('GET', at),
      ),
    )
    for (const { text } of answers) expect(text).not.toContain(number)
    expectStatus(
      await account.admin.call('PATCH', `/accounts/me/members/${person.id}`, { is_active: false }),
      200,
    )
    expect(await service.sql('select from phone_numbers where user_id = $1', [person.id])).toEqual([])
  })

  it('PHO-06 sends one code for 32 requests at once, and the account no more than 20 in 15 minutes', async () => {
    const account = await createAccount(service)
    await setUpGateway(service, account.admin)
    const number = createNumber()
    const answers = await runConcurrently(() => account.admin.call('POST', path, { number }))
    expect(countByStatus(answers)).toMatchObject({ 202: 5 })
    await settle()
    expect((await listMessages(number)).length).toBeLessThanOrEqual(3)
    for (let n = 0; n < 8; n++) {
      const colleague = await account.addColleague()
      for (let m = 0; m < 3; m++)
        expectStatus(await colleague.call('POST', path, { number: createNumber() }), 202)
    }
    await settle()
    const [row] = await service.sql<{ n: number }>(
      `select count(*)::int as n from deliveries where account_id = $1 and purpose = 'verify_phone'`,
      [account.id],
    )
    expect(row?.n).toBeLessThanOrEqual(20)
  })
})
