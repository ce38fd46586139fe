// @module-tag mechanism
import { expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { parseMermaid } from '#rules/diagrams/mermaid.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'

/** Return the processor time of the quickest of three runs, in milliseconds. */
function measure(work: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const start = process.cpuUsage()
    try {
      runWithin(createBudget(), work)
    } catch {
      // A refusal takes time as well.
    }
    const { user } = process.cpuUsage(start)
    return user / 1000
  })
  return Math.min(...times)
}

it.each<[name: string, work: (n: number) => unknown]>([
  ['spaces in a link of mermaid', (n) => parseMermaid(`flowchart TD\na --${' '.repeat(n)}x`)],
  ['spaces in a thick link', (n) => parseMermaid(`flowchart TD\na ==${' '.repeat(n)}x`)],
  ['spaces in a dotted link', (n) => parseMermaid(`flowchart TD\na -.${' '.repeat(n)}x`)],
  [
    'line feeds in a piece of an article',
    (n) =>
      splitIntoSegments([
        { kind: 'text', level: 0, text: `a${'\n'.repeat(n)}b` },
        { kind: 'text', level: 0, text: 'c' },
      ] as never),
  ],
])('WIR-47 the time for %s grows with their number', (_, work) => {
  measure(() => work(1000))
  expect(measure(() => work(16_000))).toBeLessThan(100)
})
