import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '#local/build/build.ts'
import { startPostgres, withSuperuser } from '#local/postgres.ts'
import { statementCounters } from '#test/support/setup.ts'
import { templateDatabase } from '#test/support/template-database.ts'
import type { Mutation } from './candidates.ts'
import { loadReach, type Reach } from './reach.ts'
import { printMutant, printSummary, type TestedMutant } from './report.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import { createTestSelector } from './select-tests.ts'
import { createFailureFinder, type FindFailure, testMutant } from './test-mutant.ts'

// After so many mutants the same tests run without a change, to see whether they fail by themselves.
const controlInterval = 20

type Draw = () => Mutation | undefined

/** Test `count` mutants in a copy of the checkout, and print the results. */
export async function runMutants(checkout: string, draw: Draw, count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mutants-data-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  const [cluster] = await Promise.all([
    startPostgres(join(folder, 'data'), { durable: false, flags: statementCounters }),
    build(),
  ])
  await cluster.createDatabase(templateDatabase)
  const sandbox = await createSandbox(checkout)
  try {
    const env = { TEST_POSTGRES_PORT: String(cluster.port) }
    const reach = await loadReach(sandbox, join(checkout, '.data/mutants/reach.json'), env)
    for (const file of reach.failing) console.log(`Left out, because it fails without any change: ${file}`)
    const findFailure = createFailureFinder(sandbox.root, env, () => dropDatabases(cluster.port))
    await testMutants(sandbox, reach, findFailure, { draw, count })
  } finally {
    sandbox.remove()
    await cluster.stop()
    removeFolder()
  }
}

async function testMutants(
  sandbox: Sandbox,
  reach: Reach,
  findFailure: FindFailure,
  { draw, count }: { draw: Draw; count: number },
) {
  const selectTests = createTestSelector(sandbox.root, reach)
  const mutants: TestedMutant[] = []
  const controls = { runs: 0, failures: [] as string[] }
  for (let mutation = draw(); mutation && mutants.length < count; mutation = draw()) {
    const tests = selectTests(mutation)
    const startedAt = performance.now()
    const verdict = await testMutant(sandbox, mutation, tests, findFailure)
    if (!verdict) continue
    mutants.push({ mutation, verdict })
    printMutant({ mutation, verdict }, mutants.length, (performance.now() - startedAt) / 1000)
    if (mutants.length % controlInterval > 0) continue
    controls.runs++
    controls.failures.push(...[await findFailure(tests)].filter((failure) => failure !== null))
  }
  printSummary(mutants, controls)
}

/** Drop the databases that the services of a test run have created. */
async function dropDatabases(port: number): Promise<void> {
  await withSuperuser(port, 'postgres', async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where datname like 'flow\\_%' and datname <> $1",
      [templateDatabase],
    )
    for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`)
  })
}
