import { expect, it } from 'vitest'
import { z } from 'zod'
import { features } from '../../lib/features.ts'
import { openApi } from '../../lib/http/openapi/document.ts'
import { type AnyOperation, failuresOf, operation } from '../../lib/http/operation.ts'
import { request, sharedService } from '../support/app.ts'
import { createAccount } from '../support/people.ts'
import { serveOperations } from '../support/serve-operations.ts'

const service = sharedService()

/** A read and a write operation that belong to a feature. */
const gated = { feature: 'kb_import', access: 'engineer', path: '/probe/imports' } as const
const probes = [
  operation({
    ...gated,
    id: 'probe.count',
    method: 'get',
    summary: 'Count my teams',
    limit: 'read',
    success: 200,
    returns: z.strictObject({ count: z.int() }),
    handle: async ({ ctx }) => ({ count: (await ctx.db.selectFrom('teams').select('id').execute()).length }),
  }),
  operation({
    ...gated,
    id: 'probe.rename',
    method: 'post',
    summary: 'Rename my teams',
    limit: 'write',
    body: z.strictObject({ name: z.string() }),
    success: 204,
    handle: async ({ ctx, body }) => void (await ctx.db.updateTable('teams').set({ name: body.name }).execute()),
  }),
]
const probed = await serveOperations(probes as AnyOperation[], service.settings)

const override = (accountId: string, enabled: boolean) =>
  service.sql(
    `insert into feature_overrides (account_id, feature, enabled) values ($1, 'kb_import', $2)
     on conflict (account_id, feature) do update set enabled = $2`,
    [accountId, enabled],
  )

it('lists the features of the database', async () => {
  const rows = await service.sql<{ key: string }>('select key from features')
  expect(rows.map(({ key }) => key).sort()).toEqual([...features].sort())
})

it('AUT-34 answers 403 feature_disabled from the next request on while a feature is off, and writes nothing', async () => {
  const { id, admin } = await createAccount(service)
  const count = () => request(probed, 'GET', gated.path, { token: admin.token })
  const rename = (key?: string) =>
    request(probed, 'POST', gated.path, { token: admin.token, body: { name: 'New' }, headers: key ? { 'idempotency-key': key } : {} })
  expect((await count()).body).toEqual({ count: 1 })
  await override(id, false)
  for (const answer of [await count(), await rename(), await rename('a key')]) {
    expect([answer.status, answer.body.code]).toEqual([403, 'feature_disabled'])
    expect(answer.body.detail).toBe('This feature is switched off for your account')
  }
  expect(await service.sql('select name from teams where account_id = $1', [id])).toEqual([{ name: 'Test team' }])
  await override(id, true)
  expect([(await count()).status, (await rename()).status]).toEqual([200, 204])
})

it('checks role and guards before the feature, and the feature before the body', async () => {
  const { id, admin, addColleague } = await createAccount(service)
  await override(id, false)
  const viewer = await addColleague({ role: 'viewer' })
  const rename = (token: string, body: unknown) => request(probed, 'POST', gated.path, { token, body })
  expect((await rename(viewer.token, { name: 'New' })).body).toEqual({ detail: 'Not allowed' })
  await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [id])
  expect((await rename(admin.token, { name: 'New' })).body.code).toBe('subscription_lapsed')
  await service.sql(`update accounts set subscription_status = 'active' where id = $1`, [id])
  expect((await rename(admin.token, { nome: 'New' })).body.code).toBe('feature_disabled')
})

it('documents the feature of an operation, and the code feature_disabled', () => {
  const { paths } = openApi(probes, [], '1') as unknown as { paths: Record<string, Record<string, { 'x-feature': string }>> }
  expect(paths[`/api/v1${gated.path}`]?.get?.['x-feature']).toBe('kb_import')
  for (const op of probes) expect(failuresOf(op)).toContain('feature_disabled')
})
