// @module-tag behaviour
import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())
const staff = await (await createAccount(service)).addColleague({ superAdmin: true })

it('returns an invite code once, stores only its hash, and lists codes with their uses and status', async () => {
  const expires_at = '2100-01-01T00:00:00.000Z'
  const headers = { 'idempotency-key': 'a key' }
  const { status, body } = await staff.call(
    'POST',
    '/admin/invite-codes',
    { max_uses: 2, expires_at, note: 'Spring fair' },
    headers,
  )
  expect(status).toBe(201)
  const { code, ...inviteCode } = body
  expect(inviteCode).toMatchObject({
    max_uses: 2,
    used_count: 0,
    status: 'open',
    expires_at,
    note: 'Spring fair',
    created_by: staff.id,
    created_by_name: staff.fullName,
  })
  const findListed = async () =>
    (await staff.call('GET', '/admin/invite-codes')).body.find(({ id }: { id: string }) => id === body.id)
  expect(await findListed()).toEqual(inviteCode)
  for (const table of ['platform_invite_codes', 'audit_logs', 'idempotency_keys']) {
    const rows = await service.sql(`select t::text as row from ${table} t`)
    expect(JSON.stringify(rows)).not.toContain(code)
  }
  await service.sql('update platform_invite_codes set used_count = 2 where id = $1', [body.id])
  expect(await findListed()).toMatchObject({ used_count: 2, status: 'used_up' })
  await service.sql(`update platform_invite_codes set used_count = 1, expires_at = now() where id = $1`, [
    body.id,
  ])
  expect(await findListed()).toMatchObject({ status: 'expired' })
  const pastExpiry = await staff.call('POST', '/admin/invite-codes', { expires_at: '2020-01-01T00:00:00Z' })
  expect([pastExpiry.status, pastExpiry.body.errors[0].loc]).toEqual([422, ['body', 'expires_at']])
})

it('lists sales leads, newest first, and filters them by source', async () => {
  for (const source of ['referral', 'contact_form'])
    await service.sql(
      `insert into sales_leads (email, name, company, source) values ('n@f.example', 'Nora', 'Fabrikam', $1)`,
      [source],
    )
  const listSources = async (query = '') =>
    (await staff.call('GET', `/admin/sales-leads${query}`)).body.map(
      ({ source }: { source: string }) => source,
    )
  expect(await listSources()).toEqual(['contact_form', 'referral'])
  expect(await listSources('?source=referral')).toEqual(['referral'])
  expectStatus(await staff.call('GET', '/admin/sales-leads?source=billboard'), 422)
})
