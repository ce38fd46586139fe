import { judgeWords } from '#rules/scripts/bash/judge.ts'
import { interpreters, shells } from '#rules/scripts/bash/rules.ts'
import { createText, normalizeCommandName, type Redirection, type Word } from '#rules/scripts/bash/syntax.ts'
import type { ProgramRules } from './flow.ts'
import { interpreter, programStarters, readingFunctions } from './functions.ts'
import { isSafeShellText } from './shell-text.ts'
import { getCalleeName, listElements, listNodes, type Node } from './tree.ts'

/** Judge the arguments of a program, each of which is an expression, like a command of a shell. */
export function judgeProgram(rules: ProgramRules, elements: readonly (readonly Node[])[]): void {
  const { flow, refuse, forbidOption } = rules
  const nodesByWord = new Map(elements.map((nodes) => [toWord(nodes), nodes]))
  const names = elements.map(([first]) => normalizeCommandName(first?.value ?? ''))
  const isForShell =
    names.some((name) => shells.has(name) || name === 'ssh') && !names.some((name) => interpreters.test(name))
  const safe = new Set(isForShell ? elements.filter((nodes) => isSafeShellText(nodes, rules)) : [])
  const getNodes = (word: Word) => {
    const nodes = nodesByWord.get(word)
    return nodes && !safe.has(nodes) ? nodes : []
  }
  const words = [...nodesByWord.keys()]
  judgeWords(
    {
      readFile: (word: Word) => word,
      readInput: ({ word }: Redirection) => word,
      input: [],
      hasInput: false,
      findSources: (list: readonly Word[]) => flow.findSources(list.flatMap(getNodes)),
      refuse: (list, reason) => refuse(list.flatMap(getNodes), reason),
      forbidOption: (list, command) => {
        for (const word of list)
          if (getLeadingText(getNodes(word)) === '') forbidOption(flow.findSources(getNodes(word)), command)
      },
      evaluatedVariables: new Set<string>(),
      judgesNestedText: false,
      depth: 0,
      judgeWords,
    },
    words,
  )
}

/** A fixed text is the same word for a shell. Another expression is a word that is not known. */
function toWord(nodes: readonly Node[]): Word {
  const [first] = nodes
  if (nodes.length === 1 && first?.value !== undefined) return { parts: [createText(first.value)] }
  return { parts: [createText(getLeadingText(nodes)), { kind: 'variable', name: '=expression', parts: [] }] }
}

/** Return the fixed text that the value of an expression starts with. */
function getLeadingText([node]: readonly Node[]): string {
  if (!node) return ''
  const { kind, children, value } = node
  if (kind === 'FormatString') return /^[fF]["']+([^{\\"']*)/.exec(node.text)?.[1] ?? ''
  if (kind === 'ParenthesizedExpression' || kind === 'ContinuedString')
    return getLeadingText(children.slice(kind === 'ContinuedString' ? 0 : 1))
  if (kind === 'BinaryExpression')
    return getLeadingText(children).replace(children[1]?.text === '%' ? /%.*/s : '', '')
  if (kind === 'CallExpression' && getCalleeName(node)?.text === 'format')
    return getLeadingText(children[0]?.children ?? []).replace(/\{.*/s, '')
  return value ?? ''
}

/**
 * Return the lists that a variable may contain, with what is added to each. Return undefined if it may
 * contain something else.
 */
export function findLists({ flow, mentions }: ProgramRules, name: string): Node[][][] | undefined {
  const lists: Node[][][] = []
  const added: Node[][] = []
  const known = new Set<Node>()
  for (const node of mentions.get(name) ?? []) {
    const { parent } = node
    const sibling = parent?.children[1]
    const value = parent?.children.at(-1)
    if (parent?.children[0] === node && value) {
      const elements = value.kind === 'ArgList' ? undefined : listElements(value)
      const isOnly = parent.children.length === 3 && elements
      if (
        parent.kind === 'AssignStatement' &&
        sibling?.kind === 'AssignOp' &&
        isOnly &&
        value.kind !== 'ParenthesizedExpression'
      ) {
        lists.push(elements)
        known.add(node)
      } else if (parent.kind === 'UpdateStatement' && sibling?.text === '+=' && isOnly) {
        added.push(...elements)
        known.add(node)
      } else if (
        parent.kind === 'MemberExpression' &&
        /^(append|extend)$/.test(value.text) &&
        parent.parent?.kind === 'CallExpression'
      ) {
        const args = parent.parent.children[1]?.children.slice(1, -1) ?? []
        const extended = value.text === 'append' ? [args] : args[0] && listElements(args[0])
        if (extended && parent.parent.parent?.kind === 'ExpressionStatement') {
          added.push(...extended)
          known.add(node)
        }
      }
    }
    if (!known.has(node) && !isRead(node, flow.own)) return undefined
  }
  if (lists.length === 0 || lists.length * added.length > maxElements) return undefined
  return lists.map((list) => [...list, ...added])
}

/** A hostile script must not make the check quadratic. */
const maxElements = 1000

/** Return whether a name is an argument of a function that only reads it. */
function isRead(node: Node, own: ReadonlySet<string>): boolean {
  const { parent } = node
  const argument =
    parent?.kind === 'MemberExpression' && parent.children[1]?.text === '[' && parent.children[0] === node
      ? parent
      : node
  const call = argument.parent?.kind === 'ArgList' ? argument.parent.parent : undefined
  const name = (call && getCalleeName(call)?.text) ?? ''
  return (readingFunctions.test(name) || programStarters.test(name)) && !own.has(name)
}

export interface StartedProgram {
  isInterpreter: boolean
  /** Whether an argument is a text that the interpreter executes. */
  executesText: boolean
}

export function describeProgram(nodes: readonly Node[]): StartedProgram {
  const texts = nodes.flatMap(listNodes).flatMap(({ value }) => value ?? [])
  return {
    isInterpreter: texts.some((text) => interpreter.test(normalizeCommandName(text))),
    executesText: texts.some((text) => /^-\w*c$/.test(text)),
  }
}
