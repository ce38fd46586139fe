import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '#platform/node/server.ts'

export interface VendorRequest {
  method: string
  /** With the query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
}
export interface VendorAnswer {
  status?: number
  headers?: Record<string, string>
  /** JSON, or a text as it is. */
  body?: unknown
}

/** Start a server that answers as the test says, for what no local emulator answers. */
export async function startVendorServer() {
  const vendor = {
    requests: [] as VendorRequest[],
    /** Return the answer to a request, or null to break the connection. */
    answer: (_request: VendorRequest): VendorAnswer | null | Promise<VendorAnswer> => ({}),
  }
  const server = createServer(async (incoming, response) => {
    const request = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: await text(incoming),
    }
    vendor.requests.push(request)
    const answer = await vendor.answer(request)
    if (!answer) return void response.destroy()
    const { status = 200, headers = {}, body = '' } = answer
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const origin = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return Object.assign(vendor, { origin, close })
}

/** Answers by method and path without the query. A function sees the request; the first key that fits counts. */
export type Answers = Record<string, VendorAnswer | ((request: VendorRequest) => VendorAnswer)>

/** Answer by `GET /path`, where `*` is any text. What no key fits is 404. */
export function answerBy(answers: Answers) {
  const patterns = Object.entries(answers).map(
    ([key, answer]) =>
      [new RegExp(`^${key.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`), answer] as const,
  )
  return (request: VendorRequest): VendorAnswer => {
    const call = `${request.method} ${request.path.split('?')[0]}`
    const [, answer] = patterns.find(([pattern]) => pattern.test(call)) ?? []
    return typeof answer === 'function' ? answer(request) : (answer ?? { status: 404 })
  }
}
