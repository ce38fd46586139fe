import * as z from 'zod'
import type { Lookup } from '#db/rows/ai-session.ts'
import { Problem } from '#problem.ts'
import { spend } from '#rules/budget.ts'
import { countMaskingSteps } from '#rules/masking/mask-traits.ts'
import { maskAll } from '#rules/release.ts'
import { clip } from '#rules/text/clip.ts'
import { findUnstorableText } from '#rules/text/json.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import type { Tool, ToolCall } from './ai.ts'

/** What a tool has found. `source` and `summary` are shown to the technician, `result` to the model. */
export interface Finding {
  source: string
  summary: string
  result: unknown
}

/** A tool that only reads. It sees what the caller may see, because it has the caller's scope. */
export interface LookupTool extends Tool {
  /** Return undefined if the arguments do not match the schema. */
  run(
    callArguments: unknown,
  ): Promise<{ parsed: Record<string, unknown>; finding: Promise<Finding> } | undefined>
}

/**
 * Declare a tool by its name, its description for the model, the schema of its arguments, and what it does.
 */
export function defineTool<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  find: (callArguments: z.output<S>) => Promise<Finding>,
): LookupTool {
  return {
    name,
    description,
    parameters: z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>,
    async run(callArguments) {
      const { data, success } = schema.safeParse(callArguments)
      return success && findUnstorableText(data, []).length === 0
        ? { parsed: data, finding: find(data) }
        : undefined
    },
  }
}

/** The lookups of one turn, however often the model is asked in it. */
export interface Lookups {
  /** The tools that may still be called. None when the turn has had its calls. */
  listTools(): readonly Tool[]
  /**
   * Carry out the calls of one answer, as many as are left. For a call that fails, the model receives the
   * error.
   */
  run(calls: readonly ToolCall[], remainingMs: number): Promise<void>
  /** What the model is told. It is redacted like every other fact. */
  listResults(): readonly object[]
  /** What was looked at, for the technician. */
  listLookups(): Lookup[]
}

const maxCalls = 4
const maxRounds = 2
const maxResultBytes = 8 * 1024
// What an honest text of 8 KB takes to mask. It is masked again each time the model is asked.
const maxMaskingSteps = 2_000_000
const maxCallMs = 10_000
const createLateProblem = () => new Problem('unavailable', 'The lookup took too long')
// Arguments are short. A longer text is no call.
const maxArgumentCharacters = 2000

/** Create the lookups of a turn: at most 4 calls in 2 answers, each with 10 s and 8 KB. */
export function createLookups(tools: readonly LookupTool[]): Lookups {
  const results: object[] = []
  const lookups: Lookup[] = []
  let rounds = 0
  let calls = 0
  const runCall = async (call: ToolCall, remainingMs: number) => {
    const tool = tools.find(({ name }) => name === call.name)
    const toolCall = { tool: clip(call.name, 100), arguments: clip(call.arguments, maxArgumentCharacters) }
    if (!tool) return { told: { ...toolCall, error: 'There is no such tool' } }
    const toolRun = await tool.run(parseArguments(call.arguments))
    if (!toolRun) return { told: { ...toolCall, error: 'The arguments do not match the schema of the tool' } }
    const shownCall = { tool: tool.name, arguments: toolRun.parsed }
    try {
      const { source, summary, result } = await withTimeout(
        Math.min(maxCallMs, remainingMs),
        toolRun.finding,
        createLateProblem,
      )
      return {
        told: { ...toolCall, source, result: shortenResult(result) },
        shown: { ...shownCall, source, summary },
      }
    } catch (error) {
      const reason = error instanceof Problem ? error.message : 'The lookup failed'
      return {
        told: { ...toolCall, error: reason },
        shown: { ...shownCall, source: null, summary: clip(reason, 300) },
      }
    }
  }
  return {
    listTools: () => (rounds < maxRounds && calls < maxCalls ? tools : []),
    async run(newCalls, remainingMs) {
      const accepted = newCalls.slice(0, maxCalls - calls)
      rounds++
      calls += accepted.length
      for (const { told, shown } of await Promise.all(accepted.map((call) => runCall(call, remainingMs)))) {
        results.push(told)
        if (shown) lookups.push(maskAll(shown))
      }
    },
    listResults: () => results,
    listLookups: () => lookups,
  }
}

function parseArguments(text: string): unknown {
  if (text.length > maxArgumentCharacters) return undefined
  try {
    return JSON.parse(text || '{}')
  } catch {
    return undefined
  }
}

/**
 * Return a result, or the beginning of its JSON if it is longer than a result may be. Throw if a server wrote
 * it to take much work.
 */
function shortenResult(result: unknown): unknown {
  const json = Buffer.from(JSON.stringify(result))
  spend(json.length)
  const start = json.toString('utf8', 0, maxResultBytes)
  if (countMaskingSteps(start) > maxMaskingSteps)
    throw new Problem('unavailable', 'The result takes too much work to mask')
  return json.length <= maxResultBytes ? result : `${start}…`
}
