import type { Completion, Tool, Turn } from './ai.ts'
import type { Capabilities } from './capabilities.ts'
import { toPlainSchema, toStrictSchema } from './strict-schema.ts'

type Content = string | ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[]
/** The parameters of a request, in the names of the API. */
export interface RequestParams {
  model: string
  messages: ({ role: 'system' | 'assistant'; content: string } | { role: 'user'; content: Content })[]
  response_format?:
    | { type: 'json_schema'; json_schema: { name: string; strict: true; schema: Record<string, unknown> } }
    | { type: 'json_object' }
  max_completion_tokens?: number
  max_tokens?: number
  tools?: {
    type: 'function'
    function: { name: string; description: string; parameters: Record<string, unknown>; strict?: true }
  }[]
  reasoning_effort?: Completion['effort']
  stream_options?: { include_usage: true }
}

/**
 * Return the parameters of a request that the endpoint takes. `isStreamed` asks for the usage at the end of
 * the stream.
 */
export function toParams(
  model: string,
  { name, instructions, turns, schema, maxTokens, effort, tools = [] }: Completion,
  capabilities: Capabilities,
  isStreamed: boolean,
): RequestParams {
  const { answerFormat, ceiling, streaming } = capabilities
  const format: Partial<RequestParams> = {
    json_schema: {
      response_format: {
        type: 'json_schema',
        json_schema: { name, strict: true, schema: toStrictSchema(schema) },
      },
    } as const,
    json_object: { response_format: { type: 'json_object' } } as const,
    text: {},
  }[answerFormat]
  const schemaText =
    answerFormat === 'json_schema' ? '' : `\n\nThe JSON schema of your answer:\n${JSON.stringify(schema)}`
  return {
    model,
    messages: joinMessages(
      [{ role: 'system', content: `${instructions}${schemaText}` }, ...turns.map(toMessage)],
      capabilities.roles,
    ),
    ...format,
    [ceiling]: maxTokens,
    ...(capabilities.tools !== 'none' && tools.length > 0
      ? { tools: tools.map((tool) => toFunction(tool, capabilities)) }
      : {}),
    ...(capabilities.effort ? { reasoning_effort: effort } : {}),
    ...(isStreamed && streaming === 'with_usage' ? { stream_options: { include_usage: true } } : {}),
  }
}

/**
 * https://developers.openai.com/api/docs/guides/function-calling. What takes no strict schema of an answer
 * takes none of arguments.
 */
function toFunction(
  { parameters, isOutside, name, description }: Tool,
  { answerFormat, tools }: Capabilities,
): NonNullable<RequestParams['tools']>[number] {
  const schema =
    tools === 'plain'
      ? { parameters: toPlainSchema(parameters) }
      : answerFormat === 'json_schema' && !isOutside
        ? { parameters: toStrictSchema(parameters), strict: true as const }
        : { parameters }
  return { type: 'function', function: { name, description, ...schema } }
}

/**
 * Join messages of one role that follow each other, and the instructions with the first message of the user,
 * for models whose template takes no others.
 */
function joinMessages(messages: RequestParams['messages'], roles: Capabilities['roles']) {
  if (roles === 'any') return messages
  const joined: RequestParams['messages'] = []
  for (const message of messages) {
    const role = message.role === 'system' && roles === 'without_system' ? 'user' : message.role
    const last = joined.at(-1)
    const both = last?.role === role ? [...toParts(last.content), ...toParts(message.content)] : undefined
    const hasImage = both?.some(({ type }) => type === 'image_url')
    const content = hasImage ? both : both?.map((part) => ('text' in part ? part.text : '')).join('\n\n')
    if (last && content !== undefined) Object.assign(last, { content })
    else joined.push({ ...message, role } as typeof message)
  }
  return joined
}

const toParts = (content: Content) =>
  typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content

function toMessage({ role, text, images = [] }: Turn): RequestParams['messages'][number] {
  if (role === 'assistant') return { role, content: text }
  if (images.length === 0) return { role, content: text }
  const parts = images.map((jpeg) => ({
    type: 'image_url' as const,
    image_url: { url: `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}` },
  }))
  return { role, content: [{ type: 'text' as const, text }, ...parts] }
}
