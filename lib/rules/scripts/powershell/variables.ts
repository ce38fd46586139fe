import { spend } from '#rules/budget.ts'
import type { JudgedPlaceholder } from '#rules/scripts/placeholders.ts'
import { createSourceGraph } from '#rules/scripts/source-graph.ts'
import { marker } from './split.ts'

// Values are followed through the variables of a script, in any order of its statements.

/** Variables whose value comes from a caller or a pipeline. A script with a text parameter may fill them. */
const passedVariables =
  '_ psitem args input psboundparameters matches $ ^ this error foreach switch event eventargs sender sourceargs myinvocation pscmdlet stacktrace'

/** Everything that is text. No variable has this name. */
const anyText = '=any'

/**
 * Create the function that returns the starts of the placeholders whose values reach a text. A variable is
 * text as soon as text is assigned to it, and what a function of the script returns is text.
 */
export function createSourceFinder(
  statements: readonly string[],
  placeholders: readonly JudgedPlaceholder[],
): (text: string) => number[] {
  const graph = createSourceGraph()
  const functions = new Set(
    statements.flatMap((text) => [...text.matchAll(functionName)].map(([, name = '']) => name.toLowerCase())),
  )
  const callsFunction = (text: string) =>
    functions.size > 0 && getWords(text.replace(functionName, '')).some((word) => functions.has(word))
  const collect = (text: string) => ({
    placeholders: [...text.matchAll(marker)].flatMap(([, index]) => {
      const placeholder = placeholders[Number(index)]
      return placeholder?.isUntrusted ? [placeholder.start] : []
    }),
    names: [...getVariables(text), ...(callsFunction(text) ? [anyText] : [])],
  })
  const untrusted = placeholders.filter(({ isUntrusted }) => isUntrusted)
  graph.assign(anyText, { placeholders: untrusted.map(({ start }) => start), names: [] })
  for (const name of [...passedVariables.split(' '), ...findParameters(statements)])
    graph.connect(anyText, name)
  for (const [index, text] of statements.entries()) {
    const targets = findTargets(text)
    if (targets.length === 0) continue
    // The statement is a node of its own, so that the number of edges stays linear.
    graph.assign(`=${index}`, collect(text))
    for (const target of targets) graph.connect(`=${index}`, target)
  }
  const findSources = graph.follow()
  return (text) => findSources(collect(text))
}

/** Return the words of a text in lower case. A name with a dash is also one word. */
function getWords(text: string): string[] {
  return [...(text.match(/\w+/g) ?? []), ...(text.match(/(?<!\w)\w+(?:-\w+)+/g) ?? [])].map((word) =>
    word.toLowerCase(),
  )
}

const variable =
  /(\[(?:int|int32|long|bool|double|datetime)\]\s*)?(?:[$@]\{?(?:(?:script|global|local|private|using|env|variable):)?|(?<![\w-])(?:variable|env):[\\/]?|%(?=\w+%))([\w?$^]+)/gi

/** Return the variables of an expression in lower case, without those that are converted to a number. */
function getVariables(text: string): string[] {
  const names = [...text.matchAll(variable)]
    .filter(([, conversion]) => !conversion)
    .map(([, , name = '']) => name.toLowerCase())
  // The name stands anywhere in the arguments.
  const words = /(?<![\w-])(?:get-variable|gv)(?![\w-])/i.test(text) ? getWords(text) : []
  return [...names, ...words]
}

const variableSetter =
  /\b(set-variable|sv|new-variable|nv|read-host|tee-object|outvariable|ov|pipelinevariable|pv|errorvariable|ev|warningvariable|wv|informationvariable|iv|set-item|si|add-member)\b/i
/** A variable with its members and indexes. */
const place = String.raw`\$\{?([\w:]+)\}?(?:\.\$?\w+|\[[^\]]{0,200}\])*`
// Bounded: `findTargets` counts the starts.
const assignment = new RegExp(
  String.raw`${place}\s*(?:(?<![!<>])[-+*/%?]*=(?!=)|\bin\b|\.\w+\s*\()|\[ref\]\s*${place}|\$\{?([\w:]+)(?![\w:])\}?[^\s=$]*\s*(?<![!<>])=(?!=)`,
  'gi',
)
// Bounded: as above.
const listAssignment = /((?:\$[\w:]+\s*,\s*){1,100}\$[\w:]+)\s*=/g

/**
 * Find `$name = value`, `$name.Method(value)`, `foreach ($name in values)`, and the cmdlets and options that
 * set a variable. The whole statement is the value.
 */
export function findTargets(text: string): string[] {
  if (variableSetter.test(text)) return getWords(text)
  // From each start, the members of a variable may be read to the end.
  spend((text.split('$').length * text.length) / 8)
  return [...text.matchAll(assignment), ...text.matchAll(listAssignment)].flatMap(([assigned]) =>
    getVariables(assigned),
  )
}

const functionName = /\b(?:function|filter|workflow)\s+(?:\w+:)?([^\s({]+)/gi

/** Return the parameters of functions and script blocks. In a class, any variable may be one. */
function findParameters(statements: readonly string[]): string[] {
  const hasClass = statements.some((text) => /^\s*class\s+\w/i.test(text))
  return statements.flatMap((text) =>
    hasClass || /\bparam\s*\(|\b(function|filter|workflow)\s+[^\s({]+\s*\(/i.test(text)
      ? getVariables(text)
      : [],
  )
}
