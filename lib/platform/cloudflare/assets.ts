import { Problem } from '#problem.ts'
import type { AssetsPort } from '#vendors/assets/assets.ts'
import { withTimeout } from '#vendors/net/send-result.ts'

/** The used part of the Worker's binding. */
export interface AssetsBinding {
  fetch(request: Request): Promise<Response>
}

/**
 * Create a reader of static files that uses the Worker's binding. The binding has no time-out; a read ends after
 * `timeoutMs`. Throw 503 while it does not answer.
 */
export function staticAssets(binding: AssetsBinding | undefined, timeoutMs = 5000): AssetsPort {
  const fetchFile = async (fetch: AssetsBinding['fetch'], path: string) => {
    // The binding uses only the path.
    const answer = await fetch(new Request(`https://assets.local/${path}`))
    if (!answer.ok && answer.status !== 404) throw new Error(`The static files answer ${answer.status}`)
    return answer.ok ? answer.arrayBuffer() : null
  }
  return {
    async read(path) {
      const reading = binding && fetchFile((request) => binding.fetch(request), path)
      const bytes =
        reading &&
        (await withTimeout(timeoutMs, reading).catch((cause: unknown) => {
          throw new Problem('unavailable', undefined, { cause, headers: { 'retry-after': '5' } })
        }))
      if (!bytes) throw new Error(`The static asset ${path} is missing`)
      return bytes
    },
    loadHarfBuzz: async () => (await import('./harfbuzz-wasm.ts')).harfBuzz,
    loadResvg: async () => (await import('./resvg-wasm.ts')).resvg,
  }
}
