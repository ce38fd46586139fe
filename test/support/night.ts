import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether this is the run with the long proofs, as each night: `npm test -- --all`. */
export const isNight = process.env.ALL_TESTS === '1'

/**
 * The options of a long proof, which only the nightly run has: `it('…', night, …)`. A file of nothing else begins
 * with `// @module-tag night`.
 */
export const night = { tags: ['night'] }

/** List the files with nothing but long proofs, from the root of the checkout. */
export function listNightFiles(root: string): string[] {
  return globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
    readFileSync(join(root, file), 'utf8').startsWith('// @module-tag night'),
  )
}

/**
 * The entries on which a test of a subject runs. By day it is Node, because every operation, and what differs between
 * the entries, is tried on the Worker in test/platform.
 */
export const entries: readonly ('node' | 'cloudflare')[] = isNight ? ['node', 'cloudflare'] : ['node']

/** Return some rows of a list, from all of its parts. In the nightly run return all. */
export function someByDay<Row>(rows: readonly Row[], count: number): Row[] {
  if (isNight || rows.length <= count) return [...rows]
  const step = rows.length / count
  return rows.filter((_, index) => index === 0 || Math.floor(index / step) > Math.floor((index - 1) / step))
}

/** Return the number of random cases of a property: a tenth by day. */
export function casesByDay(cases: number): number {
  return isNight ? cases : Math.ceil(cases / 10)
}
