import { afterAll, expect, it } from 'vitest'
import { operations } from '../../functions/operations.ts'
import type { AnyOperation } from '../../lib/http/operation.ts'
import { startOwnService } from '../support/app.ts'
import { send } from './requests.ts'
import { sceneOf } from './scene.ts'

const service = await startOwnService()
afterAll(() => service.close())
// Plays somebody who is always faster: what a write was judged by stands no more, so that it finds no row.
await service.sql(`create function app.overtaken() returns trigger language plpgsql as 'begin return null; end'`)

it.each([
  ['sessions.startPrepared', 'sessions'],
  ['sessions.updateVariables', 'sessions'],
  ['scripts.update', 'script_templates'],
  ['diagrams.update', 'network_diagrams'],
  ['maintenance.schedules.update', 'maintenance_schedules'],
  ['authoring.kbImports.updateNode', 'kb_import_nodes'],
])('%s says by a code that somebody else was faster, and writes nothing', async (id, table) => {
  const op = operations.find((one) => one.id === id) as AnyOperation
  const { person, sample, rows } = await sceneOf(service, op)
  const before = await rows()
  await service.sql(`create trigger overtaken before update on ${table} for each row execute function app.overtaken()`)
  const { status, body } = await send(service, op, sample, { token: person.token })
  await service.sql(`drop trigger overtaken on ${table}`)
  expect([status, body.code, body.detail]).toEqual([409, 'stale_version', expect.stringMatching(/^Someone else changed this \w+\. Reload it and apply your change again$/)])
  expect(await rows()).toEqual(before)
})
