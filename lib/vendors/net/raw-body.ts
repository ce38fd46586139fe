/** A request body before parsing, with its headers: what a signature is computed over. */
export interface RawBody {
  bytes: Uint8Array<ArrayBuffer>
  headers: Headers
}
