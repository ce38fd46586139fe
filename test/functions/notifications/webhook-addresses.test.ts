import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()

async function createConfig(admin: Person, webhook_url: string): Promise<number> {
  return (await admin.call('POST', '/notifications/configs', { channel: 'chat2_webhook', webhook_url }))
    .status
}

/**
 * Create a config for each address. Return the statuses by address. An account creates nine, because a user
 * may create ten per minute.
 */
async function createConfigs(urls: string[]): Promise<Record<string, number>> {
  const results: [string, number][] = []
  for (let start = 0; start < urls.length; start += 9) {
    const { admin } = await createAccount(service)
    for (const url of urls.slice(start, start + 9)) results.push([url, await createConfig(admin, url)])
  }
  return Object.fromEntries(results)
}

const mapToStatus = (urls: string[], status: number) => Object.fromEntries(urls.map((url) => [url, status]))

it('NOT-40 accepts absolute https addresses without credentials, up to 2,000 characters', async () => {
  const validUrls = [
    'https://hooks.public.test/services/T/B/x',
    `https://hooks.public.test/${'a'.repeat(1974)}`,
  ]
  const invalidUrls = [
    'http://hooks.public.test/x',
    'ftp://hooks.public.test/x',
    '/services/x',
    'hooks.public.test/x',
    'javascript:alert(1)',
    'https://user:secret@hooks.public.test/x',
    'https://user@hooks.public.test/x',
    `https://hooks.public.test/${'a'.repeat(1975)}`,
    'https://',
  ]
  expect(await createConfigs([...validUrls, ...invalidUrls])).toEqual({
    ...mapToStatus(validUrls, 201),
    ...mapToStatus(invalidUrls, 422),
  })
})

it('NOT-41 refuses private IP addresses in every notation', async () => {
  const urls = [
    'https://127.0.0.1/x',
    'https://10.0.0.1/x',
    'https://172.16.4.4/x',
    'https://192.168.1.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/x',
    'https://0.0.0.0/x',
    'https://224.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f000001/x',
    'https://0177.0.0.1/x',
    'https://127.1/x',
    'https://[::1]/x',
    'https://[::]/x',
    'https://[fe80::1]/x',
    'https://[fd00:ec2::254]/x',
    'https://[ff02::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://[64:ff9b::7f00:1]/x',
  ]
  expect(await createConfigs(urls)).toEqual(mapToStatus(urls, 422))
})

it('NOT-41 refuses names that resolve to private addresses, and checks an unresolvable name when sending', async () => {
  const internalUrls = [
    'https://localhost/x',
    'https://api.localhost/x',
    'https://metadata.google.internal/computeMetadata',
    'https://printer.local/x',
    'https://10.0.0.1.nip.io/x',
    'https://hooks.private.test/x',
    'https://hooks.mixed.test/x',
    'https://hooks.mapped.test/x',
    'https://localtest.me/x',
    'https://intranet/x',
  ]
  expect(await createConfigs([...internalUrls, 'https://hooks.missing.test/x'])).toEqual({
    ...mapToStatus(internalUrls, 422),
    'https://hooks.missing.test/x': 201,
  })
  const { admin } = await createAccount(service)
  const created = await admin.call('POST', '/notifications/configs', {
    channel: 'chat2_webhook',
    webhook_url: 'https://hooks.missing.test/x',
  })
  const tested = await admin.call('POST', '/notifications/configs/test', { config_id: created.body.id })
  expect(tested.body).toEqual({
    success: false,
    message: 'The webhook address has a name that cannot be resolved',
  })
})

it('NOT-41 checks the address of a name again before sending', async () => {
  const { admin } = await createAccount(service)
  const created = await admin.call('POST', '/notifications/configs', {
    channel: 'chat1_webhook',
    webhook_url: 'https://hooks.public.test/x',
  })
  // Simulate a name that resolves to a private address only after the config was stored.
  await service.sql(
    `update notification_configs set webhook_url = 'https://hooks.private.test/x' where id = $1`,
    [created.body.id],
  )
  const tested = await admin.call('POST', '/notifications/configs/test', { config_id: created.body.id })
  expect(tested.body.success).toBe(false)
  expect(tested.body.message).toContain('The webhook address must not lead to a loopback')
})
