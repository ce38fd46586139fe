import { expect, it } from 'vitest'
import { shared } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()

async function statusOf(admin: Person, webhook_url: string): Promise<number> {
  return (await admin.call('POST', '/notifications/configs', { channel: 'chat2_webhook', webhook_url })).status
}

/** A config create is limited to 10 a minute: everyone tries a few. */
async function statuses(urls: string[]): Promise<Record<string, number>> {
  const results: [string, number][] = []
  for (let start = 0; start < urls.length; start += 9) {
    const { admin } = await newAccount(service)
    for (const url of urls.slice(start, start + 9)) results.push([url, await statusOf(admin, url)])
  }
  return Object.fromEntries(results)
}

const all = (urls: string[], status: number) => Object.fromEntries(urls.map((url) => [url, status]))

it('NOT-40 takes absolute https addresses without credentials, up to 2,000 characters', async () => {
  const fine = ['https://hooks.public.test/services/T/B/x', `https://hooks.public.test/${'a'.repeat(1974)}`]
  const wrong = [
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
  expect(await statuses([...fine, ...wrong])).toEqual({ ...all(fine, 201), ...all(wrong, 422) })
})

it('NOT-41 refuses addresses that lead inside, by number', async () => {
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
  expect(await statuses(urls)).toEqual(all(urls, 422))
})

it('NOT-41 refuses names that lead inside, and lets a name that nobody answers for wait until sending', async () => {
  const inside = [
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
  expect(await statuses([...inside, 'https://hooks.missing.test/x'])).toEqual({ ...all(inside, 422), 'https://hooks.missing.test/x': 201 })
  const { admin } = await newAccount(service)
  const made = await admin.call('POST', '/notifications/configs', { channel: 'chat2_webhook', webhook_url: 'https://hooks.missing.test/x' })
  const tried = await admin.call('POST', '/notifications/configs/test', { config_id: made.body.id })
  expect(tried.body).toEqual({ success: false, message: 'The webhook address is refused: The name could not be resolved' })
})

it('NOT-41 asks again at sending where a name leads now', async () => {
  const { admin } = await newAccount(service)
  const made = await admin.call('POST', '/notifications/configs', { channel: 'chat1_webhook', webhook_url: 'https://hooks.public.test/x' })
  // What a name that turned inward after it was stored would leave behind.
  await service.sql(`update notification_configs set webhook_url = 'https://hooks.private.test/x' where id = $1`, [made.body.id])
  const tried = await admin.call('POST', '/notifications/configs/test', { config_id: made.body.id })
  expect(tried.body.success).toBe(false)
  expect(tried.body.message).toContain('May not lead to a loopback')
})
