import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { ownService } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const staff = await (await newAccount(service)).colleague({ superAdmin: true })

it('tells a code once, stores its hash, and lists codes with their uses', async () => {
  const expires_at = '2100-01-01T00:00:00.000Z'
  const key = { 'idempotency-key': 'a key' }
  const { status, body } = await staff.call('POST', '/admin/invite-codes', { max_uses: 2, expires_at, note: 'Spring fair' }, key)
  expect(status).toBe(201)
  const { code, ...shown } = body
  expect(shown).toMatchObject({
    max_uses: 2,
    used_count: 0,
    status: 'open',
    expires_at,
    note: 'Spring fair',
    created_by: staff.id,
    created_by_name: staff.fullName,
  })
  const listed = async () => (await staff.call('GET', '/admin/invite-codes')).body.find(({ id }: { id: string }) => id === body.id)
  expect(await listed()).toEqual(shown)
  for (const table of ['platform_invite_codes', 'audit_logs', 'idempotency_keys']) {
    const rows = await service.sql(`select t::text as row from ${table} t`)
    expect(JSON.stringify(rows)).not.toContain(code)
  }
  await service.sql('update platform_invite_codes set used_count = 2 where id = $1', [body.id])
  expect(await listed()).toMatchObject({ used_count: 2, status: 'used_up' })
  await service.sql(`update platform_invite_codes set used_count = 1, expires_at = now() where id = $1`, [body.id])
  expect(await listed()).toMatchObject({ status: 'expired' })
  const past = await staff.call('POST', '/admin/invite-codes', { expires_at: '2020-01-01T00:00:00Z' })
  expect([past.status, past.body.errors[0].loc]).toEqual([422, ['body', 'expires_at']])
})

it('lists sales leads, newest first, by source', async () => {
  for (const source of ['referral', 'contact_form'])
    await service.sql(`insert into sales_leads (email, name, company, source) values ('n@f.example', 'Nora', 'Fabrikam', $1)`, [source])
  const sources = async (query = '') =>
    (await staff.call('GET', `/admin/sales-leads${query}`)).body.map(({ source }: { source: string }) => source)
  expect(await sources()).toEqual(['contact_form', 'referral'])
  expect(await sources('?source=referral')).toEqual(['referral'])
  expectStatus(await staff.call('GET', '/admin/sales-leads?source=billboard'), 422)
})
