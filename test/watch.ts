// `npm run test:watch`: run the tests of what changed. PostgreSQL and the loaded modules stay, so a run takes
// seconds.
import { watch } from 'node:fs'
import { join } from 'node:path'
import { createVitest } from 'vitest/node'
import { root } from '#local/root.ts'
import { findTests, readTestIndex } from './support/find-tests.ts'

// An editor writes several files within this time.
const settleMs = 100

const vitest = await createVitest('test', {
  config: join(import.meta.dirname, 'vitest.config.ts'),
  watch: false,
})
await vitest.standalone()
console.log('Waiting for changes in functions, lib, migrations and test.')

const changed = new Set<string>()
let running: Promise<unknown> = Promise.resolve()
let timer: NodeJS.Timeout | undefined

async function runChanged(): Promise<void> {
  const files = [...changed]
  changed.clear()
  const tests = findTests(readTestIndex(root), files)
  if (tests.length === 0) return console.log(`No test belongs to ${files.join(', ')}.`)
  const startedAt = performance.now()
  for (const file of files) vitest.invalidateFile(join(root, file))
  const specifications = (await vitest.globTestSpecifications()).filter(({ moduleId }) =>
    tests.includes(moduleId.slice(root.length + 1)),
  )
  await vitest.runTestSpecifications(specifications)
  console.log(
    `${files.join(', ')}: ${specifications.length} files in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  )
}

for (const folder of ['functions', 'lib', 'migrations', 'test'])
  watch(join(root, folder), { recursive: true }, (_event, name) => {
    if (!name || !/\.(ts|sql|md|json)$/.test(name)) return
    changed.add(join(folder, name))
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(runChanged).catch((error: unknown) => console.error(error))
    }, settleMs)
  })
