import type { ListedNode } from '../../flows/draft.ts'
import type { Written } from './authoring.ts'
import { type Facts, reportOf } from './case.ts'
import { type Fresh, freshIds, nodeOf } from './procedures.ts'
import { cut } from './words.ts'

interface Finished extends Facts {
  flow?: Written
  target?: Written | null
  answers?: { node: string; outcome: string | null; note: string | null; fallbacks: { title: string; outcome: string }[] }[]
  session?: Facts['session'] & { notes?: string | null; next_steps?: string | null }
  resolution?: { notes: string | null } | null
  conversation?: { role: string; text: string }[]
}

/** The flow of a finished session: as it was run with what was added and noted, or made of the case. */
export function flowConversion(facts: Finished): { flow: Written } {
  const { flow, target } = facts
  return { flow: flow ? ofRun(facts, flow, target ?? null) : ofCase(facts, target ?? null) }
}

function ofRun({ answers = [], session }: Finished, flow: Written, target: Written | null): Written {
  const byNode = new Map(answers.map((answer) => [answer.node, answer]))
  const ran = new Set(flow.nodes.map(({ id }) => id))
  // The flow as it was run is the target with what was added, where the target is that flow.
  const base = target && !target.nodes.every(({ id }) => ran.has(id)) ? target : flow
  const kept = base.nodes.filter(({ id, kind }) => target || kind !== 'procedure_step' || byNode.get(id)?.outcome !== 'skipped')
  const nodes = kept.some(({ kind }) => kind === 'procedure_step' || kind === 'solution') ? kept : base.nodes
  const told = nodes.map((node) => ({ ...node, description: learned(node, byNode.get(node.id)) }))
  const remarks = [session?.notes, session?.next_steps].filter(Boolean).join('\n')
  const { name, description } = target ?? { name: cut(`${flow.name}, as it was done`, 200), description: flow.description }
  return { ...base, name, description: joined([description, remarks && `Learned: ${remarks}`], 4000), nodes: told }
}

function learned({ description }: ListedNode, answer: NonNullable<Finished['answers']>[number] | undefined): string {
  const worked = answer?.fallbacks.filter(({ outcome }) => outcome === 'done').map(({ title }) => `If it does not work: ${title}`) ?? []
  return joined([description, answer?.note && `Learned: ${answer.note}`, ...worked], 4000)
}

function joined(parts: (string | null | undefined)[], max: number): string {
  return Array.from(parts.filter(Boolean).join('\n\n')).slice(0, max).join('')
}

/** From the answered questions to what solved it; client and machine are no part of a flow. */
function ofCase(facts: Finished, target: Written | null): Written {
  const { client_name, asset_name } = facts.triage ?? {}
  const names = [[asset_name, '{{asset_name}}'] as const, [client_name, 'the client'] as const]
  const general = (text: string) => names.reduce((made, [name, word]) => (name ? made.replaceAll(name, word) : made), text)
  const problem = general(reportOf(facts) || (facts.session?.title ?? ''))
  const fresh = freshIds(target?.nodes ?? [], 'c')
  const { title, description } = solution(facts)
  const nodes = [nodeOf(fresh, { kind: 'solution', title: general(title), description: general(description) })]
  const steps = (facts.steps ?? []).filter(({ kind, response }) => response !== null && kind !== 'fix').slice(-20)
  for (const { kind, text, response } of steps.reverse())
    nodes.unshift(...wayTo(nodes[0] as ListedNode, general(text), kind === 'question' ? general(response ?? '') : null, fresh))
  nodes.unshift(...wayTo(nodes[0] as ListedNode, `Is it this: ${cut(problem, 200)}?`, 'Yes', fresh))
  const intake = asset_name ? [{ key: 'asset_name', label: 'Device', type: 'text', required: false, options: null }] : []
  const made = { name: cut(problem, 80), description: cut(problem, 2000), nodes, intake }
  return target ? before(made, target) : made
}

/** A node that leads on, and where its answer may be another one, where to go then. */
function wayTo(next: ListedNode, text: string, answer: string | null, fresh: Fresh): ListedNode[] {
  const [title = '', ...more] = text.split('\n')
  const words = { title: cut(title, 300), description: cut(more.join('\n'), 4000) }
  if (answer === null) return [nodeOf(fresh, { kind: 'action', ...words, next: next.id })]
  const other = nodeOf(fresh, { kind: 'solution', title: elsewhere })
  const options = [
    { label: cut(answer, 300) || 'Yes', leads_to: next.id },
    { label: 'Something else', leads_to: other.id },
  ]
  return [nodeOf(fresh, { kind: 'decision', ...words, options }), other]
}

/** What the target did not have comes first, and leads on to it. */
function before({ nodes, intake }: Written, target: Written): Written {
  const [root, end] = [target.nodes[0] as ListedNode, nodes.find(({ title }) => title === elsewhere)]
  const turned = ({ label, leads_to }: ListedNode['options'][number]) => ({ label, leads_to: leads_to === end?.id ? root.id : leads_to })
  const own = nodes.filter((node) => node !== end).map((node) => ({ ...node, options: node.options.map(turned) }))
  const isNew = intake.filter(({ key }) => !target.intake.some((field) => field.key === key))
  return { ...target, nodes: [...own, ...target.nodes], intake: [...target.intake, ...isNew] }
}

const elsewhere = 'Look for another cause'

function solution({ fixes = [], resolution, conversation = [] }: Finished): { title: string; description: string } {
  const worked = fixes.find(({ status }) => status === 'applied_success')
  if (worked) return { title: cut(worked.title, 300), description: joined([worked.description, resolution?.notes], 4000) }
  const said = resolution?.notes ?? conversation.findLast(({ role }) => role === 'user')?.text ?? 'Settled without a fix'
  return { title: cut(said, 200), description: joined([said], 4000) }
}
