import { expect, it } from 'vitest'
import { dashboard, sharedService } from '../../support/app.ts'
import { expectStatus } from '../../support/expect-status.ts'
import { createAccount, type Person } from '../../support/people.ts'

const service = sharedService()
const mail = { channel: 'email', email_addresses: ['oncall@northwind.example'], events_enabled: [] }
const create = (person: Person, key: string, body: unknown = mail) =>
  person.call('POST', '/notifications/configs', body, { 'idempotency-key': key })
const configs = async (person: Person) => (await person.call('GET', '/notifications/configs')).body

it('WIR-24 gives the first answer again and has no second effect', async () => {
  const { admin } = await createAccount(service)
  const [first, again] = [await create(admin, 'k1'), await create(admin, 'k1')]
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(await configs(admin)).toHaveLength(1)
  expect((await create(admin, 'k2')).body.id).not.toBe(first.body.id)
})

it('WIR-24 keeps a key for its user and operation alone', async () => {
  const { admin, addColleague } = await createAccount(service)
  const lead = await addColleague({ teamRole: 'admin' })
  const [mine, theirs] = [await create(admin, 'same'), await create(lead, 'same')]
  expect(mine.body.id).not.toBe(theirs.body.id)
  expectStatus(await admin.call('POST', '/notifications/mark-all-read', undefined, { 'idempotency-key': 'same' }), 200)
})

it('WIR-24 keeps a refusal that the same body would earn again', async () => {
  const { admin } = await createAccount(service)
  const refused = await create(admin, 'k', { channel: 'email' })
  expectStatus(refused, 422)
  expect((await create(admin, 'k', { channel: 'email' })).text).toBe(refused.text)
  expect((await create(admin, 'k')).body.errors[0].type).toBe('key_reused')
  const inside = { channel: 'chat1_webhook', webhook_url: 'https://10.0.0.1/x' }
  expect((await create(admin, 'k2', inside)).body.errors[0].loc).toEqual(['body', 'webhook_url'])
  expect((await create(admin, 'k2')).body.errors[0].loc).toEqual(['header', 'idempotency-key'])
})

it('does not keep a refusal that may end: the key stays free', async () => {
  const { admin } = await createAccount(service)
  const path = `/notifications/deliveries/${crypto.randomUUID()}/retry`
  for (let n = 0; n < 2; n++) expectStatus(await admin.call('POST', path, undefined, { 'idempotency-key': 'k' }), 404)
  const rows = await service.sql('select from idempotency_keys where user_id = $1', [admin.id])
  expect(rows).toHaveLength(0)
})

it('WIR-25 refuses the same key with another body', async () => {
  const { admin } = await createAccount(service)
  await create(admin, 'k')
  const other = await create(admin, 'k', { ...mail, email_addresses: ['else@x.example'] })
  expect([other.status, other.body.errors]).toEqual([
    422,
    [{ loc: ['header', 'idempotency-key'], msg: 'was used for another request', type: 'key_reused' }],
  ])
  expect(await configs(admin)).toHaveLength(1)
})

it('WIR-25 lets one of many at once through, and answers the others 409 or the same', async () => {
  const { admin } = await createAccount(service)
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(admin, 'race')))
  const made = answers.filter(({ status }) => status === 201)
  expect(made.length).toBeGreaterThan(0)
  expect(new Set(made.map(({ text }) => text)).size).toBe(1)
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true)
  expect(await configs(admin)).toHaveLength(1)
})

it('WIR-25 refuses an empty, overlong or unprintable key', async () => {
  const { admin } = await createAccount(service)
  for (const key of ['', 'x'.repeat(256), 'caf\u00e9']) {
    const answer = await create(admin, key)
    expect([key.length, answer.status]).toEqual([key.length, 422])
    expect(answer.body.errors[0].loc).toEqual(['header', 'idempotency-key'])
  }
})

it('forgets a key after 24 hours', async () => {
  const { admin } = await createAccount(service)
  const first = await create(admin, 'old')
  await service.sql(`update idempotency_keys set created_at = created_at - interval '24 hours 1 second' where user_id = $1`, [admin.id])
  expect((await create(admin, 'old')).body.id).not.toBe(first.body.id)
})

it('holds a key by a lease while somebody outside is waited for', async () => {
  const { admin } = await createAccount(service)
  const path = `/chat/1/${crypto.randomUUID()}`
  const config = await create(admin, 'c', { channel: 'chat1_webhook', webhook_url: service.localOrigin + path })
  const test = () => admin.call('POST', '/notifications/configs/test', { config_id: config.body.id }, { 'idempotency-key': 't' })
  const answers = await Promise.all([test(), test(), test()])
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  expect((await test()).body).toEqual({ success: true, message: 'The test message was accepted' })
  expect((await dashboard(service).listRecords('chat')).filter((hit) => hit.path === path)).toHaveLength(1)
})
