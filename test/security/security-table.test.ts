// @module-tag shape
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'

const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`test/'))
  .map((line) => line.slice(2, -2).split(' | '))
const risks = rows.filter(([first]) => first?.startsWith('[API'))

/** Return the tests that a cell names, as file and title. */
function listTests(cell: string): [string, string][] {
  return cell.split('<br>').map((entry) => {
    const [, file = '', title = ''] = /^`([^`]+)` (.+)$/.exec(entry) ?? []
    return [file, title]
  })
}

/** Return whether a test file has a test with exactly this title. */
function hasTest([file, title]: [string, string]): boolean {
  const path = join(root, file)
  if (!file.endsWith('.test.ts') || !title || !existsSync(path)) return false
  const source = readFileSync(path, 'utf8')
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote},`))
}

it('every row of the security table names tests that exist', () => {
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.flatMap((cells) => listTests(cells.at(-1) ?? '')).filter((test) => !hasTest(test))).toEqual([])
})

it('every file that the security table names as a protection exists', () => {
  const cells = rows.filter((row) => !risks.includes(row)).map(([, protection = '']) => protection)
  const paths = cells
    .flatMap((cell) => [...cell.matchAll(/`([\w./-]+\.\w+)`/g)].map(([, path = '']) => path))
    .filter((path) => path !== 'app.enter')
  expect(paths.length).toBeGreaterThan(25)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it('the security table names tests for each of the ten risks for APIs', () => {
  expect(risks.map(([first = '']) => /^\[API(\d+) /.exec(first)?.[1])).toEqual(
    Array.from({ length: 10 }, (_, n) => String(n + 1)),
  )
})
