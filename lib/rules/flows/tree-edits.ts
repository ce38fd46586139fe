import { dropNulls, EditProblem, type FlowEdit } from './edit.ts'
import { buildOptions } from './flat-nodes.ts'
import type { FlowNode } from './structure.ts'
import { walkNodes } from './walk.ts'

type NodeFields = Omit<FlowNode, 'children'>
interface Entry {
  fields: NodeFields
  /** Undefined for a node without a list of children. */
  childIds: readonly string[] | undefined
  /**
   * The links before the edits. In a draft they need not be the children: a link may be stray, and a child
   * not linked.
   */
  earlierLinks: readonly string[]
}

/** A tree as a map of nodes. The links between nodes decide which nodes are below another. */
interface Draft {
  entries: Map<string, Entry>
  removedIds: Set<string>
  rootId: string
}

/**
 * Apply edits to a decision tree. What is wrong with the links of a draft stays as it is, unless an edit
 * changes it. Throw EditProblem.
 */
export function editTree(root: FlowNode, edits: readonly FlowEdit[]): FlowNode {
  const draft = createDraft(root)
  for (const edit of edits) applyEdit(draft, edit)
  for (const entry of draft.entries.values()) entry.fields = dropRemovedLinks(entry.fields, draft.removedIds)
  const childIdsById = placeNodes(draft)
  const removedIds = new Set([...draft.removedIds].flatMap((id) => listBelow(root, id)))
  const unreachableId = [...draft.entries.keys()].find((id) => !childIdsById.has(id) && !removedIds.has(id))
  if (unreachableId !== undefined)
    throw new EditProblem(`Nothing leads to the node ${unreachableId}: link or remove it`)
  return assemble(draft, draft.rootId, childIdsById)
}

function createDraft(root: FlowNode): Draft {
  const entries = new Map<string, Entry>()
  for (const { node } of walkNodes(root)) {
    const { children, ...fields } = node
    // An absent list of children stays absent, and null stays null.
    entries.set(node.id, {
      fields: children ? fields : node,
      childIds: children?.map(({ id }) => id),
      earlierLinks: listLinks(fields),
    })
  }
  return { entries, removedIds: new Set(), rootId: root.id }
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
  else if (edit.op === 'move')
    throw new EditProblem('A node of a tree is moved by changing the links that lead to it')
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
  if (anchor !== null && position === 'after')
    throw new EditProblem('In a tree, insert a node before its anchor, or link it')
  const fields = updateFields({ id, type: kind as FlowNode['type'], title: '', description: '' }, edit)
  if (anchor !== null) {
    findEntry(draft, anchor)
    redirectLinks(draft, anchor, id)
    if (fields.type === 'action') fields.next_node_id ??= anchor
  }
  draft.entries.set(id, { fields, childIds: undefined, earlierLinks: [] })
}

/** Put one node in the place of another: all links to `fromId` then lead to `toId`. */
function redirectLinks(draft: Draft, fromId: string, toId: string): void {
  if (draft.rootId === fromId) draft.rootId = toId
  const redirect = <T extends { next_node_id?: string | null | undefined }>(link: T): T =>
    link.next_node_id === fromId ? { ...link, next_node_id: toId } : link
  const redirectId = (id: string) => (id === fromId ? toId : id)
  for (const entry of draft.entries.values()) {
    const { options } = entry.fields
    entry.childIds = entry.childIds?.map(redirectId)
    entry.earlierLinks = entry.earlierLinks.map(redirectId)
    entry.fields = { ...redirect(entry.fields), ...(options ? { options: options.map(redirect) } : {}) }
  }
}

function updateFields(
  fields: NodeFields,
  { kind, title, description, options, next, estimated_minutes }: FlowEdit,
): NodeFields {
  const changedFields: NodeFields = { ...fields, ...dropNulls({ title, description, estimated_minutes }) }
  if (kind !== null && kind !== fields.type) {
    changedFields.type = kind as FlowNode['type']
    delete changedFields.options
    delete changedFields.next_node_id
  }
  if (options !== null && changedFields.type === 'decision')
    changedFields.options = buildOptions(options, fields.options ?? [])
  if (next !== null && changedFields.type === 'action') changedFields.next_node_id = next
  return changedFields
}

/** Return the ids of the children of each node that can be reached from the root. */
function placeNodes({ entries, removedIds, rootId }: Draft): Map<string, string[]> {
  const childIdsById = new Map<string, string[]>()
  const remaining = [...entries].filter(([id]) => !removedIds.has(id)).map(([, entry]) => entry)
  const linkedIds = new Set(remaining.flatMap(listOwnLinks))
  const isKept = (child: string) => !removedIds.has(child) && !linkedIds.has(child)
  const place = (id: string) => {
    const entry = entries.get(id)
    if (!entry) throw new EditProblem(`A link leads to the node ${id}, which does not exist`)
    if (childIdsById.has(id))
      throw new EditProblem(`The node ${id} is reached twice: write a separate node for each link`)
    const childIds = [...listOwnLinks(entry), ...listUnlinkedChildren(entry).filter(isKept)]
    childIdsById.set(id, childIds)
    for (const child of childIds) place(child)
  }
  place(rootId)
  // A stray link places its target if nothing else does. The loop also visits the nodes that it places.
  for (const [id, childIds] of childIdsById) {
    for (const link of listStrayLinks(entries.get(id) as Entry)) {
      if (!entries.has(link) || childIdsById.has(link)) continue
      childIds.push(link)
      place(link)
    }
  }
  return childIdsById
}

const isStray = ({ earlierLinks, childIds }: Entry, link: string) =>
  earlierLinks.includes(link) && !childIds?.includes(link)
const listOwnLinks = (entry: Entry) => listLinks(entry.fields).filter((link) => !isStray(entry, link))
const listStrayLinks = (entry: Entry) => listLinks(entry.fields).filter((link) => isStray(entry, link))
const listUnlinkedChildren = ({ earlierLinks, childIds = [] }: Entry) =>
  childIds.filter((id) => !earlierLinks.includes(id))

/** Build a node with everything below it. Children that it had before keep their order. */
function assemble(draft: Draft, id: string, placed: ReadonlyMap<string, readonly string[]>): FlowNode {
  const { fields, childIds: earlierIds } = draft.entries.get(id) as Entry
  const ids = placed.get(id) ?? []
  const orderedIds = new Set([...(earlierIds ?? []).filter((child) => ids.includes(child)), ...ids])
  const children = [...orderedIds].map((child) => assemble(draft, child, placed))
  return children.length > 0 || earlierIds ? { ...fields, children } : fields
}

/** Links to removed nodes are removed with them. */
function dropRemovedLinks(fields: NodeFields, removedIds: ReadonlySet<string>): NodeFields {
  const isKept = ({ next_node_id }: { next_node_id?: string | null | undefined }) =>
    !removedIds.has(next_node_id ?? '')
  const kept = { ...fields, ...(fields.options ? { options: fields.options.filter(isKept) } : {}) }
  if (!isKept(fields)) delete kept.next_node_id
  return kept
}
