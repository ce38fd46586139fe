import { createPatch } from 'rfc6902'
import { buildStructure, type FlatNode, flattenStructure } from '../../flows/flat-nodes.ts'
import type { TreeStructure, TreeType } from '../../flows/structure.ts'
import { walkAll } from '../../flows/walk.ts'
import { applyIntent, type EditIntent, findNodeIndex, parseIntent, splitInstructions } from './edit-intents.ts'
import type { Turn } from './facts.ts'
import { listUserTexts } from './flows.ts'
import {
  buildSkeleton,
  buildSteps,
  buildTree,
  createIdGenerator,
  extractIntakeFields,
  extractTopic,
  isTooShort,
  linkJumps,
  parseStatements,
  type Statement,
} from './procedures.ts'
import { truncate } from './text.ts'

/** A flow in the flat form that the model writes. */
export interface DraftedFlow {
  name: string
  description: string
  nodes: FlatNode[]
  intake: { key: string; label: string; type: string; required: boolean; options: string[] | null }[]
}
interface FlowDraftFacts {
  goal?: string
  tree_type?: TreeType
  environment_tags?: string[]
  draft?: DraftedFlow | null
  problems?: string[]
}

/** Draft a flow from the words of the request, or change the existing draft as the newest message asks. */
export function createFlowDraft(
  { goal = '', draft = null, tree_type = 'troubleshooting', ...facts }: FlowDraftFacts,
  turns: readonly Turn[],
) {
  const request = turns.findLast(({ role }) => role === 'user')?.text ?? goal
  const isTree = tree_type === 'troubleshooting'
  return draft ? changeDraft(draft, request, isTree) : startDraft(goal, turns, isTree, facts)
}

function startDraft(goal: string, turns: readonly Turn[], isTree: boolean, { environment_tags = [], problems = [] }: FlowDraftFacts) {
  const userTexts = [...new Set([goal, ...listUserTexts(turns)])]
  const text = (userTexts.filter((userText) => !isTooShort(userText)).join('\n') || userTexts.join('\n')).trim()
  if (isTooShort(text))
    return { reply: `What is to be done, and in which case? “${truncate(text, 200)}” says too little to begin with.`, flow: null }
  const createId = createIdGenerator([])
  const topic = extractTopic(text)
  const statements = parseStatements(text)
  const buildNodes = () => (isTree ? linkJumps(buildTree(statements, createId), problems.length > 0) : buildSteps(statements, createId))
  const nodes = topic ? buildSkeleton(topic, isTree, createId) : buildNodes()
  const environment = environment_tags.length > 0 ? `\n\nEnvironment: ${environment_tags.join(', ')}.` : ''
  const flow = {
    name: toFlowName(topic ?? getTitle(statements[0]) ?? text),
    description: `${truncate(text, 2000)}${environment}`,
    nodes,
    intake: extractIntakeFields(text),
  }
  return { reply: `I made ${nodes.length} nodes of it, beginning with “${truncate(nodes[0]?.title ?? '', 200)}”.`, flow }
}

function getTitle(statement: Statement | undefined): string | undefined {
  if (!statement) return undefined
  if ('condition' in statement) return statement.condition
  return 'task' in statement ? statement.task : statement.heading
}

/** Make a flow name from the first line of a text. */
function toFlowName(text: string): string {
  const line = text.split('\n')[0]?.replace(/^[#\s\d.)*-]+|[:.\s]+$/g, '') || text
  return truncate((line[0] ?? '').toUpperCase() + line.slice(1), 80)
}

/** Apply the instructions of a message to a draft, and say which of them were not possible. */
function changeDraft(draft: DraftedFlow, request: string, isTree: boolean) {
  let flow = draft
  const done: string[] = []
  const notDone: string[] = []
  for (const instruction of splitInstructions(request)) {
    const changedFlow = applyInstruction(flow, instruction, isTree)
    const summary = truncate(instruction.trim().replace(/\.$/, ''), 300)
    if (changedFlow) done.push(summary)
    else notDone.push(summary)
    flow = changedFlow ?? flow
  }
  const help = 'I can rename, describe, add, move and remove, or put an “if … then …” in, where the flow has what is named.'
  if (done.length === 0) return { reply: `${help} “${truncate(request, 300)}” is none that I can do here.`, flow: null }
  const knownKeys = new Set(flow.intake.map(({ key }) => key))
  const intake = [...flow.intake, ...extractIntakeFields(request).filter(({ key }) => !knownKeys.has(key))]
  const remainder = notDone.length > 0 ? ` Not done: ${notDone.join('; ')}. ${help}` : ''
  return { reply: `Done: ${done.join('; ')}.${remainder}`, flow: { ...flow, intake } }
}

/** Apply one instruction to a draft. Return undefined if that is not possible. */
function applyInstruction(draft: DraftedFlow, instruction: string, isTree: boolean): DraftedFlow | undefined {
  const intent = parseIntent(instruction)
  if (intent?.type === 'rename' && /^(?:the )?flow$/i.test(intent.node.trim())) return { ...draft, name: truncate(intent.text, 200) }
  const nodes = intent && applyIntent(draft.nodes, intent, isTree, null)
  return nodes && { ...draft, nodes }
}

interface FlowEditFacts {
  tree_type?: TreeType
  instruction?: string
  node?: string | null
  structure?: TreeStructure
}
interface PatchOperation {
  op: string
  path: string
  from: string | null
  value: string | null
}

/** Answer an instruction with a JSON patch. A change of a text is one operation; any other change is the difference of two structures. */
export function createFlowEdit({ tree_type = 'troubleshooting', instruction = '', node = null, structure }: FlowEditFacts) {
  const intent = parseIntent(instruction)
  const patch =
    structure && intent ? (createTextPatch(structure, intent, node) ?? createStructurePatch(tree_type, structure, intent, node)) : []
  const explanation =
    patch.length > 0 ? `As asked: ${truncate(instruction, 1000)}` : `Nothing is changed: I cannot do “${truncate(instruction, 1000)}” here.`
  return { explanation, patch }
}

/** Create the patch of a title or description. Return undefined for other intents. */
function createTextPatch(structure: TreeStructure, intent: EditIntent, currentId: string | null): PatchOperation[] | undefined {
  if (intent.type !== 'rename' && intent.type !== 'describe') return undefined
  const nodes = flattenStructure(structure)
  const id = nodes[findNodeIndex(nodes, intent.node, currentId)]?.id
  const visit = [...walkAll(structure)].find(({ node }) => node.id === id)
  if (!visit) return []
  const field = intent.type === 'rename' ? 'title' : 'description'
  const op = visit.node[field] ? 'replace' : 'add'
  return [{ op, path: `${toJsonPointer(visit.path)}/${field}`, from: null, value: JSON.stringify(intent.text) }]
}

/** Convert a path such as `tree_structure.children[0]` to a JSON pointer. */
const toJsonPointer = (path: string) =>
  path
    .replace(/^tree_structure/, '')
    .replace(/\[(\d+)\]/g, '/$1')
    .replaceAll('.', '/')

function createStructurePatch(type: TreeType, structure: TreeStructure, intent: EditIntent, currentId: string | null): PatchOperation[] {
  const nodes = flattenStructure(structure)
  const changedNodes = applyIntent(nodes, intent, type === 'troubleshooting', currentId)
  if (!changedNodes) return []
  const before = buildStructure(type, nodes, structure)
  const after = buildStructure(type, changedNodes, structure)
  if ('problems' in before || 'problems' in after) return []
  return createPatch(before.structure, after.structure).map((operation) => ({
    // A structure may omit these fields, and then only `add` works.
    op: operation.op === 'replace' && /\/(?:title|description)$/.test(operation.path) ? 'add' : operation.op,
    path: operation.path,
    from: null,
    value: 'value' in operation ? JSON.stringify(operation.value) : null,
  }))
}
