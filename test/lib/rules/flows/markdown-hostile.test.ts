import { expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { checkFlowMarkdown } from '#rules/flows/markdown/read.ts'
import { measureCpuTime, measureCpuTimeMs } from '#test/support/measure.ts'
import { night, someByDay } from '#test/support/night.ts'

const check = (text: string) => runWithin(createBudget({ steps: jobSteps }), () => checkFlowMarkdown(text))

const megabyte = 1024 * 1024
const repeatToSize = (text: string, size: number) => text.repeat(Math.floor(size / text.length))
const frontMatter = '---\nname: x\ntype: troubleshooting\n---\n'
const intakeTable = '## Intake\n| key | label | type |\n|-|-|-|\n'

const repeatedTexts = [
  '{#',
  '- - ->',
  '- - ->\n',
  '- a -> #b\n',
  '\\',
  '```\n',
  '`',
  '~~~\n````\n',
  '-> #"',
  '## \n',
  '## Solution: {#a\n',
  '\n',
  '\r',
  ' ',
  '|',
  '"',
  '\\"',
  '-> \t',
  '[',
]
const fileByPlace: Record<string, (text: string) => string> = {
  'as the whole file': (text) => text,
  'in the front matter': (text) => `---\nname: ${text}\n---\n`,
  'as a title': (text) => `${frontMatter}## Action: ${text}`,
  'as an attribute': (text) => `${frontMatter}## Action: {#a group="${text}`,
  'as a label': (text) => `${frontMatter}## Action: {#a}\n- ${text} -> #b`,
  'as a description': (text) => `${frontMatter}## Action: {#a}\n${text}`,
  'as a cell': (text) => `${frontMatter}${intakeTable}| ${text}`,
}

it.each(someByDay(Object.keys(fileByPlace), 2))(
  'FLO-57 takes linear time for any repeated text %s',
  { retry: 2 },
  (place) => {
    for (const unit of repeatedTexts) {
      const text = fileByPlace[place]?.(repeatToSize(unit, megabyte / 4)) ?? ''
      const { result: problems, ms } = measureCpuTime(() => check(text))
      // It usually takes 25 ms. An algorithm that is not linear would take minutes.
      expect([unit, ms < 1000]).toEqual([unit, true])
      expect(problems.length).toBeGreaterThan(0)
      expect(problems.length).toBeLessThanOrEqual(201)
    }
  },
)

/** Go through the lines and the characters of a text: what a reader does at least. */
const readPlainly = (text: string) =>
  text.split('\n').filter((line) => line.trim().replace(/x+/g, '') !== '').length + [...text].length
/** Compilation and garbage collection may slow down some of the attempts. */
const measureBest = (work: () => unknown) => Math.min(...[1, 2, 3].map(() => measureCpuTimeMs(work)))

it.each(['{#', '- - ->', '- - ->\n'])(
  'FLO-57 reads 4 MiB of %j in at most ten times what its lines and characters cost',
  night,
  (unit) => {
    for (const place of ['as the whole file', 'as a description']) {
      const text = fileByPlace[place]?.(repeatToSize(unit, 4 * megabyte)) ?? ''
      // It usually takes two and a half times as long.
      expect(measureBest(() => check(text))).toBeLessThan(10 * measureBest(() => readPlainly(text)))
    }
  },
)

function createMegabyteOfLines(createLine: (n: number) => string): string {
  const lines: string[] = []
  for (let n = 0, size = 0; size < megabyte; n++) {
    const line = createLine(n)
    lines.push(line)
    size += line.length
  }
  return lines.join('')
}

it.each(
  someByDay(
    [
      ['nodes in a chain', (n: number) => `## Action: x {#n${n}}\n-> #n${n + 1}\n`],
      ['nodes below the same node', (n: number) => `## Solution: x {#n${n} under=n0}\n`],
      ['nodes without ids', () => '## Solution: x\n'],
      ['fallbacks', (n: number) => `### Fallback: ${n}\n`],
      ['links', (n: number) => `- x -> #n${n}\n`],
      ['fields', (n: number) => `| k${n} | l | text |\n`],
      ['attributes', (n: number) => ` a${n}=1`],
    ],
    3,
  ),
)(
  'FLO-57 reports at most 201 problems within a second for a file with very many %s',
  { retry: 2 },
  (_, createLine) => {
    for (const start of [
      `${frontMatter}## Decision: a {#a}\n`,
      `${frontMatter.replace('troubleshooting', 'procedural')}## Step: a\n`,
      `${frontMatter}${intakeTable}`,
      `${frontMatter}## Step: {#a`,
    ]) {
      const { result: problems, ms } = measureCpuTime(() => check(start + createMegabyteOfLines(createLine)))
      expect(ms).toBeLessThan(1000)
      expect(problems.length).toBeGreaterThan(0)
      expect(problems.length).toBeLessThanOrEqual(201)
    }
  },
)
