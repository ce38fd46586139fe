// Far more than any encoder makes; a file of nothing but tiny parts would take a second to walk along.
export const maxParts = 50_000

/** What an image says of itself; `end` is where it is over, `aside` the parts that are no picture: comments, metadata, trailers. */
export interface Walked {
  width: number
  height: number
  end: number
  aside: Uint8Array[]
}
