import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { faulty } from './fault-middleware.ts'
import type { Faults } from './faults.ts'
import type { Records } from './records.ts'
import { slackRefusal } from './slack-blocks.ts'

type Verdict = { status: 200 | 202 | 400 | 404 | 405 | 410 | 413; text: string }
type ChatContext = Context<{ Bindings: HttpBindings }>

const maxCardBytes = 28 * 1024

/** The two chat tools' incoming webhooks under `/1/*` and `/2/*`; every hit is recorded, refused ones too. */
export function chatRoutes({ records, faults }: { records: Records; faults: Faults }): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  for (const tool of [1, 2] as const) {
    const record = async (c: ChatContext, accepted: boolean) => {
      records.add('chat', { tool, path: c.req.path, body: parsed(await c.req.text()), accepted })
    }
    app.use(
      `/${tool}/*`,
      faulty(faults, `chat${tool}`, (c) => record(c, false)),
    )
    app.all(`/${tool}/*`, async (c) => {
      const text = await c.req.text()
      const verdict = c.req.method === 'POST' ? (gone(tool, c.req.path) ?? judge(tool, text)) : refused(405, 'method_not_allowed')
      await record(c, verdict.status < 300)
      return verdict.text ? c.text(verdict.text, verdict.status) : c.body(null, verdict.status)
    })
  }
  return app
}

function gone(tool: 1 | 2, path: string): Verdict | undefined {
  if (path.endsWith('/gone')) return refused(410, tool === 1 ? 'channel_is_archived' : '{"error":{"code":"WorkflowGone"}}')
  if (path.endsWith('/missing')) return refused(404, tool === 1 ? 'no_service' : '{"error":{"code":"WorkflowNotFound"}}')
  return undefined
}

function judge(tool: 1 | 2, text: string): Verdict {
  const body = parsed(text)
  if (tool === 2) return judgeCard(text, body)
  const refusal = typeof body === 'string' ? 'invalid_payload' : slackRefusal(body)
  return refusal ? refused(400, refusal) : { status: 200, text: 'ok' }
}

function judgeCard(text: string, body: unknown): Verdict {
  if (Buffer.byteLength(text) > maxCardBytes) return refused(413, '{"error":{"code":"RequestEntityTooLarge"}}')
  const attachments = field(body, 'attachments')
  const ok = Array.isArray(attachments) && attachments.length > 0 && attachments.every(isAdaptiveCard)
  return ok ? { status: 202, text: '' } : refused(400, '{"error":{"code":"TriggerInputSchemaMismatch"}}')
}

function isAdaptiveCard(attachment: unknown): boolean {
  const card = field(attachment, 'content')
  return (
    field(attachment, 'contentType') === 'application/vnd.microsoft.card.adaptive' &&
    field(card, 'type') === 'AdaptiveCard' &&
    typeof field(card, 'version') === 'string' &&
    Array.isArray(field(card, 'body'))
  )
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function refused(status: Exclude<Verdict['status'], 200 | 202>, text: string): Verdict {
  return { status, text }
}

/** The body as JSON, or as it came when it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
