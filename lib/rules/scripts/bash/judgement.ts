import { executingVariable } from './rules.ts'
import type { Word } from './syntax.ts'
import type { FindSources, Variables } from './variables.ts'

export interface Judgement {
  findSources: FindSources
  /** Return a word with the text of the file that a word names. */
  readFile: Variables['readFile']
  /** Return a word with the text that a redirection reads. */
  readInput: Variables['readInput']
  /** What the judged command reads. */
  input: readonly Word[]
  /** Whether it reads another input than that of the script. */
  hasInput: boolean
  /** Refuse the placeholders that reach these words. */
  refuse: (words: readonly Word[], reason: string) => void
  /** Forbid values that start with a dash. */
  forbidOption: (words: readonly Word[], command: string) => void
  /** Variables that were declared as integers or references. */
  evaluatedVariables: ReadonlySet<string>
  /** Whether the fixed text after `bash -c` is judged as commands of its own. */
  judgesNestedText: boolean
  /** How many commands execute the one that is judged. */
  depth: number
  /** Judge the words of a command that another command executes. */
  judgeWords: (judgement: Judgement, words: readonly Word[], wrapperName?: string) => void
}

export function usedInArithmetic(name: string): string {
  return `reaches arithmetic through $${name}, which executes text; give the parameter the type int`
}

export function assignedToEvaluated(name: string): string {
  return `is assigned to ${name}, which evaluates it; give the parameter the type int`
}

/** Judge `name=value` as an argument. */
export function judgeAssignmentWord(judgement: Judgement, word: Word): void {
  const [first] = word.parts
  const text = first?.kind === 'text' ? first.text : ''
  const name = /^([A-Za-z_]\w*)\+?=/.exec(text)?.[1]
  if (!name) judgement.refuse([word], 'is the name of a variable; write the name')
  else judgeAssignment(judgement, name, [word])
}

export function judgeAssignment(judgement: Judgement, name: string, value: readonly Word[]): void {
  if (executingVariable.test(name))
    judgement.refuse(value, `is the value of ${name}, which decides what is executed`)
  if (judgement.evaluatedVariables.has(name)) judgement.refuse(value, assignedToEvaluated(name))
}
