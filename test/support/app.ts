import { request as httpRequest } from 'node:http'
import pg from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
import openapi from '../../functions/openapi.json' with { type: 'json' }
import { createAccessTokens } from '../../lib/auth/tokens.ts'
import { parseConfig } from '../../lib/config.ts'
import { clusterAt } from '../../lib/local/postgres.ts'
import { type Stack, startStack } from '../../lib/local/stack.ts'
import { expectStatus } from './answers.ts'
import { patient, templateDatabase } from './setup.ts'

/** A service under test: the shared one, or one of a file's own with its own database, faults and clock. */
export interface Service {
  api: string
  local: string
  settings: Record<string, string>
  /** As the owner of the database; a statement that is asked often is planned once when it has a name. */
  sql: <Row extends pg.QueryResultRow>(text: string, values?: unknown[], name?: string) => Promise<Row[]>
}

const pools = new Map<string, pg.Pool>()
// Tables are empty when a statement is planned and full when it is asked again: by index, planned once.
const planning = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan'

function serviceAt(api: string, local: string, ownerUrl: string, settings: Record<string, string>): Service {
  const sql = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = [], name?: string) => {
    const pool = pools.get(ownerUrl) ?? new pg.Pool({ connectionString: ownerUrl, max: 4, allowExitOnIdle: true, options: planning })
    pools.set(ownerUrl, pool)
    return (await pool.query<Row>({ text, values, ...(name ? { name } : {}) })).rows
  }
  return { api, local, settings, sql }
}

export function shared(): Service {
  const { api, local, ownerUrl, settings } = inject('shared')
  return serviceAt(api, local, ownerUrl, settings)
}

let stacks = 0

/** A whole service of one file's own, for faults and clocks that would disturb others. Close it in afterAll. */
export async function ownService(
  settings: Record<string, string | undefined> = {},
  { hub = true } = {},
): Promise<Service & { stack: Stack; log: string[]; close(): Promise<void> }> {
  const database = `flow_${process.pid}_${++stacks}`
  const log: string[] = []
  const cluster = clusterAt(inject('shared').postgresPort)
  const stack = await startStack({
    cluster,
    database,
    template: templateDatabase,
    port: 0,
    localPort: 0,
    settings: { ...patient, ...settings },
    hub,
    onLog: (line) => log.push(line),
  })
  const service = serviceAt(stack.api, stack.local.origin, stack.ownerUrl, stack.settings)
  const close = async () => {
    await pools.get(stack.ownerUrl)?.end()
    pools.delete(stack.ownerUrl)
    await stack.close()
  }
  return { ...service, stack, log, close }
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects of a body
  body: any
  text: string
}

interface Call {
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
  token?: string | null
}

/** One request to /api/v1; holds the answer's status to the document. */
export async function request(
  service: Pick<Service, 'api'>,
  method: string,
  path: string,
  { body, raw, headers = {}, token }: Call = {},
): Promise<Answer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${service.api}/api/v1${path}`, {
    method,
    headers: {
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...bearer(token),
      ...headers,
    },
    body: (content as RequestInit['body']) ?? null,
    redirect: 'manual',
  })
  const text = await textOf(method, response)
  const declared = statusesOf(method, path)
  if (declared)
    expect(declared, `${method} ${path} answered ${response.status}, which it does not declare: ${text}`).toContain(String(response.status))
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : null, text }
}

export function bearer(token: string | null | undefined): Record<string, string> {
  return token ? { authorization: `Bearer ${token}` } : {}
}

/** Announces a body of so many bytes and sends none of it: who refuses one unread closes the connection under a client that writes. */
export function announce(url: string, method: string, size: number, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, {
      method: method.toUpperCase(),
      agent: false,
      headers: { 'content-type': 'application/json', ...headers, 'content-length': String(size) },
    })
    sent.once('error', reject)
    sent.once('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      sent.removeAllListeners('error').on('error', () => {})
      sent.destroy()
      const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string])
      const json = response.headers['content-type']?.includes('json') && text
      resolve({ status: response.statusCode ?? 0, headers: new Headers(pairs), body: json ? JSON.parse(text) : null, text })
    })
    sent.flushHeaders()
  })
}

/** An answer's text; of events that a GET opens, which have no end, what comes first. */
export async function textOf(method: string, response: Response): Promise<string> {
  if (method !== 'GET' || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

type Documented = Record<string, Record<string, { responses: Record<string, unknown> }>>
const documented = Object.entries((openapi as unknown as { paths: Documented }).paths ?? {}).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  // A path without parameters is meant before one with.
  rank: path.includes('{') ? 1 : 0,
  methods,
}))
documented.sort((a, b) => a.rank - b.rank)

function statusesOf(method: string, path: string): string[] | undefined {
  const bare = `/api/v1${path.split('?')[0]}`
  const found = documented.find(({ pattern, methods }) => pattern.test(bare) && methods[method.toLowerCase()])
  return found && Object.keys(found.methods[method.toLowerCase()]?.responses ?? {})
}

const signers = new Map<string, ReturnType<typeof createAccessTokens>>()

export async function signAccessToken(
  { settings }: Service,
  caller: { userId: string; accountId: string; signInId: string },
): Promise<string> {
  const keys = settings.JWT_KEYS ?? ''
  const signer = signers.get(keys) ?? createAccessTokens(parseConfig(settings).JWT_KEYS)
  signers.set(keys, signer)
  return signer.sign(caller)
}

/** Levers of the local desk. */
export function desk(service: Pick<Service, 'local'>) {
  const send = (method: string, path: string, body?: unknown) =>
    fetch(service.local + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
  return {
    read: async (name: 'mail' | 'chat' | 'queue' | 'analytics' | 'redirect' | 'psa' | 'ai'): Promise<Answer['body'][]> =>
      (await fetch(`${service.local}/desk/${name}`)).json() as Promise<Answer['body'][]>,
    /** What a pattern captures in the newest mail to an address, once there is one that captures something other than `before`. */
    async linkIn(email: string, pattern: RegExp, before = ''): Promise<string> {
      const newest = async () => {
        const mails = (await (await fetch(`${service.local}/desk/mail`)).json()) as { to: string[]; text: string }[]
        const found = mails.filter(({ to }) => to.includes(email)).map(({ text }) => pattern.exec(text)?.[1])
        return found.find((link) => link) ?? ''
      }
      await expect.poll(newest, { timeout: 10_000 }).not.toBe(before)
      return newest()
    },
    empty: (name: string) => send('DELETE', `/desk/${name}`),
    fault: async (fault: { service: string; mode: string; times?: number; delay_ms?: number }) => {
      expectStatus(await send('POST', '/desk/faults', fault), 201)
      // The service may have gone by then.
      onTestFinished(async () => void (await send('DELETE', '/desk/faults').catch(() => undefined)))
    },
    lift: () => send('DELETE', '/desk/faults'),
    advance: async (seconds: number) => expectStatus(await send('POST', '/desk/clock', { advance_seconds: seconds }), 200),
  }
}
