import { editStructure } from '#rules/flows/edits.ts'
import { buildStructure, type FlatNode, flattenStructure } from '#rules/flows/flat-nodes.ts'
import type { TreeType } from '#rules/flows/structure.ts'
import { describeReport, type Facts, type Turn } from './facts.ts'
import { planEdits } from './flow-edits.ts'
import { extractWords, splitSentences, truncate } from './text.ts'

/** A flow in the flat form that the model writes. */
interface DraftedFlow {
  name: string
  description: string
  nodes: FlatNode[]
  intake: { key: string; label: string; type: string; required: boolean; options: string[] | null }[]
}

interface DraftFacts {
  goal?: string
  tree_type?: TreeType
  environment_tags?: string[]
  draft?: DraftedFlow | null
  problems?: string[]
}

/** Draft a flow from the words of the request, or change the draft as the newest message asks. */
export function draftFlow(
  { goal = '', draft, tree_type = 'troubleshooting', environment_tags = [], problems = [] }: DraftFacts,
  turns: readonly Turn[],
) {
  const messages = turns.flatMap(({ role, text }) => (role === 'user' ? [text] : []))
  if (draft) return changeDraft(draft, messages.at(-1) ?? goal, tree_type)
  const text = [...new Set([goal, ...messages])]
    .filter((message) => extractWords(message).length > 1)
    .join('\n')
  if (text === '')
    return {
      reply: `What is to be done, and in which case? “${goal}” says too little to begin with.`,
      flow: null,
    }
  const nodes = tree_type === 'troubleshooting' ? writeTree(text, problems.length === 0) : writeSteps(text)
  const environment = environment_tags.length > 0 ? `\n\nEnvironment: ${environment_tags.join(', ')}.` : ''
  const flow = {
    name: truncate(text.split('\n')[0]?.replace(listMarker, '') ?? '', 80),
    description: truncate(text, 2000) + environment,
    nodes,
    intake: listIntakeFields(text),
  }
  return { reply: `I made ${nodes.length} nodes of it, beginning with “${nodes[0]?.title}”.`, flow }
}

function changeDraft(draft: DraftedFlow, request: string, type: TreeType) {
  const built = buildStructure(type, draft.nodes)
  const edits = planEdits(draft.nodes, request, type === 'troubleshooting', null)
  const edited =
    'structure' in built && edits.length > 0 ? editStructure(type, built.structure, edits) : undefined
  const quote = `“${truncate(request, 300)}”`
  if (!edited || !('result' in edited))
    return {
      reply: `I can rename, describe, add, move and remove nodes; ${quote} is none of these.`,
      flow: null,
    }
  return { reply: `Done: ${quote}.`, flow: { ...draft, nodes: flattenStructure(edited.result) } }
}

const listMarker = /^\s*(?:#+|[-*•]|\d+[.)])\s+/

function createNode(
  id: string,
  kind: FlatNode['kind'],
  title: string,
  fields: Partial<FlatNode> = {},
): FlatNode {
  const line = truncate(title.replace(/[.!]+$/, ''), 300)
  return {
    id,
    kind,
    title: (line[0] ?? '').toUpperCase() + line.slice(1),
    description: '',
    options: [],
    next: null,
    ...fields,
  }
}

/** Write a decision that leads to one node for an answer, and to another for all others. */
function createDecision(
  id: string,
  title: string,
  yes: FlatNode,
  no: FlatNode,
  labels = ['Yes', 'No'],
): FlatNode {
  const options = [yes, no].map((node, index) => ({ label: labels[index] ?? '', leads_to: node.id }))
  return createNode(id, 'decision', title, { options })
}

/**
 * Write a decision for each “if … then …”, an action for each other sentence, and a solution for the last.
 * The first attempt follows “go back to …” literally, which a flow cannot, and shows how the service asks
 * again.
 */
function writeTree(text: string, isFirstAttempt: boolean): FlatNode[] {
  const sentences = splitSentences(text).map((line) =>
    line.replace(listMarker, '').replace(/^otherwise,? /i, ''),
  )
  const nodes: FlatNode[] = []
  for (const [index, sentence] of [...sentences.slice(0, 40).entries()].reverse()) {
    const [, condition, action = ''] = /^if (.+?),? then (.+)$/i.exec(sentence) ?? []
    const next = nodes[0]
    if (condition) {
      const no = next ?? createNode(`n${index}-no`, 'solution', 'Hand it over with what was found')
      const yes = createNode(`n${index}-yes`, 'solution', action)
      nodes.unshift(createDecision(`n${index}`, `Is it so that ${condition}?`, yes, no), yes)
      if (!next) nodes.push(no)
    } else
      nodes.unshift(
        createNode(`n${index}`, next ? 'action' : 'solution', sentence, { next: next?.id ?? null }),
      )
  }
  if (isFirstAttempt && /\bgo back to\b/i.test(text)) {
    const [last, first] = [nodes.at(-1), nodes[0]]
    if (last && first) nodes.splice(-1, 1, { ...last, kind: 'action', next: first.id })
  }
  return nodes
}

/** Write a heading or a step for each line; a line without a mark belongs to the step before it. */
function writeSteps(text: string): FlatNode[] {
  const lines = text.split('\n').filter((line) => line.trim())
  const nodes: FlatNode[] = []
  for (const [index, line] of lines.slice(0, 40).entries()) {
    const last = nodes.at(-1)
    const [, title = '', description = ''] =
      /^(.+?)(?:: (.+))?$/.exec(line.replace(listMarker, '').trim()) ?? []
    if (/^\s*#/.test(line)) nodes.push(createNode(`n${index}`, 'section_header', title))
    else if (listMarker.test(line) || !last)
      nodes.push(createNode(`n${index}`, 'procedure_step', title, { description }))
    else last.description = [last.description, line.trim()].filter(Boolean).join('\n')
  }
  return [...nodes, createNode('end', 'procedure_end', 'Done')]
}

/** List an intake field for each placeholder. */
function listIntakeFields(text: string): DraftedFlow['intake'] {
  const keys = new Set(
    Array.from(text.matchAll(/\{\{\s*([a-z][a-z0-9_]{0,59})\s*\}\}/g), ([, key = '']) => key),
  )
  return Array.from(keys, (key) => ({
    key,
    label: key.replaceAll('_', ' '),
    type: /host|server/.test(key) ? 'hostname' : 'text',
    required: true,
    options: null,
  }))
}

/** The facts of a finished session. A flow session has `flow` and `answers`; an AI session has the other fields. */
interface FinishedSession extends Facts {
  flow?: DraftedFlow
  target?: DraftedFlow | null
  answers?: { node: string; note: string | null }[]
  session?: Facts['session'] & { notes?: string | null; next_steps?: string | null }
  resolution?: { notes: string | null } | null
}

/** Convert a finished session to a flow: the one that was run, with its notes, or a new one of an AI session. */
export function convertSession(facts: FinishedSession): { flow: DraftedFlow } {
  return { flow: facts.flow ? addNotes(facts.flow, facts) : describeCase(facts) }
}

function addNotes(flow: DraftedFlow, { target, answers = [], session }: FinishedSession): DraftedFlow {
  // If the target is the flow that was run, the run has all its nodes and the added steps.
  const isRun = target?.nodes.every(({ id }) => flow.nodes.some((node) => node.id === id)) ?? true
  const { nodes, ...base } = target && !isRun ? target : flow
  const { name, description } = target ?? { ...flow, name: truncate(`${flow.name}, as it was done`, 200) }
  const learn = (text: string, notes: readonly (string | null | undefined)[]) =>
    [text, ...notes.filter(Boolean).map((note) => `Learned: ${note}`)]
      .filter(Boolean)
      .join('\n\n')
      .slice(0, 4000)
  const listNotes = (id: string) => answers.filter(({ node }) => node === id).map(({ note }) => note)
  return {
    ...base,
    name,
    description: learn(description, [session?.notes, session?.next_steps]),
    nodes: nodes.map((node) => ({ ...node, description: learn(node.description, listNotes(node.id)) })),
  }
}

/** Write a flow that asks for the problem of a case and leads to what solved it, else to the flow it is added to. */
function describeCase(facts: FinishedSession): DraftedFlow {
  const { target, triage, fixes = [], resolution, steps = [] } = facts
  const removeNames = (text: string) =>
    [triage?.client_name, triage?.asset_name].reduce<string>(
      (result, name) => (name ? result.replaceAll(name, 'the client') : result),
      text,
    )
  const problem = removeNames(describeReport(facts) || (facts.session?.title ?? ''))
  const fix = fixes.find(({ status }) => status === 'applied_success')
  const answered = steps.flatMap(({ text, response }) =>
    response ? [`${text.split('\n')[0]}: ${response}`] : [],
  )
  const description = [fix?.description, resolution?.notes, ...answered].filter(Boolean).join('\n\n')
  const solution = createNode(
    'case-solution',
    'solution',
    removeNames(fix?.title ?? resolution?.notes ?? 'Settled without a fix'),
    { description: removeNames(description).slice(0, 4000) },
  )
  const other = target?.nodes[0] ?? createNode('case-other', 'solution', 'Look for another cause')
  const title = `Is it this: ${truncate(problem, 200)}?`
  const question = createDecision('case', title, solution, other, ['Yes', 'Something else'])
  const nodes = [question, solution, ...(target?.nodes ?? [other])]
  const flow = { name: truncate(problem, 80), description: truncate(problem, 2000), intake: [] }
  return { ...(target ?? flow), nodes }
}
