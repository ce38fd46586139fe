// @module-tag night
import { expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { parseMermaid } from '#rules/diagrams/mermaid.ts'
import { openPdf } from '#rules/knowledge/pdf-file.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'
import { findSlowPatterns } from '#test/support/find-slow-patterns.ts'
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
  [
    'options without a question',
    (n) =>
      splitIntoSegments(
        Array.from({ length: n / 3 }, () => ({ kind: 'item', level: 0, text: '- If a, b' })) as never,
      ),
  ],
  [
    'lines of brackets in an article',
    (n) => splitIntoSegments(Array(n / 4).fill({ kind: 'text', level: 0, text: '!['.repeat(80) }) as never),
  ],
  [
    'trailers in one word of a PDF',
    (n) => openPdf(new Uint8Array(Buffer.from(`%PDF-1.5\n${'trailer'.repeat(n)}`))).catch(() => {}),
  ],
])('WIR-47 the time for %s grows with their number', async (_, work) => {
  expect(await measureBestCpuTimeMs(() => read(() => work(16_000)))).toBeLessThan(100)
})

// test/soak/hostile-files.soak.ts tries all texts.
it('WIR-30 no regular expression takes more than linear time, or its text is bounded', async () => {
  const { tried, slow } = await findSlowPatterns(30)
  expect(tried).toBeGreaterThan(1500)
  expect(slow).toEqual([])
})
