import { expect, it } from 'vitest'
import { create } from '#functions/accounts/imports/service.ts'
import { createBudget } from '#rules/budget.ts'
import { createArchive, manifest } from '#test/contract/fixtures-exports.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'

const batchLength = 256 * 1024

/** Import scripts with bodies of these lengths. Return the length as JSON of each row, by statement. */
async function importScripts(lengths: readonly number[]): Promise<number[][]> {
  const { db, findStatements } = createStubDatabase((sql) =>
    /^select app\.(start_import|account_id)/.test(sql) ? [{ is_started: true, team_id: null }] : [],
  )
  const records = lengths.map((length, n) => ({
    id: `01934b6e-7d1a-7c3e-9f20-${String(n).padStart(12, '0')}`,
    name: 'Restart',
    script_body: '#'.repeat(length),
    language: 'bash',
  }))
  const bytes = await createArchive({
    'scripts.jsonl': records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    'manifest.json': manifest,
  })
  await create({ db, budget: createBudget() } as never, { bytes } as never)
  return findStatements('insert into script_templates').map(([rows]) =>
    JSON.parse(String(rows)).map((row: object) => JSON.stringify(row).length),
  )
}

it('an import inserts at most 50 records with one statement', async () => {
  const counts = async (count: number) => (await importScripts(Array(count).fill(1))).map(({ length }) => length)
  expect(await counts(50)).toEqual([50])
  expect(await counts(51)).toEqual([50, 1])
})

it('an import starts another statement after 256 KiB', async () => {
  const lengths = [90_000, 90_000, 80_000, 1]
  const [[first = 0, second = 0, third = 0] = []] = await importScripts(lengths)
  const missing = batchLength - first - second - third
  const counts = async (more: number) => (await importScripts([90_000 + more, ...lengths.slice(1)])).map(({ length }) => length)
  expect(await counts(missing)).toEqual([3, 1])
  expect(await counts(missing - 1)).toEqual([4])
})
