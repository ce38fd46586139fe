import { spend } from '#rules/budget.ts'
import { isHostname } from '#rules/text/hostname.ts'
import { compilePattern, maxPatternTextLength } from '#rules/text/pattern.ts'
import type { ScriptParameter } from './schema.ts'

export type ScriptValue = string | number | boolean

/**
 * Return the problem of a value, or null if the value is valid. A problem completes the sentence "<parameter>
 * …". Throw 422 when the patterns of all checked values take too much work.
 */
export function validateValue(parameter: ScriptParameter, value: unknown): string | null {
  const { type } = parameter
  if (type === 'int') return validateInteger(parameter, value)
  if (type === 'bool') return typeof value === 'boolean' ? null : 'must be true or false'
  if (typeof value !== 'string') return 'must be text'
  if (value.includes('\0') || !value.isWellFormed())
    return 'must not contain NUL characters or lone surrogates'
  if (type === 'choice')
    return parameter.choices?.includes(value) ? null : `must be one of: ${parameter.choices?.join(', ')}`
  if (type === 'hostname' && !isHostnameOrFqdn(value)) return 'must be a host name'
  if (type === 'path' && /[\r\n]/.test(value)) return 'must be a path on one line'
  return validateText(parameter, value)
}

/** Counting the characters of a value. */
const stepsPerCharacter = 2
const maxHostnameLength = 253

/** Return whether a value is a host name. A fully qualified domain name may end with a dot. */
function isHostnameOrFqdn(value: string): boolean {
  return value.length <= maxHostnameLength && isHostname(value.replace(/\.$/, ''))
}

function validateInteger({ min, max }: ScriptParameter, value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'must be a whole number'
  if (typeof min === 'number' && value < min) return `must be at least ${min}`
  return typeof max === 'number' && value > max ? `must be at most ${max}` : null
}

function validateText({ min, max, pattern }: ScriptParameter, value: string): string | null {
  spend(value.length * stepsPerCharacter)
  const length = Array.from(value).length
  if (typeof min === 'number' && length < min) return `must have at least ${min} characters`
  if (typeof max === 'number' && length > max) return `must have at most ${max} characters`
  if (!pattern) return null
  const matches = compilePattern(pattern)
  return matches && length <= maxPatternTextLength && matches(value) ? null : 'must match its pattern'
}

interface ParameterProblem {
  path: (string | number)[]
  message: string
}

/** Return the problems of the parameter definitions. */
export function validateParameters(parameters: readonly ScriptParameter[]): ParameterProblem[] {
  return parameters.flatMap((parameter, index) => {
    const { type, choices, pattern, min, max } = parameter
    const problems: ParameterProblem[] = []
    const addProblem = (property: string, message: string) =>
      problems.push({ path: [index, property], message })
    if (type === 'choice' && !choices?.length) addProblem('choices', 'must have at least one choice')
    if (pattern && !compilePattern(pattern))
      addProblem(
        'pattern',
        'must be a regular expression of limited size, without lookaround and backreferences',
      )
    if (typeof min === 'number' && typeof max === 'number' && min > max)
      addProblem('min', 'must not be greater than max')
    const hasDefault = parameter.default !== null && parameter.default !== undefined
    const defaultProblem = hasDefault ? validateValue(parameter, parameter.default) : null
    if (type === 'password' && hasDefault)
      addProblem(
        'default',
        'must be empty for a password, because everybody who reads the script would see it',
      )
    // An invalid definition cannot decide whether its default is valid.
    if (defaultProblem && problems.length === 0) addProblem('default', defaultProblem)
    return problems
  })
}
