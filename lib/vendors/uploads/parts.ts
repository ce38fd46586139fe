// No encoder writes this many parts. A file of only tiny parts would take a second to read.
export const maxParts = 50_000

/**
 * The structure of an image. `end` is the offset of its last byte plus one; `otherParts` are comments,
 * metadata and trailers.
 */
export interface ImageStructure {
  width: number
  height: number
  end: number
  otherParts: Uint8Array[]
  /** What a decoder keeps of the whole image at once. It is 0 where rows are decoded one after the other. */
  heldBytes: number
}
