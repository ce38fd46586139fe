import type { FlatNode } from '#rules/flows/flat-nodes.ts'
import type { DraftedFlow } from './authoring.ts'
import { describeReport, type Facts } from './facts.ts'
import { type CreateId, createIdGenerator, createNode } from './procedures.ts'
import { truncate } from './text.ts'

/**
 * The facts of a finished session. A flow session has `flow` and `answers`; an AI session has the other
 * fields.
 */
interface FinishedSession extends Facts {
  flow?: DraftedFlow
  target?: DraftedFlow | null
  answers?: {
    node: string
    outcome: string | null
    note: string | null
    fallbacks: { title: string; outcome: string }[]
  }[]
  session?: Facts['session'] & { notes?: string | null; next_steps?: string | null }
  resolution?: { notes: string | null } | null
  conversation?: { role: string; text: string }[]
}

/**
 * Convert a finished session to a flow: the flow that was run, with added steps and notes, or a flow built
 * from an AI session.
 */
export function createFlowConversion(facts: FinishedSession): { flow: DraftedFlow } {
  const { flow, target } = facts
  return { flow: flow ? convertRun(facts, flow, target ?? null) : convertAiSession(facts, target ?? null) }
}

function convertRun(
  { answers = [], session }: FinishedSession,
  flow: DraftedFlow,
  target: DraftedFlow | null,
): DraftedFlow {
  const answerByNode = new Map(answers.map((answer) => [answer.node, answer]))
  const flowIds = new Set(flow.nodes.map(({ id }) => id))
  // If the target is the flow that was run, the run contains all its nodes and the added steps.
  const base = target && !target.nodes.every(({ id }) => flowIds.has(id)) ? target : flow
  const usedNodes = base.nodes.filter(
    ({ id, kind }) => target || kind !== 'procedure_step' || answerByNode.get(id)?.outcome !== 'skipped',
  )
  const nodes = usedNodes.some(({ kind }) => kind === 'procedure_step' || kind === 'solution')
    ? usedNodes
    : base.nodes
  const describedNodes = nodes.map((node) => ({
    ...node,
    description: describeNode(node, answerByNode.get(node.id)),
  }))
  const remarks = [session?.notes, session?.next_steps].filter(Boolean).join('\n')
  const { name, description } = target ?? {
    name: truncate(`${flow.name}, as it was done`, 200),
    description: flow.description,
  }
  return {
    ...base,
    name,
    description: joinParagraphs([description, remarks && `Learned: ${remarks}`], 4000),
    nodes: describedNodes,
  }
}

/** Add the note of an answer and the fallbacks that worked to a node's description. */
function describeNode(
  { description }: FlatNode,
  answer: NonNullable<FinishedSession['answers']>[number] | undefined,
): string {
  const fallbacks =
    answer?.fallbacks
      .filter(({ outcome }) => outcome === 'done')
      .map(({ title }) => `If this fails: ${title}`) ?? []
  return joinParagraphs([description, answer?.note && `Learned: ${answer.note}`, ...fallbacks], 4000)
}

/** Join paragraphs and cut the result at `max` characters. */
function joinParagraphs(parts: (string | null | undefined)[], max: number): string {
  return Array.from(parts.filter(Boolean).join('\n\n')).slice(0, max).join('')
}

/**
 * Build a flow that leads from the problem over the answered steps to the solution. Names of client and
 * device are replaced.
 */
function convertAiSession(facts: FinishedSession, target: DraftedFlow | null): DraftedFlow {
  const { client_name, asset_name } = facts.triage ?? {}
  const replacements = [[asset_name, '{{asset_name}}'] as const, [client_name, 'the client'] as const]
  const removeNames = (text: string) =>
    replacements.reduce(
      (result, [name, replacement]) => (name ? result.replaceAll(name, replacement) : result),
      text,
    )
  const problem = removeNames(describeReport(facts) || (facts.session?.title ?? ''))
  const createId = createIdGenerator(target?.nodes ?? [], 'c')
  const { title, description } = describeSolution(facts)
  const nodes = [
    createNode(createId, {
      kind: 'solution',
      title: removeNames(title),
      description: removeNames(description),
    }),
  ]
  const steps = (facts.steps ?? [])
    .filter(({ kind, response }) => response !== null && kind !== 'fix')
    .slice(-20)
  for (const { kind, text, response } of steps.reverse())
    nodes.unshift(
      ...createNodesBefore(
        nodes[0] as FlatNode,
        removeNames(text),
        kind === 'question' ? removeNames(response ?? '') : null,
        createId,
      ),
    )
  nodes.unshift(
    ...createNodesBefore(nodes[0] as FlatNode, `Is it this: ${truncate(problem, 200)}?`, 'Yes', createId),
  )
  const intake = asset_name
    ? [{ key: 'asset_name', label: 'Device', type: 'text', required: false, options: null }]
    : []
  const flow = { name: truncate(problem, 80), description: truncate(problem, 2000), nodes, intake }
  return target ? prependFlow(flow, target) : flow
}

/**
 * Create the nodes that lead to `next`: a decision with a second way out if `answer` is set, otherwise an
 * action.
 */
function createNodesBefore(
  next: FlatNode,
  text: string,
  answer: string | null,
  createId: CreateId,
): FlatNode[] {
  const [title = '', ...otherLines] = text.split('\n')
  const fields = { title: truncate(title, 300), description: truncate(otherLines.join('\n'), 4000) }
  if (answer === null) return [createNode(createId, { kind: 'action', ...fields, next: next.id })]
  const otherCause = createNode(createId, { kind: 'solution', title: otherCauseTitle })
  const options = [
    { label: truncate(answer, 300) || 'Yes', leads_to: next.id },
    { label: 'Something else', leads_to: otherCause.id },
  ]
  return [createNode(createId, { kind: 'decision', ...fields, options }), otherCause]
}

/**
 * Put a new flow before an existing one. The new flow's way out for other causes leads to the root of the
 * existing flow.
 */
function prependFlow({ nodes, intake }: DraftedFlow, target: DraftedFlow): DraftedFlow {
  const root = target.nodes[0] as FlatNode
  const otherCause = nodes.find(({ title }) => title === otherCauseTitle)
  const redirect = ({ label, leads_to }: FlatNode['options'][number]) => ({
    label,
    leads_to: leads_to === otherCause?.id ? root.id : leads_to,
  })
  const newNodes = nodes
    .filter((node) => node !== otherCause)
    .map((node) => ({ ...node, options: node.options.map(redirect) }))
  const newFields = intake.filter(({ key }) => !target.intake.some((field) => field.key === key))
  return { ...target, nodes: [...newNodes, ...target.nodes], intake: [...target.intake, ...newFields] }
}

const otherCauseTitle = 'Look for another cause'

function describeSolution({ fixes = [], resolution, conversation = [] }: FinishedSession): {
  title: string
  description: string
} {
  const workingFix = fixes.find(({ status }) => status === 'applied_success')
  if (workingFix)
    return {
      title: truncate(workingFix.title, 300),
      description: joinParagraphs([workingFix.description, resolution?.notes], 4000),
    }
  const text =
    resolution?.notes ?? conversation.findLast(({ role }) => role === 'user')?.text ?? 'Settled without a fix'
  return { title: truncate(text, 200), description: joinParagraphs([text], 4000) }
}
