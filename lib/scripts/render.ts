import { isFilter, lineOf, type Placeholder, placeholdersOf } from './placeholders.ts'
import { unsafePlaces } from './places.ts'
import { boolean, quote } from './quote.ts'
import type { Language, ScriptParameter } from './schema.ts'
import { faultOf, type ScriptValue } from './values.ts'

export interface Template {
  language: Language
  script_body: string
  parameters_schema: readonly ScriptParameter[]
}

/** What stops a template from being saved: placeholders nobody fills, filters nobody knows, places where no value is safe. */
export function templateProblems({ language, script_body, parameters_schema }: Template): { line: number; message: string }[] {
  const types = new Map(parameters_schema.map(({ name, type }) => [name, type]))
  const wrong = placeholdersOf(script_body).flatMap((placeholder) => {
    const type = types.get(placeholder.name)
    const fault = type ? faultOfFilters(placeholder, type) : `{{ ${placeholder.name} }} is no parameter of this script`
    return fault ? [{ line: lineOf(script_body, placeholder.start), message: fault }] : []
  })
  return [...wrong.slice(0, 100), ...unsafePlaces(language, script_body)].sort((a, b) => a.line - b.line)
}

function faultOfFilters({ name, filters }: Placeholder, type: string): string | null {
  const unknown = filters.find((filter) => !isFilter(filter))
  if (unknown) return `{{ ${name} }} uses the filter ${unknown}, which there is not`
  const number = filters.includes('int') && type !== 'int'
  if (number || (filters.includes('bool') && type !== 'bool')) return `{{ ${name} }} is no ${number ? 'whole number' : 'true or false'}`
  return null
}

export interface Rendered {
  script: string
  warnings: string[]
}

/** What is wrong with the values given, by parameter. */
export function valueProblems(parameters: readonly ScriptParameter[], values: Readonly<Record<string, unknown>>): Map<string, string> {
  const problems = new Map<string, string>()
  for (const parameter of parameters) {
    const { name, required } = parameter
    const value = given(parameter, values)
    if (value !== undefined) {
      const fault = faultOf(parameter, value)
      if (fault) problems.set(name, `${parameter.label} ${fault}`)
    } else if (required) problems.set(name, `${parameter.label} is required`)
  }
  const known = new Set(parameters.map(({ name }) => name))
  for (const name of Object.keys(values)) if (!known.has(name)) problems.set(name, 'This script has no such parameter')
  return problems
}

function given({ name, default: standard }: ScriptParameter, values: Readonly<Record<string, unknown>>): unknown {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  return value ?? standard ?? undefined
}

/** The script with every placeholder as a literal of its language, in one pass: what a value holds is never looked at again. */
export function renderScript({ language, script_body, parameters_schema }: Template, values: Readonly<Record<string, unknown>>): Rendered {
  const parameters = new Map(parameters_schema.map((parameter) => [parameter.name, parameter]))
  const used = new Set<string>()
  let script = ''
  let last = 0
  for (const placeholder of placeholdersOf(script_body)) {
    const parameter = parameters.get(placeholder.name)
    if (!parameter) continue
    used.add(placeholder.name)
    script += script_body.slice(last, placeholder.start) + literal(language, placeholder, emptyOr(parameter, given(parameter, values)))
    last = placeholder.end
  }
  const unused = [...parameters.values()].filter(({ name }) => !used.has(name))
  const secret = [...parameters.values()].filter(({ name, type }) => type === 'password' && used.has(name))
  const warnings = [
    ...unused.map(({ label }) => `${label} is asked for and not used`),
    ...secret.map(({ label }) => `The script holds ${label} in the clear: do not keep it`),
  ]
  return { script: script + script_body.slice(last), warnings }
}

function emptyOr({ type }: ScriptParameter, value: unknown): ScriptValue {
  if (value !== undefined) return value as ScriptValue
  return type === 'int' ? 0 : type === 'bool' ? false : ''
}

function literal(language: Language, { filters }: Placeholder, value: ScriptValue): string {
  let text: ScriptValue = value
  for (const filter of filters) text = apply(filter, text)
  if (typeof text === 'number') return String(text)
  return typeof text === 'boolean' ? boolean(language, text) : quote(language, text)
}

function apply(filter: string, value: ScriptValue): ScriptValue {
  if (filter === 'json') return JSON.stringify(value)
  if (filter === 'base64') return base64(String(value))
  if (filter === 'quote') return String(value)
  if (typeof value !== 'string') return value
  if (filter === 'upper') return value.toUpperCase()
  if (filter === 'lower') return value.toLowerCase()
  return filter === 'trim' ? value.trim() : value
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
}
