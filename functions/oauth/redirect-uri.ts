// Schemes that run or show something in the browser instead of opening a program.
const refusedSchemes =
  /^(?:javascript|data|vbscript|file|about|blob|filesystem|view-source|ws|wss|ftp|mailto|tel|intent):$/

/**
 * Return whether a client may register an address: https, http on this machine, or a scheme of its own
 * program (https://www.rfc-editor.org/rfc/rfc8252#section-7). No fragment, no user name, and ASCII as in a
 * URI: a header can contain nothing else.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > 500 || !/^[\x21-\x7e]+$/.test(text) || /[\\#]/.test(text) || !URL.canParse(text))
    return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username || password || refusedSchemes.test(protocol)) return false
  // Without slashes, a browser takes it as a path of the page on which it is.
  if (/^https?:(?!\/\/)/i.test(text)) return false
  if (protocol === 'http:') return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' ? hostname !== '' : /^[a-z][a-z0-9+.-]{2,}:$/.test(protocol)
}

/** Add parameters to a redirect address, and leave its own ones. */
export function addParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const added = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return `${uri}${uri.includes('?') ? '&' : '?'}${added}`
}
