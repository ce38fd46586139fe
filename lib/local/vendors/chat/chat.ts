import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { faultMiddleware } from '#local/vendors/fault-middleware.ts'
import type { Faults } from '#local/vendors/faults.ts'
import { parseJsonOrText } from '#local/vendors/parse-json.ts'
import type { Records } from '#local/vendors/records.ts'
import { type ChatTool, chatTools } from '#vendors/chat/chat.ts'
import { findCardError } from './adaptive-card.ts'
import { findSlackError } from './slack-blocks.ts'

type ChatResponse = { status: 200 | 202 | 400 | 403 | 404 | 405 | 410 | 413; text: string }
type ChatContext = Context<{ Bindings: HttpBindings }>

const maxCardBytes = 28 * 1024

/**
 * Create the incoming webhooks of the chat tools: Slack under `/1/*` and Teams workflows under `/2/*`. Every
 * request is recorded, refused ones included. A path that ends in `/gone`, `/missing` or `/off` is a webhook
 * that no longer exists or was switched off.
 */
export function createChatRoutes({
  records,
  faults,
}: {
  records: Records
  faults: Faults
}): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  for (const tool of chatTools) {
    const record = async (c: ChatContext, accepted: boolean) => {
      records.add('chat', { tool, path: c.req.path, body: parseJsonOrText(await c.req.text()), accepted })
    }
    app.use(
      `/${tool}/*`,
      faultMiddleware(faults, `chat${tool}`, (c) => record(c, false)),
    )
    app.all(`/${tool}/*`, async (c) => {
      const response = respond(tool, c.req.method, c.req.path, await c.req.text())
      await record(c, response.status < 300)
      return response.text ? c.text(response.text, response.status) : c.body(null, response.status)
    })
  }
  return app
}

interface Emulator {
  gone: string
  missing: string
  off: { status: 400 | 403; text: string }
  respond(text: string): ChatResponse
}
const emulators: Record<ChatTool, Emulator> = {
  1: {
    gone: 'channel_is_archived',
    missing: 'no_service',
    off: { status: 403, text: 'no_active_hooks' },
    respond: respondToMessage,
  },
  2: {
    gone: '{"error":{"code":"WorkflowGone"}}',
    missing: '{"error":{"code":"WorkflowNotFound"}}',
    off: { status: 400, text: '{"error":{"code":"WorkflowTriggerIsNotEnabled"}}' },
    respond: respondToCard,
  },
}

function respond(tool: ChatTool, method: string, path: string, text: string): ChatResponse {
  if (method !== 'POST') return { status: 405, text: 'method_not_allowed' }
  if (path.endsWith('/gone')) return { status: 410, text: emulators[tool].gone }
  if (path.endsWith('/missing')) return { status: 404, text: emulators[tool].missing }
  if (path.endsWith('/off')) return emulators[tool].off
  return emulators[tool].respond(text)
}

function respondToMessage(text: string): ChatResponse {
  const body = parseJsonOrText(text)
  const error = typeof body === 'string' ? 'invalid_payload' : findSlackError(body)
  return error ? { status: 400, text: error } : { status: 200, text: 'ok' }
}

function respondToCard(text: string): ChatResponse {
  if (Buffer.byteLength(text) > maxCardBytes)
    return { status: 413, text: '{"error":{"code":"RequestEntityTooLarge"}}' }
  const attachments = readField(parseJsonOrText(text), 'attachments')
  const isValid = Array.isArray(attachments) && attachments.length > 0 && attachments.every(isAdaptiveCard)
  return isValid
    ? { status: 202, text: '' }
    : { status: 400, text: '{"error":{"code":"TriggerInputSchemaMismatch"}}' }
}

function isAdaptiveCard(attachment: unknown): boolean {
  const isCard = readField(attachment, 'contentType') === 'application/vnd.microsoft.card.adaptive'
  return isCard && findCardError(readField(attachment, 'content')) === undefined
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
