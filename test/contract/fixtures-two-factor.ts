import { randomBytes } from 'node:crypto'
import { parseConfig } from '#config.ts'
import type { Service } from '#test/support/app.ts'
import { createAuthenticator } from '#test/support/authenticator.ts'
import type { Person } from '#test/support/people.ts'
import { readCode } from '#test/support/two-factor.ts'
import { createTotpSecret } from '#vendors/auth/totp.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { type Fixture, insertReturningId, sha256 } from './fixture-rows.ts'

const createEmptySample: Fixture = async () => ({})

/** Keep the open sign-ins: they would end when the user gets a first second factor. */
async function verifySignIns(service: Service, { id }: Person): Promise<void> {
  await service.sql('update sign_ins set second_factor_at = app.now() where user_id = $1', [id])
}

/** Insert an authenticator app and return the current code. */
async function insertTotp(service: Service, owner: Person, isConfirmed = true): Promise<string> {
  await verifySignIns(service, owner)
  const secret = createTotpSecret()
  const sealed = await createVault(parseConfig(service.settings).CREDENTIALS_KEY).seal(
    secret,
    `totp:${owner.id}`,
  )
  await service.sql(
    `insert into totp_factors (user_id, secret, confirmed_at) values ($1, $2, case when $3 then app.now() end)
     on conflict (user_id) do update set secret = excluded.secret, confirmed_at = excluded.confirmed_at, last_step = null`,
    [owner.id, sealed, isConfirmed],
  )
  return readCode(service, secret)
}

/** Insert a passkey and return its id and the authenticator that holds its key. */
async function insertPasskey(service: Service, owner: Person) {
  await verifySignIns(service, owner)
  const authenticator = createAuthenticator()
  const id = await insertReturningId(
    service,
    `insert into passkeys (user_id, name, credential_id, public_key, counter) values ($1, 'Laptop', $2, $3, 0) returning id`,
    [owner.id, authenticator.id, authenticator.publicKey],
  )
  return { id, authenticator }
}

async function insertPasskeyChallenge(service: Service, userId: string | null): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  await service.sql('insert into passkey_challenges (hash, user_id) values ($1, $2)', [
    sha256(challenge),
    userId,
  ])
  return challenge
}

export const twoFactorFixtures = {
  'identity.mfa.get': createEmptySample,
  'identity.mfa.createTotp': createEmptySample,
  'identity.mfa.verifyTotp': async (service, owner) => ({
    body: { code: await insertTotp(service, owner, false) },
  }),
  'identity.mfa.deleteTotp': async (service, owner) => {
    await insertTotp(service, owner)
    return {}
  },
  'identity.mfa.replaceRecoveryCodes': async (service, owner) => {
    await insertTotp(service, owner)
    return {}
  },
  'identity.mfa.completeChallenge': async (service, owner) => {
    const code = await insertTotp(service, owner)
    const mfa_token = randomBytes(32).toString('base64url')
    await service.sql('insert into sign_in_challenges (hash, user_id, is_password) values ($1, $2, true)', [
      sha256(mfa_token),
      owner.id,
    ])
    return { body: { mfa_token, code } }
  },
  'identity.mfa.stepUp': async (service, owner) => ({ body: { code: await insertTotp(service, owner) } }),

  'identity.passkeys.list': async (service, owner) => {
    await insertPasskey(service, owner)
    return {}
  },
  'identity.passkeys.startRegistration': createEmptySample,
  'identity.passkeys.finishRegistration': async (service, owner) => {
    const user = { id: Buffer.from(owner.id).toString('base64url') }
    const challenge = await insertPasskeyChallenge(service, owner.id)
    return { body: { name: 'Laptop', credential: createAuthenticator().create({ challenge, user }) } }
  },
  'identity.passkeys.rename': async (service, owner) => ({
    params: { passkey_id: (await insertPasskey(service, owner)).id },
    body: { name: 'Phone' },
  }),
  'identity.passkeys.delete': async (service, owner) => {
    await insertPasskey(service, owner)
    return { params: { passkey_id: (await insertPasskey(service, owner)).id } }
  },
  'identity.passkeys.startSignIn': createEmptySample,
  'identity.passkeys.signIn': async (service, owner) => {
    const { authenticator } = await insertPasskey(service, owner)
    const challenge = await insertPasskeyChallenge(service, null)
    return { body: { passkey: authenticator.get({ challenge }, { userHandle: owner.id }) } }
  },
} satisfies Record<string, Fixture>
