import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'

// Runs before each test file. Files of one process share the global, so each file starts with an empty set.
const folder = process.env.REACH_DIR
if (folder) {
  const reached = new Set<number>()
  Object.assign(globalThis, { reach: (number: number) => reached.add(number) })
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern of fixtures before the suite
  afterAll(({}, { file }) => {
    const name = file.filepath.slice(process.cwd().length + 1)
    writeFileSync(join(folder, encodeURIComponent(name)), JSON.stringify([...reached]))
  })
}
