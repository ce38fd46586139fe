import { expect, test } from 'vitest'
import { signWebhook } from '#vendors/webhooks/sign.ts'
import { startTestServer } from './test-server.ts'

const secret = `whsec_${btoa('s'.repeat(32))}`

async function createMessage(signingSecret = secret) {
  const body = '{"type":"member.joined"}'
  const signature = await signWebhook({ id: 'msg_1', timestamp: 1_790_000_000, payload: body }, [
    signingSecret,
  ])
  return {
    method: 'POST',
    body,
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1790000000', 'webhook-signature': signature },
  }
}

test('the local receiver lists what it got, and shows whether a signature is valid once it knows the secret', async () => {
  const { origin, call, read } = await startTestServer()
  expect((await fetch(`${origin}/hooks/tickets`, await createMessage())).status).toBe(204)
  await fetch(`${origin}/hooks/tickets`, await createMessage(`whsec_${btoa('x'.repeat(32))}`))
  const readSignatures = async () =>
    ((await read('/desk/hooks')) as { signature: string }[]).map(({ signature }) => signature)
  expect(await readSignatures()).toEqual(['unknown', 'unknown'])
  expect((await call('POST', '/desk/hooks/secrets', { secret: 'something else' })).status).toBe(422)
  expect((await call('POST', '/desk/hooks/secrets', { secret })).status).toBe(204)
  expect(await readSignatures()).toEqual(['invalid', 'valid'])
  expect(await read('/desk/hooks')).toMatchObject([
    {},
    { name: 'tickets', body: '{"type":"member.joined"}', accepted: true },
  ])
})

test('a browser is sent from /desk/hooks to the page, and secrets are not accepted from other sites', async () => {
  const { origin } = await startTestServer()
  const response = await fetch(`${origin}/desk/hooks`, {
    headers: { accept: 'text/html' },
    redirect: 'manual',
  })
  expect([response.status, response.headers.get('location')]).toEqual([302, '/#hooks'])
  const headers = { 'sec-fetch-site': 'cross-site' }
  expect(
    (
      await fetch(`${origin}/desk/hooks/secrets`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ secret }),
      })
    ).status,
  ).toBe(403)
})

test.each([
  ['error', 503, false],
  ['gone', 410, false],
  ['garbage', 200, true],
])(
  'the fault "%s" of the local receiver answers %d and is listed as accepted: %s',
  async (mode, status, accepted) => {
    const { origin, call, read } = await startTestServer()
    await call('POST', '/desk/faults', { service: 'hooks', mode })
    expect((await fetch(`${origin}/hooks/x`, await createMessage())).status).toBe(status)
    expect(await read('/desk/hooks')).toMatchObject([{ accepted }])
  },
)
