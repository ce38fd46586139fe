import * as z from 'zod'
import { type LocalModel, localModels, localReasoningTokens } from './openai-models.ts'
import { findRefusal, type RequestError, type WireFormat, wireFormats } from './wire-formats.ts'

const ContentPart = z.union([
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({ url: z.string().startsWith('data:image/') }),
  }),
])
// The largest answer of a real model: https://developers.openai.com/api/docs/models/gpt-6.1-terra
const TokenCeiling = z.int().min(1).max(128_000)
const CompletionRequest = z.looseObject({
  model: z.string(),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'developer', 'user', 'assistant']),
        content: z.union([z.string(), z.array(ContentPart)]),
      }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  response_format: z
    .discriminatedUnion('type', [
      z.looseObject({
        type: z.literal('json_schema'),
        json_schema: z.looseObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          strict: z.boolean(),
          schema: z.looseObject({ type: z.literal('object') }),
        }),
      }),
      z.looseObject({ type: z.literal('json_object') }),
    ])
    .optional(),
  max_completion_tokens: TokenCeiling.optional(),
  max_tokens: TokenCeiling.optional(),
  reasoning_effort: z.string().nullish(),
  // https://developers.openai.com/api/docs/api-reference/chat/create#chat-create-tools
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().optional(),
          parameters: z.looseObject({ type: z.literal('object') }),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .min(1)
    .max(128)
    .optional(),
})
export type CompletionRequest = z.infer<typeof CompletionRequest>

const ignoredParameters = [
  'metadata',
  'n',
  'prompt_cache_key',
  'safety_identifier',
  'seed',
  'service_tier',
  'store',
  'user',
  'verbosity',
]
const knownParameters = new Set([...Object.keys(CompletionRequest.shape), ...ignoredParameters])
/**
 * What reasoning models of OpenAI refuse, although older models take it:
 * https://developers.openai.com/api/docs/guides/reasoning
 */
const refusedParameters = [
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_tokens',
  'presence_penalty',
  'stop',
  'temperature',
  'top_p',
]

/**
 * Check a request as the vendor does: unknown models, unsupported parameters and schemas outside the strict
 * mode are errors. OpenAI gets nothing but the best format, so that a request that needs another one is
 * noticed.
 */
export function parseCompletionRequest(
  body: unknown,
  format: WireFormat,
): { request: CompletionRequest; model: LocalModel } | RequestError {
  const parsed = CompletionRequest.safeParse(body)
  const isOpenAi = format === wireFormats.openai || format === wireFormats.azure
  const fields = typeof body === 'object' && body !== null ? body : {}
  const refused = findRefusal(format, fields) ?? (isOpenAi ? findRefusedParameter(fields) : undefined)
  if (refused) return refused
  if (!parsed.success)
    return invalid(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  const request = parsed.data
  const model = localModels.find(({ id }) => id === request.model)
  if (!model) return modelNotFound(request.model)
  const { response_format: answerFormat } = request
  const strictSchema =
    answerFormat?.type === 'json_schema' && answerFormat.json_schema.strict
      ? answerFormat.json_schema.schema
      : undefined
  if (isOpenAi && answerFormat?.type !== 'json_schema')
    return invalid('The answer needs a JSON schema here.', 'response_format')
  const problem = findStrictProblem(strictSchema, 'schema')
  for (const { function: called } of request.tools ?? []) {
    const toolProblem = called.strict ? findStrictProblem(called.parameters, 'parameters') : undefined
    if (toolProblem)
      return invalid(
        `Invalid schema for function '${called.name}': ${toolProblem}`,
        'tools',
        'invalid_function_parameters',
      )
  }
  if (problem) return invalid(`Invalid schema for response_format: ${problem}`, 'response_format', null)
  // https://developers.openai.com/api/docs/guides/structured-outputs#json-mode
  if (answerFormat?.type === 'json_object' && !JSON.stringify(request.messages).includes('JSON'))
    return invalid(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      'messages',
    )
  return findEffortProblem(request, model) ?? { request, model }
}

/** Return the name of the demanded schema. Without one, the instructions name the task. */
export function getTask({ response_format, messages }: CompletionRequest): string {
  if (response_format?.type === 'json_schema') return response_format.json_schema.name
  return /Task (\w+), version/.exec(JSON.stringify(messages[0]?.content ?? ''))?.[1] ?? ''
}

export function modelNotFound(id: string): RequestError {
  return { status: 404, message: `The model '${id}' does not exist`, param: null, code: 'model_not_found' }
}

function invalid(message: string, param: string | null = null, code: string | null = null): RequestError {
  return { status: 400, message, param, code }
}

function findRefusedParameter(body: object): RequestError | undefined {
  for (const name of Object.keys(body)) {
    if (refusedParameters.includes(name))
      return invalid(
        `Unsupported parameter: '${name}' is not supported with this model.`,
        name,
        'unsupported_parameter',
      )
    if (!knownParameters.has(name)) return invalid(`Unknown parameter: '${name}'.`, name, 'unknown_parameter')
  }
  return undefined
}

function findEffortProblem(
  { reasoning_effort: effort }: CompletionRequest,
  { reasons }: LocalModel,
): RequestError | undefined {
  if (effort == null) return undefined
  const name = 'reasoning_effort'
  if (!reasons)
    return invalid(
      `Unsupported parameter: '${name}' is not supported with this model.`,
      name,
      'unsupported_parameter',
    )
  return Object.hasOwn(localReasoningTokens, effort)
    ? undefined
    : invalid(`Unsupported value: '${effort}'.`, name, 'unsupported_value')
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
  const {
    type,
    properties = {},
    required = [],
    additionalProperties,
    items,
    anyOf = [],
  } = schema as Record<string, unknown>
  const names = Object.keys(properties as object)
  if (type === 'object' && additionalProperties !== false)
    return `'additionalProperties' must be false at ${path}`
  if (names.some((name) => !(required as string[]).includes(name)))
    return `'required' must contain every property at ${path}`
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
