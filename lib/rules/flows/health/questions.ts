import { canSpend, spend } from '#rules/budget.ts'
import type { FlowNode, FlowOption } from '#rules/flows/structure.ts'
import { createStepFinding, type Finding, getName } from './finding.ts'
import { type PlacedNode, placeNodes, removeOptions, replaceByChild } from './flow-patch.ts'

// What the structure of a tree proves about its questions. The work is one step per character; what a
// request cannot pay is not looked for.

/** Return whether answering a decision is all that happens there. */
function isPlainQuestion({
  type,
  subflow,
  script_template_id,
  evidence,
  approval,
  timer,
}: FlowNode): boolean {
  const happens = [subflow, script_template_id, approval, timer].some((value) => value) || evidence?.length
  return type === 'decision' && !happens
}

/** What the path to a node has answered to a question: one of these labels. Nothing has happened since. */
interface Answer {
  labels: ReadonlySet<string>
  asked: FlowNode
}
type Answers = ReadonlyMap<string, Answer>
const none: Answers = new Map()

/**
 * Return the questions that are asked again after they were answered, with only questions between. All other
 * options of such a question contradict the answer, so no path allows them.
 */
export function findRepeatedQuestions(root: FlowNode): Finding[] {
  const findings: Finding[] = []
  const pending: { place: PlacedNode; answers: Answers }[] = [
    { place: { node: root, path: 'tree_structure', parent: undefined }, answers: none },
  ]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { place } = next
    const { node, path } = place
    const answers = isPlainQuestion(node) ? next.answers : none
    const question = getQuestion(node)
    if (question === 'too long') return []
    const answer = question === null ? undefined : answers.get(question)
    const isPossible = ({ label }: FlowOption) => answer?.labels.has(label) ?? true
    const impossible = (node.options ?? []).filter((option) => !isPossible(option))
    if (answer && impossible.length > 0) findings.push(describeRepeat(place, answer, impossible))
    const possible = (node.options ?? []).filter(isPossible)
    for (const [index, child] of [...(node.children ?? []).entries()].reverse()) {
      const options = possible.filter(({ next_node_id }) => next_node_id === child.id)
      const isLinked = node.type === 'decision' ? options.length > 0 : node.next_node_id === child.id
      if (!isLinked) continue
      const labels = new Set(options.map(({ label }) => label))
      pending.push({
        place: { node: child, path: `${path}.children[${index}]`, parent: node },
        answers: question === null ? answers : new Map([...answers, [question, { labels, asked: node }]]),
      })
    }
  }
  return findings
}

/**
 * Return all texts of a question, or null for a node that asks none that can be compared: it is no decision, or
 * its sub-flow may change what it asks.
 */
function getQuestion({ type, title, description, options, subflow }: FlowNode): string | 'too long' | null {
  if (type !== 'decision' || subflow) return null
  const labels = (options ?? []).map(({ label }) => label)
  const question = JSON.stringify([title, description, labels.toSorted()])
  return spendOn(question) ? question : 'too long'
}

function spendOn({ length }: string): boolean {
  if (!canSpend(length)) return false
  spend(length)
  return true
}

function describeRepeat(
  place: PlacedNode,
  { labels, asked }: Answer,
  impossible: readonly FlowOption[],
): Finding {
  const { node, path, parent } = place
  const isInRow = parent === asked
  const since = isInRow ? 'just before' : 'above, and only questions are between'
  const given = [...labels].map((label) => `“${label}”`).join(' or ')
  const message = `“${getName(node)}” was answered ${given} ${since}: no path leads to another option`
  const possible = (node.options ?? []).filter((option) => !impossible.includes(option))
  const targets = [...new Set(possible.map(({ next_node_id }) => next_node_id ?? ''))]
  return createStepFinding(isInRow ? 'repeated_question' : 'impossible_option', node, message, {
    path,
    option_id: impossible.length === 1 ? (impossible[0]?.id ?? null) : null,
    patch:
      targets.length === 1
        ? replaceByChild(place, targets[0] ?? '')
        : removeOptions(place, new Set(impossible.map(({ id }) => id ?? ''))),
  })
}

/** Return the questions whose answer makes no difference: the same steps follow each option. */
export function findPointlessQuestions(root: FlowNode): Finding[] {
  const contents = numberContents(root)
  if (!contents) return []
  return Array.from(placeNodes(root)).flatMap((place) => {
    const { node, path } = place
    if (!isPlainQuestion(node)) return []
    const targets = (node.options ?? []).map(({ next_node_id }) => findChild(node, next_node_id))
    const [first] = targets
    const numbers = new Set(targets.map((target) => target && contents.get(target)))
    if (!first || targets.length < 2 || numbers.size > 1) return []
    const message = `The same steps follow each option of “${getName(node)}”, so its answer makes no difference`
    return [
      createStepFinding('pointless_question', node, message, {
        path,
        patch: replaceByChild(place, first.id),
      }),
    ]
  })
}

const findChild = ({ children }: FlowNode, id: string | null | undefined) =>
  (children ?? []).find((child) => child.id === id)

/**
 * Number the nodes of a tree: two have the same number if they and all that follows differ in their ids alone.
 * Return null if that takes too much work.
 */
function numberContents(root: FlowNode): Map<FlowNode, number> | null {
  const numbers = new Map<FlowNode, number>()
  const numberByContent = new Map<string, number>()
  const parentsFirst = Array.from(placeNodes(root), ({ node }) => node)
  for (const node of parentsFirst.reverse()) {
    const { children: _, options, next_node_id, id, ...content } = node
    const follow = (target: string | null | undefined) => {
      const child = findChild(node, target)
      return child ? numbers.get(child) : null
    }
    const following = [
      next_node_id ? follow(next_node_id) : null,
      (options ?? []).map(({ label, next_node_id: target }) => [label, follow(target)]),
    ]
    // A sub-flow may choose options by their ids.
    const key = JSON.stringify([content, following, content.subflow?.options ? id : null])
    if (!spendOn(key)) return null
    const number = numberByContent.get(key) ?? numberByContent.size
    numberByContent.set(key, number)
    numbers.set(node, number)
  }
  return numbers
}
