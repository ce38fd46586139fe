import { isHostname } from '../text/hostname.ts'
import { compilePattern, patternReach } from '../text/pattern.ts'
import type { ScriptParameter } from './schema.ts'

export type ScriptValue = string | number | boolean

/** What is wrong with a value for a parameter, as the end of a sentence; null when nothing is. */
export function faultOf(parameter: ScriptParameter, value: unknown): string | null {
  const { type } = parameter
  if (type === 'int') return faultOfInteger(parameter, value)
  if (type === 'bool') return typeof value === 'boolean' ? null : 'must be true or false'
  if (typeof value !== 'string') return 'must be a text'
  if (value.includes('\0') || !value.isWellFormed()) return 'may not hold NUL characters or broken surrogate pairs'
  if (type === 'choice') return parameter.choices?.includes(value) ? null : `must be one of: ${parameter.choices?.join(', ')}`
  if (type === 'hostname' && !(value.length <= 253 && isHostname(value.replace(/\.$/, '')))) return 'must be a host name'
  if (type === 'path' && /[\r\n]/.test(value)) return 'must be a path on one line'
  return faultOfText(parameter, value)
}

function faultOfInteger({ min, max }: ScriptParameter, value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'must be a whole number'
  if (typeof min === 'number' && value < min) return `must be at least ${min}`
  return typeof max === 'number' && value > max ? `must be at most ${max}` : null
}

function faultOfText({ min, max, pattern }: ScriptParameter, value: string): string | null {
  const length = Array.from(value).length
  if (typeof min === 'number' && length < min) return `must have at least ${min} characters`
  if (typeof max === 'number' && length > max) return `must have at most ${max} characters`
  if (!pattern) return null
  const matches = compilePattern(pattern)
  return matches && length <= patternReach && matches(value) ? null : 'does not match its pattern'
}

/** What is wrong with the declarations themselves, by where it is. */
export function faultsOfSchema(parameters: readonly ScriptParameter[]): { path: (string | number)[]; message: string }[] {
  return parameters.flatMap((parameter, index) => {
    const { type, choices, pattern, min, max } = parameter
    const faults: { path: (string | number)[]; message: string }[] = []
    if (type === 'choice' && !choices?.length) faults.push({ path: [index, 'choices'], message: 'A choice needs something to choose from' })
    if (pattern && !compilePattern(pattern))
      faults.push({ path: [index, 'pattern'], message: 'Is no regular expression that can be run here' })
    if (typeof min === 'number' && typeof max === 'number' && min > max)
      faults.push({ path: [index, 'min'], message: 'Is greater than max' })
    const fault = parameter.default === null || parameter.default === undefined ? null : faultOf(parameter, parameter.default)
    if (fault && faults.length === 0) faults.push({ path: [index, 'default'], message: `The default ${fault}` })
    return faults
  })
}
