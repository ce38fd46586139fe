import * as z from 'zod'
import { type LocalModel, localModels, localReasoningTokens } from './openai-models.ts'

const ContentPart = z.union([
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().startsWith('data:image/') }) }),
])
const CompletionRequest = z.looseObject({
  model: z.string(),
  messages: z
    .array(
      z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant']), content: z.union([z.string(), z.array(ContentPart)]) }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  response_format: z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().regex(/^[\w-]{1,64}$/),
      strict: z.boolean(),
      schema: z.looseObject({ type: z.literal('object') }),
    }),
  }),
  // The largest answer of a real model: https://developers.openai.com/api/docs/models/gpt-6.1-terra
  max_completion_tokens: z.int().min(1).max(128_000),
  reasoning_effort: z.string().nullish(),
})
export type CompletionRequest = z.infer<typeof CompletionRequest>

/** An error as the vendor words it: the parameter, and a code that clients compare. */
export interface RequestError {
  status: 400 | 404
  message: string
  param: string | null
  code: string | null
}

const ignoredParameters = ['metadata', 'n', 'prompt_cache_key', 'safety_identifier', 'seed', 'service_tier', 'store', 'user', 'verbosity']
const knownParameters = new Set([...Object.keys(CompletionRequest.shape), ...ignoredParameters])
/** What reasoning models refuse, although older models take it: https://developers.openai.com/api/docs/guides/reasoning */
const refusedParameters = ['frequency_penalty', 'logit_bias', 'logprobs', 'max_tokens', 'presence_penalty', 'stop', 'temperature', 'top_p']

/** Check a request as the vendor does: unknown models, unsupported parameters and schemas outside the strict mode are errors. */
export function parseCompletionRequest(body: unknown): { request: CompletionRequest; model: LocalModel } | RequestError {
  const parsed = CompletionRequest.safeParse(body)
  const refused = typeof body === 'object' && body !== null ? findRefusedParameter(body) : undefined
  if (refused) return refused
  if (!parsed.success) return invalid(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  const request = parsed.data
  const model = localModels.find(({ id }) => id === request.model)
  if (!model) return modelNotFound(request.model)
  const { schema, strict } = request.response_format.json_schema
  const problem = strict ? findStrictProblem(schema, 'schema') : undefined
  if (problem) return invalid(`Invalid schema for response_format: ${problem}`, 'response_format', null)
  return findEffortProblem(request, model) ?? { request, model }
}

export function modelNotFound(id: string): RequestError {
  return { status: 404, message: `The model '${id}' does not exist`, param: null, code: 'model_not_found' }
}

function invalid(message: string, param: string | null = null, code: string | null = null): RequestError {
  return { status: 400, message, param, code }
}

function findRefusedParameter(body: object): RequestError | undefined {
  for (const name of Object.keys(body)) {
    if (knownParameters.has(name)) continue
    return refusedParameters.includes(name)
      ? invalid(`Unsupported parameter: '${name}' is not supported with this model.`, name, 'unsupported_parameter')
      : invalid(`Unknown parameter: '${name}'.`, name, 'unknown_parameter')
  }
  return undefined
}

function findEffortProblem({ reasoning_effort: effort }: CompletionRequest, { reasons }: LocalModel): RequestError | undefined {
  if (effort == null) return undefined
  const name = 'reasoning_effort'
  if (!reasons) return invalid(`Unsupported parameter: '${name}' is not supported with this model.`, name, 'unsupported_parameter')
  return Object.hasOwn(localReasoningTokens, effort) ? undefined : invalid(`Unsupported value: '${effort}'.`, name, 'unsupported_value')
}

// https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas
const strictKeywords = new Set(
  '$defs $ref additionalProperties anyOf const description enum exclusiveMaximum exclusiveMinimum items maxItems maximum minItems minimum multipleOf properties required title type'.split(
    ' ',
  ),
)

/** Return the first problem that the strict mode has with a schema. */
function findStrictProblem(schema: unknown, path: string): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const unknown = Object.keys(schema).find((keyword) => !strictKeywords.has(keyword))
  if (unknown) return `'${unknown}' is not permitted at ${path}`
  const { type, properties = {}, required = [], additionalProperties, items, anyOf = [] } = schema as Record<string, unknown>
  const names = Object.keys(properties as object)
  if (type === 'object' && additionalProperties !== false) return `'additionalProperties' must be false at ${path}`
  if (names.some((name) => !(required as string[]).includes(name))) return `'required' must contain every property at ${path}`
  const parts: [string, unknown][] = [
    ...Object.entries(properties as object),
    ['items', items],
    ...(anyOf as unknown[]).map((part, index): [string, unknown] => [`anyOf/${index}`, part]),
  ]
  for (const [name, part] of parts) {
    const problem = findStrictProblem(part, `${path}/${name}`)
    if (problem) return problem
  }
  return undefined
}
