import type { Facts, Turn } from '#local/model/facts.ts'
import { chooseLookups } from '#local/model/lookups.ts'
import { answerByRules } from '#local/model/model.ts'
import { findInjectedAnswer } from '#local/model/prompt-injection.ts'
import type { Faults } from '#local/vendors/faults.ts'
import { type LocalModel, localReasoningTokens } from './openai-models.ts'
import { type CompletionRequest, getTask } from './openai-request.ts'
import type { WireFormat } from './wire-formats.ts'

export interface LocalAnswer {
  text: string
  refusal: string | null
  toolCalls: { name: string; arguments: string }[]
  finishReason: 'stop' | 'length' | 'content_filter' | 'tool_calls'
  reasoningTokens: number
  /** Whether more text follows without end, as from a provider that ignores the ceiling. */
  isEndless: boolean
}

/** A demanded text that ends with this mark is followed by more text without end. */
const endlessMark = '∞'
const charactersPerToken = 4
export const estimateTokens = (text: string) => Math.ceil(text.length / charactersPerToken)

export const readText = (content: CompletionRequest['messages'][number]['content']) =>
  typeof content === 'string'
    ? content
    : content.map((part) => ('text' in part ? String(part.text) : '')).join('\n')

/**
 * Answer by rules. The reasoning counts against the token ceiling, and an answer that does not fit is cut
 * off.
 */
export function createAnswer(
  request: CompletionRequest,
  model: LocalModel,
  faults: Faults,
  format: WireFormat,
): LocalAnswer {
  const reasoningTokens = model.reasons
    ? (localReasoningTokens[request.reasoning_effort ?? 'medium'] ?? 0)
    : 0
  const common = { refusal: null, toolCalls: [], reasoningTokens, isEndless: false }
  if (faults.take('openai', 'refusal'))
    return { ...common, text: '', refusal: "I'm sorry, I can't help with that.", finishReason: 'stop' }
  const demandedText = faults.peek('openai', 'prompt_injection') ? findInjectedAnswer(request) : undefined
  const { facts, turns } = readQuestion(request)
  const toolCalls = demandedText
    ? parseToolCalls(demandedText)
    : chooseLookups(facts, turns, listToolNames(request))
  if (toolCalls.length > 0) return { ...common, text: '', toolCalls, finishReason: 'tool_calls' }
  const isConstrained = request.response_format !== undefined
  const toContent = format.toContent ?? ((json: string) => json)
  const text =
    demandedText ??
    toContent(JSON.stringify(answerByRules(getTask(request), facts, turns) ?? {}), isConstrained)
  if (faults.take('openai', 'content_filter'))
    return { ...common, text: text.slice(0, text.length / 2), finishReason: 'content_filter' }
  if (demandedText?.endsWith(endlessMark)) return { ...common, text, finishReason: 'stop', isEndless: true }
  const sentCeiling = format.ignores?.includes('max_completion_tokens')
    ? undefined
    : request.max_completion_tokens
  const ceiling = sentCeiling ?? request.max_tokens ?? Number.POSITIVE_INFINITY
  const leftTokens = ceiling - reasoningTokens
  if (leftTokens <= 0) return { ...common, text: '', reasoningTokens: ceiling, finishReason: 'length' }
  const isCut = estimateTokens(text) > leftTokens
  return {
    ...common,
    text: isCut ? text.slice(0, leftTokens * charactersPerToken) : text,
    finishReason: isCut ? 'length' : 'stop',
  }
}

/**
 * The first and the last message of the user contain the facts as JSON; the messages between them are the
 * conversation.
 */
function readQuestion({ messages }: CompletionRequest): { facts: Facts; turns: Turn[] } {
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const turns = spoken.slice(1, -1).map(
    ({ role, content }): Turn => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      text: readText(content),
      images: typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image_url').length,
    }),
  )
  const [first, last] = [spoken[0], spoken.at(-1)].map((message) =>
    parseFacts(message ? readText(message.content) : ''),
  )
  return { facts: { ...first, ...last }, turns }
}

const listToolNames = ({ tools = [] }: CompletionRequest) => tools.map(({ function: { name } }) => name)

/**
 * Return the calls in a demanded answer `{"tool_calls": [{"name": "…", "arguments": …}]}`, whether or not
 * such tools were offered.
 */
function parseToolCalls(demanded: string): LocalAnswer['toolCalls'] {
  const { tool_calls: calls } = parseFacts(demanded) as {
    tool_calls?: { name: string; arguments: unknown }[]
  }
  return (calls ?? []).map(({ name, arguments: sent }) => ({
    name,
    arguments: typeof sent === 'string' ? sent : JSON.stringify(sent),
  }))
}

function parseFacts(text: string): Facts {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

// https://developers.openai.com/api/docs/guides/prompt-caching: from 1,024 tokens on, in steps of 128.
const minCachedTokens = 1024
const cacheStep = 128
const maxRemembered = 30

/**
 * Create a function that counts the tokens of a prompt that the provider still has from an earlier request.
 */
export function createPromptCache(): (request: CompletionRequest) => number {
  const recent: string[] = []
  return ({ messages }) => {
    const text = messages.map(({ role, content }) => `${role}\n${readText(content)}`).join('\n')
    const shared = Math.max(0, ...recent.map((earlier) => countSharedStart(earlier, text)))
    recent.push(text)
    if (recent.length > maxRemembered) recent.shift()
    const tokens = Math.floor(shared / charactersPerToken / cacheStep) * cacheStep
    return tokens < minCachedTokens ? 0 : tokens
  }
}

function countSharedStart(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}

/** The usage of a call, as the vendor reports it. */
export function toUsage(
  request: CompletionRequest,
  { text, toolCalls, reasoningTokens }: LocalAnswer,
  cachedTokens: number,
) {
  const prompt_tokens =
    request.messages.reduce((sum, { content }) => sum + estimateTokens(readText(content)), 0) +
    estimateTokens(JSON.stringify(request.tools ?? ''))
  const completion_tokens =
    estimateTokens(text + toolCalls.map((call) => call.arguments).join('')) + reasoningTokens
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: Math.min(cachedTokens, prompt_tokens), audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: 0 },
  }
}
