import { afterAll, expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { type ReceivedSpan, startSpanReceiver } from '#test/support/span-receiver.ts'
import { listAncestors, traceReset } from '#test/support/span-tree.ts'

const receiver = await startSpanReceiver()
const service = await startOwnService({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
})
afterAll(async () => {
  await service.close()
  receiver.close()
})

it('OBS-08 OBS-22 sends the spans of a request, its statements, its job, the calls of the job and the outcome of the delivery', async () => {
  const { spans, callerSpan, email } = await traceReset(service, receiver)
  const operation = 'identity.credentials.requestPasswordReset'
  const root = spans.find(({ name }) => name === operation)
  expect(root).toMatchObject({ parentSpanId: callerSpan, kind: 2 })
  // The queue calls the job with a request of its own.
  const mail = spans.find(({ name }) => name === 'call mail')
  expect(listAncestors(spans, mail)).toEqual([operation, 'jobs.deliver', 'jobs.deliver', 'call mail'])
  const job = spans.find(({ name, kind }) => name === 'jobs.deliver' && kind === 5)
  expect(job?.events).toMatchObject([
    {
      name: 'attempt',
      attributes: [{ key: 'kind' }, { key: 'outcome', value: { stringValue: 'succeeded' } }],
    },
  ])
  const statements = spans.filter(({ attributes }) => attributes.some(({ key }) => key === 'db.system.name'))
  expect(new Set(statements.map((span) => listAncestors(spans, span)[0]))).toEqual(new Set([operation]))
  for (const span of spans)
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name).toBe(true)
  expect(receiver.calls[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'x-key': 'a b', 'content-type': 'application/json' },
  })
  const sent = receiver.bodies.join('\n')
  for (const personal of [email, 'people.example', '127.0.0.1', '$1', 'where ', 'Bearer'])
    expect(sent.includes(personal), personal).toBe(false)
})

it('OBS-08 a request that a job makes to this process stays in the trace of the job', async () => {
  const { admin } = await createAccount(service)
  const session = await createAiSession(admin)
  const headers = { prefer: 'respond-async' }
  expectStatus(
    await admin.call(
      'POST',
      `/ai-sessions/${session.id}/chat`,
      { message: 'The printer is offline.' },
      headers,
    ),
    202,
  )
  const findJob = () => receiver.spans.find(({ name, kind }) => name === 'jobs.runAiTask' && kind === 5)
  await expect.poll(findJob, { timeout: 30_000 }).toBeDefined()
  const { traceId } = findJob() as ReceivedSpan
  const spans = receiver.spans.filter((span) => span.traceId === traceId)
  const call = spans.find(({ name }) => name === 'call ai')
  expect(listAncestors(spans, call)).toEqual([
    'ai.turns.sendMessage',
    'jobs.runAiTask',
    'jobs.runAiTask',
    'ai.turns.sendMessage',
    'call ai',
  ])
})
