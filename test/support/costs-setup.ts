import { afterAll } from 'vitest'
import { startCounting } from './costs.ts'

// Runs before each test file of `npm test -- --costs`. Its hook is the last one of the file.
const readCosts = startCounting()
// biome-ignore lint/correctness/noEmptyPattern: vitest reads which fixtures are used
afterAll(({}, file) => {
  file.meta.costs = readCosts()
})
