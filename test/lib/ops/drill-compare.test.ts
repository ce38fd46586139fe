import { describe, expect, it } from 'vitest'
import type { Finding } from '#ops/checks.ts'
import { compareObjects, compareTables, selectNewFindings } from '#ops/drill-compare.ts'

describe('the commands of the operator', () => {
  const finding: Finding = { name: 'n', remedy: 'r', isWarning: false, problems: [] }
  it('compare the rows of a restored database with the dump', () => {
    const table = (name: string, rows: number, checksum: string) => ({ name, columns: [], rows, checksum })
    const restored = new Map([
      ['same', { rows: 1, checksum: 'a' }],
      ['changed', { rows: 1, checksum: 'b' }],
      ['lost', { rows: 0, checksum: '' }],
    ])
    expect(
      compareTables(
        [table('same', 1, 'a'), table('changed', 1, 'a'), table('lost', 2, 'a'), table('missing', 0, '')],
        restored,
      ),
    ).toEqual(['changed: the 1 rows differ', 'lost: 0 rows instead of 2', 'missing: the table is missing'])
  })
  it('compare the objects with the rows', () => {
    expect(compareObjects(['a', 'b', 'new'], ['a', 'old'], ['a', 'old', 'new', 'later'])).toEqual({
      missing: ['b'],
      orphaned: ['old'],
    })
  })
  it('report what only the restored database has', () => {
    const restored = [
      { ...finding, problems: ['p', 'q'] },
      { ...finding, name: 'w', isWarning: true, problems: ['p'] },
      { ...finding, name: 'x', isAboutWork: true as const, problems: ['p'] },
      { ...finding, name: 'y', problems: ['p'] },
    ]
    expect(
      selectNewFindings(
        [
          { ...finding, problems: ['p'] },
          { ...finding, name: 'y', problems: ['p'] },
        ],
        restored,
      ),
    ).toEqual([{ ...finding, problems: ['q'] }])
  })
})
