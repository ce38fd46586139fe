import { afterAll, expect, it } from 'vitest'
import type { Event } from '#rules/events/events.ts'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { emitWithoutPublishing, escalationEvent } from '#test/support/jobs.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())

/** Who hears of an event, by lists of configs; `member` is the address of a member who is notified too. */
const cases: Record<string, string[][]> = {
  'two configs with one address': [['ops@x.test'], ['OPS@x.test']],
  'three configs that overlap': [
    ['a@x.test', 'b@x.test'],
    ['B@x.test', 'c@x.test'],
    ['c@x.test', 'a@x.test'],
  ],
  'a config that another one contains': [['a@x.test', 'b@x.test'], ['b@x.test']],
  'a member and a list': [['member', 'a@x.test']],
  'a member in two lists': [['member'], ['a@x.test', 'member']],
  'a member and lists without them': [['a@x.test'], ['a@x.test']],
}

async function createScene(lists: string[][]) {
  const account = await createAccount(service)
  const member = await account.addColleague()
  const addresses = lists.map((list) =>
    list.map((address) => (address === 'member' ? member.email.toUpperCase() : address)),
  )
  for (const email_addresses of addresses) {
    await account.admin.call('POST', '/notifications/configs', {
      channel: 'email',
      email_addresses,
      events_enabled: ['session.escalated'],
    })
  }
  const emit = () =>
    emitWithoutPublishing(service, account.id, escalationEvent('Printer', member.id) as Event)
  const expected = new Set([
    account.admin.email,
    member.email,
    ...addresses.flat().map((address) => address.toLowerCase()),
  ])
  return { account, emit, expected }
}
const listRecipients = async (accountId: string) =>
  (
    await service.sql<{ address: string; mails: number }>(
      `select lower(coalesce(a.address, d.recipient)) as address, d.mails from deliveries d
         left join lateral jsonb_array_elements_text(case when d.config_id is not null
           then app.mail_addresses(d.account_id, d.event_id, d.id, d.config_id) end) a (address) on true
        where d.account_id = $1 and d.channel = 'email' and d.state <> 'failed'`,
      [accountId],
    )
  ).map(({ address }) => address)

it.each(Object.entries(cases))('NOT-103 one mail per event and address: %s', async (_, lists) => {
  const { account, emit, expected } = await createScene(lists)
  await emit()
  expect((await listRecipients(account.id)).sort()).toEqual([...expected].sort())
  const [counted] = await service.sql<{ mails: number }>(
    `select sum(mails)::integer as mails from deliveries where account_id = $1 and channel = 'email'`,
    [account.id],
  )
  expect(counted?.mails).toBe(expected.size)
})

it('NOT-103 an event is posted once to a webhook address, also when it is a reminder of two configs', async () => {
  const account = await createAccount(service)
  const create = async (channel: string, path: string, is_disconnected = false) => {
    const webhook_url = `${service.localOrigin}${path}`
    const config = { channel, webhook_url, events_enabled: ['session.escalated'] }
    const { id } = expectStatus(await account.admin.call('POST', '/notifications/configs', config), 201).body
    if (is_disconnected)
      await service.sql('update notification_configs set disconnected_at = now() where id = $1', [id])
    return id as string
  }
  const ids = [
    await create('chat1_webhook', '/chat/1/room', true),
    await create('chat1_webhook', '/chat/1/room'),
    await create('chat1_webhook', '/chat/1/room'),
    await create('chat1_webhook', '/chat/1/Room'),
    await create('chat2_webhook', '/chat/2/room'),
  ]
  const listPosted = async (key: string) =>
    (
      await service.sql<{ config_id: string }>(
        'select config_id from deliveries where account_id = $1 and event_key = $2 and config_id is not null',
        [account.id, key],
      )
    ).map(({ config_id }) => config_id)
  const expected = [ids[1], ids[3], ids[4]].sort()
  await emitWithoutPublishing(service, account.id, escalationEvent('Printer', account.admin.id) as Event)
  expect((await listPosted('session.escalated')).sort()).toEqual(expected)
  await service.sql(
    `with entered as materialized (select set_config('app.scope', '0 ' || $1, true))
     select (app.emit_reminder('escalation.reminded', null, '{}', $2::uuid[], $3, null, '/x', null, null)).event_id from entered`,
    [account.id, ids, { title: 'Printer', body: 'Printer' }],
  )
  expect((await listPosted('escalation.reminded')).sort()).toEqual(expected)
})

it('NOT-103 an address whose first config was refused gets the mail by the second one, and once after a retry', async () => {
  const lists = [
    ['a@x.test', 'b@x.test'],
    ['b@x.test', 'c@x.test'],
  ]
  const { account, emit } = await createScene(lists)
  await emit()
  const rows = await service.sql<{ id: string }>(
    'select id from deliveries where account_id = $1 and config_id is not null order by id',
    [account.id],
  )
  const [first, second] = rows.map(({ id }) => id)
  const setState = (id: string | undefined, state: string) =>
    service.sql('update deliveries set state = $2 where id = $1', [id, state])
  const countOf = async (id: string | undefined) => {
    const [row] = await service.sql<{ count: number }>(
      `select count(*) filter (where a = 'b@x.test')::integer as count
         from deliveries d, jsonb_array_elements_text(app.mail_addresses(d.account_id, d.event_id, d.id, d.config_id)) a where d.id = $1`,
      [id],
    )
    return row?.count
  }
  expect([await countOf(first), await countOf(second)]).toEqual([1, 0])
  await setState(first, 'failed')
  expect(await countOf(second)).toBe(1)
  await setState(second, 'delivered')
  await setState(first, 'retrying')
  expect(await countOf(first)).toBe(0)
})
