import { invalidField } from '#problem.ts'
import { spend } from '#rules/budget.ts'
import { encodeBase64 } from '#rules/text/bytes.ts'
import { normaliseHostname } from '#rules/text/hostname.ts'
import { createLineCounter } from '#rules/text/lines.ts'
import { needsByteOrderMark, useLineEndsOf, useValueLineEndsOf } from './line-ends.ts'
import { formatBooleanLiteral, formatTextLiteral } from './literals.ts'
import { findNativeArguments, isPassedChanged } from './native-arguments.ts'
import { isFilter, type Placeholder, parseTemplate } from './placeholders.ts'
import { findUnsafePlacements, judgePlacements } from './placement.ts'
import type { Language, ScriptParameter } from './schema.ts'
import { type ScriptValue, validateValue } from './validate.ts'

export interface Template {
  language: Language
  script_body: string
  parameters_schema: readonly ScriptParameter[]
}

const maxProblems = 100
/** Finding the placeholders of a script, and copying its text. */
const stepsPerCharacter = 5
/** Reading back from a placeholder to the command of its statement. */
const stepsPerStatement = 1000
/** Of a rendered script. */
const maxScriptLength = 1024 * 1024

/**
 * Return what prevents saving a template: unknown parameters, wrong filters, and placeholders where no value
 * is safe. Sorted by line. Throw 422 when the script takes too much work.
 */
export function validateTemplate({
  language,
  script_body,
  parameters_schema,
}: Template): { line: number; message: string }[] {
  const typeByName = new Map(parameters_schema.map(({ name, type }) => [name, type]))
  spend(script_body.length * stepsPerCharacter)
  const parsed = parseTemplate(script_body)
  const problemByStart = new Map<number, string>()
  for (const { start, ...placeholder } of parsed.placeholders) {
    if (problemByStart.size === maxProblems) break
    const problem = findPlaceholderProblem(placeholder, typeByName.get(placeholder.name))
    if (problem) problemByStart.set(start, `{{ ${placeholder.name} }} ${problem}`)
  }
  const [getEscapeLine, getProblemLine] = [createLineCounter(parsed.text), createLineCounter(parsed.text)]
  const problems = [
    ...parsed.unclosedEscapes
      .slice(0, maxProblems)
      .map((start) => ({ line: getEscapeLine(start), message: unclosedEscape })),
    ...Array.from(problemByStart, ([start, message]) => ({ line: getProblemLine(start), message })),
    ...findUnsafePlacements(language, parsed, parameters_schema),
  ]
  return problems.sort((a, b) => a.line - b.line)
}

const unclosedEscape =
  '{{! must end with }} on the same line, and must not contain {{; it stands for literal braces'

function findPlaceholderProblem(
  { filters }: Pick<Placeholder, 'filters'>,
  parameterType: string | undefined,
): string | null {
  if (!parameterType) return 'is not a parameter of this script'
  const unknownFilter = filters.find((filter) => !isFilter(filter))
  if (unknownFilter) return `uses the unknown filter ${unknownFilter}`
  if (filters.indexOf('base64') !== filters.lastIndexOf('base64'))
    return 'uses the filter base64 more than once'
  const wrongFilter = ['int', 'bool'].find((filter) => filters.includes(filter) && parameterType !== filter)
  if (!wrongFilter) return null
  return `uses the filter ${wrongFilter}, but the parameter's type is not ${wrongFilter}; change the type or remove the filter`
}

export interface RenderedScript {
  script: string
  warnings: string[]
}

/**
 * Return the problem of each invalid value by parameter name. A problem completes the sentence "<parameter>
 * …".
 */
export function validateValues(
  parameters: readonly ScriptParameter[],
  values: Readonly<Record<string, unknown>>,
): Map<string, string> {
  const problems = new Map<string, string>()
  for (const parameter of parameters) {
    const { name, required } = parameter
    const value = getValueOrDefault(parameter, values)
    if (value !== undefined) {
      const problem = validateValue(parameter, value)
      if (problem) problems.set(name, problem)
    } else if (required) problems.set(name, 'is required')
  }
  const knownNames = new Set(parameters.map(({ name }) => name))
  for (const name of Object.keys(values))
    if (!knownNames.has(name)) problems.set(name, 'is not a parameter of this script')
  return problems
}

function getValueOrDefault(parameter: ScriptParameter, values: Readonly<Record<string, unknown>>): unknown {
  const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
  const found = value ?? parameter.default ?? undefined
  return parameter.type === 'hostname' && typeof found === 'string' ? normaliseHostname(found) : found
}

/**
 * Return the problem of each value that this template must not be filled with, by parameter name: one that a
 * command would read as an option, or any text where the template is unsafe. Templates that were stored under
 * older rules may be.
 */
export function findPlacementProblems(
  template: Template,
  values: Readonly<Record<string, unknown>>,
): Map<string, string> {
  const { language, script_body, parameters_schema } = template
  const parameterByName = new Map(parameters_schema.map((parameter) => [parameter.name, parameter]))
  const problems = new Map<string, string>()
  spend(script_body.length * stepsPerCharacter)
  const applyFilters = createFilterApplier()
  const { placeholders, reasons, commandsByOperand } = judgePlacements(
    language,
    parseTemplate(script_body),
    parameters_schema,
  )
  for (const placeholder of placeholders) {
    const parameter = parameterByName.get(placeholder.name)
    if (!parameter) continue
    const reason = reasons.get(placeholder.start)
    if (reason)
      problems.set(
        placeholder.name,
        `cannot be filled in safely, because {{ ${placeholder.name} }} ${reason}`,
      )
    const command = commandsByOperand.get(placeholder.start)
    if (!command) continue
    const value = applyFilters(
      placeholder,
      getValueOrDefault(parameter, values) ?? emptyValues[parameter.type],
    )
    if (typeof value === 'string' && value.startsWith('-'))
      problems.set(
        placeholder.name,
        `must not start with a dash, because ${command} would read it as an option`,
      )
  }
  return problems
}

/**
 * Replace the placeholders of known parameters with literals of the script's language. One pass, so
 * placeholders inside values stay. Throw 422 for a script over 1 MiB.
 */
export function renderScript(
  { language, script_body, parameters_schema }: Template,
  values: Readonly<Record<string, unknown>>,
): RenderedScript {
  const parameterByName = new Map(parameters_schema.map((parameter) => [parameter.name, parameter]))
  const usedNames = new Set<string>()
  spend(script_body.length * stepsPerCharacter)
  const applyFilters = createFilterApplier()
  const writeLiteral = createOncePerExpression((_, value: ScriptValue) => {
    spend(String(value).length * stepsPerLiteralCharacter)
    return formatLiteral(language, value)
  })
  const parts: string[] = []
  let length = 0
  let copiedTo = 0
  const add = (part: string) => {
    length += part.length
    requireScriptLength(length)
    parts.push(part)
  }
  const parsed = parseTemplate(useLineEndsOf(language, script_body))
  const { text, placeholders } = parsed
  if (language === 'powershell') spend(placeholders.length * stepsPerStatement)
  const programs = language === 'powershell' ? findNativeArguments(parsed) : undefined
  /** The program that gets the value of a parameter changed, by the label of the parameter. */
  const programByLabel = new Map<string, string>()
  for (const placeholder of placeholders) {
    const parameter = parameterByName.get(placeholder.name)
    if (!parameter) continue
    usedNames.add(placeholder.name)
    const given = (getValueOrDefault(parameter, values) ?? emptyValues[parameter.type]) as ScriptValue
    const value = typeof given === 'string' ? useValueLineEndsOf(language, given) : given
    const filtered = applyFilters(placeholder, value)
    const program = programs?.get(placeholder.start)
    if (program && typeof filtered === 'string' && isPassedChanged(filtered))
      programByLabel.set(parameter.label, program)
    add(text.slice(copiedTo, placeholder.start))
    add(writeLiteral(placeholder, filtered))
    copiedTo = placeholder.end
  }
  add(text.slice(copiedTo))
  const script = parts.join('')
  const usedParameters = [...parameterByName.values()].filter(({ name }) => usedNames.has(name))
  const unusedParameters = [...parameterByName.values()].filter(({ name }) => !usedNames.has(name))
  const warnings = [
    ...unusedParameters.map(({ label }) => `The script does not use ${label}`),
    ...usedParameters
      .filter(({ type }) => type === 'password')
      .map(({ label }) => `The script contains ${label} as plain text; do not store the script`),
    // An empty argument is an argument: `useradd -p ''` sets an empty password.
    ...usedParameters
      .filter((parameter) => emptyValues[parameter.type] === '' && !getValueOrDefault(parameter, values))
      .map(({ label }) => `${label} has no value, so the script contains an empty text in its place`),
    ...Array.from(
      programByLabel,
      ([label, name]) =>
        `Windows PowerShell 5.1 passes the value of ${label} to ${name} changed; use PowerShell 7.3 or later`,
    ),
    ...findEncodingWarnings(language, script),
  ]
  return { script, warnings }
}

function findEncodingWarnings(language: Language, script: string): string[] {
  if (language !== 'powershell' || !needsByteOrderMark(script)) return []
  return [
    'Save the script as UTF-8 with a byte order mark, or Windows PowerShell 5.1 reads its special characters wrongly',
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

function requireScriptLength(length: number): void {
  if (length > maxScriptLength)
    throw invalidField(['body', 'parameters'], 'must not make the script longer than 1 MiB', 'too_complex')
}

/**
 * Return a function that computes its result once per name and filters, because a script may repeat an
 * expression thousands of times.
 */
function createOncePerExpression<Input, Result>(compute: (placeholder: Placeholder, input: Input) => Result) {
  const results = new Map<string, Result>()
  return (placeholder: Placeholder, input: Input): Result => {
    const expression = [placeholder.name, ...placeholder.filters].join('|')
    const known = results.get(expression)
    if (known !== undefined) return known
    const result = compute(placeholder, input)
    results.set(expression, result)
    return result
  }
}

/** Filters and literals walk through a text a few times. */
const stepsPerLiteralCharacter = 20

function createFilterApplier() {
  return createOncePerExpression(({ filters }, value: unknown) => {
    let filteredValue = value as ScriptValue
    for (const filter of filters) {
      const { length } = String(filteredValue)
      // A filter may lengthen a text, and eight of them much.
      requireScriptLength(length)
      spend(length * stepsPerLiteralCharacter)
      filteredValue = applyFilter(filter, filteredValue)
    }
    return filteredValue
  })
}

function formatLiteral(language: Language, value: ScriptValue): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return formatBooleanLiteral(language, value)
  return formatTextLiteral(language, value)
}

function applyFilter(filter: string, value: ScriptValue): ScriptValue {
  if (filter === 'json') return JSON.stringify(value)
  if (filter === 'base64') return encodeBase64(new TextEncoder().encode(String(value)))
  if (filter === 'quote') return String(value)
  if (typeof value !== 'string') return value
  if (filter === 'upper') return value.toUpperCase()
  if (filter === 'lower') return value.toLowerCase()
  return filter === 'trim' ? value.trim() : value
}
