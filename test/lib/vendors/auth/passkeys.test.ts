import { base64url } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type Assertion,
  parseAssertion,
  parseRegistration,
  readChallenge,
  readUserHandle,
} from '#vendors/auth/passkeys.ts'
import { createWebauthn } from '#vendors/auth/webauthn.ts'

describe('a passkey', () => {
  const encode = (text: string) => base64url.encode(text)
  const fields = { id: 'a', rawId: 'a', type: 'public-key', clientExtensionResults: { x: 1 } }
  const registration = { ...fields, response: { clientDataJSON: 'a', attestationObject: 'b' } }
  const assertion = { ...fields, response: { clientDataJSON: 'a', authenticatorData: 'b', signature: 'c' } }
  it.each([
    [registration, true],
    [{ ...registration, id: 'a'.repeat(1400) }, true],
    [{ ...registration, id: 'a'.repeat(1401) }, false],
    [{ ...registration, type: 'x' }, false],
    [{ ...registration, response: { ...registration.response, transports: Array(10).fill('usb') } }, true],
    [{ ...registration, response: { ...registration.response, transports: Array(11).fill('usb') } }, false],
    [{ ...registration, response: { ...registration.response, clientDataJSON: 'a'.repeat(16_001) } }, false],
    [{ ...registration, response: { ...registration.response, clientDataJSON: 'ä' } }, false],
    [null, false],
  ])('is registered: %#', (credential, isValid) =>
    expect(parseRegistration(credential) !== null).toBe(isValid),
  )
  it('has no transports and no extensions unless the client names them', () => {
    expect(parseRegistration(registration)).toMatchObject({
      clientExtensionResults: {},
      response: { transports: [] },
    })
  })
  it.each([
    [assertion, true],
    [{ ...assertion, response: { ...assertion.response, userHandle: null } }, true],
    [{ ...assertion, response: { ...assertion.response, signature: '' } }, false],
  ])('signs in: %#', (credential, isValid) => expect(parseAssertion(credential) !== null).toBe(isValid))
  it.each([
    [encode('{"challenge":"c"}'), 'c'],
    [encode('{"challenge":1}'), ''],
    [encode('null'), ''],
    ['%', ''],
  ])('answers the challenge of %s: %j', (clientDataJSON, challenge) =>
    expect(readChallenge({ response: { clientDataJSON } })).toBe(challenge),
  )
  it.each([
    [encode('user-1'), 'user-1'],
    [undefined, null],
    [null, null],
    ['%', ''],
  ])('names the user of %j: %j', (userHandle, user) =>
    expect(readUserHandle({ response: { userHandle } } as Assertion)).toBe(user),
  )
})

describe('the options of a passkey', () => {
  const passkeys = createWebauthn({ rpId: 'app.example', origin: 'https://app.example' })
  const challenge = Buffer.from('challenge').toString('base64url')
  it('for a registration require a discoverable key and the verification of the user', async () => {
    expect(
      await passkeys.createRegistrationOptions(
        { id: 'u', email: 'ada@example.com', fullName: 'Ada' },
        ['YQ'],
        challenge,
      ),
    ).toMatchObject({
      challenge,
      rp: { name: 'Support Flow', id: 'app.example' },
      user: { id: Buffer.from('u').toString('base64url'), name: 'ada@example.com', displayName: 'Ada' },
      excludeCredentials: [{ id: 'YQ', type: 'public-key' }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  })
  it('for a sign-in require the verification of the user', async () => {
    expect(await passkeys.createSignInOptions(challenge)).toMatchObject({
      challenge,
      rpId: 'app.example',
      userVerification: 'required',
    })
  })
  it('verify no response that is malformed', async () => {
    const credential = { id: 'YQ', rawId: 'YQ', type: 'public-key' as const, clientExtensionResults: {} }
    const registration = {
      ...credential,
      response: { clientDataJSON: 'YQ', attestationObject: 'YQ', transports: [] },
    }
    const assertion = {
      ...credential,
      response: { clientDataJSON: 'YQ', authenticatorData: 'YQ', signature: 'YQ' },
    }
    const stored = { credential_id: 'YQ', public_key: 'YQ', counter: 0 }
    expect(await passkeys.verifyRegistration(registration, challenge)).toBeNull()
    expect(await passkeys.verifySignIn(assertion, challenge, stored)).toBeNull()
  })
})
