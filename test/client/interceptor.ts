import type { Service } from '#test/support/app.ts'

type Send = (request: Request) => Promise<Response>
/** Answers a request in place of the service. Undefined lets it pass. */
export type Intercept = (
  request: Request,
  index: number,
) => Response | undefined | Promise<Response | undefined>

/**
 * Return a `fetch` that records each request, and sends those to the service that `intercept` does not
 * answer.
 */
export function createInterceptor(service: Pick<Service, 'fetch'>, intercept: Intercept = () => undefined) {
  const requests: Request[] = []
  const sendRequest: Send = service.fetch ?? fetch
  return {
    requests,
    countCalls: (path: string) => requests.filter(({ url }) => new URL(url).pathname.endsWith(path)).length,
    fetch: async (request: Request) => {
      requests.push(request.clone())
      return (await intercept(request, requests.length - 1)) ?? sendRequest(request)
    },
  }
}

/** Return a `wait` that takes no time and records the milliseconds. */
export function recordWaits() {
  const waits: number[] = []
  const wait = async (ms: number, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    waits.push(ms)
  }
  return { waits, wait }
}
