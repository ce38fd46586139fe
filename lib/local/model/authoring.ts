import type { FlowEdit } from '#rules/flows/edit.ts'
import { type FlatNode, flattenStructure } from '#rules/flows/flat-nodes.ts'
import type { TreeStructure, TreeType } from '#rules/flows/structure.ts'
import { applyIntent, parseIntent, splitInstructions } from './edit-intents.ts'
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

function startDraft(
  goal: string,
  turns: readonly Turn[],
  isTree: boolean,
  { environment_tags = [], problems = [] }: FlowDraftFacts,
) {
  const userTexts = [...new Set([goal, ...listUserTexts(turns)])]
  const text = (
    userTexts.filter((userText) => !isTooShort(userText)).join('\n') || userTexts.join('\n')
  ).trim()
  if (isTooShort(text))
    return {
      reply: `What is to be done, and in which case? “${truncate(text, 200)}” says too little to begin with.`,
      flow: null,
    }
  const createId = createIdGenerator([])
  const topic = extractTopic(text)
  const statements = parseStatements(text)
  const buildNodes = () =>
    isTree
      ? linkJumps(buildTree(statements, createId), problems.length > 0)
      : buildSteps(statements, createId)
  const nodes = topic ? buildSkeleton(topic, isTree, createId) : buildNodes()
  const environment = environment_tags.length > 0 ? `\n\nEnvironment: ${environment_tags.join(', ')}.` : ''
  const flow = {
    name: toFlowName(topic ?? getTitle(statements[0]) ?? text),
    description: `${truncate(text, 2000)}${environment}`,
    nodes,
    intake: extractIntakeFields(text),
  }
  return {
    reply: `I made ${nodes.length} nodes of it, beginning with “${truncate(nodes[0]?.title ?? '', 200)}”.`,
    flow,
  }
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
  const help =
    'I can rename, describe, add, move and remove, or put an “if … then …” in, where the flow has what is named.'
  if (done.length === 0)
    return { reply: `${help} “${truncate(request, 300)}” is none that I can do here.`, flow: null }
  const knownKeys = new Set(flow.intake.map(({ key }) => key))
  const intake = [...flow.intake, ...extractIntakeFields(request).filter(({ key }) => !knownKeys.has(key))]
  const remainder = notDone.length > 0 ? ` Not done: ${notDone.join('; ')}. ${help}` : ''
  return { reply: `Done: ${done.join('; ')}.${remainder}`, flow: { ...flow, intake } }
}

/** Apply one instruction to a draft. Return undefined if that is not possible. */
function applyInstruction(draft: DraftedFlow, instruction: string, isTree: boolean): DraftedFlow | undefined {
  const intent = parseIntent(instruction)
  if (intent?.type === 'rename' && /^(?:the )?flow$/i.test(intent.node.trim()))
    return { ...draft, name: truncate(intent.text, 200) }
  const nodes = intent && applyIntent(draft.nodes, intent, isTree, null)
  return nodes && { ...draft, nodes }
}

interface FlowEditFacts {
  tree_type?: TreeType
  instruction?: string
  node?: string | null
  structure?: TreeStructure
}

/** An edit with the fields that it needs. */
type Edit = Pick<FlowEdit, 'op' | 'id'> & Partial<FlowEdit>

const emptyEdit = {
  kind: null,
  title: null,
  description: null,
  options: null,
  next: null,
  estimated_minutes: null,
  group_label: null,
  position: null,
  anchor: null,
}

/** Return an edit whose other fields are null. */
export function createEdit(fields: Edit): FlowEdit {
  return { ...emptyEdit, ...fields }
}

/** Answer an instruction with the edits that make the difference between the nodes before and after. */
export function createFlowEdit({
  tree_type = 'troubleshooting',
  instruction = '',
  node = null,
  structure,
}: FlowEditFacts) {
  const intent = parseIntent(instruction)
  const nodes = structure ? flattenStructure(structure) : []
  const isTree = tree_type === 'troubleshooting'
  const changedNodes = intent && applyIntent(nodes, intent, isTree, node)
  const edits = changedNodes ? listEdits(nodes, changedNodes, isTree).map(createEdit) : []
  const explanation =
    edits.length > 0
      ? `As asked: ${truncate(instruction, 1000)}`
      : `Nothing is changed: I cannot do “${truncate(instruction, 1000)}” here.`
  return { explanation, edits }
}

function listEdits(before: readonly FlatNode[], after: readonly FlatNode[], isTree: boolean): Edit[] {
  const beforeById = new Map(before.map((node) => [node.id, node]))
  const afterIds = new Set(after.map(({ id }) => id))
  const removed = before.filter(({ id }) => !afterIds.has(id)).map(({ id }): Edit => ({ op: 'remove', id }))
  const inserted = after
    .filter(({ id }) => !beforeById.has(id))
    .map((node): Edit => ({ ...toInsert(node), ...(isTree ? {} : findPlace(after, node)) }))
  const updated = after.flatMap((node) => listUpdates(beforeById.get(node.id), node))
  const moved = isTree ? [] : listMoves(before, after)
  // The root of a tree has no link that could be changed, so what stands before it is inserted there.
  const isNewRoot = isTree && !beforeById.has(after[0]?.id ?? '')
  return [
    ...inserted.map((edit) =>
      isNewRoot && edit.id === after[0]?.id ? { ...edit, ...beforeRoot(before) } : edit,
    ),
    ...updated,
    ...moved,
    ...removed,
  ]
}

function beforeRoot(before: readonly FlatNode[]): Partial<Edit> {
  return { position: 'before', anchor: before[0]?.id ?? null }
}

function toInsert({ id, kind, title, description, options, next }: FlatNode): Edit {
  return { op: 'insert', id, kind, title, description, options: options.length > 0 ? options : null, next }
}

function findPlace(nodes: readonly FlatNode[], node: FlatNode): Partial<Edit> {
  const index = nodes.indexOf(node)
  return index > 0
    ? { position: 'after', anchor: nodes[index - 1]?.id ?? null }
    : { position: 'before', anchor: nodes[1]?.id ?? null }
}

function listUpdates(before: FlatNode | undefined, after: FlatNode): Edit[] {
  if (!before) return []
  const isChanged = (field: keyof FlatNode) => JSON.stringify(before[field]) !== JSON.stringify(after[field])
  const fields = (['kind', 'title', 'description', 'options', 'next'] as const).filter(isChanged)
  return fields.length > 0
    ? [{ op: 'update', id: after.id, ...Object.fromEntries(fields.map((field) => [field, after[field]])) }]
    : []
}

/** List the moves of the step that stands elsewhere. At most one step moves. */
function listMoves(before: readonly FlatNode[], after: readonly FlatNode[]): Edit[] {
  const ids = (nodes: readonly FlatNode[], others: readonly FlatNode[]) =>
    nodes.map(({ id }) => id).filter((id) => others.some((other) => other.id === id))
  const [order, wanted] = [ids(before, after), ids(after, before)]
  if (order.join() === wanted.join()) return []
  const without = (list: string[], id: string) => list.filter((other) => other !== id).join()
  const movedId = order.find((id) => without(order, id) === without(wanted, id))
  const node = after.find(({ id }) => id === movedId)
  return node ? [{ op: 'move', id: node.id, ...findPlace(after, node) }] : []
}
