import type { ListedNode } from '../../flows/draft.ts'
import { cut, sentencesOf, wordsOf } from './words.ts'

/** What a text says, one after the other: a heading, something to do, or what is to be done in which case. */
export type Statement = { heading: string } | { todo: string; how: string } | { when: string; yes: string; otherwise: string | null }

const marker = /^\s*(?:\d{1,3}[.)]|[-*•])\s+/
const heading = /^\s*(?:#{1,6}\s+(.+)|(\S.{0,100}):)\s*$/
const conditional =
  /^(?:if|when)\s+(.+?)(?:,\s*(?:then\s+)?|\s+then\s+)(.+?)(?:(?:[,;.]|\s)\s*(?:otherwise|else|if not)\b[,:]?\s+(.+?))?[.!]?$/is
const contrary = /^(?:otherwise|else|if not)\b[,:]?\s+(.+?)[.!]?$/is

/** A procedure's statements: in a list each item, with what stands below it; else each sentence. */
export function statementsOf(text: string): Statement[] {
  const lines = text.split(/\n+/).filter((line) => line.trim())
  const isList = lines.some((line) => marker.test(line))
  const statements: Statement[] = []
  for (const line of isList ? lines : sentencesOf(text)) {
    const title = isList && !marker.test(line) ? heading.exec(line) : null
    const last = statements.at(-1)
    if (title) statements.push({ heading: (title[1] ?? title[2] ?? '').trim() })
    else if (!isList || marker.test(line)) add(statements, line.replace(marker, '').trim())
    else if (last && 'todo' in last) last.how = [last.how, line.trim()].filter(Boolean).join('\n')
  }
  return statements.slice(0, 40)
}

function add(statements: Statement[], said: string): void {
  const last = statements.at(-1)
  const other = contrary.exec(said)?.[1]
  if (other && last && 'when' in last && !last.otherwise) last.otherwise = other
  else statements.push(conditionIn(said) ?? todoOf(said))
}

/** What “if …, then …, otherwise …” says. */
export function conditionIn(said: string): { when: string; yes: string; otherwise: string | null } | undefined {
  const [, when, yes, otherwise] = conditional.exec(said.trim()) ?? []
  return when && yes ? { when, yes, otherwise: otherwise ?? null } : undefined
}

function todoOf(said: string): Statement {
  const [, title = said, how = ''] = /^([^:]{3,100}):\s+(.+)$/s.exec(said) ?? []
  return { todo: title.replace(/[.!]+$/, ''), how: how || (title.length > 120 ? said : '') }
}

const wish =
  /^(?:please\s+)?(?:can you\s+)?(?:build|write|create|make|draft|design|we need|i need|i want)\b.*?\b(?:for|about|to|that|when)\s+(.+?)[.!]?$/is

/** What somebody wants a flow for, when they say no more than that. */
export function topicOf(text: string): string | undefined {
  return sentencesOf(text).length === 1 ? wish.exec(text.trim())?.[1] : undefined
}

/** Too little to begin with: hardly a word that means something. */
export const saysLittle = (text: string) => new Set(wordsOf(text)).size < 2

export type Fresh = () => string
/** Ids that are not taken yet. */
export function freshIds(taken: readonly { id: string }[], letter = 'n'): Fresh {
  const known = new Set(taken.map(({ id }) => id))
  let n = 0
  return () => {
    while (known.has(`${letter}${++n}`));
    return `${letter}${n}`
  }
}

const upper = (text: string) => (text[0] ?? '').toUpperCase() + text.slice(1)
type Words = Pick<ListedNode, 'kind' | 'title'> & Partial<ListedNode>
export const nodeOf = (fresh: Fresh, { title, ...words }: Words): ListedNode => ({
  ...{ id: fresh(), description: '', options: [], next: null },
  ...words,
  title: cut(upper(title), 300),
})
export const decisionOf = (fresh: Fresh, when: string, [yes, no]: readonly [ListedNode, ListedNode]) =>
  nodeOf(fresh, {
    kind: 'decision',
    title: when.endsWith('?') ? when : `Is it so that ${when}?`,
    options: [
      { label: 'Yes', leads_to: yes.id },
      { label: 'No', leads_to: no.id },
    ],
  })

/** Statements as a tree, the root first: what is to be done leads on, each case has its way, and the last one ends it. */
export function treeOf(statements: readonly Statement[], fresh: Fresh): ListedNode[] {
  const [first, ...rest] = statements.filter((one) => !('heading' in one))
  if (!first || 'heading' in first) return [nodeOf(fresh, { kind: 'solution', title: 'Hand it over with what was found' })]
  if ('todo' in first) {
    if (rest.length === 0) return [nodeOf(fresh, { kind: 'solution', title: first.todo, description: first.how })]
    const below = treeOf(rest, fresh)
    return [nodeOf(fresh, { kind: 'action', title: first.todo, description: first.how, next: below[0]?.id ?? null }), ...below]
  }
  const yes = nodeOf(fresh, { kind: 'solution', title: first.yes })
  const not = first.otherwise ? [{ todo: first.otherwise, how: '' }, ...rest] : rest
  const below = treeOf(not, fresh)
  return [decisionOf(fresh, first.when, [yes, below[0] as ListedNode]), yes, ...below]
}

/** Statements as steps, headings over theirs and an end. */
export function stepsOf(statements: readonly Statement[], fresh: Fresh): ListedNode[] {
  const steps = statements.map((one) => {
    if ('heading' in one) return nodeOf(fresh, { kind: 'section_header', title: one.heading })
    if ('todo' in one) return nodeOf(fresh, { kind: 'procedure_step', title: one.todo, description: one.how })
    const otherwise = one.otherwise ? `\n\nOtherwise: ${one.otherwise}` : ''
    return nodeOf(fresh, { kind: 'procedure_step', title: `If ${one.when}: ${one.yes}`, description: `${upper(one.yes)}.${otherwise}` })
  })
  return [...steps, nodeOf(fresh, { kind: 'procedure_end', title: 'Done' })]
}

/** Where nothing but a topic is known: what every case begins with. */
export function skeletonOf(topic: string, isTree: boolean, fresh: Fresh): ListedNode[] {
  const about = cut(topic, 120)
  if (!isTree)
    return stepsOf(
      ['Prepare', 'Carry out', 'Check the result of'].map((what) => ({ todo: `${what}: ${about}`, how: `For ${topic}.` })),
      fresh,
    )
  return treeOf(
    [
      { when: `only one person is affected by ${about}`, yes: `Undo what changed for that person before ${about}`, otherwise: null },
      { when: `something was changed for everybody before ${about}`, yes: `Take that change back and check ${about}`, otherwise: null },
      { todo: `Hand ${about} over with what was found`, how: '' },
    ],
    fresh,
  )
}

const jump = /^go (?:back )?to (?:the )?(?:step |node |question )?["“']?(.+?)["”']?$/i

/**
 * “Go back to …” as a way to the node that is meant, as a hasty writer would do it. A flow has no such ways: told so, what is said
 * stays a node of its own.
 */
export function withJumps(nodes: readonly ListedNode[], isMended: boolean): ListedNode[] {
  if (isMended) return [...nodes]
  const meant = new Map<string, string>()
  for (const { id, title } of nodes) {
    const words = jump.exec(title)?.[1]?.toLowerCase()
    const target = words && nodes.find((node) => node.id !== id && node.title.toLowerCase().includes(words))
    if (target) meant.set(id, target.id)
  }
  return nodes
    .filter(({ id }) => !meant.has(id))
    .map((node) => ({
      ...node,
      options: node.options.map(({ label, leads_to }) => ({ label, leads_to: meant.get(leads_to) ?? leads_to })),
    }))
}

/** What a text leaves open in double braces. */
export function intakeIn(text: string) {
  const keys = new Set([...text.matchAll(/\{\{\s*([a-z][a-z0-9_]{0,59})\s*\}\}/g)].map(([, key = '']) => key))
  return [...keys].slice(0, 30).map((key) => ({
    ...{ key, label: upper(key.replaceAll('_', ' ')), required: true, options: null },
    type: /(?:^|_)ip(?:_|$)/.test(key) ? ('ip' as const) : /host|server/.test(key) ? ('hostname' as const) : ('text' as const),
  }))
}
