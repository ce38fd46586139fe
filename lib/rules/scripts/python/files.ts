import type { Flow } from './flow.ts'
import { dumpers, writers } from './functions.ts'
import { getCalleeName, isName, listArguments, listNodes, type Node } from './tree.ts'

// A script that writes text to a file may only execute files whose names are fixed, and do not occur among its other texts.

/** Return the nodes whose text the script may write to a file. */
export function findWritten(nodes: readonly Node[], { findSources, own }: Flow): Node[] {
  return nodes.flatMap((node) => {
    if (!isName(node) || own.has(node.text)) return []
    const isWriter = writers.test(node.text) || dumpers.test(node.text)
    const call = node.parent?.kind === 'CallExpression' ? node.parent : node.parent?.parent
    const isCalled = call?.kind === 'CallExpression' && getCalleeName(call) === node
    const printsToFile = node.text === 'print' && isCalled && listArguments(call).some(([name]) => name?.text === 'file')
    if (!isWriter && !printsToFile) return []
    // Under another name the method may write any text.
    if (!isCalled) return nodes.filter(({ placeholder }) => placeholder?.isUntrusted)
    return findSources([call]).length > 0 ? [call] : []
  })
}

/** Return whether one of the files that are executed may be one that the script writes. */
export function executesWritten(executed: readonly (readonly Node[])[], nodes: readonly Node[], flow: Flow): boolean {
  const strings = new Set<Node>()
  const resolved = new Set<string>()
  const valuesByName = Map.groupBy(
    flow.bindings.flatMap(({ targets, values }) => targets.flatMap(listNodes).map(({ text }) => ({ text, values }))),
    ({ text }) => text,
  )
  /** Collect the texts of an expression. Return whether there is one, or a part that is not the script's own. */
  const collect = (expression: readonly Node[]): boolean => {
    let isKnown = false
    for (const node of expression.flatMap(listNodes)) {
      if (node.value !== undefined) isKnown = strings.add(node).size > 0
      else if (!isName(node)) continue
      else if (!flow.own.has(node.text)) isKnown ||= node.kind === 'VariableName'
      else if (!resolved.has(node.text)) {
        resolved.add(node.text)
        const values = valuesByName.get(node.text)?.map((binding) => collect(binding.values)) ?? [false]
        if (!values.every(Boolean)) return false
        isKnown = true
      } else isKnown = true
    }
    return isKnown
  }
  if (executed.some((expression) => expression.length > 0 && !collect(expression))) return true
  const others = new Set(nodes.flatMap((node) => (node.value && !strings.has(node) ? [getFileName(node.value)] : [])))
  return [...strings].some(({ value = '' }) => value.split(/[\s"'|;&<>()]+/).some((word) => mayName(getFileName(word), others)))
}

function mayName(name: string, others: ReadonlySet<string>): boolean {
  if (!name || name.length > maxNameLength) return name !== ''
  for (let index = 1; index <= name.length; index++)
    for (const piece of [name.slice(0, index), name.slice(-index)]) if (others.has(piece) && !fileMode.test(piece)) return true
  return others.has(`${name}.py`)
}

/** The second argument of `open`, which is no part of a name. */
const fileMode = /^[rwaxbt+]{1,3}$/
const maxNameLength = 200

function getFileName(path: string): string {
  return path.replace(/^.*[\\/]/s, '')
}
