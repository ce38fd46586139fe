import { describe, expect, it } from 'vitest'
import { dashboard, sharedService } from '#test/support/app.ts'
import { createAuthenticator } from '#test/support/authenticator.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  obtainProviderCode,
  type Provider,
  postCallback,
  signInAtProvider,
  signInThroughProvider,
} from '#test/support/oauth.ts'
import { callWith, login, type Registered, register } from '#test/support/two-factor.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)
const createPersona = () => {
  const id = crypto.randomUUID()
  return { email: `at-provider-${id}@people.example`, sub: `sub-${id}`, oid: id }
}
type Persona = ReturnType<typeof createPersona>
type Caller = Pick<Registered, 'call'>

async function obtainLinkCode({ call }: Caller, provider: Provider, persona: Persona) {
  const { body } = expectStatus(await call('POST', `/auth/me/identities/${provider}/authorize`), 200)
  const { code, state } = await signInAtProvider(body.authorization_url, persona)
  return { code, state }
}
const link = async (person: Caller, provider: Provider, persona: Persona) =>
  person.call('POST', `/auth/me/identities/${provider}`, await obtainLinkCode(person, provider, persona))
const unlink = ({ call }: Caller, provider: Provider) => call('DELETE', `/auth/me/identities/${provider}`)
const listProviders = async ({ call }: Caller) =>
  expectStatus(await call('GET', '/auth/me/identities'), 200).body.map(
    ({ provider }: { provider: string }) => provider,
  )

/** Create a user who signs in with an identity only. */
async function createProviderUser(provider: Provider = 'google') {
  const persona = createPersona()
  const { body } = expectStatus(await signInThroughProvider(service, provider, persona), 200)
  return {
    persona,
    id: body.user.id as string,
    email: persona.email,
    call: callWith(service, body.access_token),
  }
}

describe('linked identities', () => {
  it('ACC-26 whoever was removed links their identity in their next account', async () => {
    const former = await createProviderUser()
    await service.sql(
      `with u as (update users set is_active = false where id = $1 returning account_id)
       insert into users (account_id, email, full_name, role) select account_id, $2, 'Other admin', 'admin' from u`,
      [former.id, createPersona().email],
    )
    const person = await register(service)
    expectStatus(await link(person, 'google', former.persona), 201)
    expect(
      expectStatus(await signInThroughProvider(service, 'google', former.persona), 200).body.user.id,
    ).toBe(person.id)
    expect((await link(await register(service), 'google', former.persona)).body).toMatchObject({
      code: 'identity_taken',
    })
  })

  it.each(['google', 'microsoft'] as const)(
    'AUT-74 an identity at %s is linked, signs in its user, and is unlinked',
    async (provider) => {
      const person = await register(service)
      const persona = createPersona()
      expect((await link(person, provider, persona)).status).toBe(201)
      expect((await link(person, provider, persona)).status).toBe(200)
      expect(await listProviders(person)).toEqual([provider])
      const signedIn = expectStatus(await signInThroughProvider(service, provider, persona), 200).body
      expect([signedIn.user.id, signedIn.user.email]).toEqual([person.id, person.email])
      expectStatus(await unlink(person, provider), 204)
      expectStatus(await unlink(person, provider), 404)
      expect([await listProviders(person), (await login(service, person)).status]).toEqual([[], 200])
      const other = expectStatus(await signInThroughProvider(service, provider, persona), 200).body
      expect(other.user.id).not.toBe(person.id)
      const actions = await service.sql(
        `select action from audit_logs where resource_id = $1 and action like 'identity.%' order by id`,
        [person.id],
      )
      expect(actions).toEqual([{ action: 'identity.linked' }, { action: 'identity.unlinked' }])
      const listSubjects = async () =>
        (await listRecords('mail'))
          .filter(({ to }) => [to].flat().includes(person.email))
          .map(({ subject }) => subject)
      await expect
        .poll(listSubjects)
        .toEqual(
          expect.arrayContaining([
            'A sign-in with Google or Microsoft was added',
            'A sign-in with Google or Microsoft was removed',
          ]),
        )
    },
  )

  it('AUT-75 a link completes only in the sign-in that started it', async () => {
    const [victim, attacker] = [await register(service), await register(service)]
    const refused = async (person: Caller, body: object) =>
      (await person.call('POST', '/auth/me/identities/google', body)).body.code
    expect(await refused(victim, await obtainLinkCode(attacker, 'google', createPersona()))).toBe(
      'oauth_state_invalid',
    )
    expect(await refused(victim, await obtainProviderCode(service, 'google', createPersona()))).toBe(
      'oauth_state_invalid',
    )
    const otherDevice = callWith(service, expectStatus(await login(service, victim), 200).body.access_token)
    expect(
      await refused({ call: otherDevice }, await obtainLinkCode(victim, 'google', createPersona())),
    ).toBe('oauth_state_invalid')
    const asSignIn = await postCallback(
      service,
      'google',
      await obtainLinkCode(victim, 'google', createPersona()),
    )
    expect(asSignIn.body.code).toBe('oauth_state_invalid')
    expect(await refused(victim, { code: 'x', state: 'x' })).toBe('oauth_state_invalid')
    const used = await obtainLinkCode(victim, 'google', createPersona())
    expectStatus(await victim.call('POST', '/auth/me/identities/google', used), 201)
    expect(await refused(victim, used)).toBe('oauth_state_invalid')
    expect([await listProviders(victim), await listProviders(attacker)]).toEqual([['google'], []])
  })

  it('AUT-76 an identity of another user is 409 identity_taken, a second one of a provider 409 provider_linked', async () => {
    const [owner, person] = [await createProviderUser(), await register(service)]
    expect((await link(person, 'google', owner.persona)).body.code).toBe('identity_taken')
    expect((await link(owner, 'google', createPersona())).body.code).toBe('provider_linked')
    const persona = createPersona()
    const people = await runConcurrently(() => register(service))
    const callbacks = await Promise.all(people.map((one) => obtainLinkCode(one, 'google', persona)))
    const responses = await runConcurrently((n) =>
      (people[n] as Registered).call('POST', '/auth/me/identities/google', callbacks[n]),
    )
    expect(countByStatus(responses)).toEqual({ 201: 1, 409: 31 })
  })

  it('AUT-77 the last way to sign in stays, also when two are removed at once', async () => {
    const person = await createProviderUser()
    expect((await unlink(person, 'google')).body.code).toBe('last_sign_in_method')
    for (let round = 0; round < 3; round++) {
      expectStatus(await link(person, 'microsoft', createPersona()), 201)
      const responses = await Promise.all([unlink(person, 'google'), unlink(person, 'microsoft')])
      expect(countByStatus(responses)).toEqual({ 204: 1, 409: 1 })
      const [left] = await listProviders(person)
      if (left === 'microsoft') {
        expectStatus(await link(person, 'google', person.persona), 201)
        expectStatus(await unlink(person, 'microsoft'), 204)
      }
    }
    const authenticator = createAuthenticator()
    const options = expectStatus(await person.call('POST', '/auth/passkeys/register/options'), 200).body
    const body = { name: 'Key', credential: authenticator.create(options) }
    const { passkey } = expectStatus(
      await person.call('POST', '/auth/passkeys/register/verify', body),
      201,
    ).body
    expectStatus(await unlink(person, 'google'), 204)
    expect((await person.call('DELETE', `/auth/passkeys/${passkey.id}`)).body.code).toBe(
      'last_sign_in_method',
    )
    expectStatus(await link(person, 'google', person.persona), 201)
    expectStatus(await person.call('DELETE', `/auth/passkeys/${passkey.id}`), 204)
  })
})
