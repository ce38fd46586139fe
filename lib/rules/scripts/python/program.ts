import { judgeWords } from '#rules/scripts/bash/judge.ts'
import { createText, type Redirection, type Word } from '#rules/scripts/bash/syntax.ts'
import type { FindSources } from './taint.ts'
import type { Token } from './tokens.ts'

interface ProgramRules {
  findSources: FindSources
  refuse: (tokens: readonly Token[], reason: string) => void
  forbidOption: (starts: readonly number[], command: string) => void
}

/** Judge the arguments of a program, each of which is an expression, like a command of a shell. */
export function judgeProgram({ findSources, refuse, forbidOption }: ProgramRules, elements: readonly (readonly Token[])[]): void {
  const tokensByWord = new Map<Word, readonly Token[]>()
  const words = elements.map((tokens) => {
    const word = toWord(tokens)
    tokensByWord.set(word, tokens)
    return word
  })
  const getTokens = (word: Word) => tokensByWord.get(word) ?? []
  const judgement = {
    readFile: (word: Word) => word,
    readInput: ({ word }: Redirection) => word,
    input: [],
    hasInput: false,
    findSources: (list: readonly Word[]) => list.flatMap((word) => findSources(getTokens(word))),
    refuse: (list: readonly Word[], reason: string) => {
      for (const word of list) refuse(getTokens(word), reason)
    },
    forbidOption: (list: readonly Word[], command: string) => {
      for (const word of list) if (getTokens(word)[0]?.kind !== 'string') forbidOption(findSources(getTokens(word)), command)
    },
    evaluatedVariables: new Set<string>(),
    judgesNestedText: false,
    depth: 0,
    judgeWords,
  }
  judgeWords(judgement, words)
}

/** A fixed text is the same word for a shell. Another expression is a word that is not known. */
function toWord(tokens: readonly Token[]): Word {
  const [first] = tokens
  const leading = first?.kind === 'string' && first.isKnown ? getFixedStart(first.text, first.isFormat) : ''
  const isFixed = tokens.length === 1 && first?.kind === 'string' && first.isKnown && !first.isFormat
  if (isFixed) return { parts: [createText(leading)] }
  return {
    parts: [createText(leading), { kind: 'variable', name: '=expression', parts: [] }],
  }
}

function getFixedStart(text: string, isFormat: boolean): string {
  return isFormat ? text.replace(/\{.*/s, '') : text
}
