import { once } from 'node:events'
import { connect } from 'node:net'
import { Hono } from 'hono'
import type { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import type { Env, Services } from '../../lib/http/app.ts'
import { job, logFailure, mountJobs, runJobMessage } from '../../lib/http/job.ts'
import { limitConcurrency } from '../../lib/limit-concurrency.ts'
import { createConsoleLog, withTraceId } from '../../lib/log.ts'
import { createToolCaller } from '../../lib/mcp/call-operation.ts'
import { renderPrompt } from '../../lib/mcp/prompts.ts'
import { noMetrics } from '../../lib/metrics/metrics.ts'
import { describeFinding, type Finding, runCheck } from '../../lib/ops/doctor.ts'
import { compareObjects, compareTables, selectNewFindings } from '../../lib/ops/drill-compare.ts'
import { postgresQueue } from '../../lib/platform/node/jobs-queue.ts'
import { serveHttp } from '../../lib/platform/node/server.ts'
import { parseNodeConfig } from '../../lib/platform/node/settings.ts'
import type { Problem } from '../../lib/problem.ts'
import { createSharedPorts } from '../../lib/services.ts'
import { settleAll, settleInTurn } from '../../lib/settle-all.ts'
import { createTraceparent, readTraceId, recordSpans, runInTrace } from '../../lib/trace.ts'
import { sampleSettings } from '../support/settings.ts'

describe('the log', () => {
  it('has the trace of the work', () => {
    const lines: unknown[] = []
    const log = withTraceId((line) => lines.push(line))
    log({ a: 1 })
    runInTrace(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, () => log({ a: 2 }))
    expect(lines).toEqual([{ a: 1 }, { a: 2, trace_id: 'a'.repeat(32) }])
  })
  it('names the client that prints a warning, and not what it prints', () => {
    const { warn, error } = console
    onTestFinished(() => void Object.assign(console, { warn, error }))
    const lines: string[] = []
    const log = createConsoleLog((line) => lines.push(line))
    log({ a: 1 })
    console.warn('[Upstash Redis] secret')
    console.error(new Error('secret'))
    console.error('[] secret')
    expect(lines.map((line) => ({ ...JSON.parse(line), at: undefined }))).toEqual([
      { a: 1 },
      { level: 'warn', client: 'Upstash Redis' },
      { level: 'error', client: 'unnamed' },
      { level: 'error', client: 'unnamed' },
    ])
  })
})

describe('the header of a trace', () => {
  const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)]
  it.each([
    [`00-${traceId}-${spanId}-00`, traceId],
    [`fe-${traceId}-${spanId}-01-more`, traceId],
    [`ff-${traceId}-${spanId}-01`, undefined],
    [`00-${'0'.repeat(32)}-${spanId}-01`, undefined],
    [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    [`00-${traceId}-${spanId}`, undefined],
    [`00-${traceId}-${spanId}-01x`, undefined],
    ['', undefined],
    [null, undefined],
  ])('%s names %s', (header, id) => expect(readTraceId(header)).toBe(id))
  it('says whether the trace is recorded', async () => {
    const tracer = (isSampled: boolean) => ({ isSampled: () => isSampled, add: () => {}, flush: async () => {} })
    const read = (isSampled: boolean) => runInTrace(undefined, () => recordSpans(tracer(isSampled), async () => createTraceparent()))
    expect([createTraceparent(), runInTrace(undefined, () => createTraceparent()), await read(true), await read(false)]).toEqual([
      undefined,
      expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      expect.stringMatching(/-01$/),
      expect.stringMatching(/-00$/),
    ])
  })
})

describe('works that are settled', () => {
  it('all end before the first failure is thrown', async () => {
    const ended: number[] = []
    const work = async (n: number) => {
      await new Promise((resolve) => setImmediate(resolve))
      ended.push(n)
      if (n > 1) throw new Error(`failed ${n}`)
    }
    await expect(settleAll([work(1), work(2), work(3)])).rejects.toThrow('failed 2')
    await expect(settleInTurn([1, 2, 3], work)).rejects.toThrow('failed 2')
    await settleAll([work(1)])
    await settleInTurn([1], work)
    expect(ended).toEqual([1, 2, 3, 1, 2, 3, 1, 1])
  })
  it('wait in the order of their calls, and are refused when too many wait', async () => {
    const run = limitConcurrency({ running: 1, waiting: 1 })
    const first = Promise.withResolvers<number>()
    const [one, two] = [run(() => first.promise), run(async () => 2)]
    await expect(run(async () => 3)).rejects.toMatchObject({ kind: 'unavailable' })
    first.resolve(1)
    expect([await one, await two, await run(async () => 4)]).toEqual([1, 2, 4])
  })
})

describe('a job', () => {
  const handled: unknown[] = []
  const jobs = [
    job({
      id: 'a.run',
      path: '/jobs/a/run',
      body: z.strictObject({ id: z.string() }),
      handle: async ({ body }) => void handled.push(body),
    }),
  ]
  const services = {
    ports: { config: { PUBLIC_BASE_URL: 'https://api.example' } },
    metrics: noMetrics,
    log: () => {},
  } as unknown as Services
  const getKind = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: Problem) => error.kind,
    )

  it('runs for its path and its body', async () => {
    expect(await getKind(runJobMessage(services, jobs, '/jobs/a/run', { id: 'x' }))).toBe('done')
    expect(handled).toEqual([{ id: 'x' }])
    expect(await getKind(runJobMessage(services, jobs, '/jobs/b/run', { id: 'x' }))).toBe('not_found')
    expect(await getKind(runJobMessage(services, jobs, '/jobs/a/run', { id: 7 }))).toBe('invalid')
  })
  it.each<[string, Record<string, string>, string, number]>([
    ['without a signature', {}, '{}', 401],
    ['with a wrong signature', { 'upstash-signature': 'x' }, '{}', 401],
    ['with too long a body', { 'upstash-signature': 'x' }, 'x'.repeat(64 * 1024 + 1), 413],
    ['with the longest body', { 'upstash-signature': 'x' }, 'x'.repeat(64 * 1024), 401],
    ['with a declared length that is too long', { 'upstash-signature': 'x', 'content-length': String(64 * 1024 + 1) }, '{}', 413],
  ])('is refused %s', async (_, headers, body, status) => {
    const app = new Hono<Env>()
    app.use((c, next) => {
      c.set('headers', {})
      return next()
    })
    mountJobs(app, jobs, services, ['key'])
    const answer = await app.request('/jobs/a/run', { method: 'POST', headers, body })
    expect([answer.status, handled.length]).toEqual([status, 1])
  })
  it('logs the failure of a part, and throws it', async () => {
    const lines: object[] = []
    const failing = logFailure({ log: (line) => lines.push(line) }, { part: 'x' }, Promise.reject(new TypeError('secret')))
    await expect(failing).rejects.toThrow(TypeError)
    expect(lines).toMatchObject([{ part: 'x', error: { name: 'TypeError' } }])
  })
})

describe('the queue in PostgreSQL', () => {
  const queries: unknown[][] = []
  const pool = {
    query: async (query: { values?: [string] } | string) =>
      void queries.push(typeof query === 'string' ? [query] : JSON.parse(query.values?.[0] ?? '')),
  } as unknown as Pool
  it('stores the first message of each id, and all without one', async () => {
    const message = { path: '/jobs/a/run', body: {} } as const
    await postgresQueue(pool).publish([
      message,
      message,
      { ...message, deduplicationId: 'a', delaySeconds: 5 },
      { ...message, deduplicationId: 'a' },
      { ...message, deduplicationId: 'b' },
    ])
    expect(queries).toEqual([
      [
        ...Array(2).fill({ path: '/jobs/a/run', body: {}, delay_seconds: 0 }),
        { path: '/jobs/a/run', body: {}, delay_seconds: 5, id: 'a' },
        { path: '/jobs/a/run', body: {}, delay_seconds: 0, id: 'b' },
      ],
    ])
    await postgresQueue(pool).publish([])
    expect(queries).toHaveLength(1)
  })
})

describe('the HTTP server', () => {
  it('finishes the effects of requests before it is closed', async () => {
    const effect = Promise.withResolvers<void>()
    let isClosed = false
    const app = {
      fetch: (request: Request, env: unknown, execution: { waitUntil(promise: Promise<unknown>): void }) => {
        execution.waitUntil(Promise.reject(new Error('ignored')))
        execution.waitUntil(effect.promise)
        const { remoteAddress } = (env as { incoming: { socket: { remoteAddress: string } } }).incoming.socket
        return new Response(`${new URL(request.url).pathname} ${remoteAddress}`)
      },
    }
    const server = await serveHttp(app, { port: 0, host: '127.0.0.1' })
    expect(await (await fetch(`http://127.0.0.1:${server.port}/a`)).text()).toBe('/a 127.0.0.1')
    expect(await (await server.fetch(new Request('http://x/b'))).text()).toBe('/b 127.0.0.1')
    const closing = server.close(5000).then(() => {
      isClosed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isClosed).toBe(false)
    effect.resolve()
    await closing
    expect(isClosed).toBe(true)
  })
  it('cuts connections that are open after the time', async () => {
    const server = await serveHttp({ fetch: () => new Promise<Response>(() => {}) }, { port: 0, host: '127.0.0.1' })
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await server.close(1)
    await closed
    expect(socket.destroyed).toBe(true)
  })
})

describe('the MCP server', () => {
  it.each([
    ['unknown', {}, 'There is no prompt unknown'],
    ['diagnose_ticket', {}, 'The prompt needs ticket_id'],
    ['diagnose_ticket', { ticket_id: '' }, 'The prompt needs ticket_id'],
  ])('refuses the prompt %s with %j', (name, values, message) => {
    expect(() => renderPrompt(name, values as Record<string, string>)).toThrow(new RangeError(message))
  })
  it('puts at most 100 characters of an argument into a prompt', () => {
    expect(renderPrompt('diagnose_ticket', { ticket_id: '4711' }).text).toContain('with the ticket 4711.')
    expect(renderPrompt('diagnose_ticket', { ticket_id: 'x'.repeat(101) }).text).toContain(` ${'x'.repeat(100)}.`)
  })
  it.each<[() => Response, object]>([
    [() => new Response('{"a":1}'), { text: '{"a":1}', isError: false }],
    [() => Response.json({ detail: 'Gone', code: 'wrong_state' }, { status: 409 }), { text: '409 wrong_state: Gone', isError: true }],
    [() => Response.json({ error: 'invalid_signature' }, { status: 400 }), { text: '400 invalid_signature: ', isError: true }],
    [() => new Response('no JSON', { status: 502 }), { text: '502: ', isError: true }],
    [
      () => Response.json({ detail: 'No', errors: [{ loc: ['body', 'a', 0], msg: 'must be' }, { loc: ['query'] }, {}] }, { status: 422 }),
      { text: '422: No\n- a.0 must be\n-  \n-  ', isError: true },
    ],
  ])('describes an answer for a model: %#', async (respond, expected) => {
    const c = { req: { raw: new Request('https://api.example/mcp') }, env: {}, executionCtx: {} } as never
    const services = { dispatch: respond, ports: { config: { PUBLIC_BASE_URL: 'https://api.example' } } } as unknown as Services
    const tool = { declaration: {}, operation: { method: 'get', path: '/a' } } as never
    expect(await createToolCaller(c, services, null)(tool, {})).toEqual(expected)
    expect(() => createToolCaller(c, { ...services, dispatch: undefined }, null)).toThrow('not assembled')
  })
})

describe('the commands of the operator', () => {
  const finding: Finding = { name: 'n', remedy: 'r', isWarning: false, problems: [] }
  it('write a warning and a problem with at most ten lines', () => {
    const problems = Array.from({ length: 10 }, (_, n) => `p${n}`)
    const shown = problems.map((problem) => `           ${problem}`)
    expect(describeFinding({ ...finding, isWarning: true, problems })).toEqual(['warning  n: no', ...shown, '           r'])
    expect(describeFinding({ ...finding, problems: [...problems, 'p10'] })).toEqual([
      'PROBLEM  n: no',
      ...shown,
      '           and 1 more',
      '           r',
    ])
  })
  it('say what a finding is about', async () => {
    const client = { query: async () => ({ rows: [{ problem: 'p' }] }) } as never
    const check = { name: 'n', remedy: 'r', sql: 'select' }
    expect(await runCheck(client, check)).toEqual({ ...finding, problems: ['p'] })
    expect(await runCheck(client, { ...check, isWarning: true, isAboutWork: true })).toEqual({
      ...finding,
      isWarning: true,
      isAboutWork: true,
      problems: ['p'],
    })
  })
  it('compare the rows of a restored database with the dump', () => {
    const table = (name: string, rows: number, checksum: string) => ({ name, columns: [], rows, checksum })
    const restored = new Map([
      ['same', { rows: 1, checksum: 'a' }],
      ['changed', { rows: 1, checksum: 'b' }],
      ['lost', { rows: 0, checksum: '' }],
    ])
    expect(
      compareTables([table('same', 1, 'a'), table('changed', 1, 'a'), table('lost', 2, 'a'), table('missing', 0, '')], restored),
    ).toEqual(['changed: the 1 rows differ', 'lost: 0 rows instead of 2', 'missing: the table is missing'])
  })
  it('compare the objects with the rows', () => {
    expect(compareObjects(['a', 'b', 'new'], ['a', 'old'], ['a', 'old', 'new', 'later'])).toEqual({ missing: ['b'], orphaned: ['old'] })
  })
  it('report what only the restored database has', () => {
    const restored = [
      { ...finding, problems: ['p', 'q'] },
      { ...finding, name: 'w', isWarning: true, problems: ['p'] },
      { ...finding, name: 'x', isAboutWork: true as const, problems: ['p'] },
      { ...finding, name: 'y', problems: ['p'] },
    ]
    expect(
      selectNewFindings(
        [
          { ...finding, problems: ['p'] },
          { ...finding, name: 'y', problems: ['p'] },
        ],
        restored,
      ),
    ).toEqual([{ ...finding, problems: ['q'] }])
  })
})

describe('the ports of the settings', () => {
  const open = (changes: Record<string, string | undefined>) =>
    createSharedPorts(parseNodeConfig({ ...sampleSettings, OBJECTS_DIR: 'x', ...changes }))
  it.each([
    [{ GOOGLE_CLIENT_ID: 'g', MICROSOFT_CLIENT_ID: 'm' }, ['google', 'microsoft']],
    [{ GOOGLE_CLIENT_ID: 'g', MICROSOFT_CLIENT_ID: undefined }, ['google']],
    [{ GOOGLE_CLIENT_ID: undefined, MICROSOFT_CLIENT_ID: 'm' }, ['microsoft']],
    [{ GOOGLE_CLIENT_ID: undefined, MICROSOFT_CLIENT_ID: undefined }, []],
  ])('have the identity providers with a client id: %j', (changes, names) => expect(Object.keys(open(changes).identity)).toEqual(names))
  it('call no address of the service itself', async () => {
    const { guard } = open({ PUBLIC_BASE_URL: 'https://api.example.com', FRONTEND_URL: 'https://app.example.com', OUTBOUND_PORTS: '443' })
    for (const url of ['https://api.example.com/x', 'https://app.example.com/'])
      expect(await guard.findRefusal(url, 'saving')).toBe('must not lead to this service')
  })
})
