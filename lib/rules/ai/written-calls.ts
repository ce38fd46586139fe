import { spend } from '#rules/budget.ts'
import { countPlaces } from '#rules/text/count-places.ts'
import { parseJson } from '#rules/text/json.ts'
import { listAnswerObjects } from './answer-text.ts'

/** A call of a tool, as a model asks for it. */
interface WrittenCall {
  name: string
  arguments: string
}

const maxCalls = 16
/** From each start of a parameter, its end is looked for in 2,000 characters. */
const stepsPerStart = 2000
const nameKeys = ['name', 'tool', 'tool_name', 'function', 'recipient_name'] as const
const argumentKeys = ['arguments', 'parameters', 'args', 'input', 'tool_input', 'action_input'] as const
/** `<parameter=text>printer</parameter>` and `<parameter name="text">printer</parameter>` in the call of a tool. */
const parameter =
  // Bounded: `listMarkedCalls` counts the starts.
  /<(?:parameter|param|arg)(?:=|\s+name=)"?([\w.-]{1,64})"?\s*>([\s\S]{0,2000}?)<\/(?:parameter|param|arg)>/g

/**
 * Find the calls that a model has written as text, because its server does not know its format: JSON with the
 * name of an offered tool, or the name in markup before the arguments. The formats are collected in
 * https://github.com/vllm-project/vllm/tree/main/vllm/tool_parsers.
 */
export function listWrittenCalls(text: string, toolNames: readonly string[]): WrittenCall[] {
  const objects = listAnswerObjects(text)
  const calls = objects.flatMap((object) => readCalls(parseJson(object), toolNames))
  return (calls.length > 0 ? calls : listMarkedCalls(text, toolNames, objects)).slice(0, maxCalls)
}

function readCalls(value: unknown, toolNames: readonly string[]): WrittenCall[] {
  if (Array.isArray(value)) return value.slice(0, maxCalls).flatMap((item) => readCalls(item, toolNames))
  if (typeof value !== 'object' || value === null) return []
  const fields = value as Record<string, unknown>
  for (const key of ['tool_calls', 'tool_call', 'function_call', 'calls'])
    if (typeof fields[key] === 'object') return readCalls(fields[key], toolNames)
  if (typeof fields.function === 'object') return readCalls(fields.function, toolNames)
  const name = nameKeys.map((key) => toToolName(fields[key], toolNames)).find((each) => each !== undefined)
  if (name === undefined) return []
  const sent =
    argumentKeys.map((key) => fields[key]).find((each) => each !== undefined && each !== null) ?? {}
  return [{ name, arguments: typeof sent === 'string' ? sent : JSON.stringify(sent) }]
}

/** Some models write `functions.search_flows`, as their training has it. */
function toToolName(value: unknown, toolNames: readonly string[]): string | undefined {
  const name = typeof value === 'string' ? value.trim().replace(/^(?:functions?|tools?)[.:/]/, '') : undefined
  return name !== undefined && toolNames.includes(name) ? name : undefined
}

/** Read `<function=name>{…}`, `to=functions.name … {…}`, `name ```json {…}` and the like. */
function listMarkedCalls(
  text: string,
  toolNames: readonly string[],
  objects: readonly string[],
): WrittenCall[] {
  const calls: { at: number; call: WrittenCall }[] = []
  // Names of tools are letters, digits, `_` and `-`.
  for (const name of toolNames) {
    // Bounded: white space begins after a fixed word.
    const mark = new RegExp(
      `(?:function=|functions\\.|▁sep｜>|\\[TOOL_CALLS\\]|name=")\\s*${name}(?![\\w-])`,
      'g',
    )
    for (const { index, 0: found } of text.matchAll(mark)) {
      const rest = text.slice(index + found.length)
      const end = rest.search(/<\/function>|<\/tool_call>|<｜tool▁call▁end｜>/)
      const body = end < 0 ? rest : rest.slice(0, end)
      spend(countPlaces(body, '<') * stepsPerStart)
      const parameters = [...body.matchAll(parameter)].map(([, key = '', value = '']) => [key, value.trim()])
      const object = objects.find((each) => body.includes(each))
      if (parameters.length > 0 || object !== undefined || end >= 0)
        calls.push({
          at: index,
          call: { name, arguments: object ?? JSON.stringify(Object.fromEntries(parameters)) },
        })
    }
  }
  return calls.toSorted((a, b) => a.at - b.at).map(({ call }) => call)
}
