import { afterAll, expect, it } from 'vitest'
import { type RecordKeys, verifyRecord } from '#client/client.ts'
import { downloadWithoutLastPart } from '#test/support/account-exports.ts'
import { createAiSession } from '#test/support/ai.ts'
import { createKey } from '#test/support/api-keys.ts'
import { authorizationHeader, dashboard, request, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { flowBody } from '#test/support/flows.ts'
import { callTool, connectMcp } from '#test/support/mcp.ts'
import { connectWithOAuth, obtainCode, postOAuth } from '#test/support/mcp-oauth.ts'
import { callToolWithFixture, toolCases } from '#test/support/mcp-tools.ts'
import { fetchMetrics } from '#test/support/metrics.ts'
import { night } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'
import { startSpanReceiver } from '#test/support/span-receiver.ts'
import { listAncestors, traceReset } from '#test/support/span-tree.ts'
import { traceResetMail } from '#test/support/traces.ts'

const receiver = await startSpanReceiver()
const service = await startOwnService(
  { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  { platform: 'cloudflare' },
)
afterAll(async () => {
  await service.close()
  receiver.close()
})

it('NOT-56 returns the facts of a limit, which the Worker reads from the error of the database', async () => {
  const { admin } = await createAccount(service)
  await service.sql(
    `insert into notification_configs (account_id, channel, email_addresses, events_enabled)
     select $1, 'email', '["oncall@northwind.example"]', '[]' from generate_series(1, 10)`,
    [admin.accountId],
  )
  const config = { channel: 'email', email_addresses: ['oncall@northwind.example'], events_enabled: [] }
  const response = await admin.call('POST', '/notifications/configs', config)
  expect([response.status, response.body]).toEqual([
    409,
    {
      detail: 'The account has reached its limit of 10 notification configs',
      code: 'limit_reached',
      resource: 'notification_configs',
      used: 10,
      limit: 10,
    },
  ])
})

it('KEY-02 KEY-06 the Worker admits a key for a read and in a transaction, names the scope that it lacks, and reads mapped addresses', async () => {
  const account = await createAccount(service)
  const key = await createKey(service, account, { scopes: ['flows:write'] })
  expectStatus(await key.call('GET', '/trees'), 200)
  expectStatus(await key.call('POST', '/trees', flowBody(), { 'idempotency-key': 'one' }), 201)
  expect(expectStatus(await key.call('GET', '/sessions'), 403).body).toMatchObject({
    required_scope: 'sessions:read',
  })
  const bound = await createKey(service, account, { allowed_ranges: ['203.0.113.64/26'] })
  const callFrom = async (address: string) =>
    (await bound.call('GET', '/trees', undefined, { 'cf-connecting-ip': address })).status
  expect([await callFrom('::ffff:203.0.113.70'), await callFrom('::ffff:203.0.113.7')]).toEqual([200, 403])
  await expect
    .poll(async () => (await account.admin.call('GET', '/api-keys')).body[1].last_used_at)
    .not.toBeNull()
})

it('REC-02 REC-05 the Worker signs a record that its public keys verify', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  const signed = await admin.client.ai.records.get({ session_id: id })
  const keys = (await (await fetch(`${service.api}/.well-known/jwks.json`)).json()) as RecordKeys
  expect(await verifyRecord(signed, keys)).toMatchObject({ kind: 'ai_session', id })
})

it('MCP-01 MCP-02 the Worker lists every tool and answers a valid request of each', night, async () => {
  const { client } = await connectAsKey()
  expect((await client.listTools()).tools).toHaveLength(toolCases.length)
  for (const [name, tool, op] of toolCases) {
    const { isError, text } = await callToolWithFixture(service, tool, op)
    expect([name, isError ? text : '']).toEqual([name, ''])
  }
})

it('MCP-09 MCP-12 the Worker serves the flow of the official client, and ends a grant whose code is used again', async () => {
  const { admin } = await createAccount(service)
  const client = await connectWithOAuth(service, admin, ['flows:read'])
  expect((await callTool(client, 'search_flows', { search: 'vpn' })).isError).toBe(false)
  const exchange = await obtainCode(service, admin)
  const { body } = expectStatus(await postOAuth(service, '/oauth/token', exchange), 200)
  await connectMcp(service, body.access_token)
  expect((await postOAuth(service, '/oauth/token', exchange)).body.error).toBe('invalid_grant')
  await expect(connectMcp(service, body.access_token)).rejects.toThrow()
})

async function connectAsKey() {
  const key = await createKey(service, await createAccount(service))
  return { client: await connectMcp(service, key.key) }
}

it('NOT-60 unsubscribes with the link of an e-mail that the Worker has sent', async () => {
  const { admin } = await createAccount(service)
  const address = `s-${crypto.randomUUID()}@strangers.example`
  const config = { channel: 'email', email_addresses: [address], events_enabled: [] }
  const { body } = expectStatus(await admin.call('POST', '/notifications/configs', config), 201)
  const test = async () =>
    (await admin.call('POST', '/notifications/configs/test', { config_id: body.id })).body.success
  expect(await test()).toBe(true)
  const path = await dashboard(service).waitForLink(address, /api\/v1(\/unsubscribe\/\S+)/)
  expectStatus(await request(service, 'POST', path, { raw: 'List-Unsubscribe=One-Click' }), 200)
  expect(await test()).toBe(false)
})

it('AIT-06 the Worker keeps the answer for a caller who leaves before it', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  await dashboard(service).setFault({ service: 'openai', mode: 'slow', delay_ms: 2500, times: 1 })
  const leaving = new AbortController()
  const request = fetch(`${service.api}/api/v1/ai-sessions/${id}/chat`, {
    method: 'POST',
    body: JSON.stringify({ message: 'The printer is offline.' }),
    headers: { 'content-type': 'application/json', ...authorizationHeader(admin.token) },
    signal: leaving.signal,
  }).then((response) => response.text())
  setTimeout(() => leaving.abort(), 100)
  await expect(request).rejects.toThrow()
  const readTasks = async () => (await admin.call('GET', '/ai/tasks')).body
  await expect.poll(async () => (await readTasks())[0]?.state, { timeout: 60_000 }).toBe('finished')
  const { response } = (await admin.call('GET', `/ai/tasks/${(await readTasks())[0].id}`)).body
  expect(response.message).toMatchObject({ role: 'assistant', content: expect.any(String) })
})

it('OBS-02 OBS-06 the Worker answers with a dataset for its metrics, and has no path that shows them', async () => {
  expect((await fetch(`${service.api}/health`)).status).toBe(200)
  expect((await fetchMetrics(service)).status).toBe(404)
})

it('OBS-08 OBS-10 the Worker sends the spans of a request, and those of the job that it leads to', async () => {
  const { spans, callerSpan } = await traceReset(service, receiver)
  const operation = 'identity.credentials.requestPasswordReset'
  expect(spans.find(({ name }) => name === operation)).toMatchObject({ parentSpanId: callerSpan })
  expect(
    spans.filter(({ name }) => /^EVAL/.test(name)).map((span) => listAncestors(spans, span)[0]),
  ).toContain(operation)
  const mail = spans.find(({ name }) => name === 'call mail')
  expect(listAncestors(spans, mail)).toEqual([operation, 'jobs.deliver', 'jobs.deliver', 'call mail'])
})

it('OBS-01 the Worker continues the trace of the caller in its log, its jobs and its e-mails', async () => {
  expect(await traceResetMail(service)).toEqual({
    logged: ['identity.credentials.requestPasswordReset', 'jobs.deliver'],
    mails: ['Reset your password'],
  })
})

it('the clock moves although the Node entry has left a job in the same database', async () => {
  await service.stack.superuser.run((client) => client.query(`select graphile_worker.add_job('message')`))
  const move = fetch(`${service.localOrigin}/desk/clock`, {
    method: 'DELETE',
    signal: AbortSignal.timeout(10_000),
  })
  expect(await (await move).json()).toMatchObject({ offset_seconds: 0 })
})

it('DAT-18 breaks the transfer in the Worker when a part of the archive is lost', async () => {
  const { admin } = await createAccount(service)
  expect(await downloadWithoutLastPart(service, admin)).toBeInstanceOf(Error)
})
