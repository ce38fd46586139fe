import { spend } from '#rules/budget.ts'
import { findMarked, type MarkedScript, numberMark } from '#rules/scripts/markers.ts'
import { insideQuotes } from '#rules/scripts/placement-reasons.ts'
import { decodeString, isName, type Node, readNodes, splitString } from './tree.ts'

export interface PythonScript {
  /** All nodes, each after its parent. */
  nodes: Node[]
  /** The placeholders inside strings, with their reasons. */
  reasons: Map<number, string>
  /** The placeholders that stand as literals where they may. */
  placed: Set<number>
  /** Where the check cannot follow the script. */
  stoppedAt: number | undefined
}

const stepsPerCharacter = 100
/** The check follows the tree by recursion. */
const maxDepth = 300

/** Parse a Python script, in which markers stand for the placeholders. */
export function readPythonScript(marked: MarkedScript): PythonScript {
  spend(marked.text.length * stepsPerCharacter)
  const script: PythonScript = { nodes: [], reasons: new Map(), placed: new Set(), stoppedAt: undefined }
  try {
    script.nodes = readNodes(marked.text, { isStrict: true }, (node, depth) => {
      if (node.kind === 'String' || node.kind === 'FormatString') readString(script, marked, node)
      if (isName(node)) readName(script, node)
      if (depth > maxDepth) script.stoppedAt ??= node.start
      return node.kind !== 'String' && depth <= maxDepth
    })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    script.stoppedAt = Number(/\d+/.exec(error.message)?.[0] ?? 0)
  }
  return script
}

function readName(script: PythonScript, node: Node): void {
  const mark = node.text.indexOf(numberMark)
  if (mark === 0) node.kind = 'Number'
  // A number may belong to the name before it.
  if (mark > 0) script.stoppedAt ??= node.start
}

function readString(script: PythonScript, marked: MarkedScript, node: Node): void {
  const { text, kind, start } = node
  const placeholder = marked.placeholderByMark.get(start + 1)
  if (placeholder?.start === start && placeholder.end === start + text.length) {
    script.placed.add(placeholder.start)
    node.placeholder = placeholder
    return
  }
  for (const { start: position } of findMarked(marked, text, start))
    script.reasons.set(position, insideQuotes)
  const parts = splitString(text)
  // Before Python 3.12 the braces of such a string may not contain the same quotes.
  if (!parts || (kind === 'FormatString' && parts.source.includes(parts.quotes))) script.stoppedAt ??= start
  else if (kind === 'String') node.value = decodeString(text)
}
