import { spend } from '#rules/budget.ts'
import { createSourceGraph } from '#rules/scripts/source-graph.ts'
import { cleaningFunctions, readingFunctions, unchangingFunctions, writers } from './functions.ts'
import { getCalleeName, isName, type Node, splitNodes } from './tree.ts'

// A name is text as soon as any assignment to it is. Order, scopes and branches are ignored: a name is one
// variable in the whole script. Two names may mean one object, so what changes the object under one name
// changes it under both. A change of a function is its call.

export interface Flow {
  /** Return the placeholders of text that reach the value of these nodes, by start index. */
  findSources: (nodes: readonly Node[]) => number[]
  /** The names that the script gives to its own values and functions. */
  own: ReadonlySet<string>
  /** Those of them that get their values from calls and patterns. */
  received: ReadonlySet<string>
  bindings: readonly Binding[]
}

/** What the judges of calls and programs share. */
export interface ProgramRules {
  flow: Flow
  mentions: ReadonlyMap<string, readonly Node[]>
  refuse: (nodes: readonly Node[], reason: string) => void
  forbidOption: (starts: readonly number[], command: string) => void
}

export interface Binding {
  kind: 'name' | 'change'
  targets: readonly Node[]
  values: readonly Node[]
}

/** What a function that others call by themselves may receive, and what a script raises and matches. */
const anyText = '=any'
const raised = '=raised'
const matched = '=matched'
const getChange = (id: string) => `=change ${id}`

interface Context {
  /** The innermost call that may change its arguments. */
  call: Node | undefined
  /** The statement or the expression of a statement with blocks. */
  top: Node | undefined
  /** The functions and classes around a node. */
  owners: readonly string[]
}

/** The values of one text cost less than what all nodes cost. */
const stepsPerNode = 300
const stepsPerSource = 40
const maxSources = 20

/** Follow the values. Throw 422 for a hostile script that would take too long. */
export function followValues(nodes: readonly Node[], untrusted: readonly number[]): Flow {
  spend(nodes.length * (stepsPerNode + stepsPerSource * Math.min(untrusted.length, maxSources)))
  const graph = createSourceGraph()
  const { connect } = graph
  const bindings = nodes.flatMap(findBindings)
  const functions = new Set(
    nodes.filter(({ kind }) => /^(Function|Class)Definition$/.test(kind)).map(getDefinedName),
  )
  const own = new Set([
    ...functions,
    ...bindings.flatMap(({ kind, targets }) => (kind === 'name' ? findTargets(targets).names : [])),
  ])
  const isReceived = ({ kind, parent }: Node) =>
    kind === 'VariableName' && /^ParamList$|Pattern$/.test(parent?.kind ?? '')
  const received = new Set(nodes.filter(isReceived).map(({ text }) => text))
  for (const name of received) own.add(name)
  const assign = (target: string, value: string) => {
    connect(value, target)
    connect(getChange(target), getChange(value))
  }
  const addBinding = ({ kind, targets, values }: Binding) => {
    const { names, changed } = findTargets(targets)
    for (const { id } of values) {
      for (const name of kind === 'name' ? names : []) assign(name, id)
      for (const { id: target } of kind === 'name' ? changed : targets) assign(getChange(target), id)
    }
  }

  /** Follow a definition. What changes the function reaches its parameters. */
  const addDefinition = (node: Node, names: readonly string[], owners: readonly string[]) => {
    const parameters = listParameters(node)
    for (const [index, text] of parameters.entries())
      for (const name of index === 0 || names.includes('__init__') ? [...names, ...owners] : names) {
        connect(getChange(name), text)
        connect(getChange(text), getChange(name))
      }
    const isCalledByPython = names.some((name) => /^__.*__$/.test(name) && name !== '__init__')
    for (const text of isCalledByPython ? parameters : []) connect(anyText, text)
    for (const base of node.children.find(({ kind }) => kind === 'ArgList')?.children ?? [])
      for (const name of names) connect(getChange(name), getChange(base.id))
  }

  const visit = (node: Node, context: Context): void => {
    const { kind, id, text, children, parent } = node
    let { call, owners } = context
    const top = context.top ?? (node.isCompound ? undefined : node)
    if (node.placeholder?.isUntrusted) graph.assign(id, { placeholders: [node.placeholder.start], names: [] })
    if (isName(node)) {
      assign(id, text)
      connect(getChange(text), text)
      if (call) connect(getChange(text), getChange(call.id))
      const isCalled =
        parent?.kind === 'CallExpression' ||
        (kind === 'PropertyName' && parent?.parent?.kind === 'CallExpression')
      if (functions.has(text) && top && !isCalled) connect(top.id, getChange(text))
    }
    if (kind === 'FunctionDefinition' || kind === 'ClassDefinition') {
      const name = getDefinedName(node)
      addDefinition(node, [name], owners)
      for (const sibling of parent?.kind === 'DecoratedStatement' ? parent.children : [])
        if (sibling.kind === 'Decorator') assign(name, sibling.id)
      owners = [...owners, name]
    }
    if (kind === 'LambdaExpression') {
      for (const parameter of listParameters(node)) {
        connect(getChange(id), parameter)
        connect(getChange(parameter), getChange(id))
        connect(top?.id ?? id, parameter)
      }
    }
    if (/^(Return|Yield)(Statement|Expression)$/.test(kind)) for (const owner of owners) assign(owner, id)
    if (kind === 'RaiseStatement') assign(raised, id)
    for (const [index, child] of children.entries()) {
      if (child.kind === 'AssignOp' && kind === 'ParamList')
        assign(children[index - 1]?.text ?? '', children[index + 1]?.id ?? '')
      if (kind === 'MatchStatement' && index > 0 && child.kind !== 'MatchBody') assign(matched, child.id)
      if (kind === 'TryStatement' && children[index - 1]?.kind === 'as') assign(child.text, raised)
      if (/Pattern$/.test(kind) && isName(child)) assign(child.text, matched)
    }
    const changedParts = findChanged(node)
    for (const changed of changedParts) connect(getChange(id), getChange(changed.id))
    const cleans = kind === 'CallExpression' && isCleaning(node, own)
    if (kind === 'CallExpression') call = addCall(node, call)
    for (const child of children) {
      const isToken = child.children.length === 0 && !isName(child) && !child.placeholder
      if (isToken) continue
      if (!node.isCompound && !cleans) connect(child.id, id)
      visit(child, { call, top, owners })
    }
  }

  /**
   * Follow a call that may change its object or its arguments. Return the call that the nodes inside belong
   * to.
   */
  const addCall = (node: Node, outer: Node | undefined): Node | undefined => {
    const name = getCalleeName(node)?.text ?? ''
    const [callee, args] = node.children
    if (!callee || !args) return outer
    if (!own.has(name) && writers.test(name)) assign(getChange(callee.id), args.id)
    if (
      !own.has(name) &&
      (readingFunctions.test(name) || unchangingFunctions.test(name) || writers.test(name))
    )
      return outer
    connect(args.id, getChange(node.id))
    if (functions.has(name)) connect(callee.id, getChange(node.id))
    if (outer) connect(getChange(node.id), getChange(outer.id))
    return node
  }

  graph.assign(anyText, { placeholders: [...untrusted], names: [] })
  for (const binding of bindings) addBinding(binding)
  if (nodes[0]) visit(nodes[0], { call: undefined, top: undefined, owners: [] })
  const findSources = graph.follow()
  return {
    findSources: (list) => findSources({ placeholders: [], names: list.map(({ id }) => id) }),
    own,
    received,
    bindings,
  }
}

/**
 * Return the parts of an expression that change when its value changes. A path that is put together from
 * others names another file; its last part is the name of the file.
 */
function findChanged(node: Node): readonly Node[] {
  const { kind, children, isCompound } = node
  if (isCompound) return []
  const last = children.at(-1)
  const isComposed = kind === 'BinaryExpression' && !/^(and|or)$/.test(children[1]?.kind ?? '')
  if (isComposed && last && !/^(\.[^./\\]*)?$/.test(last.value ?? 'a')) return [last]
  const isJoined = kind === 'CallExpression' && /^(join|joinpath)$/.test(getCalleeName(node)?.text ?? '')
  return isJoined ? (last?.children.slice(-2, -1) ?? []) : children
}

function getDefinedName({ children }: Node): string {
  return children.find(isName)?.text ?? ''
}

function listParameters({ children }: Node): string[] {
  const list = children.find(({ kind }) => kind === 'ParamList')?.children ?? []
  return list.flatMap(({ kind, text }, index) =>
    kind === 'VariableName' && list[index - 1]?.kind !== 'AssignOp' ? [text] : [],
  )
}

/** Return whether the result of a call is a number. */
function isCleaning(call: Node, own: ReadonlySet<string>): boolean {
  const [callee] = call.children
  return callee?.kind === 'VariableName' && cleaningFunctions.has(callee.text) && !own.has(callee.text)
}

/** Find `a = b = value`, `a += value`, `for a in value`, `value as a` and `(a := value)`. */
function findBindings({ kind, children }: Node): Binding[] {
  if (/^(AssignStatement|UpdateStatement|NamedExpression)$/.test(kind)) {
    const groups = splitNodes(children, /^(AssignOp|UpdateOp)$/)
    const values = groups.pop() ?? []
    return groups.map((targets) => ({
      kind: kind === 'UpdateStatement' ? 'change' : 'name',
      targets,
      values,
    }))
  }
  return children.flatMap((child, index): Binding[] => {
    if (child.kind === 'as')
      return [
        {
          kind: 'name',
          targets: children.slice(index + 1, index + 2),
          values: children.slice(index - 1, index),
        },
      ]
    if (child.kind !== 'for') return []
    let end = index + 1
    while (children[end] && !/^(Body|for|if|async)$/.test(children[end]?.kind ?? '')) end++
    const [targets = [], values = []] = splitNodes(children.slice(index + 1, end), /^in$/)
    return [{ kind: 'name', targets, values }]
  })
}

/**
 * Return the names that an assignment gives, and the objects that it changes, such as `a` in `a.b = value`.
 */
function findTargets(targets: readonly Node[]): { names: string[]; changed: Node[] } {
  const found: { names: string[]; changed: Node[] } = { names: [], changed: [] }
  for (const node of targets) {
    if (node.kind === 'VariableName') found.names.push(node.text)
    else if (node.kind === 'MemberExpression') found.changed.push(node)
    else if (node.kind !== 'TypeDef') {
      const inner = findTargets(node.children)
      found.names.push(...inner.names)
      found.changed.push(...inner.changed)
    }
  }
  return found
}
