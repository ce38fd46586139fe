import { type FlowNode, flowLimits } from '#rules/flows/structure.ts'
import { escapeMarkdown } from '#rules/markup/markdown.ts'
import { clip } from '#rules/text/clip.ts'
import { maxNodeLength } from './blocks.ts'
import { removeMarkup, unescapeMarkdown } from './derive-title.ts'
import {
  alternativeHeading,
  caseHeading,
  findJump,
  isAboutUnsolved,
  nameCase,
  onlySaysToGoOn,
  saysToGoOn,
} from './go-on.ts'
import type { Branch } from './node-tree.ts'
import type { KbNode } from './nodes.ts'
import { factHeading } from './segments.ts'

type Branches = readonly Branch<KbNode>[]

/**
 * A tree has at most 500 nodes, the ends of branches among them. Parts that several branches lead to are
 * copied while there is room.
 */
const maxCopiedNodes = 250
const [done, nothingLeft] = ['Done', 'The article has no further step']

interface TreeBuilder {
  nodeCount: number
  /** How often each node is in the tree. */
  uses: Map<string, number>
  /** Nodes that are the heading of what follows, without a text of their own. */
  headingIds: Set<string>
  /** The title of the solution after the last text. */
  end: string
  /** Whether questions may be added, which make the tree deeper. */
  asks: boolean
}

/** Build the tree of an article: each branch leads to the next, and the last one ends in a solution. */
export function buildTree(branches: Branches): FlowNode {
  const build = (asks: boolean) => {
    const builder: TreeBuilder = { nodeCount: 0, uses: new Map(), headingIds: new Set(), end: done, asks }
    return foldHeadings(chain(branches, builder) ?? createEnd('article', done), builder.headingIds)
  }
  const tree = build(true)
  return countLevels(tree) > flowLimits.maxDepth ? build(false) : tree
}

/**
 * Put each heading without a text into the step that follows it, so that nobody has to click an empty step.
 */
function foldHeadings(node: FlowNode, headingIds: ReadonlySet<string>): FlowNode {
  const children = node.children?.map((child) => foldHeadings(child, headingIds))
  const [next] = children ?? []
  const isFolded = headingIds.has(node.id) && next && canTakeHeading(next) && !headingIds.has(next.id)
  if (!isFolded) return children ? { ...node, ...withNextIds(node, children) } : node
  const description = [`**${escapeMarkdown(node.title ?? '')}**`, next.description]
    .filter(Boolean)
    .join('\n\n')
  return description.length > maxNodeLength
    ? { ...node, ...withNextIds(node, children ?? []) }
    : { ...next, description }
}

/** Questions that the import adds, and the end of the article, have no heading. */
const canTakeHeading = ({ id, type }: FlowNode) =>
  type === 'action' || (type === 'decision' && !/-(?:check(?:-\d+)?|cases)$/.test(id))

/** Return the children of a node, and its references to them. */
function withNextIds({ options, next_node_id }: FlowNode, children: FlowNode[]): Partial<FlowNode> {
  return {
    children,
    ...(next_node_id === undefined ? {} : { next_node_id: children[0]?.id }),
    ...(options
      ? { options: options.map((option, index) => ({ ...option, next_node_id: children[index]?.id })) }
      : {}),
  }
}

function countLevels({ children }: FlowNode): number {
  return 1 + (children ?? []).reduce((max, child) => Math.max(max, countLevels(child)), 0)
}

/** Chain branches. Return null without any. */
function chain(all: Branches, builder: TreeBuilder): FlowNode | null {
  const [first, ...rest] = all
  if (!first) return null
  const { node, children } = first
  const isRemark = node.kind === 'note' && children.length === 0 && !isAboutUnsolved(node.content)
  if (isRemark && rest[0] && fits(node, rest[0].node)) return chain(prependNote(node, rest), builder)
  const cases = takeCases([first, ...rest])
  if (cases) return buildCases(cases, builder)
  if (node.kind === 'decision') return buildDecision(first, rest, builder)
  if (!builder.asks) return createAction(node, chain([...children, ...rest], builder), builder)
  if (node.kind !== 'section' && isAboutUnsolved(node.content)) return buildCheck(first, rest, builder)
  const jump = node.kind === 'section' ? null : findTarget(node, rest)
  if (jump) return buildJump(first, jump, rest, builder)
  const isAlternative = node.kind === 'section' && alternativeHeading.test(node.title)
  if (isAlternative && rest.some((branch) => alternativeHeading.test(branch.node.title)))
    return buildAlternative(first, rest, builder)
  return createAction(node, chain([...children, ...rest], builder), builder)
}

const isFact = ({ node }: Branch<KbNode>) =>
  node.kind === 'section' && factHeading.test(node.title) && !caseHeading.test(node.title)

const fits = (note: KbNode, { title, content }: KbNode) =>
  note.content.length + title.length + content.length + 10 <= maxNodeLength

function prependNote(note: KbNode, [next, ...rest]: Branches): Branches {
  if (!next) return []
  const content = [note.content, getTexts(next.node).description].filter(Boolean).join('\n\n')
  return [{ ...next, node: { ...next.node, content } }, ...rest]
}

/** Sections of cases, each with the sections that follow it, and what comes after all of them. */
interface Cases {
  first: Branch<KbNode>
  groups: Branch<KbNode>[][]
}

/** Take two or more sections of cases from the start, such as causes with their resolutions. */
function takeCases(branches: Branches): Cases | null {
  const [first] = branches
  if (!first || !isCase(first)) return null
  const groups: Branch<KbNode>[][] = []
  for (const branch of branches) {
    if (isCase(branch)) groups.push([branch])
    else groups.at(-1)?.push(branch)
  }
  return groups.length < 2 ? null : { first, groups }
}

const isCase = ({ node, children }: Branch<KbNode>) =>
  node.kind === 'section' &&
  caseHeading.test(node.title) &&
  (children.length > 0 || node.content !== '' || /\d|:/.test(node.title))

function buildCases({ first, groups }: Cases, builder: TreeBuilder): FlowNode {
  const id = `${useId(first.node.id, builder)}-cases`
  const choices = groups.map((group) => ({
    label: nameCase(group[0]?.node.title ?? ''),
    next: buildGroup(group, builder),
  }))
  return createDecision({ id, title: 'Which case applies?', description: '' }, choices)
}

/**
 * Build a case: its section, and what follows it. A single cause whose resolution follows is no case again.
 */
function buildGroup([first, ...rest]: Branch<KbNode>[], builder: TreeBuilder): FlowNode {
  if (!first) return createEnd('case', done)
  return createAction(first.node, chain([...first.children, ...rest], builder), builder)
}

/**
 * Build a decision. An option that says to go on leads to what follows. In a tree the branches of a decision
 * cannot join again, so without such an option what follows is an option of its own.
 */
function buildDecision({ node, children }: Branch<KbNode>, rest: Branches, builder: TreeBuilder): FlowNode {
  const common = { id: useId(node.id, builder), ...getTexts(node) }
  const goesOn = children.map((child) => rest.length > 0 && saysToGoOn(child.node.content))
  const choices = children.map((child, index) => {
    if (!goesOn[index]) return { label: child.node.title, next: chain([child], builder) }
    const target = findTarget(child.node, rest) ?? rest
    const canRepeat = index === goesOn.indexOf(true) || canCopy(target, builder)
    if (!canRepeat) return { label: child.node.title, next: createAction(child.node, null, builder) }
    const following = onlySaysToGoOn(child.node.content) && child.children.length === 0 ? [] : [child]
    const next =
      following.length > 0
        ? createAction(child.node, chain([...child.children, ...target], builder), builder)
        : chain(target, builder)
    return { label: child.node.title, next }
  })
  const isReached =
    goesOn.includes(true) && children.some((child, index) => goesOn[index] && !findTarget(child.node, rest))
  if (rest.length > 0 && !isReached) choices.push({ label: 'Go on', next: chain(rest, builder) })
  return createDecision(
    common,
    choices.map(({ label, next }) => ({ label, next: next ?? createEnd(`${common.id}-done`, done) })),
  )
}

/** Build the question whether the problem is solved, before what to do if it is not. */
function buildCheck(branch: Branch<KbNode>, rest: Branches, builder: TreeBuilder): FlowNode {
  const { node, children } = branch
  const id = `${useId(node.id, builder)}-check`
  const isOnlyGoOn = onlySaysToGoOn(node.content) && children.length === 0
  const target = isOnlyGoOn ? findTarget(node, rest) : null
  if (target && canCopy(target, builder)) {
    const passed = rest[0]?.node.title ?? ''
    const question = createSolvedQuestion(id, node.content, chainUnsolved(target, builder))
    return addChoice(question, `No, go on with “${clip(passed, 100)}”`, chain(rest, builder))
  }
  const unsolved = isOnlyGoOn
    ? chainUnsolved(rest, builder)
    : createAction(node, chain([...children, ...rest], builder), builder)
  return createSolvedQuestion(id, isOnlyGoOn ? node.content : '', unsolved)
}

/** Chain what follows for a problem that is not solved. After the last instruction it still is not. */
function chainUnsolved(rest: Branches, builder: TreeBuilder): FlowNode | null {
  if (!rest.every(isFact)) return chain(rest, builder)
  builder.end = nothingLeft
  const unsolved = chain(rest, builder)
  builder.end = done
  return unsolved
}

function createSolvedQuestion(id: string, description: string, unsolved: FlowNode | null): FlowNode {
  return createDecision({ id, title: 'Is the problem solved?', description }, [
    { label: 'Yes', next: createEnd(`${id}-solved`, 'Solved') },
    { label: 'No', next: unsolved ?? createEnd(`${id}-unsolved`, nothingLeft) },
  ])
}

/** Build one of several ways. Those that follow are for a problem that it did not solve. */
function buildAlternative(
  { node, children }: Branch<KbNode>,
  rest: Branches,
  builder: TreeBuilder,
): FlowNode {
  const last = children.at(-1)
  const asks = last && isAboutUnsolved(last.node.content)
  const question = (): FlowNode =>
    createSolvedQuestion(`${node.id}-check-${builder.nodeCount}`, '', chainUnsolved(rest, builder))
  if (asks) return createAction(node, chain([...children, ...rest], builder), builder)
  return createAction(node, chainThen(children, question, builder), builder)
}

/** Chain branches and end them with another node. */
function chainThen(branches: Branches, createLast: () => FlowNode, builder: TreeBuilder): FlowNode {
  const [first, ...rest] = branches
  if (!first) return createLast()
  const isPlain = first.node.kind !== 'decision' && !isAboutUnsolved(first.node.content)
  if (!isPlain) return chain(branches, builder) ?? createLast()
  return createAction(first.node, chainThen([...first.children, ...rest], createLast, builder), builder)
}

/** Return what follows from the part that a text names, if that is not what follows anyway. */
export function findTarget({ content }: KbNode, rest: Branches): Branches | null {
  const jump = findJump(content)
  if (!jump) return null
  // Bounded: white space, once before each of two signs, at the start of a text.
  const isNamed = new RegExp(String.raw`^${jump.unit}\s*(?:#\s*)?${jump.number}\b`, 'i')
  // Bounded: as above.
  const isNumbered = new RegExp(String.raw`^\s*\(?${jump.number}[.)]\s`)
  const index = rest.findIndex(({ node }) =>
    node.kind === 'section'
      ? isNamed.test(node.title)
      : jump.unit === 'step' && isNumbered.test(node.content),
  )
  return index > 0 ? rest.slice(index) : null
}

/** Build a step that names a later part as a decision. Its other branch goes on with what follows. */
function buildJump(
  { node, children }: Branch<KbNode>,
  target: Branches,
  rest: Branches,
  builder: TreeBuilder,
): FlowNode {
  const condition = findJump(node.content)?.condition ?? ''
  const common = { id: useId(node.id, builder), ...getTexts(node) }
  const otherwise = chain([...children, ...rest], builder)
  if (!canCopy(target, builder)) return { ...createAction(node, otherwise, builder), id: common.id }
  const label = clip(removeMarkup(condition), 200)
  return createDecision(common, [
    {
      label: `${label.charAt(0).toUpperCase()}${label.slice(1)}`,
      next: chain(target, builder) ?? createEnd(`${common.id}-done`, done),
    },
    { label: 'Otherwise', next: otherwise ?? createEnd(`${common.id}-otherwise`, done) },
  ])
}

function canCopy(branches: Branches, { nodeCount }: TreeBuilder): boolean {
  return nodeCount + countNodes(branches) <= maxCopiedNodes
}

function countNodes(branches: Branches): number {
  return branches.reduce((sum, { children }) => sum + 1 + countNodes(children), 0)
}

/** Return the id of a node; that of a copy has a number. */
function useId(id: string, builder: TreeBuilder): string {
  const uses = (builder.uses.get(id) ?? 0) + 1
  builder.uses.set(id, uses)
  builder.nodeCount++
  return uses === 1 ? id : `${id}-${uses}`
}

/** Create an action. What ends a branch is a solution, unless it says to go on. */
function createAction(node: KbNode, next: FlowNode | null, builder: TreeBuilder): FlowNode {
  const common = { id: useId(node.id, builder), ...getTexts(node) }
  if (node.kind === 'section' && node.content === '') builder.headingIds.add(common.id)
  const isEnd = !next && !saysToGoOn(node.content) && node.kind !== 'section'
  if (isEnd) return { ...common, type: 'solution' }
  const following =
    next ?? createEnd(`${common.id}-end`, saysToGoOn(node.content) ? nothingLeft : builder.end)
  return { ...common, type: 'action', next_node_id: following.id, children: [following] }
}

function addChoice(
  { options, children, ...decision }: FlowNode,
  label: string,
  next: FlowNode | null,
): FlowNode {
  if (!next) return { ...decision, options, children }
  return {
    ...decision,
    options: [...(options ?? []), { label, next_node_id: next.id }],
    children: [...(children ?? []), next],
  }
}

function createEnd(id: string, title: string): FlowNode {
  return { id, type: 'solution', title, description: '' }
}

function createDecision(
  common: { id: string; title: string; description: string },
  choices: readonly { label: string; next: FlowNode }[],
): FlowNode {
  const options = choices.map(({ label, next }) => ({ label, next_node_id: next.id }))
  return { ...common, type: 'decision', options, children: choices.map(({ next }) => next) }
}

const listMarker = /^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+/

/** Return the title and the description of a node. The description is empty if it only repeats the title. */
export function getTexts({ title, content }: KbNode): { title: string; description: string } {
  return {
    title,
    description: unescapeMarkdown(content.replace(listMarker, '').trim()) === title.trim() ? '' : content,
  }
}
