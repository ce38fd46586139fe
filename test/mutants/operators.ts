import { getName, type Node } from './syntax.ts'

export type MutationKind =
  | 'condition'
  | 'bound'
  | 'constant'
  | 'boolean'
  | 'call'
  | 'logic'
  | 'fallback'
  | 'error kind'

/** One change of a file: the characters from `start` to `end` become `text`. */
export interface Change {
  kind: MutationKind
  start: number
  end: number
  text: string
}

type Operator = (node: Node, source: string, ancestors: readonly Node[]) => Change[]

const bounds: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const equalities: Record<string, string> = { '===': '!==', '!==': '===' }
const logic: Record<string, string> = { '&&': '||', '||': '&&' }
// Statuses differ, so that a caller sees the change.
const otherKinds: Record<string, string> = {
  not_found: 'conflict',
  forbidden: 'not_found',
  conflict: 'bad_request',
  invalid: 'bad_request',
}

/** Negate the test of an `if` or of a conditional expression. A loop would not end. */
const negateCondition: Operator = (node, source) => {
  if (node.type !== 'IfStatement' && node.type !== 'ConditionalExpression') return []
  const test = node.test as Node
  // `changeOperator` negates an equality.
  if (test.type === 'BinaryExpression' && String(test.operator) in equalities) return []
  return [
    { kind: 'condition', start: test.start, end: test.end, text: `!(${source.slice(test.start, test.end)})` },
  ]
}

const changeOperator: Operator = (node, source) => {
  const operator = String(node.operator)
  const isBinary = node.type === 'BinaryExpression'
  const replacement = isBinary
    ? (bounds[operator] ?? equalities[operator])
    : node.type === 'LogicalExpression'
      ? logic[operator]
      : undefined
  if (!replacement) return []
  const kind = !isBinary ? 'logic' : operator in bounds ? 'bound' : 'condition'
  return [{ kind, ...findOperator(node, source, operator), text: replacement }]
}

/** Remove `?? b` of `a ?? b`. */
const dropFallback: Operator = (node) => {
  if (node.type !== 'LogicalExpression' || node.operator !== '??') return []
  return [{ kind: 'fallback', start: (node.left as Node).end, end: (node.right as Node).end, text: '' }]
}

const changeLiteral: Operator = (node) => {
  if (node.type !== 'Literal') return []
  const { value, start, end } = node
  if (typeof value === 'boolean') return [{ kind: 'boolean', start, end, text: String(!value) }]
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return []
  return [value + 1, value - 1].map((other) => ({
    kind: 'constant',
    start,
    end,
    text: other < 0 ? `(${other})` : String(other),
  }))
}

/** Remove a call whose result is not used. */
const dropCall: Operator = (node) => {
  if (node.type !== 'ExpressionStatement') return []
  let expression = node.expression as Node
  while (expression.type === 'AwaitExpression' || expression.type === 'UnaryExpression')
    expression = expression.argument as Node
  return expression.type === 'CallExpression'
    ? [{ kind: 'call', start: node.start, end: node.end, text: ';' }]
    : []
}

const changeErrorKind: Operator = (node) => {
  const [first] = (node.arguments as Node[] | undefined) ?? []
  if (node.type !== 'NewExpression' || getName(node.callee) !== 'Problem' || first?.type !== 'Literal')
    return []
  const other = otherKinds[String(first.value)] ?? 'forbidden'
  return [{ kind: 'error kind', start: first.start, end: first.end, text: `'${other}'` }]
}

/** Return where the operator is between the operands, which may have parentheses and comments around them. */
function findOperator(node: Node, source: string, operator: string): { start: number; end: number } {
  const start = source.indexOf(operator, (node.left as Node).end)
  return { start, end: start + operator.length }
}

const operators = [negateCondition, changeOperator, dropFallback, changeLiteral, dropCall, changeErrorKind]

/** List the changes that the operators make of one node. */
export function listChanges(node: Node, source: string, ancestors: readonly Node[]): Change[] {
  return operators.flatMap((operator) => operator(node, source, ancestors))
}
