import { describe, expect, it } from 'vitest'
import { createWebauthn } from '../../lib/auth/webauthn.ts'
import { parseConfig } from '../../lib/config.ts'
import { rotateCredentialsKeys, rotateJwtKeys, rotateKeys } from '../../lib/ops/rotate-secrets.ts'
import { openTracer } from '../../lib/otlp/open-tracer.ts'
import { toTraceRequest } from '../../lib/otlp/trace-request.ts'
import { createMemoryLimiter } from '../../lib/platform/node/memory-limiter.ts'
import type { Span } from '../../lib/trace.ts'
import { sampleSettings } from '../support/settings.ts'

describe('the rotation of keys', () => {
  it.each([
    ['add', ['a'], ['a', 'new']],
    ['promote', ['a', 'b'], ['b', 'a']],
    ['remove', ['a', 'b'], ['a']],
  ] as const)('does the step %s with %j', (step, keys, next) => expect(rotateKeys<string>(keys, step, () => 'new')).toEqual(next))
  it.each([
    ['add', ['a', 'b'], 'There are two keys already. Promote or remove one first.'],
    ['promote', ['a'], 'There is only one key. Add one first.'],
    ['remove', ['a'], 'There is only one key. Add one first.'],
    ['add', [], 'There must be one key, or two during a rotation.'],
    ['remove', ['a', 'b', 'c'], 'There must be one key, or two during a rotation.'],
  ] as const)('refuses the step %s with %j', (step, keys, message) => {
    expect(() => rotateKeys<string>(keys, step, () => 'new')).toThrow(new Error(message))
  })
  it('creates keys that the settings accept, with the next name', () => {
    const jwt = rotateJwtKeys(JSON.stringify([{ kid: 'a', secret: 's'.repeat(32) }]), 'add', new Date('2026-11-23T09:00:00.500Z'))
    const credentials = rotateCredentialsKeys(JSON.stringify([{ version: 4, key: `${'A'.repeat(43)}=` }]), 'add')
    const { JWT_KEYS, CREDENTIALS_KEY } = parseConfig({ ...sampleSettings, JWT_KEYS: jwt, CREDENTIALS_KEY: credentials })
    expect(JWT_KEYS.map(({ kid, secret }) => [kid, secret.length])).toEqual([
      ['a', 32],
      ['2026-11-23T09:00:00', 64],
    ])
    expect(CREDENTIALS_KEY.map(({ version }) => version)).toEqual([4, 5])
  })
})

describe('the export of spans', () => {
  const span: Span = {
    ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentSpanId: undefined, name: 'job', kind: 'consumer' },
    ...{ startedAt: 1_790_000_000_000, endedAt: 1_790_000_000_001.5, attributes: { text: 'x', whole: 2, part: 0.5 } },
    ...{ events: [{ name: 'attempt', at: 1_790_000_000_000, attributes: { outcome: 'failed' } }], failed: true },
  }
  it('has their times in nanoseconds and the types of their attributes', () => {
    const { resourceSpans } = JSON.parse(
      toTraceRequest([span, { ...span, kind: 'internal', parentSpanId: 'c'.repeat(16), failed: false }], '1.2'),
    )
    expect(resourceSpans[0].resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'support-flow-service' } },
      { key: 'service.version', value: { stringValue: '1.2' } },
    ])
    const [failed, succeeded] = resourceSpans[0].scopeSpans[0].spans
    expect(failed).toEqual({
      ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'job', kind: 5, status: { code: 2 } },
      ...{ startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000000001500000' },
      attributes: [
        { key: 'text', value: { stringValue: 'x' } },
        { key: 'whole', value: { intValue: '2' } },
        { key: 'part', value: { doubleValue: 0.5 } },
      ],
      events: [
        {
          ...{ name: 'attempt', timeUnixNano: '1790000000000000000' },
          attributes: [{ key: 'outcome', value: { stringValue: 'failed' } }],
        },
      ],
    })
    expect([succeeded.kind, succeeded.parentSpanId, 'status' in succeeded]).toEqual([1, 'c'.repeat(16), false])
  })
  it.each([
    ['00000000', 0, false],
    ['00000000', 0.01, true],
    ['7fffffff', 0.5, true],
    ['80000000', 0.5, false],
    ['ffffffff', 1, true],
  ])('of a trace that ends with %s at the ratio %s: %s', (end, ratio, isSampled) => {
    const config = parseConfig({ ...sampleSettings, OTLP_ENDPOINT: 'http://127.0.0.1:1', OTLP_SAMPLE_RATIO: String(ratio) })
    expect(openTracer(config, () => {})?.isSampled(`${'0'.repeat(24)}${end}`)).toBe(isSampled)
  })
  it('is off without a receiver', () => {
    expect(openTracer(parseConfig({ ...sampleSettings, OTLP_ENDPOINT: undefined }), () => {})).toBeUndefined()
  })
})

describe('the options of a passkey', () => {
  const passkeys = createWebauthn({ rpId: 'app.example', origin: 'https://app.example' })
  const challenge = Buffer.from('challenge').toString('base64url')
  it('for a registration require a discoverable key and the verification of the user', async () => {
    expect(
      await passkeys.createRegistrationOptions({ id: 'u', email: 'ada@example.com', fullName: 'Ada' }, ['YQ'], challenge),
    ).toMatchObject({
      challenge,
      rp: { name: 'Support Flow', id: 'app.example' },
      user: { id: Buffer.from('u').toString('base64url'), name: 'ada@example.com', displayName: 'Ada' },
      excludeCredentials: [{ id: 'YQ', type: 'public-key' }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
  })
  it('for a sign-in require the verification of the user', async () => {
    expect(await passkeys.createSignInOptions(challenge)).toMatchObject({ challenge, rpId: 'app.example', userVerification: 'required' })
  })
  it('verify no response that is malformed', async () => {
    const credential = { id: 'YQ', rawId: 'YQ', type: 'public-key' as const, clientExtensionResults: {} }
    const registration = { ...credential, response: { clientDataJSON: 'YQ', attestationObject: 'YQ', transports: [] } }
    const assertion = { ...credential, response: { clientDataJSON: 'YQ', authenticatorData: 'YQ', signature: 'YQ' } }
    const stored = { credential_id: 'YQ', public_key: 'YQ', counter: 0 }
    expect(await passkeys.verifyRegistration(registration, challenge)).toBeNull()
    expect(await passkeys.verifySignIn(assertion, challenge, stored)).toBeNull()
  })
})

it('the limiter of one process counts each key by itself, and always answers a ping', async () => {
  const limiter = createMemoryLimiter()
  const rate = { max: 1, windowMs: 60_000, unit: 'minute', perAddress: false }
  const allowed = []
  for (const key of ['a', 'a', 'b']) allowed.push((await limiter.count(key, rate, false)).allowed)
  expect(allowed).toEqual([true, false, true])
  await expect(limiter.ping()).resolves.toBeUndefined()
})
