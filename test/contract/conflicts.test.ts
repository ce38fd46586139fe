// @module-tag mechanism
import { afterAll, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { startOwnService } from '#test/support/app.ts'
import { createRequestSetup } from './request-setup.ts'
import { send } from './requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
// A trigger that skips every update simulates another request that always changes the row first.
await service.sql(
  `create function app.skip_update() returns trigger language plpgsql as 'begin return null; end'`,
)

it.each([
  ['sessions.startPrepared', 'sessions'],
  ['sessions.updateVariables', 'sessions'],
  ['scripts.update', 'script_templates'],
  ['diagrams.update', 'network_diagrams'],
  ['maintenance.schedules.update', 'maintenance_schedules'],
  ['authoring.kbImports.updateNode', 'kb_import_nodes'],
])(
  '%s returns 409 stale_version when another request changes the row first, and writes nothing',
  async (id, table) => {
    const op = operations.find((operation) => operation.id === id) as AnyOperation
    const { person, sample, rows } = await createRequestSetup(service, op)
    const before = await rows()
    await service.sql(
      `create trigger skip_update before update on ${table} for each row execute function app.skip_update()`,
    )
    const { status, body } = await send(service, op, sample, { token: person.token })
    await service.sql(`drop trigger skip_update on ${table}`)
    expect([status, body.code, body.detail]).toEqual([
      409,
      'stale_version',
      expect.stringMatching(/^Someone else changed this \w+\. Reload it and apply your change again$/),
    ])
    expect(await rows()).toEqual(before)
  },
)
