/** The part of Hono's context that holds the headers of the response, by lower-case name. */
interface ResponseContext {
  get(key: 'headers'): Record<string, string>
}

export type ResponseBody = string | ReadableStream | Uint8Array<ArrayBuffer> | null

// The headers of a response are collected in a plain record. A `Headers` object that is built header by
// header takes several times as long, and so does changing the headers of a finished response.

export function setHeader(c: ResponseContext, name: Lowercase<string>, value: string): void {
  c.get('headers')[name] = value
}

/** A text below this many characters fits into a packet or two, so nobody compresses it. */
const shortLength = 1024
const shortResponses = new WeakSet<Response>()

/** Whether a response has a short text, or none, without a look at its headers, which would make objects of them. */
export const isShort = (response: Response): boolean => shortResponses.has(response)

/** Create the response with the headers that were set. */
export function respond(c: ResponseContext, body: ResponseBody, status: number): Response {
  const response = new Response(body, { status, headers: c.get('headers') })
  if (body === null || (typeof body === 'string' && body.length < shortLength)) shortResponses.add(response)
  return response
}

/** Create a response whose body is JSON text. */
export function respondJson(c: ResponseContext, text: string, status: number): Response {
  setHeader(c, 'content-type', 'application/json; charset=utf-8')
  return respond(c, text, status)
}

export function redirect(c: ResponseContext, location: string, status: 303 | 308): Response {
  setHeader(c, 'location', location)
  return respond(c, null, status)
}
