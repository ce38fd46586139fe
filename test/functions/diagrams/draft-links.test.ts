import { aroundEach, expect, it } from 'vitest'
import { generate } from '#functions/diagrams/drafts/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { createAskContext } from '#test/support/ai-calls.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

const usage = { input: 1, cached: 0, cacheWrites: 0, output: 1, reasoning: 0, isEstimated: false }

/** Draft a diagram of two devices from the links that a model returns. */
async function draftLinks(links: readonly (readonly [from: number, to: number])[]) {
  const devices = ['A', 'B'].map((name) => ({ name, category: 'network', kind: 'switch' }))
  const answer = { devices, links: links.map(([from, to]) => ({ from, to, label: null })), notes: '' }
  const ai = {
    isConfigured: true,
    model: 'm',
    complete: async () => ({ text: JSON.stringify(answer), usage, requestId: null }),
  }
  const context = { ...createAskContext().context, ai } as unknown as WriteContext
  return (await generate(context, { description: 'A and B', mode: 'replace' })).edges.map(
    ({ source, target }) => [source, target],
  )
}

it.each([
  ['a link', [[1, 2]], [['n1', 'n2']]],
  [
    'a link that the model repeats',
    [
      [1, 2],
      [1, 2],
    ],
    [['n1', 'n2']],
  ],
  [
    'a link in both directions',
    [
      [1, 2],
      [2, 1],
    ],
    [['n1', 'n2']],
  ],
  ['a link of a device to itself', [[1, 1]], []],
  ['a link to a device that does not exist', [[1, 3]], []],
] as const)('DIA-09 draws each connection once: %s', async (_, links, edges) => {
  expect(await draftLinks(links)).toEqual(edges)
})
