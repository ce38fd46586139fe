/** The name of the messages that a socket sends. A browser offers it, and must get it back. */
const protocolName = 'support-flow'

/** Return whether a client asks for a WebSocket: https://www.rfc-editor.org/rfc/rfc6455#section-4.2.1 */
export function isSocketRequest({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('upgrade')?.toLowerCase() === 'websocket'
}

function listProtocols({ headers }: Request): string[] {
  return (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim())
}

/**
 * Return the access token that a WebSocket request has as the protocol `bearer.<token>`, in the form of an
 * `Authorization` header. A browser can set no other header. It is not read from the URL, which appears in
 * logs.
 */
export function readSocketAuthorization(request: Request): string | undefined {
  const [, token] =
    /^bearer\.(.+)$/.exec(listProtocols(request).find((name) => name.startsWith('bearer.')) ?? '') ?? []
  return token && isSocketRequest(request) ? `Bearer ${token}` : undefined
}

/**
 * Return the header that selects the protocol of a WebSocket, if the client offers it. The token is never
 * sent back.
 */
export function selectProtocol(request: Request): Record<string, string> {
  return listProtocols(request).includes(protocolName) ? { 'sec-websocket-protocol': protocolName } : {}
}
