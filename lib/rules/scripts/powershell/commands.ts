import { normalizeCommandName } from '#rules/scripts/bash/syntax.ts'
import { findExecutedParts } from './executors.ts'
import { findTargets } from './variables.ts'

export interface Command {
  /** The name in lower case, without its folder and `.exe`. */
  name: string
  /** The text after the name. */
  rest: string
}

const commandStart =
  /(?:^|[|;({=]|&&|[&.](?=\s))\s*(?:(?:return|throw|exit)\s+)?(?:[&.]\s*)?["']?(?:[^\s"'|;(){}=&]*[\\/])?([a-z][\w.-]*)["']?(?=\s)/gi

/** Return what stands in the places of commands. */
export function findCommands(text: string): Command[] {
  return [...text.matchAll(commandStart)].map((match) => ({
    name: normalizeCommandName(match[1] ?? ''),
    rest: text.slice(match.index + match[0].length),
  }))
}

const maxCalledLength = 300

interface Call {
  /** What the call operator executes. Undefined for an expression whose end cannot be found. */
  called: string | undefined
  rest: string
}

/** Return what stands after the call operators `&` and `.`. */
export function findCalls(text: string): Call[] {
  const operators = text.matchAll(/(?:(?:^|[\s;|({}=,!])\.|(?:^|[^&>])&)[ \t]*(?=[^\s&>\d.])/g)
  return [...operators].map((match) => {
    const start = match.index + match[0].length
    const rest = text.slice(start, start + maxCalledLength)
    const called = /^[$@]?\(/.test(rest) ? takeBrackets(rest) : /^("[^"]*"|'[^']*'|[^\s({]*)/.exec(rest)?.[0]
    return { called, rest: text.slice(start + (called?.length ?? 0)) }
  })
}

/** Return the text until the bracket that closes the first one. */
function takeBrackets(text: string): string | undefined {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++
    if (text[index] === ')' && --depth === 0) {
      const taken = text.slice(0, index + 1)
      // A quoted bracket may have ended it too early.
      // Bounded: a call has at most `maxCalledLength` characters.
      return /["'][^"']*[()][^"']*["']|^[^"']*["'][^"']*$/.test(taken.slice(1, -1)) ? undefined : taken
    }
  }
  return undefined
}

const path = String.raw`"(?:[^"\`]*[\\/])?[\w. -]+"|'[^']+'`
/** A value that surely is the path of a program. */
// Bounded: only values of at most `maxCalledLength` characters are tried.
const fixedProgram = new RegExp(
  String.raw`^\s*\(?\s*(?:(?:join-path|get-command|gcm|resolve-path)\s[^[\]{}+|;]*?(?:${path}|[\w.-]+)|${path})(?:\s+-erroraction\s+\w+)?\s*\)?(?:\.(?:path|source|definition|fullname))?\s*$`,
  'i',
)

/**
 * Create the function that returns the names of the programs that a call operator may execute, or undefined
 * if they are not known. A block has no name: its statements are judged where they stand.
 */
export function createProgramFinder(statements: readonly string[]): (called: string) => string[] | undefined {
  const programsByVariable = new Map<string, string[] | undefined>()
  for (const text of statements) {
    const [, assigned = '', value = ''] =
      /^\s*(?:\[string\]\s*)?\$\{?([\w:]+)\}?\s*=([^=].*)$/is.exec(text) ?? []
    for (const name of new Set(findTargets(text))) {
      const isAssigned = name === assigned.toLowerCase().replace(/^.*:/, '')
      const programs = isAssigned ? (/^\s*\{/.test(value) ? [] : findFixedProgram(value)) : undefined
      const known = programsByVariable.has(name) ? programsByVariable.get(name) : []
      programsByVariable.set(name, known && programs && [...new Set([...known, ...programs])])
    }
  }
  return (called) => {
    const name = /^\$\{?(?:\w+:)?(\w+)\}?(?:\.(?:path|source|definition|fullname))?$/i.exec(called)?.[1]
    if (name) return programsByVariable.get(name.toLowerCase())
    return /[$(]/.test(called) ? findFixedProgram(called) : [getProgramName(called)]
  }
}

function findFixedProgram(value: string): string[] | undefined {
  if (value.length > maxCalledLength || !fixedProgram.test(value) || findExecutedParts(value).includes(value))
    return undefined
  return [
    getProgramName(
      // Bounded: as above.
      /([^"'()]+)["')]*(?:\.\w+)?\s*$/.exec(value.replace(/\s-erroraction\s+\w+/i, ''))?.[1] ?? '',
    ),
  ]
}

function getProgramName(path: string): string {
  return normalizeCommandName(path.replace(/["']/g, '').trim().replace(/^.*\s/s, ''))
}
