import type { C, Services } from '#http/app.ts'
import { type DelegatedCaller, toDelegatedEnvironment } from '#http/delegated-caller.ts'
import { Problem } from '#problem.ts'
import { parseJson } from '#rules/text/json.ts'
import { readAtMost } from '#vendors/net/read-at-most.ts'
import { type Tool, type ToolRequest, toToolRequest } from './tool-schemas.ts'

/** The answer of an operation, as a model reads it. */
export interface ToolAnswer {
  text: string
  isError: boolean
  /** Parameters of the next page of a list. */
  next?: Record<string, string> | undefined
}

/** Calls the operation of a tool for the caller of this request. */
export type CallTool = (tool: Tool, input: Record<string, unknown>) => Promise<ToolAnswer>

const maxAnswerBytes = 4 * 1024 * 1024

// What says who calls and from where. The rest of the request concerns the MCP server alone.
const notForwarded = new Set([
  'accept',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'origin',
  'prefer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Return a function that calls an operation through the app, as a client would: with its limits, its checks
 * of the caller, its audit entries and its log line. `delegated` is the caller of an OAuth token; an API key
 * is sent on.
 */
export function createToolCaller(
  c: C,
  { dispatch, ports }: Services,
  delegated: DelegatedCaller | null,
): CallTool {
  if (!dispatch) throw new Error('The app is not assembled')
  const headers = new Headers(
    [...c.req.raw.headers].filter(([name]) => !notForwarded.has(name) && !name.startsWith('mcp-')),
  )
  headers.set('accept', 'application/json, text/*;q=0.9')
  if (delegated) headers.delete('authorization')
  const ownEnv = c.env as object
  const env = delegated ? toDelegatedEnvironment(ownEnv, delegated) : ownEnv
  return async (tool, input) => {
    // A path must not lead to another operation: `..` would.
    if (tool.operation.params?.safeParse(input).success === false)
      return { text: '404: Not found', isError: true }
    const request = toRequest(
      ports.config.PUBLIC_BASE_URL,
      headers,
      toToolRequest(tool, input),
      c.req.raw.signal,
    )
    const response = await dispatch(request, env, c.executionCtx)
    const bytes = await readAtMost(
      response.body,
      maxAnswerBytes,
      () => new Problem('too_large', 'The answer is too large for a tool'),
    )
    const text = new TextDecoder().decode(bytes)
    return response.ok
      ? { text, isError: false, next: readNextPage(response.headers.get('link')) }
      : { text: describeProblem(response.status, text), isError: true }
  }
}

function readNextPage(link: string | null): ToolAnswer['next'] {
  const [, url] = /<([^<>]*)>; rel="next"/.exec(link ?? '') ?? []
  return url === undefined ? undefined : Object.fromEntries(new URL(url).searchParams)
}

function toRequest(
  origin: string,
  headers: Headers,
  { method, path, body }: ToolRequest,
  signal: AbortSignal,
): Request {
  const ownHeaders = new Headers(headers)
  if (body !== undefined) ownHeaders.set('content-type', 'application/json')
  return new Request(new URL(`/api/v1${path}`, origin), {
    method,
    headers: ownHeaders,
    signal,
    ...(body === undefined ? {} : { body }),
  })
}

/** Describe an error for a model: its status, its code, what is wrong, and which arguments are. */
function describeProblem(status: number, text: string): string {
  const body = parseJson(text) as
    | { detail?: string; code?: string; error?: string; errors?: { loc?: unknown[]; msg?: string }[] }
    | undefined
  const first = `${[status, body?.code ?? body?.error].filter(Boolean).join(' ')}: ${body?.detail ?? ''}`
  const errors = (body?.errors ?? []).map(({ loc = [], msg }) => `- ${loc.slice(1).join('.')} ${msg ?? ''}`)
  return [first, ...errors].join('\n')
}
