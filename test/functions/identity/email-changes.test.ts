import { afterAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, createPerson } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import { callWith, enableTotp, login, type Registered, register } from '#test/support/two-factor.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { advanceClock, listRecords, waitForLink } = dashboard(service)
const password = 'violet-tractor-81'
const randomEmail = () => `new-${crypto.randomUUID()}@people.example`
const confirm = (token: string) => postWithoutToken(service, '/auth/confirm-email', { token })
const waitForToken = (address: string, known?: string) =>
  waitForLink(address, /confirm-email\?token=([\w-]+)/, known)
const requestChange = (person: Registered, new_email: string, fields: object = { password }) =>
  person.call('POST', '/auth/me/email-change', { new_email, ...fields })
const listMails = async (address: string) =>
  (await listRecords('mail'))
    .filter(({ to }) => [to].flat().includes(address))
    .map(({ subject }) => subject as string)
const readEmail = async (person: Registered) => (await person.call('GET', '/auth/me')).body.email

/** Ask for a new address. Return it with the token that was mailed there. */
async function startChange(person: Registered, newEmail = randomEmail()) {
  expectStatus(await requestChange(person, newEmail), 202)
  return { newEmail, token: await waitForToken(newEmail) }
}

describe('the change of an e-mail address', () => {
  it('AUT-66 applies when the link to the new address is followed, once, and tells the old address before and after', async () => {
    const person = await register(service)
    const newEmail = randomEmail()
    const answer = await requestChange(person, `  ${newEmail} `)
    expect([answer.status, answer.body.new_email]).toEqual([202, newEmail])
    const token = await waitForToken(newEmail)
    expect([await readEmail(person), (await login(service, person)).status]).toEqual([person.email, 200])
    await expect.poll(() => listMails(person.email)).toContain('A new e-mail address was entered')
    expectStatus(await confirm(token), 204)
    const me = (await person.call('GET', '/auth/me')).body
    expect([me.email, me.email_verified]).toEqual([newEmail, true])
    expect([
      (await login(service, person)).status,
      (await login(service, { email: newEmail })).status,
    ]).toEqual([401, 200])
    await expect.poll(() => listMails(person.email)).toContain('Your e-mail address was changed')
    expect((await confirm(token)).body.code).toBe('token_invalid_or_expired')
    const actions = await service.sql<{ action: string }>(
      `select action from audit_logs where resource_id = $1 and action like 'email_change%' order by created_at, id`,
      [person.id],
    )
    expect(actions.map(({ action }) => action)).toEqual(['email_change.requested', 'email_change.confirmed'])
  })

  it('AUT-67 needs the password, a fresh second factor where there is one, and another address than the present one', async () => {
    const person = await register(service)
    const newEmail = randomEmail()
    expect((await requestChange(person, newEmail, {})).body.errors).toMatchObject([
      { loc: ['body', 'password'], type: 'missing' },
    ])
    expect((await requestChange(person, newEmail, { password: 'wrong' })).body.code).toBe('wrong_password')
    expect((await requestChange(person, person.email.toUpperCase())).status).toBe(422)
    await enableTotp(service, person)
    await advanceClock(601)
    expect((await requestChange(person, newEmail)).body.code).toBe('step_up_required')
    expect(await listMails(newEmail)).toEqual([])
    expectStatus(await person.call('GET', '/auth/me/email-change'), 404)
  })

  it('AUT-68 does not reveal that somebody has the address, and sends no link there', async () => {
    const [person, other] = [await register(service), await register(service)]
    await service.sql('update users set email_verified_at = app.now() where id = $1', [other.id])
    const [taken, free] = [
      await requestChange(person, other.email.toUpperCase()),
      await requestChange(await register(service), randomEmail()),
    ]
    expect([taken.status, Object.keys(taken.body)]).toEqual([free.status, Object.keys(free.body)])
    expect((await person.call('GET', '/auth/me/email-change')).status).toBe(200)
    await expect
      .poll(() =>
        service.sql(`select state from deliveries where purpose = 'change_email' and user_id = $1`, [
          person.id,
        ]),
      )
      .toEqual([{ state: 'failed' }])
    expect(await listMails(other.email)).not.toContain('Confirm your new e-mail address')
  })

  const ends: [string, (person: Registered) => Promise<unknown>][] = [
    ['a newer one', (person) => startChange(person)],
    [
      'its cancellation',
      async (person) => expectStatus(await person.call('DELETE', '/auth/me/email-change'), 204),
    ],
    ['an hour', () => advanceClock(3601)],
    [
      'the end of every sign-in',
      async (person) => expectStatus(await person.call('DELETE', '/auth/me/sessions'), 204),
    ],
    [
      'a new password',
      async (person) =>
        expectStatus(
          await person.call('POST', '/auth/change-password', {
            current_password: password,
            new_password: 'copper-lantern-27',
          }),
          204,
        ),
    ],
    [
      'a password reset',
      async ({ email }) => {
        expectStatus(await postWithoutToken(service, '/auth/forgot-password', { email }), 202)
        const token = await waitForLink(email, /reset-password\?token=([\w-]+)/)
        expectStatus(
          await postWithoutToken(service, '/auth/reset-password', {
            token,
            new_password: 'copper-lantern-27',
          }),
          204,
        )
      },
    ],
    [
      'the removal of the member',
      async ({ id, accountId }) => {
        await createPerson(service, {
          accountId,
          teamId: null,
          teamRole: null,
          role: 'admin',
          superAdmin: false,
        })
        await service.sql('update users set is_active = false where id = $1', [id])
      },
    ],
  ]
  it.each(ends)('AUT-69 ends with %s', async (_, end) => {
    const person = await register(service)
    const { token } = await startChange(person)
    await end(person)
    expect((await confirm(token)).body.code).toBe('token_invalid_or_expired')
    const [user] = await service.sql('select email from users where id = $1', [person.id])
    expect(user).toEqual({ email: person.email })
  })

  it('AUT-69 is not confirmed by the link of an older one to the same address', async () => {
    const person = await register(service)
    const { newEmail, token } = await startChange(person)
    expectStatus(await requestChange(person, newEmail), 202)
    const newer = await waitForToken(newEmail, token)
    expect([(await confirm(token)).status, (await confirm(newer)).status]).toEqual([400, 204])
  })

  it('AUT-70 ends the links that were sent to the old address, and those that are sent meanwhile', async () => {
    const person = await register(service)
    const { newEmail, token } = await startChange(person)
    expectStatus(await postWithoutToken(service, '/auth/forgot-password', { email: person.email }), 202)
    const reset = await waitForLink(person.email, /reset-password\?token=([\w-]+)/)
    expectStatus(await confirm(token), 204)
    const body = { token: reset, new_password: 'copper-lantern-27' }
    expect((await postWithoutToken(service, '/auth/reset-password', body)).body.code).toBe(
      'token_invalid_or_expired',
    )
    expectStatus(await login(service, { email: newEmail }), 200)
    // A mail that a worker has leased already is written after the change.
    await service.sql(
      `insert into deliveries (account_id, channel, recipient, purpose, user_id) values ($1, 'email', $2, 'reset_password', $3)`,
      [person.accountId, person.email, person.id],
    )
    await advanceClock(61)
    await expect
      .poll(() =>
        service.sql(
          `select state from deliveries where purpose = 'reset_password' and user_id = $1 and state <> 'delivered'`,
          [person.id],
        ),
      )
      .toEqual([{ state: 'failed' }])
  })

  it('AUT-71 sends notifications that wait to the new address, unless the provider may have them already', async () => {
    const person = await register(service)
    const { newEmail, token } = await startChange(person)
    await service.sql(
      `insert into deliveries (account_id, channel, recipient, event_key, batch_key)
       select $1, 'email', $2, 'session.escalated', key from unnest(array[null, 'sent before']) key`,
      [person.accountId, person.email.toUpperCase()],
    )
    await service.sql(
      `update deliveries set state = 'retrying', next_attempt_at = app.now() + interval '1 day' where account_id = $1 and purpose is null`,
      [person.accountId],
    )
    expectStatus(await confirm(token), 204)
    const rows = await service.sql(
      `select batch_key, lower(recipient) as recipient from deliveries where account_id = $1 and purpose is null order by batch_key nulls first`,
      [person.accountId],
    )
    expect(rows).toEqual([
      { batch_key: null, recipient: newEmail },
      { batch_key: 'sent before', recipient: person.email },
    ])
  })

  it('AUT-71 keeps sign-ins, identities, team lists and the billing customer, and revokes the open invite of the account to the new address', async () => {
    const person = await register(service)
    const { accountId } = person
    await service.sql(`insert into identities (provider, subject, user_id) values ('google', $1, $2)`, [
      crypto.randomUUID(),
      person.id,
    ])
    await service.sql(`update accounts set billing_customer_id = $2 where id = $1`, [
      accountId,
      `cus_${accountId}`,
    ])
    await service.sql(
      `insert into notification_configs (account_id, channel, email_addresses, events_enabled)
       values ($1, 'email', jsonb_build_array($2::text), '["session.escalated"]')`,
      [accountId, person.email],
    )
    const newEmail = randomEmail()
    await service.sql(`insert into invites (account_id, email, role) values ($1, $2, 'engineer')`, [
      accountId,
      newEmail,
    ])
    const other = await createAccount(service)
    await service.sql(`insert into invites (account_id, email, role) values ($1, $2, 'engineer')`, [
      other.id,
      newEmail,
    ])
    const { token } = await startChange(person, newEmail)
    expectStatus(await confirm(token), 204)
    expectStatus(await person.call('GET', '/auth/me'), 200)
    const [state] = await service.sql(
      `select (select count(*)::int from identities where user_id = $1) as identities,
              (select email_addresses from notification_configs where account_id = $2) as addresses,
              (select billing_customer_id from accounts where id = $2) as customer,
              (select array_agg(revoked_at is not null order by account_id = $2) from invites where email = $3) as revoked`,
      [person.id, accountId, newEmail],
    )
    expect(state).toEqual({
      identities: 1,
      addresses: [person.email],
      customer: `cus_${accountId}`,
      revoked: [false, true],
    })
  })

  it('AUT-72 gives an address that 32 people confirm at once to one of them, and confirms a link once', async () => {
    const newEmail = randomEmail()
    const people = await runConcurrently(() => register(service))
    const tokens = await Promise.all(
      people.map(async ({ id }) => {
        const token = `${crypto.randomUUID()}${crypto.randomUUID()}`
        await service.sql(
          `with c as (insert into email_changes (user_id, new_email) values ($1, $2) returning id)
           insert into one_time_tokens (hash, user_id, purpose, email_change_id, expires_at)
           select sha256($3::text::bytea), $1, 'change_email', id, app.now() + interval '1 hour' from c`,
          [id, newEmail, token],
        )
        return token
      }),
    )
    const responses = await runConcurrently((n) => confirm(tokens[n] ?? ''))
    expect(countByStatus(responses)).toEqual({ 204: 1, 409: 31 })
    const { token } = await startChange(people[0] as Registered)
    expect(countByStatus(await runConcurrently(() => confirm(token)))).toEqual({ 204: 1, 400: 31 })
  })

  it('AUT-73 sends one address at most 3 links in 15 minutes, and counts 5 requests of a person an hour', async () => {
    const newEmail = randomEmail()
    for (let n = 0; n < 5; n++) expectStatus(await requestChange(await register(service), newEmail), 202)
    await expect.poll(() => listMails(newEmail)).toHaveLength(3)
    const person = await register(service)
    expect(countByStatus(await runConcurrently(() => requestChange(person, randomEmail())))).toEqual({
      202: 5,
      429: 27,
    })
    expect(
      await service.sql('select count(*)::int as n from email_changes where user_id = $1', [person.id]),
    ).toEqual([{ n: 1 }])
  })

  it('AUT-66 is open to who registered with a wrong address and may do little else', async () => {
    const person = await register(service)
    await service.sql(
      `update users set email_verified_at = null, created_at = app.now() - interval '4 days' where id = $1`,
      [person.id],
    )
    expect((await person.call('GET', '/notifications')).body.code).toBe('email_not_verified')
    const { token } = await startChange(person)
    expectStatus(await confirm(token), 204)
    expectStatus(await callWith(service, person.token)('GET', '/notifications'), 200)
  })
})
