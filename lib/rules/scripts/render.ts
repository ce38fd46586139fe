import { createWorkBudget, type WorkBudget } from '#rules/text/work-budget.ts'
import { formatBooleanLiteral, formatTextLiteral } from './literals.ts'
import { getLineNumber, isFilter, type Placeholder, parseTemplate } from './placeholders.ts'
import { findUnsafePlacements, judgePlacements } from './placement.ts'
import type { Language, ScriptParameter } from './schema.ts'
import { type ScriptValue, validateValue } from './validate.ts'

export interface Template {
  language: Language
  script_body: string
  parameters_schema: readonly ScriptParameter[]
}

const maxProblems = 100

/**
 * Return what prevents saving a template: unknown parameters, wrong filters, and placeholders where no value is safe. Sorted by line. Throw 422
 * when the script takes too much work.
 */
export function validateTemplate(
  { language, script_body, parameters_schema }: Template,
  budget: WorkBudget = createWorkBudget(),
): { line: number; message: string }[] {
  const typeByName = new Map(parameters_schema.map(({ name, type }) => [name, type]))
  const parsed = parseTemplate(script_body)
  const placeholderProblems = parsed.placeholders.flatMap((placeholder) => {
    const problem = findPlaceholderProblem(placeholder, typeByName.get(placeholder.name))
    if (!problem) return []
    return [{ line: getLineNumber(parsed.text, placeholder.start), message: `{{ ${placeholder.name} }} ${problem}` }]
  })
  const escapeProblems = parsed.unclosedEscapes.map((start) => ({ line: getLineNumber(parsed.text, start), message: unclosedEscape }))
  const problems = [
    ...escapeProblems.slice(0, maxProblems),
    ...placeholderProblems.slice(0, maxProblems),
    ...findUnsafePlacements(language, parsed, parameters_schema, budget),
  ]
  return problems.sort((a, b) => a.line - b.line)
}

const unclosedEscape = '{{! must end with }} on the same line, and must not contain {{; it stands for literal braces'

function findPlaceholderProblem({ filters }: Placeholder, parameterType: string | undefined): string | null {
  if (!parameterType) return 'is not a parameter of this script'
  const unknownFilter = filters.find((filter) => !isFilter(filter))
  if (unknownFilter) return `uses the unknown filter ${unknownFilter}`
  const wrongFilter = ['int', 'bool'].find((filter) => filters.includes(filter) && parameterType !== filter)
  if (!wrongFilter) return null
  return `uses the filter ${wrongFilter}, but the parameter's type is not ${wrongFilter}; change the type or remove the filter`
}

export interface RenderedScript {
  script: string
  warnings: string[]
}

/** Return the problem of each invalid value by parameter name. A problem completes the sentence "<parameter> …". */
export function validateValues(parameters: readonly ScriptParameter[], values: Readonly<Record<string, unknown>>): Map<string, string> {
  const problems = new Map<string, string>()
  const budget = createWorkBudget()
  for (const parameter of parameters) {
    const { name, required } = parameter
    const value = getValueOrDefault(parameter, values)
    if (value !== undefined) {
      const problem = validateValue(parameter, value, budget)
      if (problem) problems.set(name, problem)
    } else if (required) problems.set(name, 'is required')
  }
  const knownNames = new Set(parameters.map(({ name }) => name))
  for (const name of Object.keys(values)) if (!knownNames.has(name)) problems.set(name, 'is not a parameter of this script')
  return problems
}

function getValueOrDefault(parameter: ScriptParameter, values: Readonly<Record<string, unknown>>): unknown {
  const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
  return value ?? parameter.default ?? undefined
}

/**
 * Return the problem of each value that this template must not be filled with, by parameter name: one that a command would read as an
 * option, or any text where the template is unsafe. Templates that were stored under older rules may be.
 */
export function findPlacementProblems(
  template: Template,
  values: Readonly<Record<string, unknown>>,
  budget: WorkBudget = createWorkBudget(),
): Map<string, string> {
  const { language, script_body, parameters_schema } = template
  const parameterByName = new Map(parameters_schema.map((parameter) => [parameter.name, parameter]))
  const problems = new Map<string, string>()
  const { placeholders, reasons, commandsByOperand } = judgePlacements(language, parseTemplate(script_body), parameters_schema, budget)
  for (const placeholder of placeholders) {
    const parameter = parameterByName.get(placeholder.name)
    if (!parameter) continue
    const reason = reasons.get(placeholder.start)
    if (reason) problems.set(placeholder.name, `cannot be filled in safely, because {{ ${placeholder.name} }} ${reason}`)
    const command = commandsByOperand.get(placeholder.start)
    const value = applyFilters(placeholder, getValueOrDefault(parameter, values) ?? emptyValues[parameter.type])
    if (command && typeof value === 'string' && value.startsWith('-'))
      problems.set(placeholder.name, `must not start with a dash, because ${command} would read it as an option`)
  }
  return problems
}

/** Replace the placeholders of known parameters with literals of the script's language. One pass, so placeholders inside values stay. */
export function renderScript(
  { language, script_body, parameters_schema }: Template,
  values: Readonly<Record<string, unknown>>,
): RenderedScript {
  const parameterByName = new Map(parameters_schema.map((parameter) => [parameter.name, parameter]))
  const usedNames = new Set<string>()
  let script = ''
  let copiedTo = 0
  const { text, placeholders } = parseTemplate(script_body)
  for (const placeholder of placeholders) {
    const parameter = parameterByName.get(placeholder.name)
    if (!parameter) continue
    usedNames.add(placeholder.name)
    const value = (getValueOrDefault(parameter, values) ?? emptyValues[parameter.type]) as ScriptValue
    script += text.slice(copiedTo, placeholder.start) + formatLiteral(language, placeholder, value)
    copiedTo = placeholder.end
  }
  script += text.slice(copiedTo)
  return { script, warnings: findWarnings([...parameterByName.values()], usedNames) }
}

function findWarnings(parameters: readonly ScriptParameter[], usedNames: ReadonlySet<string>): string[] {
  const unusedParameters = parameters.filter(({ name }) => !usedNames.has(name))
  const usedPasswords = parameters.filter(({ name, type }) => type === 'password' && usedNames.has(name))
  return [
    ...unusedParameters.map(({ label }) => `The script does not use ${label}`),
    ...usedPasswords.map(({ label }) => `The script contains ${label} as plain text; do not store the script`),
  ]
}

const emptyValues: Record<ScriptParameter['type'], ScriptValue> = {
  string: '',
  int: 0,
  bool: false,
  choice: '',
  password: '',
  path: '',
  hostname: '',
}

function applyFilters({ filters }: Placeholder, value: unknown): ScriptValue {
  let filteredValue = value as ScriptValue
  for (const filter of filters) filteredValue = applyFilter(filter, filteredValue)
  return filteredValue
}

function formatLiteral(language: Language, placeholder: Placeholder, value: ScriptValue): string {
  const filteredValue = applyFilters(placeholder, value)
  if (typeof filteredValue === 'number') return String(filteredValue)
  if (typeof filteredValue === 'boolean') return formatBooleanLiteral(language, filteredValue)
  return formatTextLiteral(language, filteredValue)
}

function applyFilter(filter: string, value: ScriptValue): ScriptValue {
  if (filter === 'json') return JSON.stringify(value)
  if (filter === 'base64') return encodeBase64(String(value))
  if (filter === 'quote') return String(value)
  if (typeof value !== 'string') return value
  if (filter === 'upper') return value.toUpperCase()
  if (filter === 'lower') return value.toLowerCase()
  return filter === 'trim' ? value.trim() : value
}

function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
