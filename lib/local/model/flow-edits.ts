import type { FlowEdit } from '#rules/flows/edit.ts'
import { type FlatNode, flattenStructure } from '#rules/flows/flat-nodes.ts'
import type { TreeStructure, TreeType } from '#rules/flows/structure.ts'
import { findBestIndex, truncate } from './text.ts'

/** An edit with the fields that it needs. */
type Edit = Pick<FlowEdit, 'op' | 'id'> & Partial<FlowEdit>

/** Return an edit whose other fields are null. */
export function createEdit(fields: Edit): FlowEdit {
  return {
    kind: null,
    title: null,
    description: null,
    options: null,
    next: null,
    estimated_minutes: null,
    group_label: null,
    position: null,
    anchor: null,
    ...fields,
  }
}

interface EditFacts {
  tree_type?: TreeType
  instruction?: string
  node?: string | null
  structure?: TreeStructure
}

/** Answer an instruction with the edits that it asks for. */
export function editFlow({
  tree_type = 'troubleshooting',
  instruction = '',
  node = null,
  structure,
}: EditFacts) {
  const nodes = structure ? flattenStructure(structure) : []
  const edits = planEdits(nodes, instruction, tree_type === 'troubleshooting', node)
  const explanation = `${edits.length > 0 ? 'As asked' : 'Nothing is changed, because I cannot do this here'}: `
  return { explanation: explanation + truncate(instruction, 1000), edits }
}

/** What an instruction makes of the nodes it names. `find` returns undefined if there is no such node. */
type Plan = (
  words: readonly string[],
  flow: { find(name: string): FlatNode | undefined; current: FlatNode | undefined; isTree: boolean },
) => Edit[] | undefined

/** The instructions that the local model understands. The first that matches counts. */
const instructions: readonly [RegExp, Plan][] = [
  [
    /^if (.+?),? then (.+)$/is,
    ([condition = '', action = ''], { current, isTree }) => {
      if (!isTree)
        return [{ op: 'insert', id: 'new', kind: 'procedure_step', title: `If ${condition}: ${action}` }]
      const options = [
        { label: 'Yes', leads_to: 'new-yes' },
        { label: 'No', leads_to: current?.id ?? '' },
      ]
      return (
        current && [
          { ...insertBefore(current, 'decision', `Is it so that ${condition}?`), options },
          { op: 'insert', id: 'new-yes', kind: 'solution', title: capitalize(action) },
        ]
      )
    },
  ],
  [
    /^rename (.+?) to (.+)$/is,
    ([name = '', title = ''], { find }) => update(find(name), { title: truncate(title, 300) }),
  ],
  [
    /^describe (.+?) as (.+)$/is,
    ([name = '', description = ''], { find }) => update(find(name), { description }),
  ],
  [
    /^move (.+?) (before|after) (.+)$/is,
    ([name = '', position, anchorName = ''], { find, isTree }) => {
      const [node, anchor] = [find(name), find(anchorName)]
      if (isTree || !node || !anchor) return undefined
      return [{ op: 'move', id: node.id, position: position as 'before', anchor: anchor.id }]
    },
  ],
  [
    /^add (?:a step: )?(.+?)(?: (before|after) (.+))?$/is,
    ([title = '', position = '', anchorName], { find, current, isTree }) => {
      const anchor = anchorName ? find(anchorName) : isTree ? current : undefined
      if ((anchorName || isTree) && !anchor) return undefined
      if (isTree)
        return position === 'after' ? undefined : [insertBefore(anchor as FlatNode, 'action', title)]
      const place = anchor ? { position: position as 'before', anchor: anchor.id } : {}
      return [{ op: 'insert', id: 'new', kind: 'procedure_step', title: capitalize(title), ...place }]
    },
  ],
  [
    /^remove (.+)$/is,
    ([name = ''], { find }) => {
      const node = find(name)
      return node && [{ op: 'remove', id: node.id }]
    },
  ],
]

const capitalize = (text: string) => (text[0] ?? '').toUpperCase() + text.slice(1)

function insertBefore({ id }: FlatNode, kind: 'decision' | 'action', title: string): Edit {
  return { op: 'insert', id: 'new', kind, title: capitalize(title), position: 'before', anchor: id }
}

function update(node: FlatNode | undefined, fields: Partial<FlowEdit>): Edit[] | undefined {
  return node && [{ op: 'update', id: node.id, ...fields }]
}

/** Return the edits that an instruction asks for, or none if the flow has not what is named. */
export function planEdits(
  nodes: readonly FlatNode[],
  instruction: string,
  isTree: boolean,
  currentId: string | null,
): FlowEdit[] {
  const current = nodes.find(({ id }) => id === currentId) ?? nodes[0]
  const find = (name: string) => (/^(?:it|this)\b/i.test(name) ? current : findNode(nodes, name))
  const text = instruction.trim().replace(/["“”]|\.$/g, '')
  for (const [pattern, plan] of instructions) {
    const [, ...words] = pattern.exec(text) ?? []
    if (words.length > 0)
      return (plan(words, { find, current, isTree }) ?? []).map(createEdit).map(giveFreeIds(nodes))
  }
  return []
}

/** Number the ids of new nodes, so that no earlier edit has used them. */
function giveFreeIds(nodes: readonly FlatNode[]): (edit: FlowEdit) => FlowEdit {
  const numbers = nodes.map(({ id }) => Number(/^new-(\d+)/.exec(id)?.[1] ?? 0))
  const number = (id: string) => id.replace(/^new(?=$|-yes$)/, `new-${Math.max(0, ...numbers) + 1}`)
  return ({ id, options, ...edit }) => ({
    ...edit,
    id: edit.op === 'insert' ? number(id) : id,
    options: options?.map(({ label, leads_to }) => ({ label, leads_to: number(leads_to) })) ?? null,
  })
}

/** Find a node by its position, id or title. */
function findNode(nodes: readonly FlatNode[], name: string): FlatNode | undefined {
  if (/^(?:the )?(?:root|first)\b/i.test(name)) return nodes[0]
  const number = /^step (\d+)$/i.exec(name)?.[1]
  if (number) return nodes.filter(({ kind }) => kind === 'procedure_step')[Number(number) - 1]
  const titles = nodes.map(({ title }) => title)
  const exact = nodes.find(({ id, title }) => id === name || title.toLowerCase() === name.toLowerCase())
  return exact ?? nodes[findBestIndex(name, titles)]
}
