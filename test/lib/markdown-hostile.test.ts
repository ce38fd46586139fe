import { expect, it } from 'vitest'
import { checkMarkdown } from '../../lib/flows/markdown/read.ts'
import { busyMs, measured } from '../support/measures.ts'

const megabyte = 1024 * 1024
const filledWith = (text: string, size: number) => text.repeat(Math.floor(size / text.length))
const head = '---\nname: x\ntype: troubleshooting\n---\n'
const table = '## Intake\n| key | label | type |\n|-|-|-|\n'

const units = [
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
const places: Record<string, (text: string) => string> = {
  'as the whole file': (text) => text,
  'in the front matter': (text) => `---\nname: ${text}\n---\n`,
  'as a title': (text) => `${head}## Action: ${text}`,
  'as an attribute': (text) => `${head}## Action: {#a group="${text}`,
  'as a label': (text) => `${head}## Action: {#a}\n- ${text} -> #b`,
  'as a description': (text) => `${head}## Action: {#a}\n${text}`,
  'as a cell': (text) => `${head}${table}| ${text}`,
}

it.each(Object.keys(places))('FLO-57 takes time by the length of a file alone, whatever stands %s', (place) => {
  for (const unit of units) {
    const text = places[place]?.(filledWith(unit, megabyte / 4)) ?? ''
    const { result: problems, ms } = measured(() => checkMarkdown(text))
    // A fortieth of this as a rule; what is not linear takes minutes.
    expect([unit, ms < 1000]).toEqual([unit, true])
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(201)
  }
})

it.each(['{#', '- - ->', '- - ->\n'])('FLO-57 reads 4 MiB of %j in well under a second', (unit) => {
  for (const place of ['as the whole file', 'as a description']) {
    const text = places[place]?.(filledWith(unit, 4 * megabyte)) ?? ''
    // In one of three tries, with what was compiled and collected on the way.
    expect([1, 2, 3].some(() => busyMs(() => checkMarkdown(text)) < 700)).toBe(true)
  }
})

const numbered = (line: (n: number) => string): string => {
  const made: string[] = []
  for (let n = 0, size = 0; size < megabyte; n++) size += made[made.push(line(n)) - 1]?.length ?? 0
  return made.join('')
}

it.each([
  ['nodes in one line', (n: number) => `## Action: x {#n${n}}\n-> #n${n + 1}\n`],
  ['nodes below one', (n: number) => `## Solution: x {#n${n} under=n0}\n`],
  ['nodes without ids', () => '## Solution: x\n'],
  ['fallbacks', (n: number) => `### Fallback: ${n}\n`],
  ['links', (n: number) => `- x -> #n${n}\n`],
  ['fields', (n: number) => `| k${n} | l | text |\n`],
  ['attributes', (n: number) => ` a${n}=1`],
])('FLO-57 answers a file of very many %s with a handful of problems, soon', (_, line) => {
  for (const start of [
    `${head}## Decision: a {#a}\n`,
    `${head.replace('troubleshooting', 'procedural')}## Step: a\n`,
    `${head}${table}`,
    `${head}## Step: {#a`,
  ]) {
    const { result: problems, ms } = measured(() => checkMarkdown(start + numbered(line)))
    expect(ms).toBeLessThan(1000)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(201)
  }
})
