/** What an endpoint takes for a model. Compatible endpoints differ in every optional parameter. */
export interface Capabilities {
  /** The strictest format of an answer. Below `json_schema` the instructions contain the schema. */
  answerFormat: 'json_schema' | 'json_object' | 'text'
  ceiling: 'max_completion_tokens' | 'max_tokens'
  effort: boolean
  /** Whether it takes tools beside the demanded format, and strict schemas of their arguments. */
  tools: 'strict' | 'plain' | 'none'
  /** Which messages it takes. */
  roles: 'any' | 'alternating' | 'without_system'
  /** Whether it streams, and then reports usage. */
  streaming: 'with_usage' | 'without_usage' | 'none'
}

export const allCapabilities: Capabilities = {
  answerFormat: 'json_schema',
  ceiling: 'max_completion_tokens',
  effort: true,
  tools: 'strict',
  roles: 'any',
  streaming: 'with_usage',
}

// Some servers fail with 500 for a schema that their decoder does not know.
const statuses = new Set([400, 422, 500, 501])

/**
 * What an error names, and what is then left out. Wordings are in lib/local/vendors/openai/wire-formats.ts,
 * with their sources.
 */
const lessons: readonly { sign: RegExp; reduce(known: Capabilities): Partial<Capabilities> | undefined }[] = [
  // Templates of models: https://github.com/vllm-project/vllm/issues/6862
  {
    sign: /roles? must alternate|alternat(?:e|ing)[^.]{0,40}roles?/i,
    reduce: ({ roles }) => (roles === 'any' ? { roles: 'alternating' } : undefined),
  },
  {
    sign: /system[^.]{0,20}\b(?:role|message|prompt|instruction)s?[^.]{0,20}not (?:supported|allowed|enabled)|roles? must alternate/i,
    reduce: ({ roles }) => (roles === 'without_system' ? undefined : { roles: 'without_system' }),
  },
  {
    sign: /additionalProperties|\bstrict\b/i,
    reduce: ({ tools }) => (tools === 'strict' ? { tools: 'plain' } : undefined),
  },
  // Before the format: a server that takes one of them only names both, and an answer needs the format.
  {
    sign: /\btools?\b|tool_choice|function.?call/i,
    reduce: ({ tools }) => (tools === 'none' ? undefined : { tools: 'none' }),
  },
  {
    sign: /reasoning_effort|\bthink(?:ing)?\b/i,
    reduce: ({ effort }) => (effort ? { effort: false } : undefined),
  },
  {
    sign: /max_completion_tokens/,
    reduce: ({ ceiling }) => (ceiling === 'max_tokens' ? undefined : { ceiling: 'max_tokens' }),
  },
  {
    sign: /stream_options|include_usage/,
    reduce: ({ streaming }) => (streaming === 'with_usage' ? { streaming: 'without_usage' } : undefined),
  },
  {
    // Google names no part of a schema with too many bounds: https://github.com/vercel/ai/issues/21192
    sign: /response_format|json_schema|json_object|schema|grammar|contains an invalid argument\.?$/i,
    reduce: ({ answerFormat }) =>
      answerFormat === 'text'
        ? undefined
        : { answerFormat: answerFormat === 'json_schema' ? 'json_object' : 'text' },
  },
  {
    sign: /\bstream(?:ing)?\b/i,
    reduce: ({ streaming }) => (streaming === 'none' ? undefined : { streaming: 'none' }),
  },
]

/**
 * Return the capabilities without what an error says that the endpoint does not take, or undefined if it says
 * nothing new. There is less after each call, so at most ten requests are repeated. `text` is the name of a
 * parameter and the message.
 */
export function reduceCapabilities(
  status: number | undefined,
  text: string,
  known: Capabilities,
): Capabilities | undefined {
  // The error inside of an answer has no status.
  if (status !== undefined && !statuses.has(status)) return undefined
  for (const { sign, reduce } of lessons) {
    const reduced = sign.test(text) ? reduce(known) : undefined
    if (reduced) return { ...known, ...reduced }
  }
  return undefined
}

/** Return what the endpoint does not take, by the names of the API. */
export function listMissing(capabilitiesOfEndpoint: Capabilities): string[] {
  const { answerFormat, ceiling, effort, tools, roles, streaming } = capabilitiesOfEndpoint
  const capabilities: [string, boolean][] = [
    ['json_schema', answerFormat !== 'json_schema'],
    ['json_object', answerFormat === 'text'],
    ['max_completion_tokens', ceiling === 'max_tokens'],
    ['reasoning_effort', !effort],
    ['strict', tools !== 'strict'],
    ['tools', tools === 'none'],
    ['system', roles === 'without_system'],
    ['stream_options', streaming !== 'with_usage'],
    ['stream', streaming === 'none'],
  ]
  return capabilities.filter(([, isMissing]) => isMissing).map(([name]) => name)
}
