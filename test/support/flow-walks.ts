import fc from 'fast-check'
import { getFirstStepId, getNextStepId } from '#rules/flows/step-navigation.ts'
import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from '#rules/flows/structure.ts'
import { walkAll } from '#rules/flows/walk.ts'

// Random small flows with few texts, so that questions repeat, and all their walks.

type Next = (count: number) => number

/** Create a flow from numbers. A draft may have stray links, nodes without a link and steps below the end. */
const flowOf = (create: (next: Next) => TreeStructure) =>
  fc.array(fc.nat(9999), { minLength: 120, maxLength: 120 }).map((numbers) => {
    let position = 0
    return create((count) => (numbers[position++ % numbers.length] ?? 0) % count)
  })

export const smallTree = flowOf((next) => createTree(next, false)) as fc.Arbitrary<FlowNode>
export const draftTree = flowOf((next) => createTree(next, true)) as fc.Arbitrary<FlowNode>
export const draftList = flowOf((next) => ({
  steps: Array.from({ length: 1 + next(6) }, (_, n): FlowStep => {
    const types = ['procedure_step', 'procedure_step', 'section_header', 'procedure_end'] as const
    return { id: `s${n}`, type: types[next(4)] ?? 'procedure_step', title: 'Step', description: '' }
  }),
}))

function createTree(next: Next, isDraft: boolean): FlowNode {
  const ids: string[] = []
  const createNode = (depth: number): FlowNode => {
    const id = `n${ids.length}`
    ids.push(id)
    const type =
      depth > 4 ? 'solution' : (['decision', 'decision', 'decision', 'action', 'solution'] as const)[next(5)]
    const extra = next(9)
    const happens =
      extra === 0
        ? { timer: { minutes: 5 } }
        : extra === 1
          ? { approval: { roles: ['engineer' as const] } }
          : {}
    const link = (child: FlowNode) => (isDraft && next(6) === 0 ? (ids[next(ids.length)] ?? null) : child.id)
    if (type === 'decision') {
      const labels = next(8) === 0 ? ['Yes', 'Yes', 'No'] : ['Yes', 'No', 'Maybe', 'Other']
      const count = next(5) === 0 ? 3 : 2
      const children = Array.from({ length: count }, () => createNode(depth + 1))
      const shared = next(6) === 0 ? 1 : 0
      const options = Array.from({ length: count + shared }, (_, n) => ({
        id: `o${n}`,
        label: labels[n % labels.length] ?? 'No',
        next_node_id: link(children[n % count] as FlowNode),
      }))
      const title = ['On?', 'Up?'][next(2)] ?? 'On?'
      return { id, type, title, description: next(6) ? '' : 'x', options, children, ...happens }
    }
    if (type === 'action') {
      const child = createNode(depth + 1)
      const stray = isDraft && next(6) === 0 ? [createNode(depth + 1)] : []
      return {
        id,
        type,
        title: 'Do',
        description: '',
        next_node_id: link(child),
        children: [child, ...stray],
      }
    }
    return { id, type: 'solution', title: next(3) ? 'End' : 'Other end', description: '' }
  }
  return createNode(1)
}

const listOptionIds = (node: FlowNode | undefined) =>
  node?.type === 'decision' && node.options?.length ? node.options.map(({ id }) => id ?? '') : [undefined]

/** Walk every way through a flow. Throw if one has more steps than the flow. */
export function listReachedSteps(structure: TreeStructure): Set<string> {
  const nodes = new Map(Array.from(walkAll(structure), ({ node }) => [node.id, node as FlowNode]))
  const reached = new Set<string>()
  const walk = (id: string | null, length: number) => {
    if (id === null) return
    if (length > nodes.size) throw new Error('This walk does not end')
    reached.add(id)
    for (const optionId of listOptionIds(nodes.get(id)))
      walk(getNextStepId(structure, id, optionId), length + 1)
  }
  walk(getFirstStepId(structure), 1)
  return reached
}

/** List the steps that take an answer. */
export function listAnswerableIds(structure: TreeStructure): string[] {
  return isStepList(structure)
    ? structure.steps.filter(({ type }) => type === 'procedure_step').map(({ id }) => id)
    : Array.from(walkAll(structure), ({ node }) => node.id)
}

/** A walk: its answers, and the titles of what is done and at which it ends. */
export interface Walk {
  answers: string[]
  done: string[]
}

/**
 * List the walks of somebody who gives the same question the same answer until something happens: a step that
 * is no question, or that has an approval, a timer or a script.
 */
export function listConsistentWalks(root: FlowNode): Walk[] {
  const walks: Walk[] = []
  const walk = (node: FlowNode, world: ReadonlyMap<string, string>, path: Walk) => {
    const { type, title, description, approval, timer, script_template_id } = node
    const isQuestion = type === 'decision'
    const known = isQuestion && !approval && !timer && !script_template_id ? world : new Map<string, string>()
    const done = isQuestion ? path.done : [...path.done, title ?? '']
    const labels = (node.options ?? []).map(({ label }) => label)
    const question = `${title}|${description}|${[...labels].sort()}`
    const allowed = (label: string) => (known.get(question) ?? label) === label
    const follow = (
      target: string | null | undefined,
      answers: string[],
      after: ReadonlyMap<string, string>,
    ) => {
      const child = (node.children ?? []).find(({ id }) => id === target)
      if (child) walk(child, after, { answers, done })
      else walks.push({ answers, done })
    }
    if (!isQuestion) return follow(node.next_node_id, path.answers, known)
    for (const { id, label, next_node_id } of node.options ?? [])
      if (allowed(label))
        follow(next_node_id, [...path.answers, `${node.id}/${id}`], new Map([...known, [question, label]]))
  }
  walk(root, new Map(), { answers: [], done: [] })
  return walks
}

/** List everything that can be read and chosen from a node on, without ids. */
export function listTraces({ id: _, children, options, next_node_id, ...content }: FlowNode): string[] {
  const below = (target: string | null | undefined) => {
    const child = (children ?? []).find(({ id }) => id === target)
    return child ? listTraces(child) : ['end']
  }
  const text = JSON.stringify(content)
  const onward =
    content.type === 'decision'
      ? (options ?? []).flatMap((option, n) =>
          below(option.next_node_id).map((trace) => `${n} ${option.label} ${trace}`),
        )
      : below(next_node_id)
  return onward.map((trace) => `${text} ${trace}`).sort()
}
