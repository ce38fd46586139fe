// @module-tag mechanism
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'

const [header, ...rows] = readFileSync(`${root}/test/reports.tsv`, 'utf8').trimEnd().split('\n')

it('each public report has its subject, verdicts and an existing test', () => {
  expect(header).toBe('subject\treference\tessence\tfirst\tnow\ttest')
  const faults = rows.filter((row) => {
    const [subject, reference = '', essence, first = '', now = '', test = '', ...more] = row.split('\t')
    const isWhole = subject && essence && more.length === 0 && /^[\w.-]+\/[\w.-]+#\d+$/.test(reference)
    const isJudged = /^(?:held|failed)$/.test(first) && /^(?:held|mended|not taken: .+)$/.test(now)
    return !isWhole || !isJudged || !(test === 'tried by hand' || existsSync(`${root}/${test}`))
  })
  expect(faults).toEqual([])
  expect(new Set(rows.map((row) => row.split('\t').slice(0, 3).join())).size).toBe(rows.length)
})
