import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { checkFlowMarkdown, readFlowMarkdown } from '#rules/flows/markdown/read.ts'
import { writeFlowMarkdown } from '#rules/flows/markdown/write.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { draftTree, publishableFlow } from '#test/support/flow-arbitraries.ts'
import { casesByDay } from '#test/support/night.ts'

it('FLO-56 reads back every publishable flow exactly as it was written', () => {
  fc.assert(
    fc.property(publishableFlow, (flow) =>
      runWithin(createBudget(), () => {
        expect(validateFlow(flow, 'published').errors).toEqual([])
        const text = writeFlowMarkdown(flow)
        const { flow: flowFromText, problems } = readFlowMarkdown(text)
        expect(problems).toEqual([])
        expect(flowFromText).toEqual(flow)
        expect(checkFlowMarkdown(text)).toEqual([])
      }),
    ),
    { numRuns: casesByDay(1100) },
  )
})

it('FLO-56 reads back drafts with invalid links exactly, even from a file with a byte order mark and CRLF line breaks', () => {
  fc.assert(
    fc.property(publishableFlow, draftTree, (flow, tree_structure) =>
      runWithin(createBudget(), () => {
        const draft = { ...flow, tree_type: 'troubleshooting' as const, tree_structure }
        const { flow: draftFromText, problems } = readFlowMarkdown(
          `\ufeff${writeFlowMarkdown(draft).replaceAll('\n', '\r\n')}`,
        )
        expect(problems).toEqual([])
        expect(draftFromText).toEqual(draft)
      }),
    ),
    { numRuns: casesByDay(300) },
  )
})

it('FLO-56 writes code and plain text unchanged, and puts a backslash only before text that would be read as markup', () => {
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
  const text = writeFlowMarkdown({ name: 'X', tree_type: 'troubleshooting', tree_structure })
  expect(text.split('\n').slice(5, -1)).toEqual([
    '## Solution: Go -> {\\#1} {#x}',
    '',
    ...['````md', '```', '## inside', '````'],
    ...[
      'Run this:',
      '```sh',
      '## not a heading',
      '- a -> #b',
      '```',
      '# a title',
      '- a -> b',
      '```x``` is code',
      '\\## is not',
      '\\~~~',
    ],
  ])
  expect(readFlowMarkdown(text).flow?.tree_structure).toEqual(tree_structure)
})

it('FLO-56 reads the example in the README', async () => {
  const [, example = ''] =
    /```markdown\n(.*?)```\n/s.exec(
      await readFile(join(root, 'lib/rules/flows/markdown/README.md'), 'utf8'),
    ) ?? []
  expect(checkFlowMarkdown(example)).toEqual([])
  expect(readFlowMarkdown(example).flow).toMatchObject({
    name: 'Printer offline',
    tree_structure: { id: 'ping', children: [{}, {}] },
  })
})
