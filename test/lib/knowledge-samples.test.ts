import { describe, expect, it } from 'vitest'
import type { TreeStructure } from '../../lib/flows/structure.ts'
import { validateFlow } from '../../lib/flows/validate.ts'
import type { Block } from '../../lib/knowledge/blocks.ts'
import { buildFlow } from '../../lib/knowledge/flow.ts'
import { buildNodes, type KbNode, type NodeProposal } from '../../lib/knowledge/nodes.ts'
import { splitIntoSegments } from '../../lib/knowledge/segments.ts'
import { createArticleNodes } from '../../lib/local/model/knowledge.ts'
import { readSampleArticles, type SampleArticle } from '../support/articles.ts'

const articles = await readSampleArticles()
const findArticle = (name: string) => articles.find((article) => article.name === name) as SampleArticle

function convert(blocks: readonly Block[], isModelUsed: boolean): KbNode[] {
  let idCount = 0
  const { segments } = splitIntoSegments(blocks)
  const facts = { pieces: segments.map(({ kind, text }, index) => ({ number: index + 1, kind, text })) }
  const proposals = isModelUsed ? (createArticleNodes(facts).groups as NodeProposal[]) : []
  return buildNodes(segments, proposals, () => `node-${++idCount}`)
}

/** Remove the markers of ordered lists, which are not in every format a part of the text. */
const removeItemNumbers = (text: string) => text.replace(/^[\s>]*(?:\d{1,3}[.)]\s+)+/gm, '')
const keepLetters = (text: string) => removeItemNumbers(text).replace(/[^\p{L}\p{N}]/gu, '')

/** Find the texts in order. Return those that are missing, and how many characters of the result belong to none of them. */
function compareTexts(result: string, texts: readonly string[]) {
  let position = 0
  let extraLength = 0
  const missing: string[] = []
  for (const text of texts.map(keepLetters)) {
    const index = result.indexOf(text, position)
    if (index < 0) missing.push(text)
    else {
      extraLength += index - position
      position = index + text.length
    }
  }
  return { missing, extraLength: extraLength + result.length - position, length: result.length }
}

const joinNodes = (nodes: readonly KbNode[]) =>
  keepLetters(nodes.map(({ kind, title, content }) => (kind === 'section' ? content || title : content)).join('\n'))

describe('the articles of the suite', () => {
  it('KBI-08 keep every text once and in order, with at most 1 % that is not a part of the article', () => {
    const measurements = articles.flatMap(({ name, blocks, texts }) =>
      [true, false].map((isModelUsed) => ({ name, isModelUsed, ...compareTexts(joinNodes(convert(blocks, isModelUsed)), texts) })),
    )
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
    const extra = sum(measurements.map(({ extraLength }) => extraLength)) / sum(measurements.map(({ length }) => length))
    const missing = measurements.filter((measurement) => measurement.missing.length > 0)
    const textCount = sum(articles.map(({ texts }) => texts.length))
    console.info(
      `knowledge import: ${articles.length} articles with ${textCount} texts, ${missing.length / 2} articles with a missing, repeated or moved text, ${(extra * 100).toFixed(2)} % of the result is furniture`,
    )
    expect(missing.map(({ name, missing }) => [name, missing])).toEqual([])
    expect(measurements.filter(({ extraLength, length }) => extraLength > length / 100)).toEqual([])
  })

  it.each(articles.map(({ name }) => name))('%s becomes a valid flow that contains every text', (name) => {
    const { blocks, texts } = findArticle(name)
    for (const type of ['procedural', 'troubleshooting'] as const) {
      const flow = buildFlow(convert(blocks, true), type) as TreeStructure
      expect(validateFlow({ tree_type: type, tree_structure: flow, intake_form: [] }, 'published').errors).toEqual([])
      const flowText = keepLetters(
        [...JSON.stringify(flow).matchAll(/"(?:title|description)":("(?:[^"\\]|\\.)*")/g)]
          .map(([, text]) => JSON.parse(text ?? '""'))
          .join('\n'),
      )
      for (const text of texts.map(keepLetters)) expect(flowText).toContain(text)
    }
  })
})
