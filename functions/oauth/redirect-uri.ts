/**
 * The schemes of MCP clients that are known by name. No other is registered, also none with a dot (RFC 8252, section
 * 7.1): operating systems have such too, as `microsoft.windows.camera` and `com.apple.tv`. A program without one
 * listens on this machine.
 */
const knownSchemes: ReadonlySet<string> = new Set([
  'claude:',
  'com.raycast:',
  'cursor:',
  'goose:',
  'raycast:',
  'vscode:',
  'vscode-insiders:',
  'warp:',
  'windsurf:',
  'zed:',
])

/**
 * Return whether a client may register an address: https, http on this machine, or the scheme of a known program. It
 * has no fragment and no user name, and is ASCII as a URI is: a header can contain nothing else.
 */
export function isRedirectUri(text: unknown): text is string {
  if (
    typeof text !== 'string' ||
    text.length > 500 ||
    !/^[\x21-\x7e]+$/.test(text) ||
    /[\\#]/.test(text) ||
    !URL.canParse(text)
  )
    return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username || password) return false
  // Without slashes, a browser takes it as a path of the page on which it is.
  if (/^https?:(?!\/\/)/i.test(text)) return false
  if (protocol === 'http:') return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' ? hostname !== '' : knownSchemes.has(protocol)
}

/**
 * Return whether a program has registered an address. One on this machine may have another port, which a native
 * program learns when it starts to listen: https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return registered.some(
    (each) =>
      each === uri || (isLoopback(each) && isRedirectUri(uri) && withoutPort(each) === withoutPort(uri)),
  )
}

const isLoopback = (uri: string) => /^http:/i.test(uri)
const withoutPort = (uri: string) => Object.assign(new URL(uri), { port: '' }).href

/** Add parameters to a redirect address, and leave its own ones. */
export function addParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const added = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return `${uri}${uri.includes('?') ? '&' : '?'}${added}`
}
