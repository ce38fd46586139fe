import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach } from 'vitest'
import { packNumbers } from './number-set.ts'
import type { RecordedCalls } from './reach.ts'

// Of a smaller file, all tests run.
const minTests = 100

// Runs before each test file. Files of one process share the global, so each file starts with empty sets.
const folder = process.env.REACH_DIR
if (folder) {
  const reached = new Set<number>()
  const tests: RecordedCalls['tests'] = []
  const running = new Set<Set<number>>()
  const reach = (number: number) => {
    reached.add(number)
    // What tests that run at the same time call is recorded for each of them.
    for (const numbers of running) numbers.add(number)
  }
  Object.assign(globalThis, { reach })
  beforeEach(({ task }) => {
    const numbers = new Set<number>()
    running.add(numbers)
    return () => {
      running.delete(numbers)
      tests.push({ name: task.name, reached: packNumbers(numbers) })
    }
  })
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern of fixtures before the suite
  afterAll(({}, { file }) => {
    const name = file.filepath.slice(process.cwd().length + 1)
    const calls: RecordedCalls = { reached: [...reached], tests: tests.length < minTests ? [] : tests }
    writeFileSync(join(folder, encodeURIComponent(name)), JSON.stringify(calls))
  })
}
