import { withTimeout } from '#vendors/net/send-result.ts'
import { maxRemovedObjects, type ObjectsPort } from '#vendors/uploads/uploads.ts'

/** The used part of an R2 bucket. */
export interface R2Bucket {
  put(key: string, value: Uint8Array, options: { httpMetadata: { contentType: string } }): Promise<unknown>
  get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>
  head(key: string): Promise<unknown>
  delete(keys: string | string[]): Promise<void>
  list(options: { prefix: string; limit: number }): Promise<{ objects: { key: string }[] }>
}

/**
 * Create a port that stores objects in R2. The binding has no time-out; each call ends after `timeoutMs`, a
 * read with its whole body.
 */
export function r2Objects(bucket: R2Bucket | undefined, timeoutMs: number): ObjectsPort {
  const call = async <T>(work: (bucket: R2Bucket) => Promise<T>): Promise<T> => {
    if (!bucket) throw new Error('The Worker has no UPLOADS binding')
    return withTimeout(timeoutMs, work(bucket))
  }
  return {
    put: async (key, bytes, contentType = 'image/jpeg') =>
      void (await call((r2) => r2.put(key, bytes, { httpMetadata: { contentType } }))),
    // The body is read here: a stream that stalls after the response has started could no longer be answered
    // with an error.
    get: (key) =>
      call(async (r2) => {
        const object = await r2.get(key)
        return object && new Uint8Array(await object.arrayBuffer())
      }),
    remove: (key) => call((r2) => r2.delete(key)),
    // One call deletes up to 1000 keys:
    // https://developers.cloudflare.com/r2/api/workers/workers-api-reference/#bucket-method-definitions
    removeFolder: (folder) =>
      call(async (r2) => {
        const { objects } = await r2.list({ prefix: `${folder}/`, limit: maxRemovedObjects })
        if (objects.length > 0) await r2.delete(objects.map(({ key }) => key))
        return objects.length
      }),
    pingObjects: async () => void (await call((r2) => r2.head('ready'))),
  }
}
