import { expect, it } from 'vitest'
import * as z from 'zod'
import { buildOpenApi } from '#http/openapi/document.ts'
import { type AnyOperation, listFailures, operation } from '#http/operation.ts'
import { features } from '#rules/features.ts'
import { request, sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { serveOperations } from '#test/support/serve-operations.ts'

const service = await sharedService()

const probePath = '/probe/imports'
const featureFields = { feature: 'kb_import', access: 'engineer' } as const
/** A read and a write operation that require the feature `kb_import`. */
const probes = [
  operation({
    ...featureFields,
    id: 'probe.count',
    route: `GET ${probePath}`,
    summary: 'Count my teams',
    limit: 'read',
    returns: z.strictObject({ count: z.int() }),
    handle: async ({ ctx }) => ({ count: (await ctx.db.selectFrom('teams').select('id').execute()).length }),
  }),
  operation({
    ...featureFields,
    id: 'probe.rename',
    route: `POST ${probePath}`,
    summary: 'Rename my teams',
    limit: 'write',
    body: z.strictObject({ name: z.string() }),
    success: 204,
    handle: async ({ ctx, body }) =>
      void (await ctx.db.updateTable('teams').set({ name: body.name }).execute()),
  }),
]
const probeServer = await serveOperations(probes as AnyOperation[], service.settings)

const setFeatureOverride = (accountId: string, enabled: boolean) =>
  service.sql(
    `insert into feature_overrides (account_id, feature, enabled) values ($1, 'kb_import', $2)
     on conflict (account_id, feature) do update set enabled = $2`,
    [accountId, enabled],
  )

it('the code lists the same features as the database', async () => {
  const rows = await service.sql<{ key: string }>('select key from features')
  expect(rows.map(({ key }) => key).sort()).toEqual([...features].sort())
})

it('AUT-34 returns 403 feature_disabled and writes nothing while the feature is off; a change applies to the next request', async () => {
  const { id, admin } = await createAccount(service)
  const count = () => request(probeServer, 'GET', probePath, { token: admin.token })
  const rename = (key?: string) =>
    request(probeServer, 'POST', probePath, {
      token: admin.token,
      body: { name: 'New' },
      headers: key ? { 'idempotency-key': key } : {},
    })
  expect((await count()).body).toEqual({ count: 1 })
  await setFeatureOverride(id, false)
  for (const response of [await count(), await rename(), await rename('a key')]) {
    expect([response.status, response.body.code]).toEqual([403, 'feature_disabled'])
    expect(response.body.detail).toBe(
      'This feature is switched off for your account; ask who runs the service',
    )
  }
  expect(await service.sql('select name from teams where account_id = $1', [id])).toEqual([
    { name: 'Test team' },
  ])
  await setFeatureOverride(id, true)
  expect([(await count()).status, (await rename()).status]).toEqual([200, 204])
})

it('an operation checks role and guards before its feature, and its feature before the body', async () => {
  const { id, admin, addColleague } = await createAccount(service)
  await setFeatureOverride(id, false)
  const viewer = await addColleague({ role: 'viewer' })
  const rename = (token: string, body: unknown) => request(probeServer, 'POST', probePath, { token, body })
  expect((await rename(viewer.token, { name: 'New' })).body).toEqual({ detail: 'Not allowed' })
  await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [id])
  expect((await rename(admin.token, { name: 'New' })).body.code).toBe('subscription_lapsed')
  await service.sql(`update accounts set subscription_status = 'active' where id = $1`, [id])
  expect((await rename(admin.token, { nome: 'New' })).body.code).toBe('feature_disabled')
})

it('the OpenAPI document names the feature of an operation, and listFailures includes feature_disabled', () => {
  const { paths } = buildOpenApi(probes, [], '1') as unknown as {
    paths: Record<string, Record<string, { 'x-feature': string }>>
  }
  expect(paths[`/api/v1${probePath}`]?.get?.['x-feature']).toBe('kb_import')
  for (const op of probes) expect(listFailures(op)).toContain('feature_disabled')
})
