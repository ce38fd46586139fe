/**
 * A converted JPEG. `unreadable`: the file is not an image that the decoder can read. `failed`: the decoder
 * did not answer.
 */
export type ConversionResult =
  | { ok: true; jpeg: Uint8Array<ArrayBuffer> }
  | { ok: false; reason: 'unreadable' | 'failed' }

/** Quality of the JPEGs that are stored. */
export const jpegQuality = 85
/** A GIF of one pixel, to check that a decoder answers. */
export const smallestGif = Uint8Array.from(
  atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  (char) => char.charCodeAt(0),
)

/** The most objects that one call of `removeFolder` deletes. */
export const maxRemovedObjects = 100

/** The object store. */
export type ObjectsPort = Pick<UploadsPort, 'put' | 'get' | 'remove' | 'removeFolder' | 'pingObjects'>

export interface UploadsPort {
  /**
   * Convert the first frame to a JPEG of quality 85, upright, on white, at most `maxSide` pixels per side.
   * Never enlarges. Throw 503 while too many images of the account, or of all, wait.
   */
  toJpeg(image: Uint8Array<ArrayBuffer>, maxSide: number, accountId: string): Promise<ConversionResult>
  /** Store an object, a JPEG unless `contentType` says otherwise. */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, contentType?: string): Promise<void>
  /** Return the whole object, or null when it does not exist. */
  get(key: string): Promise<Uint8Array<ArrayBuffer> | null>
  remove(key: string): Promise<void>
  /** Delete up to 100 objects whose key starts with `folder` and a slash. Return their number. */
  removeFolder(folder: string): Promise<number>
  /** Throw when the object store does not answer. */
  pingObjects(): Promise<void>
  /** Throw when the decoder does not answer. */
  pingDecoder(): Promise<void>
}
