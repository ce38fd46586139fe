import type { ListedNode } from '../../flows/draft.ts'
import { conditionIn, decisionOf, type Fresh, freshIds, nodeOf, stepsOf } from './procedures.ts'
import { bestOf, cut } from './words.ts'

/** What somebody wants to be changed of a flow. */
export type Wish =
  | { do: 'rename' | 'describe'; what: string; as: string }
  | { do: 'remove'; what: string }
  | { do: 'add'; title: string; where: 'before' | 'after' | null; what: string }
  | { do: 'move'; what: string; where: 'before' | 'after'; other: string }
  | { do: 'decide'; when: string; yes: string; otherwise: string | null }

const unquoted = (text: string) => text.trim().replace(/^["“”'‘’]+|["“”'‘’.]+$/g, '')
const rename = /\b(?:rename|retitle|call)\s+(.+?)\s+(?:to|into|as)\s+(.+)$/is
const describe = /\b(?:describe|set the description of)\s+(.+?)\s+(?:as|to)\s+(.+)$/is
const remove = /\b(?:remove|delete|drop)\s+(.+)$/is
const move = /\bmove\s+(.+?)\s+(before|after)\s+(.+)$/is
const add =
  /\b(?:add|insert)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:step|action|node|check)?\s*:?\s*(["“'].+?["”']|.+?)(?:\s+(before|after)\s+(.+?)|\s+at the end)?\s*$/is

const between =
  /(?:[.;\n]+|,?\s+and)\s+(?=(?:then\s+|please\s+)?(?:rename|retitle|call|describe|set|remove|delete|drop|move|add|insert)\b)/i

/** The wishes of a message, each in its own words; what stands in quotes is parted nowhere. */
export function wishesOf(text: string): string[] {
  const quoted: string[] = []
  const open = text.replace(/"[^"]*"|“[^”]*”/g, (words) => `⟦${quoted.push(words) - 1}⟧`)
  return open.split(between).map((part) => part.replace(/⟦(\d+)⟧/g, (mark, at: string) => quoted[Number(at)] ?? mark))
}

export function wishIn(text: string): Wish | undefined {
  const condition = conditionIn(text)
  if (condition) return { do: 'decide', ...condition }
  const [, renamed, name] = rename.exec(text) ?? []
  if (renamed && name) return { do: 'rename', what: renamed, as: cut(unquoted(name), 300) }
  const [, described, words] = describe.exec(text) ?? []
  if (described && words) return { do: 'describe', what: described, as: unquoted(words) }
  const [, moved, place, other] = move.exec(text) ?? []
  if (moved && place && other) return { do: 'move', what: moved, where: place.toLowerCase() as 'before', other }
  const [, title, where = null, what = ''] = add.exec(text) ?? []
  if (title) return { do: 'add', title: unquoted(title), where: (where?.toLowerCase() ?? null) as 'before' | null, what }
  const gone = remove.exec(text)?.[1]
  return gone ? { do: 'remove', what: gone } : undefined
}

/** The node that is meant, by its place, its id or its title; -1 for none. */
export function meant(nodes: readonly ListedNode[], phrase: string, here: string | null = null): number {
  const said = unquoted(phrase.trim().replace(/^(?:the\s+)?(?:(?:step|node|decision|action|solution|question)\s+)?/i, ''))
  if (/^(?:it|this|this (?:step|node|one)|here)$/i.test(said) && here) return nodes.findIndex(({ id }) => id === here)
  if (/^(?:root|first(?: (?:step|node|question))?)(?: node)?$/i.test(said)) return 0
  const asked = nodes.flatMap(({ kind }, at) => (kind === 'procedure_step' ? [at] : []))
  if (/^\d+$/.test(said) && asked.length > 0) return asked[Number(said) - 1] ?? -1
  const exact = nodes.findIndex(({ id, title }) => id === said || title.toLowerCase() === said.toLowerCase())
  return exact >= 0
    ? exact
    : bestOf(
        said,
        nodes.map(({ title }) => title),
      )
}

/** The nodes with the wish fulfilled; undefined where it cannot be. */
export function fulfilled(nodes: readonly ListedNode[], wish: Wish, isTree: boolean, here: string | null): ListedNode[] | undefined {
  const fresh = freshIds(nodes)
  const at = 'what' in wish && wish.what ? meant(nodes, wish.what, here) : -1
  const node = nodes[at]
  switch (wish.do) {
    case 'rename':
      return node && nodes.with(at, { ...node, title: wish.as })
    case 'describe':
      return node && nodes.with(at, { ...node, description: wish.as })
    case 'remove':
      return node && at > (isTree ? 0 : -1) ? (isTree ? withoutBranch(nodes, node.id) : nodes.filter((one) => one !== node)) : undefined
    case 'move': {
      const other = nodes[meant(nodes, wish.other, here)]
      if (isTree || !node || !other || node === other) return undefined
      const left = nodes.filter((one) => one !== node)
      return left.toSpliced(left.indexOf(other) + (wish.where === 'after' ? 1 : 0), 0, node)
    }
    case 'add':
      return isTree ? added(nodes, wish, at, fresh) : placed(nodes, stepsOf([{ todo: wish.title, how: '' }], fresh)[0], wish.where, at)
    case 'decide':
      return isTree
        ? decided(nodes, wish, Math.max(0, meant(nodes, 'it', here)), fresh)
        : placed(nodes, stepsOf([wish], fresh)[0], null, -1)
  }
}

function placed(nodes: readonly ListedNode[], step: ListedNode | undefined, where: 'before' | 'after' | null, at: number): ListedNode[] {
  const end = nodes.findIndex(({ kind }) => kind === 'procedure_end')
  const last = end < 0 ? nodes.length : end
  return nodes.toSpliced(at < 0 ? last : Math.min(last, at + (where === 'before' ? 0 : 1)), 0, step as ListedNode)
}

/** An action before a node, or after one: where a solution ended the way, it leads on to a new one. */
function added(nodes: readonly ListedNode[], { title, where }: Wish & { do: 'add' }, at: number, fresh: Fresh): ListedNode[] | undefined {
  const node = nodes[Math.max(0, at)]
  if (!node || (where === 'after' && node.kind === 'decision')) return undefined
  if (where !== 'after') return before(nodes, node, [nodeOf(fresh, { kind: 'action', title, next: node.id })])
  const next = nodes.find(({ id }) => id === node.next)
  if (next) return before(nodes, next, [nodeOf(fresh, { kind: 'action', title, next: next.id })])
  const end = nodeOf(fresh, { kind: 'solution', title })
  return [...nodes.with(nodes.indexOf(node), { ...node, kind: 'action', next: end.id }), end]
}

function decided(
  nodes: readonly ListedNode[],
  { when, yes: does, otherwise }: Wish & { do: 'decide' },
  at: number,
  fresh: Fresh,
): ListedNode[] {
  const node = nodes[at] as ListedNode
  const yes = nodeOf(fresh, { kind: 'solution', title: does })
  const no = otherwise ? nodeOf(fresh, { kind: 'action', title: otherwise, next: node.id }) : node
  return before(nodes, node, [decisionOf(fresh, when, [yes, no]), yes, ...(no === node ? [] : [no])])
}

/** New nodes, whose first takes the place of one that they lead to. */
function before(nodes: readonly ListedNode[], node: ListedNode, fresh: readonly ListedNode[]): ListedNode[] {
  const first = fresh[0]?.id ?? node.id
  const turned = nodes.map((one) => ({
    ...one,
    next: one.next === node.id ? first : one.next,
    options: one.options.map(({ label, leads_to }) => ({ label, leads_to: leads_to === node.id ? first : leads_to })),
  }))
  return turned.toSpliced(nodes.indexOf(node), 0, ...fresh)
}

function withoutBranch(nodes: readonly ListedNode[], id: string): ListedNode[] {
  const gone = new Set([id])
  for (const node of nodes)
    if (gone.has(node.id)) for (const way of [node.next, ...node.options.map(({ leads_to }) => leads_to)]) if (way) gone.add(way)
  return nodes
    .filter((node) => !gone.has(node.id))
    .map((node) => ({
      ...node,
      next: node.next && gone.has(node.next) ? null : node.next,
      options: node.options.filter(({ leads_to }) => !gone.has(leads_to)),
    }))
}
