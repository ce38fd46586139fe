import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkMarkdown, readMarkdown } from '../../lib/flows/markdown-read.ts'
import { writeMarkdown } from '../../lib/flows/markdown-write.ts'
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
    { numRuns: 1500 },
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
    { numRuns: 500 },
  )
})
