import { type Judgement, usedInArithmetic } from './judgement.ts'
import { createVariableWord, getStaticText, type Part, type Word } from './syntax.ts'

const textOperators = new Set(['=', '==', '!=', '=~', '<', '>', '-nt', '-ot', '-ef'])
const fileOperators = /^-[abcdefghknprsuwxzGLNOSt]$/
const arithmeticOperators = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge'])
const inNumberTest = 'is compared as a number; give the parameter the type int, or compare text with ='
const inOddTest = 'stands where a test may take it for an operator; compare it with = or test it with -n'

/** Judge the operands of `[[ … ]]`, which evaluates numbers as arithmetic, or of `[ … ]`, which does not. */
export function judgeTest(
  { refuse, findSources }: Judgement,
  words: readonly Word[],
  evaluates: boolean,
): void {
  for (const [index, word] of words.entries()) {
    if (findSources([word]).length === 0) continue
    const before = getText(words[index - 1])
    const after = getText(words[index + 1])
    const isNumber = arithmeticOperators.has(before) || arithmeticOperators.has(after)
    const variable = findVariable(word.parts)
    if (isNumber && (evaluates || !variable))
      refuse([word], variable ? usedInArithmetic(variable) : inNumberTest)
    else if (before === '-v' || before === '-R') refuse([word], inOddTest)
    else if (!evaluates && !variable && !isOperand(words, before, after)) refuse([word], inOddTest)
    else if (!evaluates && isNextToValue(words, index)) refuse([word], inOddTest)
  }
  if (evaluates) judgeStaticNames({ refuse }, words)
}

/** `[[ name -eq 1 ]]` evaluates the variable of that name. */
function judgeStaticNames({ refuse }: Pick<Judgement, 'refuse'>, words: readonly Word[]): void {
  for (const [index, word] of words.entries()) {
    if (
      !arithmeticOperators.has(getText(words[index - 1])) &&
      !arithmeticOperators.has(getText(words[index + 1]))
    )
      continue
    const texts = word.parts.map((part) => (part.kind === 'text' ? part.text : ''))
    for (const [name] of texts.join(' ').matchAll(/[A-Za-z_]\w*/g))
      refuse([createVariableWord(name)], usedInArithmetic(name))
  }
}

function getText(word: Word | undefined): string {
  return (word && getStaticText(word)) ?? ''
}

function findVariable(parts: readonly Part[]): string | undefined {
  if (parts.some(({ kind }) => kind === 'placeholder')) return undefined
  const variable = parts.find((part) => part.kind === 'variable')
  return variable?.kind === 'variable' ? variable.name : undefined
}

function isOperand(words: readonly Word[], before: string, after: string): boolean {
  return (
    textOperators.has(before) || textOperators.has(after) || fileOperators.test(before) || words.length === 1
  )
}

/** Two operands in a row: the first could be an operator for the second, such as -v. */
function isNextToValue(words: readonly Word[], index: number): boolean {
  const next = words[index + 1]
  return next !== undefined && getStaticText(next) === undefined
}
