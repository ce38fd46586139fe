import { parseJson } from '#rules/text/json.ts'
import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { addSentence, readSentence, readWaitMs } from '#vendors/net/refusal.ts'
import { failedSend, parseRetryAfter, type SendResult, sendLimits } from '#vendors/net/send-result.ts'
import type { ChatMessage, ChatPort, ChatTool, PressAnswer } from './chat.ts'
import { toBlocks, toNotice } from './chat1-blocks.ts'
import { toAdaptiveCard } from './chat2-card.ts'

interface WebhookFormat {
  build(message: ChatMessage): unknown
  accepts(response: Response, text: string): boolean
  /** What a refusal is when the webhook or its channel no longer exists: its text, or the code of its JSON. */
  removed: RegExp
}
const formats: Record<ChatTool, WebhookFormat> = {
  // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors
  1: {
    build: toBlocks,
    // Others that take its format, and its own API, answer with JSON: https://github.com/gogs/gogs/issues/3169
    accepts: ({ status }, text) =>
      status === 200 && (text.trim() === 'ok' || /^\{"(?:ok|success)":true\b/.test(text.replace(/\s/g, ''))),
    removed:
      /^(?:(?:channel_)?is_archived|channel_not_found|invalid_(?:token|auth)|(?:token|account)_(?:revoked|inactive)|no_active_hooks|no_service|no_service_id|no_team|team_disabled)$/,
  },
  // It answers 202, or 200 with a text that can still be an error. A workflow that was deleted or switched
  // off answers 400 with this code.
  2: {
    build: toAdaptiveCard,
    accepts: ({ ok }, text) => ok && !/returned HTTP error|delivery failed|Exception: /.test(text),
    // Without its signature an address never works.
    removed: /^(?:WorkflowTriggerIsNotEnabled|WorkflowNotFound|DirectApiAuthorizationRequired)$/,
  },
}
// After a 429 without Retry-After. Slack allows one message per second and webhook:
// https://docs.slack.dev/apis/web-api/rate-limits
const defaultPauseSeconds = 60

/** Return the JSON body of a message to a chat tool. */
export function buildChatBody(tool: ChatTool, message: ChatMessage): unknown {
  return formats[tool].build(message)
}

/**
 * Return the JSON body of an answer to a press.
 * https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
 */
export function buildPressBody(answer: PressAnswer): unknown {
  return 'message' in answer
    ? { replace_original: true, ...toBlocks(answer.message) }
    : { response_type: 'ephemeral', replace_original: false, ...toNotice(answer.notice) }
}

/** Create a chat port that posts to the incoming webhooks of every chat tool. */
export function chatWebhooks(): ChatPort {
  const fetchBounded = createBoundedFetch('chat', sendLimits)
  const post = async (tool: ChatTool, url: string, body: unknown): Promise<SendResult> => {
    try {
      const response = await fetchBounded(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return await toSendResult(tool, url, response, (await response.text()).slice(0, 2000))
    } catch (error) {
      return failedSend(error)
    }
  }
  return {
    send: (tool, webhookUrl, message) => post(tool, webhookUrl, buildChatBody(tool, message)),
    answerPress: (responseUrl, answer) => post(1, responseUrl, buildPressBody(answer)),
  }
}

/** Return the code of a refusal: its text, or `error`, `error.code` or `code` of its JSON. */
function readCode(text: string): string {
  const { error, code } = (parseJson(text) ?? {}) as {
    error?: string | { code?: unknown } | null
    code?: unknown
  }
  return String((typeof error === 'object' ? error?.code : error) ?? code ?? text).trim()
}

/** Return the parts of an address that open it. */
const listSecretParts = (url: string) => [
  url,
  ...new URL(url).pathname.split('/'),
  ...new URL(url).searchParams.values(),
]

async function toSendResult(
  tool: ChatTool,
  webhookUrl: string,
  response: Response,
  text: string,
): Promise<SendResult> {
  const { status } = response
  if (formats[tool].accepts(response, text)) return { ok: true, status }
  const ours = response.ok ? 'The chat tool did not accept the message' : `The chat tool returned ${status}`
  // The address is a secret.
  const error = addSentence(ours, await readSentence(text, listSecretParts(webhookUrl)))
  if (status === 429 || /returned HTTP error 429/.test(text))
    return {
      ok: false,
      status,
      error,
      isPostponed: true,
      retryAfterSeconds:
        parseRetryAfter(response.headers.get('retry-after')) ??
        Math.ceil((readWaitMs(text) ?? defaultPauseSeconds * 1000) / 1000),
    }
  const isRemoved = status === 404 || status === 410 || formats[tool].removed.test(readCode(text))
  return { ok: false, status, error, gone: isRemoved, isRemoved: isRemoved || undefined }
}
