import { ApiError, createClient } from '#client/client.ts'
import type { Print } from './client.ts'
import { TourError } from './expectations.ts'
import { formatRequest } from './print.ts'

/** A deployed service. */
export interface SmokeTarget {
  /** Origin, without a slash at the end. */
  api: string
  /** `READY_TOKEN` of the service, with which `/ready` names what fails. */
  readyToken?: string | undefined
  /** An API key with the scope `flows:write`. Without it, only what needs no sign-in is tried. */
  apiKey?: string | undefined
}

const timeoutMs = 15_000

/**
 * Try a deployed service with a few requests that leave nothing behind. Throw a TourError at the first
 * unexpected response.
 */
export async function playSmokeTest(target: SmokeTarget, print: Print): Promise<void> {
  const read = (path: string, status: number, headers: Record<string, string> = {}) =>
    readExpected(target.api + path, { status, headers, print })
  await read('/health', 200)
  const ready = await read(
    '/ready',
    200,
    target.readyToken ? { authorization: `Bearer ${target.readyToken}` } : {},
  )
  if (target.readyToken && !ready.includes('"checks"'))
    throw new TourError('GET /ready shows no checks: READY_TOKEN is not that of the service')
  if (!ready.includes('"status":"ok"'))
    throw new TourError(`GET /ready says that a dependency does not answer: ${ready.slice(0, 300)}`)
  await read('/docs/', 200)
  await read('/openapi.json', 200)
  await read('/api/v1/plans/public', 200)
  await read('/api/v1/auth/me', 401)
  if (target.apiKey) await writeFlow(target.api, target.apiKey, print)
  else print('Without SMOKE_API_KEY nothing that needs a sign-in was tried.')
}

async function readExpected(
  url: string,
  { status, headers, print }: { status: number; headers: Record<string, string>; print: Print },
): Promise<string> {
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: unknown) => {
      throw new TourError(`GET ${url} got no response: ${String((error as Error).cause ?? error)}`)
    },
  )
  const text = await response.text()
  const { pathname } = new URL(url)
  print(formatRequest('GET', pathname, response.status, text.slice(0, 200)))
  if (response.status !== status)
    throw new TourError(
      `GET ${pathname} returned ${response.status}, expected ${status}: ${text.slice(0, 300)}`,
    )
  return text
}

/** Create a draft, read it, find it in the list, and delete it. */
async function writeFlow(baseUrl: string, apiKey: string, print: Print): Promise<void> {
  const client = createClient({ baseUrl, apiKey })
  const name = `Smoke test ${crypto.randomUUID()}`
  const flow = await client.flows.trees
    .create({ name, tree_type: 'troubleshooting', status: 'draft', tree_structure: null })
    .catch((error: unknown) => {
      throw error instanceof ApiError && [401, 403].includes(error.status)
        ? new TourError(
            `SMOKE_API_KEY must be a key of this service with the scope flows:write: ${error.message}`,
          )
        : error
    })
  print(formatRequest('POST', '/trees', 201, { id: flow.id }))
  try {
    const [listed] = await client.flows.trees.list({ search: name, limit: 1 })
    print(formatRequest('GET', '/trees', 200, { id: listed?.id }))
    if (listed?.id !== flow.id) throw new TourError('The new draft is not in the list of flows')
  } finally {
    await client.flows.trees.delete({ tree_id: flow.id })
    print(formatRequest('DELETE', `/trees/${flow.id}`, 204, undefined))
  }
}
