import { describe, expect, it } from 'vitest'
import type { Finding } from '#ops/checks.ts'
import { describeFinding, runCheck } from '#ops/doctor.ts'

describe('the commands of the operator', () => {
  const finding: Finding = { name: 'n', remedy: 'r', isWarning: false, problems: [] }
  it('write a warning and a problem with at most ten lines', () => {
    const problems = Array.from({ length: 10 }, (_, n) => `p${n}`)
    const shown = problems.map((problem) => `           ${problem}`)
    expect(describeFinding({ ...finding, isWarning: true, problems })).toEqual([
      'warning  n: no',
      ...shown,
      '           r',
    ])
    expect(describeFinding({ ...finding, problems: [...problems, 'p10'] })).toEqual([
      'PROBLEM  n: no',
      ...shown,
      '           and 1 more',
      '           r',
    ])
  })
  it('say what a finding is about', async () => {
    const client = { query: async () => ({ rows: [{ problem: 'p' }] }) } as never
    const check = { name: 'n', remedy: 'r', sql: 'select' }
    expect(await runCheck(client, check)).toEqual({ ...finding, problems: ['p'] })
    expect(await runCheck(client, { ...check, isWarning: true, isAboutWork: true })).toEqual({
      ...finding,
      isWarning: true,
      isAboutWork: true,
      problems: ['p'],
    })
  })
})
