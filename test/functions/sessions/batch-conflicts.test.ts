// @module-tag mechanism
import { expect, it } from 'vitest'
import { createMany } from '#functions/sessions/batches/service.ts'
import { patchProcedure } from '#test/support/flows.ts'
import { createStubScope } from '#test/support/stub-scope.ts'

const flow = {
  id: 'f',
  status: 'published',
  version: 3,
  tree_type: 'maintenance',
  tree_structure: patchProcedure(),
  intake_form: [],
  is_own: true,
}

/** Prepare sessions for `count` targets. `inserted` has how many rows each insertion returns. */
async function create(count: number, inserted: number[]) {
  const { db, findStatements } = createStubScope(({ sql }) => {
    if (sql.includes('insert into sessions'))
      return Array.from({ length: inserted.shift() ?? 0 }, () => ({ id: 's' }))
    return sql.includes('inner join tree_versions') ? [flow] : []
  })
  const targets = Array.from({ length: count }, (_, n) => ({ label: `srv-${n}` }))
  const outcome = await createMany({ db, vault: null } as never, { tree_id: 'f', targets }).then(
    (batches) => batches.map(({ sessions }) => sessions.length),
    ({ kind, message }: { kind: string; message: string }) => [kind, message],
  )
  return {
    outcome,
    reads: findStatements('inner join tree_versions').length,
    insertions: findStatements('insert into sessions').length,
  }
}

it.each([
  [1, [1], [1]],
  [100, [100], [100]],
  [101, [100, 1], [100, 1]],
  [250, [100, 100, 50], [100, 100, 50]],
])('%i targets become batches of at most 100 sessions', async (count, inserted, sizes) => {
  expect(await create(count, inserted)).toEqual({ outcome: sizes, reads: 1, insertions: sizes.length })
})

it('a flow that was changed before the first batch is read again', async () => {
  expect(await create(101, [0, 100, 1])).toEqual({ outcome: [100, 1], reads: 2, insertions: 3 })
})

it.each([
  [101, [100, 0]],
  [201, [100, 100, 0]],
])('a flow that was changed between two batches of %i targets is a conflict', async (count, inserted) => {
  expect(await create(count, inserted)).toMatchObject({
    outcome: ['stale_version', 'Someone else changed this flow. Reload it and apply your change again'],
    reads: 1,
  })
})
