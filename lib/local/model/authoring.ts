import { createPatch } from 'rfc6902'
import { growStructure, type ListedNode, listNodes } from '../../flows/draft.ts'
import type { TreeStructure, TreeType } from '../../flows/structure.ts'
import { walkAll } from '../../flows/walk.ts'
import type { Said } from './case.ts'
import { fulfilled, meant, type Wish, wishesOf, wishIn } from './edit-intents.ts'
import {
  freshIds,
  intakeIn,
  type Statement,
  saysLittle,
  skeletonOf,
  statementsOf,
  stepsOf,
  topicOf,
  treeOf,
  withJumps,
} from './procedures.ts'
import { cut } from './words.ts'

export interface Written {
  name: string
  description: string
  nodes: ListedNode[]
  intake: { key: string; label: string; type: string; required: boolean; options: string[] | null }[]
}
interface Building {
  goal?: string
  tree_type?: TreeType
  environment_tags?: string[]
  draft?: Written | null
  problems?: string[]
}

/** A draft from the request's own words, or the draft at hand with what is asked of it. */
export function flowDraft({ goal = '', draft = null, tree_type = 'troubleshooting', ...facts }: Building, said: readonly Said[]) {
  const asked = said.findLast(({ role }) => role === 'user')?.text ?? goal
  const isTree = tree_type === 'troubleshooting'
  return draft ? changed(draft, asked, isTree) : begun(goal, said, isTree, facts)
}

function begun(goal: string, said: readonly Said[], isTree: boolean, { environment_tags = [], problems = [] }: Building) {
  const parts = [...new Set([goal, ...said.filter(({ role }) => role === 'user').map((one) => one.text)])]
  const text = (parts.filter((part) => !saysLittle(part)).join('\n') || parts.join('\n')).trim()
  if (saysLittle(text))
    return { reply: `What is to be done, and in which case? “${cut(text, 200)}” says too little to begin with.`, flow: null }
  const fresh = freshIds([])
  const topic = topicOf(text)
  const statements = statementsOf(text)
  const nodes = topic
    ? skeletonOf(topic, isTree, fresh)
    : isTree
      ? withJumps(treeOf(statements, fresh), problems.length > 0)
      : stepsOf(statements, fresh)
  const environment = environment_tags.length > 0 ? `\n\nEnvironment: ${environment_tags.join(', ')}.` : ''
  const flow = {
    name: nameOf(topic ?? headOf(statements[0]) ?? text),
    description: `${cut(text, 2000)}${environment}`,
    nodes,
    intake: intakeIn(text),
  }
  return { reply: `I made ${nodes.length} nodes of it, beginning with “${cut(nodes[0]?.title ?? '', 200)}”.`, flow }
}

function headOf(statement: Statement | undefined): string | undefined {
  if (!statement) return undefined
  return 'when' in statement ? statement.when : 'todo' in statement ? statement.todo : statement.heading
}

function nameOf(text: string): string {
  const line = text.split('\n')[0]?.replace(/^[#\s\d.)*-]+|[:.\s]+$/g, '') || text
  return cut((line[0] ?? '').toUpperCase() + line.slice(1), 80)
}

function changed(draft: Written, asked: string, isTree: boolean) {
  let flow = draft
  const [done, left]: [string[], string[]] = [[], []]
  for (const part of wishesOf(asked)) {
    const after = changedOnce(flow, part, isTree)
    ;(after ? done : left).push(cut(part.trim().replace(/\.$/, ''), 300))
    flow = after ?? flow
  }
  const can = 'I can rename, describe, add, move and remove, or put an “if … then …” in, where the flow has what is named.'
  if (done.length === 0) return { reply: `${can} “${cut(asked, 300)}” is none that I can do here.`, flow: null }
  const known = new Set(flow.intake.map(({ key }) => key))
  const intake = [...flow.intake, ...intakeIn(asked).filter(({ key }) => !known.has(key))]
  return { reply: `Done: ${done.join('; ')}.${left.length > 0 ? ` Not done: ${left.join('; ')}. ${can}` : ''}`, flow: { ...flow, intake } }
}

function changedOnce(draft: Written, asked: string, isTree: boolean): Written | undefined {
  const wish = wishIn(asked)
  if (wish?.do === 'rename' && /^(?:the )?flow$/i.test(wish.what.trim())) return { ...draft, name: cut(wish.as, 200) }
  const nodes = wish && fulfilled(draft.nodes, wish, isTree, null)
  return nodes && { ...draft, nodes }
}

interface Editing {
  tree_type?: TreeType
  instruction?: string
  node?: string | null
  structure?: TreeStructure
}
interface WrittenOperation {
  op: string
  path: string
  from: string | null
  value: string | null
}

/** One edit as a patch: of a text where it stands, of more as the difference to the flow with it. */
export function flowEdit({ tree_type = 'troubleshooting', instruction = '', node = null, structure }: Editing) {
  const wish = wishIn(instruction)
  const patch = structure && wish ? (textPatch(structure, wish, node) ?? difference(tree_type, structure, wish, node)) : []
  const explanation =
    patch.length > 0 ? `As asked: ${cut(instruction, 1000)}` : `Nothing is changed: I cannot do “${cut(instruction, 1000)}” here.`
  return { explanation, patch }
}

function textPatch(structure: TreeStructure, wish: Wish, here: string | null): WrittenOperation[] | undefined {
  if (wish.do !== 'rename' && wish.do !== 'describe') return undefined
  const nodes = listNodes(structure)
  const id = nodes[meant(nodes, wish.what, here)]?.id
  const found = [...walkAll(structure)].find((visit) => visit.node.id === id)
  const field = wish.do === 'rename' ? 'title' : 'description'
  const op = found?.node[field] ? 'replace' : 'add'
  return found ? [{ op, path: `${pointerOf(found.path)}/${field}`, from: null, value: JSON.stringify(wish.as) }] : []
}

const pointerOf = (path: string) =>
  path
    .replace(/^tree_structure/, '')
    .replace(/\[(\d+)\]/g, '/$1')
    .replaceAll('.', '/')

function difference(type: TreeType, structure: TreeStructure, wish: Wish, here: string | null): WrittenOperation[] {
  const nodes = listNodes(structure)
  const after = fulfilled(nodes, wish, type === 'troubleshooting', here)
  const [old, made] = [growStructure(type, nodes, structure), after && growStructure(type, after, structure)]
  if (!made || 'problems' in old || 'problems' in made) return []
  return createPatch(old.structure, made.structure).map((one) => ({
    // What a structure may leave out is put there all the same.
    op: one.op === 'replace' && /\/(?:title|description)$/.test(one.path) ? 'add' : one.op,
    path: one.path,
    from: null,
    value: 'value' in one ? JSON.stringify(one.value) : null,
  }))
}
