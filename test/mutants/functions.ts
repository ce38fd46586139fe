import { type Node, parseSource, walk } from './syntax.ts'

/** A function of a file, by its offsets. */
export interface FunctionRange {
  file: string
  start: number
  end: number
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

function listFunctionNodes(source: string): Node[] {
  const nodes: Node[] = []
  walk(parseSource(source), (node) => {
    if (functionTypes.has(node.type) && node.body) nodes.push(node)
    return true
  })
  return nodes
}

/** List the functions of a file, in the order of their offsets. */
export function listFunctions(file: string, source: string): FunctionRange[] {
  return listFunctionNodes(source).map(({ start, end }) => ({ file, start, end }))
}

/**
 * Make each function of a file report its number, counted from `firstNumber` in the order of `listFunctions`,
 * when it is called.
 */
export function addProbes(source: string, firstNumber: number): string {
  const insertions = listFunctionNodes(source).flatMap((node, index) => {
    // A function whose text runs in a browser or in workerd has no such global.
    const probe = `globalThis.reach?.(${firstNumber + index})`
    const body = node.body as Node
    if (body.type === 'BlockStatement') return [{ at: body.start + 1, text: `${probe};` }]
    return [
      { at: body.start, text: `(${probe}, ` },
      { at: body.end, text: ')' },
    ]
  })
  // From the end to the start, so that offsets stay valid.
  return insertions
    .sort((a, b) => b.at - a.at)
    .reduce(
      (text, insertion) => text.slice(0, insertion.at) + insertion.text + text.slice(insertion.at),
      source,
    )
}
