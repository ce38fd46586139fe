import { expect, it } from 'vitest'
import { toNameKey } from '#rules/text/fold.ts'
import { sharedService } from '#test/support/app.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

/** Names that are codes, with one spelling: by their check, or because they are ours. */
const codes = ['mcp_servers', 'migrations']

it('ACC-25 every unique name is compared in the form of app.name_key', async () => {
  const rows = await service.sql<{ relation: string; definition: string }>(
    `select i.indrelid::regclass::text as relation, pg_get_indexdef(i.indexrelid) as definition from pg_index i
      where i.indisunique and i.indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
        and pg_get_indexdef(i.indexrelid) ~ '\\m(name|title|label)\\M.*\\)'`,
  )
  const names = rows.filter(({ definition }) =>
    /\((?:.*\W)?(?:name|title|label)\W/.test(definition.split(' USING ')[1] ?? ''),
  )
  expect(names.length).toBeGreaterThanOrEqual(4)
  const others = names.filter(({ definition }) => !/app\.name_key\(/.test(definition))
  expect(others.map(({ relation }) => relation).sort()).toEqual(codes)
  const checks = await service.sql<{ check: string }>(
    `select pg_get_constraintdef(oid) as check from pg_constraint where conrelid = any ($1::regclass[]) and contype = 'c'`,
    [codes.slice(0, 1)],
  )
  expect(checks.some(({ check }) => check.includes("name ~ '^[a-z0-9]"))).toBe(true)
})

it('ACC-25 a category in another spelling is the same, wherever it is named', async () => {
  const { admin } = await createAccount(service)
  const first = await createFlow(admin, { category: 'Net work' })
  for (const name of ['Net  work', ' NET work ', 'Ｎet work', 'net\u00a0work']) {
    expect([name, toNameKey(name)]).toEqual([name, 'net work'])
    expect((await createFlow(admin, { category: name })).category_id).toBe(first.category_id)
    expect((await admin.call('POST', '/categories', { name })).status).toBe(409)
    expect((await admin.call('GET', `/trees?category=${encodeURIComponent(name)}`)).body).not.toHaveLength(0)
  }
})
