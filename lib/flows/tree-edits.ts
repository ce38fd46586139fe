import { dropNulls, EditProblem, type FlowEdit } from './edit.ts'
import { buildOptions } from './flat-nodes.ts'
import type { FlowNode } from './structure.ts'
import { walkNodes } from './walk.ts'

type NodeFields = Omit<FlowNode, 'children'>
interface Entry {
  fields: NodeFields
  /** Undefined for a node without the property `children`. */
  childIds: readonly string[] | undefined
}

/** A tree as a map of nodes. The links between nodes decide which nodes are below another. */
interface Draft {
  entries: Map<string, Entry>
  removedIds: Set<string>
  rootId: string
  /** Children that no link led to before the edits. They stay where they are. */
  unlinkedIds: ReadonlySet<string>
}

/** Apply edits to a decision tree. Throw EditProblem. */
export function editTree(root: FlowNode, edits: readonly FlowEdit[]): FlowNode {
  const draft = createDraft(root)
  for (const edit of edits) applyEdit(draft, edit)
  const reachedIds = new Set<string>()
  const result = assemble(draft, draft.rootId, reachedIds)
  const removedIds = new Set([...draft.removedIds].flatMap((id) => listBelow(root, id)))
  const unreachableId = [...draft.entries.keys()].find((id) => !reachedIds.has(id) && !removedIds.has(id))
  if (unreachableId !== undefined) throw new EditProblem(`Nothing leads to the node ${unreachableId}: link or remove it`)
  return result
}

function createDraft(root: FlowNode): Draft {
  const entries = new Map<string, Entry>()
  for (const { node } of walkNodes(root)) {
    const { children, ...fields } = node
    entries.set(node.id, { fields, childIds: children?.map(({ id }) => id) })
  }
  const linkedIds = new Set([...entries.values()].flatMap(({ fields }) => listLinks(fields)))
  const unlinkedIds = new Set([...entries.keys()].filter((id) => id !== root.id && !linkedIds.has(id)))
  return { entries, removedIds: new Set(), rootId: root.id, unlinkedIds }
}

/** List a node and everything that was below it. */
function listBelow(root: FlowNode, id: string): string[] {
  const top = [...walkNodes(root)].find(({ node }) => node.id === id)
  return top ? [...walkNodes(top.node)].map(({ node }) => node.id) : [id]
}

function listLinks({ options, next_node_id }: NodeFields): string[] {
  const ids = [...(options ?? []).map((option) => option.next_node_id), next_node_id]
  return [...new Set(ids.filter((id) => id !== null && id !== undefined))]
}

function applyEdit(draft: Draft, edit: FlowEdit): void {
  if (edit.op === 'insert') {
    insertNode(draft, edit)
    return
  }
  const entry = findEntry(draft, edit.id)
  if (edit.op === 'update') entry.fields = updateFields(entry.fields, edit)
  else if (edit.op === 'move') throw new EditProblem('A node of a tree is moved by changing the links that lead to it')
  else if (edit.id === draft.rootId) throw new EditProblem('The root cannot be removed')
  else draft.removedIds.add(edit.id)
}

function findEntry({ entries, removedIds }: Draft, id: string): Entry {
  const entry = entries.get(id)
  if (!entry || removedIds.has(id)) throw new EditProblem(`There is no node ${id}`)
  return entry
}

function insertNode(draft: Draft, edit: FlowEdit): void {
  const { id, anchor, position, kind } = edit
  if (draft.entries.has(id)) throw new EditProblem(`The id ${id} is used twice`)
  if (anchor !== null && position === 'after') throw new EditProblem('In a tree, insert a node before its anchor, or link it')
  const fields = updateFields({ id, type: kind as FlowNode['type'], title: '', description: '' }, edit)
  if (anchor !== null) {
    findEntry(draft, anchor)
    redirectLinks(draft, anchor, id)
    if (fields.type === 'action') fields.next_node_id ??= anchor
  }
  draft.entries.set(id, { fields, childIds: undefined })
}

/** Put one node in the place of another: all links to `fromId` then lead to `toId`. */
function redirectLinks(draft: Draft, fromId: string, toId: string): void {
  if (draft.rootId === fromId) draft.rootId = toId
  const redirect = <T extends { next_node_id?: string | null | undefined }>(link: T): T =>
    link.next_node_id === fromId ? { ...link, next_node_id: toId } : link
  for (const entry of draft.entries.values()) {
    const { options } = entry.fields
    entry.childIds = entry.childIds?.map((id) => (id === fromId ? toId : id))
    entry.fields = { ...redirect(entry.fields), ...(options ? { options: options.map(redirect) } : {}) }
  }
}

function updateFields(fields: NodeFields, { kind, title, description, options, next, estimated_minutes }: FlowEdit): NodeFields {
  const changed: NodeFields = { ...fields, ...dropNulls({ title, description, estimated_minutes }) }
  if (kind !== null && kind !== fields.type) {
    changed.type = kind as FlowNode['type']
    delete changed.options
    delete changed.next_node_id
  }
  if (options !== null && changed.type === 'decision') changed.options = buildOptions(options, fields.options ?? [])
  if (next !== null && changed.type === 'action') changed.next_node_id = next
  return changed
}

/** Build a node with everything below it. */
function assemble(draft: Draft, id: string, reachedIds: Set<string>): FlowNode {
  const entry = draft.entries.get(id)
  if (!entry) throw new EditProblem(`A link leads to the node ${id}, which does not exist`)
  if (reachedIds.has(id)) throw new EditProblem(`The node ${id} is reached twice: write a separate node for each link`)
  reachedIds.add(id)
  const fields = dropRemovedLinks(entry.fields, draft.removedIds)
  const links = listLinks(fields)
  const isKept = (child: string) => links.includes(child) || (draft.unlinkedIds.has(child) && !draft.removedIds.has(child))
  const keptIds = (entry.childIds ?? []).filter(isKept)
  const childIds = [...keptIds, ...links.filter((link) => !keptIds.includes(link))]
  const children = childIds.map((child) => assemble(draft, child, reachedIds))
  return children.length > 0 || entry.childIds ? { ...fields, children } : fields
}

/** Links to removed nodes are removed with them. */
function dropRemovedLinks(fields: NodeFields, removedIds: ReadonlySet<string>): NodeFields {
  const isKept = ({ next_node_id }: { next_node_id?: string | null | undefined }) => !removedIds.has(next_node_id ?? '')
  const kept = { ...fields, ...(fields.options ? { options: fields.options.filter(isKept) } : {}) }
  if (!isKept(fields)) delete kept.next_node_id
  return kept
}
