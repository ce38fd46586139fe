import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import type { FlowNode } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { readArticleText } from '#rules/knowledge/article.ts'
import { buildFlow } from '#rules/knowledge/flow.ts'
import { findJump, nameCase, onlySaysToGoOn, saysToGoOn } from '#rules/knowledge/go-on.ts'
import { buildNodes } from '#rules/knowledge/nodes.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'
import { senseArticles } from './sense-articles.ts'

async function convert(article: string) {
  const { blocks } = await runWithin(createBudget(), () => readArticleText('markdown', 'T', article))
  let id = 0
  return buildNodes(splitIntoSegments(blocks).segments, [], () => `n${id++}`)
}

const buildTree = async (article: string) => buildFlow(await convert(article), 'troubleshooting') as FlowNode

function listPaths(node: FlowNode, before: FlowNode[] = []): FlowNode[][] {
  const path = [...before, node]
  const children = node.children ?? []
  return children.length === 0 ? [path] : children.flatMap((child) => listPaths(child, path))
}

const textOf = ({ title, description }: FlowNode) => `${title}\n${description}`
const instructions = (text: string) => text.split('\n').filter((line) => line.includes('[!]'))
const squeeze = (text: string) =>
  text
    .replace(/^\s*(?:[-*]|\d+\.)\s+/, '')
    .replace(/\s*\[!\]/, '')
    .trim()
/** Return the instructions of an article on a path, by their place in the article. */
function listPlaces(path: readonly FlowNode[], article: string): number[] {
  const lines = instructions(article).map(squeeze)
  return path.flatMap((node) =>
    lines.flatMap((line, place) =>
      squeeze(textOf(node).replaceAll('[!]', '')).includes(line) || textOf(node).includes(line)
        ? [place]
        : [],
    ),
  )
}
const isMetadataText = (text: string) =>
  /^(?:original kb number|\**applies to|last updated|author)/i.test(text)

describe.each(Object.entries(senseArticles))('KBI-15 the flow of “%s”', (_, article) => {
  it('is valid, reaches each instruction, keeps their order on each path, and has no node that misleads', async () => {
    const tree = await buildTree(article)
    expect(
      validateFlow({ tree_type: 'troubleshooting', tree_structure: tree, intake_form: [] }, 'published')
        .errors,
    ).toEqual([])
    const paths = listPaths(tree)
    const reached = new Set<number>()
    for (const path of paths) {
      const places = [...new Set(listPlaces(path, article))]
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      for (const place of places) reached.add(place)
      const end = path.at(-1) as FlowNode
      expect(end.type).toBe('solution')
      expect(saysToGoOn(textOf(end))).toBe(false)
      expect(end.title).not.toMatch(
        /^(?:references|more information|additional resources|symptoms|meaning|impact)/i,
      )
      for (const node of path) expect(isMetadataText(node.title ?? '')).toBe(false)
    }
    expect(reached.size).toBe(instructions(article).length)
  })
})

const outline = async (name: string) => {
  const describeNode = (node: FlowNode): unknown => {
    const headings = [...(node.description ?? '').matchAll(/^\*\*(.*)\*\*$/gm)].map(([, heading]) => heading)
    const title = [...headings, (node.title ?? '').replace(/ ?\[!\]/, '')].join(' › ')
    const [options, children] = [node.options ?? [], node.children ?? []]
    if (node.type === 'decision')
      return {
        [title]: Object.fromEntries(
          options.map(({ label }, index) => [label, describeNode(children[index] as FlowNode)]),
        ),
      }
    return [title, ...(children[0] ? [describeNode(children[0])] : [])].flat()
  }
  return describeNode(await buildTree(senseArticles[name] ?? ''))
}

describe('KBI-16', () => {
  it('a next method is for a problem that the method before has not solved', async () => {
    expect(await outline('support page with methods')).toEqual([
      'Mail client does not start',
      'Symptoms',
      'Method 1: Start without add-ins › Press Windows+R.',
      'Enter the command with the switch /safe.',
      {
        'Is the problem solved?': {
          Yes: ['Solved'],
          No: [
            'Method 2: Repair the installation › Open the list of apps.',
            'Choose Modify, then Quick Repair.',
            'More information',
            'Done',
          ],
        },
      },
    ])
  })
  it('a step that names a later one is a decision whose other branch goes on', async () => {
    expect(await outline('jump to a later step')).toEqual({
      'No network › Look at the light of the port.': {
        'It is green': ['Renew the address.', 'Open a page.'],
        Otherwise: [
          'Change the cable.',
          'Try another port of the switch.',
          'Renew the address.',
          'Open a page.',
        ],
      },
    })
  })
  it('a last sentence for an unsolved problem is a branch', async () => {
    expect(await outline('last sentence contacts support')).toEqual([
      'Update fails › Restart the computer.',
      'Run the troubleshooter.',
      {
        'Is the problem solved?': { Yes: ['Solved'], No: ['If the problem still occurs, contact support.'] },
      },
    ])
    expect(await outline('question for an unsolved problem')).toEqual([
      'Shared mailbox missing › Open the list of folders.',
      'Restart the mail program.',
      { 'Is the problem solved?': { Yes: ['Solved'], No: ['Still missing?'] } },
    ])
    expect(await outline('last sentence goes on to nothing')).toEqual([
      'Sound is missing › Choose the right device.',
      'Restart the audio service.',
      { 'Is the problem solved?': { Yes: ['Solved'], No: ['The article has no further step'] } },
    ])
  })
  it('a question whose option goes on leads to what follows', async () => {
    expect(await outline('question with a branch that goes on')).toEqual({
      'Disk is full › Is the partition larger than 100 GB?': {
        'If yes, go to the next step.': ['Delete the temporary files.', 'Empty the bin.'],
        'If no, order a larger disk.': ['If no, order a larger disk.'],
      },
    })
  })
  it('KBI-30 headings are in the step that follows, facts and examples in the text before, and one of several ways is a choice', async () => {
    expect(await outline('facts, an example and a choice')).toEqual([
      'Operator is not ready › Meaning',
      'Diagnosis › Read the condition.',
      {
        'Mitigation › Apply the remediation': {
          'Lease: delete the lease.': ['Lease: delete the lease.'],
          'Rights: create the role again.': ['Rights: create the role again.'],
        },
      },
    ])
  })
  it('KBI-30 a list of what may be the case is neither a choice nor a list of steps', async () => {
    expect(await outline('statements about one of several')).toEqual([
      'Wizard fails',
      'Problem',
      'Cause',
      'Improvements in version 2',
      {
        'Solution › Use one of the following ways:': {
          'Clear the list.': ['Clear the list.'],
          'Run the wizard as an admin.': ['Run the wizard as an admin.'],
          'Go on': expect.anything(),
        },
      },
    ])
  })
  it('a text is not repeated above itself when it has links or entities', async () => {
    const article =
      '# Fonts\n\nThis was written by [Taylor Hempel](https://x.example/taylor), an engineer.\n\n## Next\n\n_KB number:_ &nbsp; 4711'
    const texts = JSON.stringify(await buildTree(article))
    expect(texts.match(/This was written by/g)).toHaveLength(1)
    expect(texts.match(/4711/g)).toHaveLength(1)
  })
  it('several causes are the options of a decision', async () => {
    expect(await outline('causes with resolutions')).toMatchObject([
      'Sign-in is refused › Symptoms',
      {
        'Which case applies?': {
          'A policy blocks the device': expect.arrayContaining(['Add the device to the exceptions.']),
          'The clock is wrong': expect.anything(),
        },
      },
    ])
    expect(await outline('single cause')).toEqual([
      'Screen flickers › Symptoms',
      'Cause',
      'Resolution › Install the driver of the vendor.',
      'Restart the computer.',
    ])
  })
  it.each([
    ['If the problem persists, go to the next method.', true],
    ['If this does not help, try Method 2.', true],
    ['If not, install it and continue with the next step.', false],
    ['Follow the next step.', true],
    ['Restart the server.', false],
  ])('%s only says to go on: %s', (text, expected) => {
    expect(onlySaysToGoOn(text)).toBe(expected)
  })
  it('the target and the condition of a jump are found', () => {
    expect(findJump('3. If the reason is a timeout, skip to step 5.')).toEqual({
      unit: 'step',
      number: '5',
      condition: 'the reason is a timeout',
    })
    expect(findJump('Go to step 5.')).toBe(null)
    expect(['Cause 2: The disk is full', 'Possible cause: slow', 'Scenario A'].map(nameCase)).toEqual([
      'The disk is full',
      'slow',
      'Scenario A',
    ])
  })
})

it('KBI-16 a long article gets no questions that would make its tree too deep', async () => {
  const steps = Array.from({ length: 48 }, (_, index) => `${index + 1}. Do it ${index}.`).join('\n')
  const article = `${steps}\n49. If it still fails, restart it.\n50. Call us.`
  const tree = await buildTree(article)
  expect(listPaths(tree).map(({ length }) => length)).toEqual([50])
})

it.each([1, 2, 3])('KBI-16 parts are copied only while the tree has room for them: %i', async (skipped) => {
  const steps = Array.from(
    { length: 40 },
    (_, index) => `${index + 1}. Do it. If it is ${index}, go to step ${index + 1 + skipped}.`,
  ).join('\n')
  const count = (node: FlowNode): number =>
    (node.children ?? []).reduce((sum, child) => sum + count(child), 1)
  expect(count(await buildTree(steps))).toBeLessThan(500)
})

it('KBI-17 metadata is no step of a procedure', async () => {
  const flow = buildFlow(
    await convert('Last updated: 2026\n\nOpen the page.\n\n- Applies to: all\n- Owner: me\n'),
    'procedural',
  )
  expect(
    (flow as { steps: { type: string; title: string }[] }).steps.map(({ type, title }) => [type, title]),
  ).toEqual([
    ['procedure_step', 'Open the page.'],
    ['procedure_end', 'Done'],
  ])
})
