import { expect, it } from 'vitest'
import { verifyRecord } from '#client/client.ts'
import { parseConfig } from '#config.ts'
import { rotateRecordKeys } from '#ops/rotate-secrets.ts'
import { sampleSettings } from '#test/support/settings.ts'
import { createRecordSigner } from '#vendors/auth/record-signer.ts'

const readKeys = (value: string) => parseConfig({ ...sampleSettings, RECORD_KEYS: value }).RECORD_KEYS

async function sign(value: string, record: string) {
  const signer = createRecordSigner(readKeys(value))
  const signature = await signer.sign(new TextEncoder().encode(record))
  return { record, key_id: signer.keyId, signature: Buffer.from(signature).toString('base64url') }
}

// https://www.rfc-editor.org/rfc/rfc8032#section-7.1, the first test.
it('signs as RFC 8032 does', async () => {
  const key = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
  const signer = createRecordSigner([{ kid: 'k', key: key.toString('base64') }])
  const signature = await signer.sign(new Uint8Array())
  expect(Buffer.from(signature).toString('hex')).toMatch(/^e5564300c360ac729086e2cc806e828a/)
  expect(Buffer.from((await signer.listKeys())[0]?.x ?? '', 'base64url').toString('hex')).toBe(
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  )
})

it('REC-05 what an exchanged key has signed is still verified, and the key is gone', async () => {
  const first = sampleSettings.RECORD_KEYS ?? ''
  const signed = await sign(first, '{"n":1}')
  const second = await rotateRecordKeys(first, new Date('2026-11-23T09:00:00.500Z'))
  const third = await rotateRecordKeys(second, new Date('2026-12-23T09:00:00.500Z'))
  expect(readKeys(third)).toMatchObject([
    { kid: '2026-12-23T09:00:00', key: expect.stringMatching(/^.{43}=$/) },
    { kid: '2026-11-23T09:00:00', x: expect.any(String) },
    { kid: 'local', x: expect.any(String) },
  ])
  expect(third).not.toContain(JSON.parse(first)[0].key)
  const keys = { keys: await createRecordSigner(readKeys(third)).listKeys() }
  expect(await verifyRecord(signed, keys)).toEqual({ n: 1 })
  expect(await verifyRecord(await sign(second, '{"n":2}'), keys)).toEqual({ n: 2 })
  expect((await sign(third, '{}')).key_id).toBe('2026-12-23T09:00:00')
})
