import { base64url } from 'jose'
import { expect, it } from 'vitest'
import { encryptFor, isBrowserKey, maxPlaintextBytes } from '#vendors/web-push/encrypt.ts'
import { encodeMessage } from '#vendors/web-push/http-web-push.ts'

// https://www.rfc-editor.org/rfc/rfc8291#section-5 and appendix A
const example = {
  plaintext: 'When I grow up, I want to be a watermelon',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

async function importPair(): Promise<CryptoKeyPair> {
  const point = base64url.decode(example.publicKey)
  const [x, y] = [base64url.encode(point.slice(1, 33)), base64url.encode(point.slice(33))]
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const common = { kty: 'EC', crv: 'P-256', x, y }
  return {
    publicKey: await crypto.subtle.importKey('jwk', common, curve, true, []),
    privateKey: await crypto.subtle.importKey('jwk', { ...common, d: example.privateKey }, curve, true, [
      'deriveBits',
    ]),
  }
}

it('NOT-122 encrypts the example of RFC 8291 as it does', async () => {
  const text = new TextEncoder().encode(example.plaintext)
  const salt = new Uint8Array(base64url.decode(example.salt))
  const body = await encryptFor(example, text, await importPair(), salt)
  expect(base64url.encode(body)).toBe(example.body)
})

it.each([
  ['short', 'x'],
  ['long', 'x'.repeat(20_000)],
  ['in characters of four bytes', '🖨'.repeat(5000)],
])('NOT-122 a message with a %s text fits into one record', async (_, body) => {
  const url = `https://app.supportflow.example/${'a'.repeat(500)}`
  const encoded = encodeMessage({ title: '🖨'.repeat(120), body, url, topic: 'x'.repeat(32) })
  expect(encoded.byteLength).toBeLessThanOrEqual(maxPlaintextBytes)
  expect(JSON.parse(new TextDecoder().decode(encoded))).toMatchObject({
    url,
    body: expect.stringMatching(/./),
  })
})

it('NOT-122 a key that is no point of the curve is none', async () => {
  expect(await isBrowserKey(example.p256dh)).toBe(true)
  expect(await isBrowserKey(`B${'A'.repeat(86)}`)).toBe(false)
})
