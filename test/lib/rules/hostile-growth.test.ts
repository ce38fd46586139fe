// @module-tag mechanism
import { expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { parseMermaid } from '#rules/diagrams/mermaid.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'
import { measureBestCpuTimeMs } from '#test/support/measure.ts'

/** Read within a budget. A refusal takes time as well. */
function read(work: () => unknown): void {
  try {
    runWithin(createBudget(), work)
  } catch {}
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
])('WIR-47 the time for %s grows with their number', async (_, work) => {
  expect(await measureBestCpuTimeMs(() => read(() => work(16_000)))).toBeLessThan(100)
})
