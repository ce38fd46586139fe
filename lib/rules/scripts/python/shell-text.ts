import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import { judgeBashPlacements } from '#rules/scripts/placement-bash.ts'
import type { ProgramRules } from './flow.ts'
import { getCalleeName, type Node } from './tree.ts'

type Rules = Pick<ProgramRules, 'flow' | 'forbidOption'>

/**
 * Return whether a text for a shell contains only fixed text, and text that `shlex.quote` quotes where it is
 * not executed.
 */
export function isSafeShellText(nodes: readonly Node[], { flow, forbidOption }: Rules): boolean {
  const [node] = nodes
  const parts = node && nodes.length === 1 ? readParts(node) : undefined
  if (!parts?.some((part) => typeof part !== 'string')) return false
  let text = ''
  const quoted = new Map<JudgedPlaceholder, Node>()
  for (const part of parts) {
    const start = text.length
    text += typeof part === 'string' ? part : '{{ a }}'
    if (typeof part !== 'string')
      quoted.set({ name: 'a', filters: [], start, end: text.length, isQuoted: true, isUntrusted: true }, part)
  }
  const { reasons, commandsByOperand } = judgeBashPlacements(text, [...quoted.keys()])
  if (reasons.size > 0) return false
  for (const [{ start }, argument] of quoted) {
    const command = commandsByOperand.get(start)
    if (command) forbidOption(flow.findSources([argument]), command)
  }
  return true
}

/**
 * Return the fixed texts and the quoted expressions that a text is put together from, or undefined if there
 * are others.
 */
function readParts(node: Node): (string | Node)[] | undefined {
  const { kind, children, value } = node
  if (value !== undefined) return [value]
  const operands = kind === 'BinaryExpression' && children[1]?.text === '+' ? [children[0], children[2]] : []
  const inner =
    kind === 'ParenthesizedExpression'
      ? children.slice(1, -1)
      : kind === 'ContinuedString'
        ? children
        : operands
  if (inner.length > 0) {
    const parts = inner.map((child) => child && readParts(child))
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined
  }
  if (kind === 'FormatString') return readFormat(node)
  const isQuote =
    kind === 'CallExpression' && /^(shlex\.)?quote$/.test(children[0]?.text ?? '') && getCalleeName(node)
  return isQuote && children[1]?.children.length === 3 ? [node] : undefined
}

function readFormat({ text, children, start }: Node): (string | Node)[] | undefined {
  const [opening = ''] = /^[fF]("""|'''|"|')/.exec(text) ?? []
  if (!opening || text.includes('\\')) return undefined
  const parts: (string | Node)[] = []
  let end = opening.length
  for (const replacement of children) {
    const inner = replacement.children.length === 3 ? replacement.children[1] : undefined
    const part = inner && readParts(inner)
    if (!part) return undefined
    parts.push(text.slice(end, replacement.start - start), ...part)
    end = replacement.start - start + replacement.text.length
  }
  const isEscaped = parts.some((part) => typeof part === 'string' && /[{}]/.test(part))
  const last = text.slice(end, text.length - opening.length + 1)
  return isEscaped || /[{}]/.test(last) ? undefined : [...parts, last]
}
