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

// guard.test.ts has every address, notation and name.
it('NOT-41 refuses private addresses and names that resolve to them, and checks an unresolvable name when sending', async () => {
  const internalUrls = [
    'https://169.254.169.254/latest/meta-data',
    'https://0x7f000001/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://localhost/x',
    'https://hooks.private.test/x',
    'https://hooks.mixed.test/x',
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
