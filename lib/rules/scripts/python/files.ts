import type { Flow } from './flow.ts'
import { dumpers, writers } from './functions.ts'
import { getCalleeName, isName, listArguments, listNodes, type Node } from './tree.ts'

// A script that writes text to a file may only execute files whose names are fixed, and do not occur among
// its other texts.

/** Return the nodes whose text the script may write to a file. */
export function findWritten(nodes: readonly Node[], { findSources, own }: Flow): Node[] {
  return nodes.flatMap((node) => {
    if (!isName(node) || own.has(node.text)) return []
    const isWriter = writers.test(node.text) || dumpers.test(node.text)
    const call = node.parent?.kind === 'CallExpression' ? node.parent : node.parent?.parent
    const isCalled = call?.kind === 'CallExpression' && getCalleeName(call) === node
    const printsToFile =
      node.text === 'print' && isCalled && listArguments(call).some(([name]) => name?.text === 'file')
    if (!isWriter && !printsToFile) return []
    // Under another name the method may write any text.
    if (!isCalled) return nodes.filter(({ placeholder }) => placeholder?.isUntrusted)
    return findSources([call]).length > 0 ? [call] : []
  })
}

/** Return whether one of the files that are executed may be one that the script writes. */
export function executesWritten(
  executed: readonly (readonly Node[])[],
  nodes: readonly Node[],
  flow: Flow,
): boolean {
  const strings = new Set<Node>()
  const resolved = new Set<string>()
  const bindings = flow.bindings.flatMap(({ targets, values }) =>
    targets.flatMap(listNodes).map(({ text }) => ({ text, values })),
  )
  // A method such as `append` may store its arguments.
  const stored = nodes.flatMap(({ kind, children: [callee, args] }) => {
    const object =
      kind === 'CallExpression' && callee?.kind === 'MemberExpression' ? callee.children[0] : undefined
    return object && args ? [{ text: object.text, values: [args] }] : []
  })
  const valuesByName = Map.groupBy([...bindings, ...stored], ({ text }) => text)
  /**
   * Collect the texts of an expression. Return whether there is one, or a part that is not the script's own.
   */
  const collect = (expression: readonly Node[]): boolean => {
    let isKnown = false
    for (const node of expression.flatMap(listNodes)) {
      if (node.value !== undefined) isKnown = strings.add(node).size > 0
      else if (!isName(node)) continue
      else if (!flow.own.has(node.text)) isKnown ||= node.kind === 'VariableName'
      else if (flow.received.has(node.text)) return false
      else if (resolved.has(node.text)) isKnown = true
      else {
        resolved.add(node.text)
        // Every value is collected.
        const values = valuesByName.get(node.text)?.map((binding) => collect(binding.values)) ?? []
        if (!values.some(Boolean)) return false
        isKnown = true
      }
    }
    return isKnown
  }
  if (executed.some((expression) => expression.length > 0 && !collect(expression))) return true
  // Two texts may be put together to a name, and a module has a name without an ending.
  const isWhole = ([node, ...rest]: readonly Node[]) => /\.\w+$/.test(node?.value ?? '') && rest.length === 0
  const whole = new Set(executed.filter(isWhole).flat())
  const getWords = ({ value = '' }: Node) => value.split(/[\s"'|;&<>()]+/).map(getFileName)
  const executedWords = new Set([...strings].flatMap(getWords).filter(Boolean))
  const otherWords = new Set(nodes.filter((node) => node.value && !strings.has(node)).flatMap(getWords))
  for (const name of otherWords) if (!name || fileMode.test(name)) otherWords.delete(name)
  const pieces = new Set([...strings].filter((node) => !whole.has(node)).flatMap(getWords))
  return hasPieces(executedWords, otherWords) || hasPieces(otherWords, pieces)
}

/** Return whether one of the texts is the start or the end of a name, or the name itself. */
function hasPieces(names: ReadonlySet<string>, texts: ReadonlySet<string>): boolean {
  return [...names].some((name) => {
    if (name.length > maxNameLength) return true
    return Array.from(name).some(
      (_, index) => texts.has(name.slice(0, index + 1)) || texts.has(name.slice(index)),
    )
  })
}

/** The second argument of `open`, which is no part of a name. */
const fileMode = /^[rwaxbt+]{1,3}$/
const maxNameLength = 200

function getFileName(path: string): string {
  return path.replace(/^.*[\\/]/s, '')
}
