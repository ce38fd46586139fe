import type { UploadsPort } from './uploads.ts'

/** The used part of an R2 bucket. */
export interface R2Bucket {
  put(key: string, value: Uint8Array, options: { httpMetadata: { contentType: string } }): Promise<unknown>
  get(key: string): Promise<{ body: ReadableStream } | null>
  delete(key: string): Promise<void>
}

/** Create a port that stores objects in R2. */
export function r2Objects(bucket: R2Bucket | undefined): Pick<UploadsPort, 'put' | 'get' | 'remove'> {
  const open = () => {
    if (!bucket) throw new Error('The Worker has no UPLOADS binding')
    return bucket
  }
  return {
    put: async (key, jpeg) => void (await open().put(key, jpeg, { httpMetadata: { contentType: 'image/jpeg' } })),
    get: async (key) => (await open().get(key))?.body ?? null,
    remove: (key) => open().delete(key),
  }
}
