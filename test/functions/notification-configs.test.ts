import { expect, it } from 'vitest'
import { desk, shared } from '../support/app.ts'
import { newAccount } from '../support/people.ts'

const service = shared()
const webhook = `${service.local}/chat/1/team`

it('NOT-01 refuses a webhook channel without an address', async () => {
  const { admin } = await newAccount(service)
  for (const channel of ['chat1_webhook', 'chat2_webhook']) {
    for (const webhook_url of [undefined, null]) {
      const answer = await admin.call('POST', '/notifications/configs', { channel, webhook_url, events_enabled: [] })
      expect(answer.status).toBe(422)
      expect(answer.body.errors[0].loc).toEqual(['body', 'webhook_url'])
    }
  }
  expect((await admin.call('GET', '/notifications/configs')).body).toEqual([])
})

it('NOT-11 NOT-47 tests a config by one real attempt that is kept in its log, and answers 200 when it failed', async () => {
  const { admin } = await newAccount(service)
  const made = await admin.call('POST', '/notifications/configs', {
    channel: 'chat1_webhook',
    webhook_url: `${webhook}/gone`,
    events_enabled: [],
  })
  const answer = await admin.call('POST', '/notifications/configs/test', { config_id: made.body.id })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: false, message: 'The chat tool answered 410 (channel_is_archived)' })
  const log = await admin.call('GET', `/notifications/configs/${made.body.id}/deliveries`)
  expect(log.body).toMatchObject([{ state: 'failed', attempts: 1, event_key: null, last_status_code: 410 }])
  expect((await desk(service).read('chat')).filter(({ path }) => path === '/chat/1/team/gone')).toHaveLength(1)
})
