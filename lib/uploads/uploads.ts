/** What a decoder made of an image: the bytes of a JPEG; or that it is none it can read, or could not be asked. */
export type Converted = { ok: true; jpeg: Uint8Array<ArrayBuffer> } | { ok: false; reason: 'unreadable' | 'failed' }

export interface UploadsPort {
  /** A JPEG of quality 85, upright, on white, its first frame, at most `maxSide` pixels a side and never enlarged. */
  toJpeg(image: Uint8Array<ArrayBuffer>, maxSide: number): Promise<Converted>
  put(key: string, jpeg: Uint8Array<ArrayBuffer>): Promise<void>
  /** Null when there is no such object. */
  get(key: string): Promise<ReadableStream | null>
  remove(key: string): Promise<void>
}
