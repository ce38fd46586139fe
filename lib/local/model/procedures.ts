import type { FlatNode } from '#rules/flows/flat-nodes.ts'
import { extractWords, splitSentences, truncate } from './text.ts'

/** “If `condition`, then `action`, otherwise `otherwise`.” */
export interface Condition {
  condition: string
  action: string
  otherwise: string | null
}
/** A statement of a procedure: a heading, a task with details, or a condition. */
export type Statement = { heading: string } | { task: string; details: string } | Condition

const listMarkerPattern = /^\s*(?:\d{1,3}[.)]|[-*•])\s+/
const headingPattern = /^\s*(?:#{1,6}\s+(.+)|(\S.{0,100}):)\s*$/
const conditionPattern =
  /^(?:if|when)\s+(.+?)(?:,\s*(?:then\s+)?|\s+then\s+)(.+?)(?:(?:[,;.]|\s)\s*(?:otherwise|else|if not)\b[,:]?\s+(.+?))?[.!]?$/is
const otherwisePattern = /^(?:otherwise|else|if not)\b[,:]?\s+(.+?)[.!]?$/is

/**
 * Parse at most 40 statements of a procedure: headings and list items with the lines below them, or sentences
 * if there is no list.
 */
export function parseStatements(text: string): Statement[] {
  const lines = text.split(/\n+/).filter((line) => line.trim())
  const isList = lines.some((line) => listMarkerPattern.test(line))
  const statements: Statement[] = []
  for (const line of isList ? lines : splitSentences(text)) {
    const title = isList && !listMarkerPattern.test(line) ? headingPattern.exec(line) : null
    const last = statements.at(-1)
    if (title) statements.push({ heading: (title[1] ?? title[2] ?? '').trim() })
    else if (!isList || listMarkerPattern.test(line))
      addStatement(statements, line.replace(listMarkerPattern, '').trim())
    else if (last && 'task' in last) last.details = [last.details, line.trim()].filter(Boolean).join('\n')
  }
  return statements.slice(0, 40)
}

/**
 * Add the statement of a sentence. A sentence that starts with “otherwise” completes the condition before it.
 */
function addStatement(statements: Statement[], sentence: string): void {
  const last = statements.at(-1)
  const otherwise = otherwisePattern.exec(sentence)?.[1]
  if (otherwise && last && 'condition' in last && !last.otherwise) last.otherwise = otherwise
  else statements.push(parseCondition(sentence) ?? parseTask(sentence))
}

/** Parse a sentence of the form “if …, then …, otherwise …”. Return undefined for any other sentence. */
export function parseCondition(sentence: string): Condition | undefined {
  const [, condition, action, otherwise] = conditionPattern.exec(sentence.trim()) ?? []
  return condition && action ? { condition, action, otherwise: otherwise ?? null } : undefined
}

/**
 * Parse a task. The text after a colon becomes the details. Without one, more than 120 characters are both
 * title and details.
 */
function parseTask(sentence: string): Statement {
  const [, title = sentence, details = ''] = /^([^:]{3,100}):\s+(.+)$/s.exec(sentence) ?? []
  return { task: title.replace(/[.!]+$/, ''), details: details || (title.length > 120 ? sentence : '') }
}

const requestPattern =
  /^(?:please\s+)?(?:can you\s+)?(?:build|write|create|make|draft|design|we need|i need|i want)\b.*?\b(?:for|about|to|that|when)\s+(.+?)[.!]?$/is

/**
 * Extract the topic of a text that is only a request for a flow, such as “build a flow for slow printers”.
 */
export function extractTopic(text: string): string | undefined {
  return splitSentences(text).length === 1 ? requestPattern.exec(text.trim())?.[1] : undefined
}

/** Return whether a text has too few significant words for a flow. */
export const isTooShort = (text: string) => new Set(extractWords(text)).size < 2

export type CreateId = () => string
/** Create a generator of ids such as `n1`, which skips those in use. */
export function createIdGenerator(nodes: readonly { id: string }[], prefix = 'n'): CreateId {
  const usedIds = new Set(nodes.map(({ id }) => id))
  let n = 0
  return () => {
    do n += 1
    while (usedIds.has(`${prefix}${n}`))
    return `${prefix}${n}`
  }
}

const capitalize = (text: string) => (text[0] ?? '').toUpperCase() + text.slice(1)

export const createNode = (
  createId: CreateId,
  { title, ...fields }: Pick<FlatNode, 'kind' | 'title'> & Partial<FlatNode>,
): FlatNode => ({
  id: createId(),
  description: '',
  options: [],
  next: null,
  ...fields,
  title: truncate(capitalize(title), 300),
})

/** Create a decision that leads to one node for yes and to another for no. */
export const createDecision = (
  createId: CreateId,
  condition: string,
  [yes, no]: readonly [FlatNode, FlatNode],
) =>
  createNode(createId, {
    kind: 'decision',
    title: condition.endsWith('?') ? condition : `Is it so that ${condition}?`,
    options: [
      { label: 'Yes', leads_to: yes.id },
      { label: 'No', leads_to: no.id },
    ],
  })

/**
 * Build a tree from statements, root first. Tasks become actions, conditions become decisions, and the last
 * task becomes a solution. The action of a condition becomes a solution too. Headings are skipped.
 */
export function buildTree(statements: readonly Statement[], createId: CreateId): FlatNode[] {
  const [first, ...rest] = statements.filter((statement) => !('heading' in statement))
  if (!first || 'heading' in first)
    return [createNode(createId, { kind: 'solution', title: 'Hand it over with what was found' })]
  if ('task' in first) {
    if (rest.length === 0)
      return [createNode(createId, { kind: 'solution', title: first.task, description: first.details })]
    const nextNodes = buildTree(rest, createId)
    const next = nextNodes[0]?.id ?? null
    return [
      createNode(createId, { kind: 'action', title: first.task, description: first.details, next }),
      ...nextNodes,
    ]
  }
  const yes = createNode(createId, { kind: 'solution', title: first.action })
  const noStatements = first.otherwise ? [{ task: first.otherwise, details: '' }, ...rest] : rest
  const noNodes = buildTree(noStatements, createId)
  return [createDecision(createId, first.condition, [yes, noNodes[0] as FlatNode]), yes, ...noNodes]
}

/** Build the steps of a procedure from statements. Headings become section headers, and an end is added. */
export function buildSteps(statements: readonly Statement[], createId: CreateId): FlatNode[] {
  const steps = statements.map((statement) => {
    if ('heading' in statement)
      return createNode(createId, { kind: 'section_header', title: statement.heading })
    if ('task' in statement)
      return createNode(createId, {
        kind: 'procedure_step',
        title: statement.task,
        description: statement.details,
      })
    const { condition, action } = statement
    const otherwise = statement.otherwise ? `\n\nOtherwise: ${statement.otherwise}` : ''
    return createNode(createId, {
      kind: 'procedure_step',
      title: `If ${condition}: ${action}`,
      description: `${capitalize(action)}.${otherwise}`,
    })
  })
  return [...steps, createNode(createId, { kind: 'procedure_end', title: 'Done' })]
}

/** Build a flow of general questions or steps for a topic about which nothing else is known. */
export function buildSkeleton(topic: string, isTree: boolean, createId: CreateId): FlatNode[] {
  const shortTopic = truncate(topic, 120)
  if (!isTree)
    return buildSteps(
      ['Prepare', 'Carry out', 'Check the result of'].map((task) => ({
        task: `${task}: ${shortTopic}`,
        details: `For ${topic}.`,
      })),
      createId,
    )
  return buildTree(
    [
      {
        condition: `only one person is affected by ${shortTopic}`,
        action: `Undo what changed for that person before ${shortTopic}`,
        otherwise: null,
      },
      {
        condition: `something was changed for everybody before ${shortTopic}`,
        action: `Take that change back and check ${shortTopic}`,
        otherwise: null,
      },
      { task: `Hand ${shortTopic} over with what was found`, details: '' },
    ],
    createId,
  )
}

const jumpPattern = /^go (?:back )?to (?:the )?(?:step |node |question )?["“']?(.+?)["”']?$/i

/**
 * Imitate a careless model: remove nodes such as “Go back to …” and link to the named node instead, which
 * creates an invalid cycle. After the service has rejected the cycle (`hasProblems`), keep the nodes
 * unchanged.
 */
export function linkJumps(nodes: readonly FlatNode[], hasProblems: boolean): FlatNode[] {
  if (hasProblems) return [...nodes]
  const targetById = new Map<string, string>()
  for (const { id, title } of nodes) {
    const phrase = jumpPattern.exec(title)?.[1]?.toLowerCase()
    const target = phrase && nodes.find((node) => node.id !== id && node.title.toLowerCase().includes(phrase))
    if (target) targetById.set(id, target.id)
  }
  return nodes
    .filter(({ id }) => !targetById.has(id))
    .map((node) => ({
      ...node,
      next: node.next && (targetById.get(node.next) ?? node.next),
      options: node.options.map(({ label, leads_to }) => ({
        label,
        leads_to: targetById.get(leads_to) ?? leads_to,
      })),
    }))
}

/** Extract an intake field for each placeholder in double braces. */
export function extractIntakeFields(text: string) {
  const keys = new Set([...text.matchAll(/\{\{\s*([a-z][a-z0-9_]{0,59})\s*\}\}/g)].map(([, key = '']) => key))
  return [...keys].slice(0, 30).map((key) => ({
    key,
    label: capitalize(key.replaceAll('_', ' ')),
    required: true,
    options: null,
    type: guessFieldType(key),
  }))
}

function guessFieldType(key: string): 'ip' | 'hostname' | 'text' {
  if (/(?:^|_)ip(?:_|$)/.test(key)) return 'ip'
  return /host|server/.test(key) ? 'hostname' : 'text'
}
