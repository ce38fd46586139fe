import type { FlatNode } from '#rules/flows/flat-nodes.ts'
import {
  buildSteps,
  type Condition,
  type CreateId,
  createDecision,
  createIdGenerator,
  createNode,
  parseCondition,
} from './procedures.ts'
import { findBestIndex, truncate } from './text.ts'

/** A change of a flow that an instruction asks for. `node` and `anchor` are the words that name a node. */
export type EditIntent =
  | { type: 'rename' | 'describe'; node: string; text: string }
  | { type: 'remove'; node: string }
  | { type: 'add'; title: string; position: 'before' | 'after' | null; node: string }
  | { type: 'move'; node: string; position: 'before' | 'after'; anchor: string }
  | ({ type: 'decide' } & Condition)

const removeQuotes = (text: string) => text.trim().replace(/^["“”'‘’]+|["“”'‘’.]+$/g, '')
const renamePattern = /\b(?:rename|retitle|call)\s+(.+?)\s+(?:to|into|as)\s+(.+)$/is
const describePattern = /\b(?:describe|set the description of)\s+(.+?)\s+(?:as|to)\s+(.+)$/is
const removePattern = /\b(?:remove|delete|drop)\s+(.+)$/is
const movePattern = /\bmove\s+(.+?)\s+(before|after)\s+(.+)$/is
const addPattern =
  /\b(?:add|insert)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:step|action|node|check)?\s*:?\s*(["“'].+?["”']|.+?)(?:\s+(before|after)\s+(.+?)|\s+at the end)?\s*$/is

const separatorPattern =
  /(?:[.;\n]+|,?\s+and)\s+(?=(?:then\s+|please\s+)?(?:rename|retitle|call|describe|set|remove|delete|drop|move|add|insert)\b)/i

/** Split a message into its instructions. Quoted text is never split. */
export function splitInstructions(text: string): string[] {
  const quotes: string[] = []
  const textWithoutQuotes = text.replace(/"[^"]*"|“[^”]*”/g, (quote) => `⟦${quotes.push(quote) - 1}⟧`)
  return textWithoutQuotes
    .split(separatorPattern)
    .map((part) =>
      part.replace(/⟦(\d+)⟧/g, (placeholder, index: string) => quotes[Number(index)] ?? placeholder),
    )
}

/** Parse one instruction. Return undefined if it is none that the local model understands. */
export function parseIntent(instruction: string): EditIntent | undefined {
  const condition = parseCondition(instruction)
  if (condition) return { type: 'decide', ...condition }
  const rename = renamePattern.exec(instruction)
  if (rename?.[1] && rename[2])
    return { type: 'rename', node: rename[1], text: truncate(removeQuotes(rename[2]), 300) }
  const describe = describePattern.exec(instruction)
  if (describe?.[1] && describe[2])
    return { type: 'describe', node: describe[1], text: removeQuotes(describe[2]) }
  const move = movePattern.exec(instruction)
  if (move?.[1] && move[2] && move[3])
    return {
      type: 'move',
      node: move[1],
      position: move[2].toLowerCase() as 'before' | 'after',
      anchor: move[3],
    }
  const add = addPattern.exec(instruction)
  if (add?.[1]) {
    const position = (add[2]?.toLowerCase() ?? null) as 'before' | 'after' | null
    return { type: 'add', title: removeQuotes(add[1]), position, node: add[3] ?? '' }
  }
  const removedNode = removePattern.exec(instruction)?.[1]
  return removedNode ? { type: 'remove', node: removedNode } : undefined
}

/**
 * Return the index of the node that a phrase names by its position, id or title, or -1. `currentId` is the
 * node that “it” refers to.
 */
export function findNodeIndex(
  nodes: readonly FlatNode[],
  phrase: string,
  currentId: string | null = null,
): number {
  const name = removeQuotes(
    phrase.trim().replace(/^(?:the\s+)?(?:(?:step|node|decision|action|solution|question)\s+)?/i, ''),
  )
  if (/^(?:it|this|this (?:step|node|one)|here)$/i.test(name) && currentId)
    return nodes.findIndex(({ id }) => id === currentId)
  if (/^(?:root|first(?: (?:step|node|question))?)(?: node)?$/i.test(name)) return 0
  const stepIndexes = nodes.flatMap(({ kind }, index) => (kind === 'procedure_step' ? [index] : []))
  if (/^\d+$/.test(name) && stepIndexes.length > 0) return stepIndexes[Number(name) - 1] ?? -1
  const exactIndex = nodes.findIndex(
    ({ id, title }) => id === name || title.toLowerCase() === name.toLowerCase(),
  )
  if (exactIndex >= 0) return exactIndex
  return findBestIndex(
    name,
    nodes.map(({ title }) => title),
  )
}

/**
 * Return the nodes after a change, or undefined if the flow does not allow it. `currentId` is the node that
 * “it” refers to.
 */
export function applyIntent(
  nodes: readonly FlatNode[],
  intent: EditIntent,
  isTree: boolean,
  currentId: string | null,
): FlatNode[] | undefined {
  const createId = createIdGenerator(nodes)
  const index = 'node' in intent && intent.node ? findNodeIndex(nodes, intent.node, currentId) : -1
  const node = nodes[index]
  switch (intent.type) {
    case 'rename':
      return node && nodes.with(index, { ...node, title: intent.text })
    case 'describe':
      return node && nodes.with(index, { ...node, description: intent.text })
    case 'remove':
      if (!isTree) return node && nodes.filter((other) => other !== node)
      // The root of a tree cannot be removed.
      return node && index > 0 ? removeBranch(nodes, node.id) : undefined
    case 'move': {
      const anchor = nodes[findNodeIndex(nodes, intent.anchor, currentId)]
      if (isTree || !node || !anchor || node === anchor) return undefined
      const others = nodes.filter((other) => other !== node)
      return others.toSpliced(others.indexOf(anchor) + (intent.position === 'after' ? 1 : 0), 0, node)
    }
    case 'add':
      if (isTree) return addAction(nodes, intent, index, createId)
      return insertStep(
        nodes,
        buildSteps([{ task: intent.title, details: '' }], createId)[0],
        intent.position,
        index,
      )
    case 'decide':
      if (isTree)
        return addDecision(nodes, intent, Math.max(0, findNodeIndex(nodes, 'it', currentId)), createId)
      return insertStep(nodes, buildSteps([intent], createId)[0], null, -1)
  }
}

/** Insert a step before or after the one at `index`, or before the end if `index` is -1. */
function insertStep(
  nodes: readonly FlatNode[],
  step: FlatNode | undefined,
  position: 'before' | 'after' | null,
  index: number,
): FlatNode[] {
  const endIndex = nodes.findIndex(({ kind }) => kind === 'procedure_end')
  const lastIndex = endIndex < 0 ? nodes.length : endIndex
  return nodes.toSpliced(
    index < 0 ? lastIndex : Math.min(lastIndex, index + (position === 'before' ? 0 : 1)),
    0,
    step as FlatNode,
  )
}

/**
 * Add an action before or after a node of a tree. After a solution, that solution becomes an action, and the
 * new node the solution.
 */
function addAction(
  nodes: readonly FlatNode[],
  { title, position }: EditIntent & { type: 'add' },
  index: number,
  createId: CreateId,
): FlatNode[] | undefined {
  const node = nodes[Math.max(0, index)]
  if (!node || (position === 'after' && node.kind === 'decision')) return undefined
  if (position !== 'after')
    return insertBefore(nodes, node, [createNode(createId, { kind: 'action', title, next: node.id })])
  const next = nodes.find(({ id }) => id === node.next)
  if (next) return insertBefore(nodes, next, [createNode(createId, { kind: 'action', title, next: next.id })])
  const solution = createNode(createId, { kind: 'solution', title })
  return [...nodes.with(nodes.indexOf(node), { ...node, kind: 'action', next: solution.id }), solution]
}

/** Add a decision before a node of a tree. “No” leads on to that node. */
function addDecision(
  nodes: readonly FlatNode[],
  { condition, action, otherwise }: EditIntent & { type: 'decide' },
  index: number,
  createId: CreateId,
): FlatNode[] {
  const node = nodes[index] as FlatNode
  const yes = createNode(createId, { kind: 'solution', title: action })
  const no = otherwise ? createNode(createId, { kind: 'action', title: otherwise, next: node.id }) : node
  return insertBefore(nodes, node, [
    createDecision(createId, condition, [yes, no]),
    yes,
    ...(no === node ? [] : [no]),
  ])
}

/** Insert nodes before a node of a tree. Links to that node lead to the first inserted node instead. */
function insertBefore(nodes: readonly FlatNode[], node: FlatNode, inserted: readonly FlatNode[]): FlatNode[] {
  const firstId = inserted[0]?.id ?? node.id
  const redirected = nodes.map((other) => ({
    ...other,
    next: other.next === node.id ? firstId : other.next,
    options: other.options.map(({ label, leads_to }) => ({
      label,
      leads_to: leads_to === node.id ? firstId : leads_to,
    })),
  }))
  return redirected.toSpliced(nodes.indexOf(node), 0, ...inserted)
}

/** Remove a node of a tree, everything below it, and the links to it. */
function removeBranch(nodes: readonly FlatNode[], id: string): FlatNode[] {
  const removedIds = new Set([id])
  for (const node of nodes) {
    if (!removedIds.has(node.id)) continue
    for (const nextId of [node.next, ...node.options.map(({ leads_to }) => leads_to)])
      if (nextId) removedIds.add(nextId)
  }
  return nodes
    .filter((node) => !removedIds.has(node.id))
    .map((node) => ({
      ...node,
      next: node.next && removedIds.has(node.next) ? null : node.next,
      options: node.options.filter(({ leads_to }) => !removedIds.has(leads_to)),
    }))
}
