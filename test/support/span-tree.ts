import { expect } from 'vitest'
import { dashboard, request, type Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import { randomIpAddress, registerUser } from './public-requests.ts'
import type { ReceivedSpan, SpanReceiver } from './span-receiver.ts'

const callerSpan = 'b2'.repeat(8)

/**
 * Request a password reset as a part of a trace. Return its spans, once that of the e-mail has arrived, and
 * the id of the caller's span.
 */
export async function traceReset(service: Service, { spans }: SpanReceiver) {
  const { email } = await registerUser(service)
  // Otherwise the job of this e-mail may send the other one too.
  await dashboard(service).waitForLink(email, /(https:\S+)/)
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const headers = { traceparent: `00-${traceId}-${callerSpan}-01`, 'cf-connecting-ip': randomIpAddress() }
  expectStatus(await request(service, 'POST', '/auth/forgot-password', { body: { email }, headers }), 202)
  const listSpans = () => spans.filter((span) => span.traceId === traceId)
  await expect
    .poll(() => listSpans().map(({ name, kind }) => `${name} ${kind}`), { timeout: 15_000 })
    .toContain('jobs.deliver 5')
  const root = listSpans().find(({ parentSpanId }) => parentSpanId === callerSpan)
  expect(root?.attributes).toEqual([
    { key: 'http.request.method', value: { stringValue: 'POST' } },
    { key: 'http.route', value: { stringValue: '/api/v1/auth/forgot-password' } },
    { key: 'http.response.status_code', value: { intValue: '202' } },
  ])
  return { email, callerSpan, spans: listSpans() }
}

/** Return the names of a span and the spans that it is a part of, the outermost first. */
export function listAncestors(spans: readonly ReceivedSpan[], span: ReceivedSpan | undefined): string[] {
  if (!span) return []
  return [
    ...listAncestors(
      spans,
      spans.find(({ spanId }) => spanId === span.parentSpanId),
    ),
    span.name,
  ]
}
