import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkMarkdown, readMarkdown } from '../../lib/flows/markdown/read.ts'
import { writeMarkdown } from '../../lib/flows/markdown/write.ts'
import { validateFlow } from '../../lib/flows/validate.ts'
import { draftTrees, flows } from '../support/flow-arbitraries.ts'

it('FLO-56 of any flow that may be published, writing and reading gives an equal flow', () => {
  fc.assert(
    fc.property(flows, (flow) => {
      expect(validateFlow(flow, 'published').errors).toEqual([])
      const text = writeMarkdown(flow)
      const { flow: read, problems } = readMarkdown(text)
      expect(problems).toEqual([])
      expect(read).toEqual(flow)
      expect(checkMarkdown(text)).toEqual([])
    }),
    { numRuns: 1100 },
  )
})

it('FLO-56 a draft that leads anywhere or nowhere comes back as it was too, also with the breaks of another system', () => {
  fc.assert(
    fc.property(flows, draftTrees, (flow, tree_structure) => {
      const draft = { ...flow, tree_type: 'troubleshooting' as const, tree_structure }
      const { flow: read, problems } = readMarkdown(`\ufeff${writeMarkdown(draft).replaceAll('\n', '\r\n')}`)
      expect(problems).toEqual([])
      expect(read).toEqual(draft)
    }),
    { numRuns: 300 },
  )
})

it('FLO-56 leaves code and plain texts as they were written, and puts a backslash only before what would mean something', () => {
  const description = [
    ...['````md', '```', '## inside', '````'],
    'Run this:',
    '```sh',
    '## not a heading',
    '- a -> #b',
    '```',
    '# a title',
    '- a -> b',
    '```x``` is code',
    '## is not',
    '~~~',
  ].join('\n')
  const tree_structure = { id: 'x', type: 'solution' as const, title: 'Go -> {#1}', description }
  const text = writeMarkdown({ name: 'X', tree_type: 'troubleshooting', tree_structure })
  expect(text.split('\n').slice(5, -1)).toEqual([
    '## Solution: Go -> {\\#1} {#x}',
    '',
    ...['````md', '```', '## inside', '````'],
    ...['Run this:', '```sh', '## not a heading', '- a -> #b', '```', '# a title', '- a -> b', '```x``` is code', '\\## is not', '\\~~~'],
  ])
  expect(readMarkdown(text).flow?.tree_structure).toEqual(tree_structure)
})

it('FLO-56 the README’s example is one', async () => {
  const [, example = ''] = /```markdown\n(.*?)```\n/s.exec(await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')) ?? []
  expect(checkMarkdown(example)).toEqual([])
  expect(readMarkdown(example).flow).toMatchObject({ name: 'Printer offline', tree_structure: { id: 'ping', children: [{}, {}] } })
})
