import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '#platform/node/server.ts'

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  events: { name: string; attributes: { key: string; value: { stringValue?: string } }[] }[]
  status?: { code: number }
}

/** A receiver of OTLP over HTTP. */
export interface SpanReceiver {
  url: string
  spans: ReceivedSpan[]
  /** The bodies as they came. */
  bodies: string[]
  /** The paths and headers of the calls. */
  calls: { path: string | undefined; headers: NodeJS.Dict<string | string[]> }[]
  /** The status of the next answers. */
  status: number
  close(): void
}

export async function startSpanReceiver(): Promise<SpanReceiver> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    receiver.bodies.push(body)
    receiver.calls.push({ path: request.url, headers: request.headers })
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[]
    }
    if (receiver.status === 200)
      receiver.spans.push(
        ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      )
    response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}')
  })
  const port = await listen(server, 0, '127.0.0.1')
  const receiver: SpanReceiver = {
    url: `http://127.0.0.1:${port}`,
    spans: [],
    bodies: [],
    calls: [],
    status: 200,
    close: () => void server.close(),
  }
  return receiver
}
