import { afterAll, expect, it } from 'vitest'
import { tablesLeftOut } from '#db/account-data.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { createAuthenticator } from '#test/support/authenticator.ts'
import { createLinkToken } from '#test/support/chat-presses.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { obtainCode } from '#test/support/mcp-oauth.ts'
import { signInAtProvider } from '#test/support/oauth.ts'
import type { Person } from '#test/support/people.ts'
import { createNumber, setUpGateway } from '#test/support/phone.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import { enableTotp, register } from '#test/support/two-factor.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { listRecords, waitForLink } = dashboard(service)
const [password, new_password] = ['violet-tractor-81', 'amber-lantern-77-north']
const settle = () => service.stack.localServer.qstash.waitUntilSettled()

/** What somebody does who wants to sign in as a person, act as them or receive what is theirs. */
interface Act {
  run(person: Awaited<ReturnType<typeof register>>): Promise<unknown>
  audit: string
  subject: string
}

const acts = {
  'password changed': {
    run: (person) =>
      person.call('POST', '/auth/change-password', { current_password: password, new_password }),
    audit: 'password.changed',
    subject: 'Your password was changed',
  },
  'password reset': {
    async run({ email }) {
      expectStatus(await postWithoutToken(service, '/auth/forgot-password', { email }), 202)
      const token = await waitForLink(email, /reset-password\?token=([\w-]+)/)
      return postWithoutToken(service, '/auth/reset-password', { token, new_password })
    },
    audit: 'password.reset',
    subject: 'Your password was changed',
  },
  'identity linked': {
    async run(person) {
      const { body } = expectStatus(await person.call('POST', '/auth/me/identities/google/authorize'), 200)
      const sub = crypto.randomUUID()
      const { code, state } = await signInAtProvider(body.authorization_url, {
        email: `${sub}@people.example`,
        sub,
      })
      return person.call('POST', '/auth/me/identities/google', { code, state })
    },
    audit: 'identity.linked',
    subject: 'A sign-in with Google or Microsoft was added',
  },
  'passkey added': {
    async run(person) {
      const options = expectStatus(await person.call('POST', '/auth/passkeys/register/options'), 200).body
      const credential = createAuthenticator().create(options)
      return person.call('POST', '/auth/passkeys/register/verify', { name: 'Laptop', credential })
    },
    audit: 'passkey.added',
    subject: 'A second factor was added',
  },
  'authenticator app added': {
    run: (person) => enableTotp(service, person),
    audit: 'totp.enabled',
    subject: 'A second factor was added',
  },
  'address changed': {
    run: (person) =>
      person.call('POST', '/auth/me/email-change', {
        password,
        new_email: `n-${crypto.randomUUID()}@people.example`,
      }),
    audit: 'email_change.requested',
    subject: 'A new e-mail address was entered',
  },
  'phone number added': {
    async run(person) {
      const number = createNumber()
      await setUpGateway(service, person)
      expectStatus(await person.call('POST', '/auth/me/phone-number', { number, password }), 202)
      await settle()
      const message = (await listRecords('phone')).find(({ to }) => to === number)
      return person.call('POST', '/auth/me/phone-number/confirm', { code: message?.text.slice(0, 6) })
    },
    audit: 'phone_number.confirmed',
    subject: 'A phone number was added',
  },
  'user of a chat tool linked': {
    async run(person) {
      const token = await createLinkToken(service, person as unknown as Person)
      return person.call('POST', '/auth/chat-links', { token })
    },
    audit: 'chat_user.linked',
    subject: 'A user of your chat tool was linked to you',
  },
  'program added': {
    run: (person) => obtainCode(service, person as unknown as Person),
    audit: 'program_access.granted',
    subject: 'A program may now act as you',
  },
} satisfies Record<string, Act>

/** What is stored of each way, and the acts that add to it, or why nobody is told. */
const places: Record<string, readonly (keyof typeof acts)[] | string> = {
  passwords: ['password changed', 'password reset'],
  identities: ['identity linked'],
  passkeys: ['passkey added'],
  totp_factors: ['authenticator app added'],
  email_changes: ['address changed'],
  phone_numbers: ['phone number added'],
  chat_links: ['user of a chat tool linked'],
  oauth_codes: ['program added'],
  oauth_refresh_tokens: 'the agreement to the program before it was told',
  calendar_feeds: 'an address shows shifts, which its person sees anyway',
  sso_identities: 'the provider of their organisation signs in its members; the audit log has it',
  push_subscriptions: 'of a sign-in, which receives the same in the app',
  sign_ins: 'one needs what was told when it was added',
  refresh_tokens: 'of a sign-in',
  stream_tickets: 'of a sign-in',
  recovery_codes: 'shown once to who has just proved a second factor',
  one_time_tokens: 'their links are e-mails to the address',
  oauth_states: 'give nothing by themselves',
  passkey_challenges: 'give nothing by themselves',
  sign_in_challenges: 'give nothing by themselves',
  sign_in_attempts: 'give nothing by themselves',
}

it('AUT-90 everything stored that signs in as a person, acts as them or reaches them is considered', () => {
  const stored = Object.entries(tablesLeftOut).filter(([, reason]) => reason === 'credentials of members')
  expect(Object.keys(places).toSorted()).toEqual(
    [...stored.map(([name]) => name), 'phone_numbers'].toSorted(),
  )
})

it.each(Object.entries<Act>(acts))('AUT-90 %s: an audit row and an e-mail', async (_, act) => {
  const person = await register(service)
  await service.sql('update users set email_verified_at = app.now() where id = $1', [person.id])
  const answer = await act.run(person)
  expect((answer as { status?: number }).status ?? 200).toBeLessThan(300)
  const entries = await service.sql<{ action: string }>(
    'select action from audit_logs where actor_id = $1 and ip is not null and action = $2',
    [person.id, act.audit],
  )
  expect(entries).toEqual([{ action: act.audit }])
  await settle()
  const mails = (await listRecords('mail')).filter(({ to }) => [to].flat().includes(person.email))
  expect(mails.map(({ subject }) => subject)).toContain(act.subject)
})
