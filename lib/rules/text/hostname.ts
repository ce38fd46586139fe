const maxHostnameLength = 253
// Windows takes underscores in computer names, and so do names of DNS that are not host names.
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i

/** Letters of any script, and the dots that their keyboards type. */
const internationalName = /^[\p{L}\p{M}\p{N}._。．｡-]+$/u

/** Return a host name in its ASCII form (RFC 5891), or null for a text that is none. ASCII stays as it is. */
export function toAsciiHostname(text: string): string | null {
  if (text.length > maxHostnameLength || !internationalName.test(text)) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : null
}

/** Return whether a text is a host name, of letters of any script. A dot at the end is not allowed. */
export function isHostname(text: string): boolean {
  const name = toAsciiHostname(text)
  return (
    name !== null && name.length <= maxHostnameLength && name.split('.').every((part) => label.test(part))
  )
}

/** Write the signs of wide keyboards as ASCII, without blanks around. Letters of other scripts stay. */
export const toPlainSigns = (text: string): string =>
  text
    .replace(/\p{DI}/gu, '')
    .normalize('NFKC')
    .trim()

/** Write the signs of wide keyboards in a host name as ASCII, its dots too. */
export const normaliseHostname = (text: string): string => toPlainSigns(text).replaceAll('。', '.')

/**
 * Return whether a text contains a domain, alone or as the end of a longer name. `domain` is in small
 * letters.
 */
export function containsDomain(text: string, domain: string): boolean {
  const folded = text.toLowerCase()
  for (let at = folded.indexOf(domain); at >= 0; at = folded.indexOf(domain, at + 1)) {
    const after = folded.slice(at + domain.length, at + domain.length + 2)
    if (!/[a-z0-9-]/.test(folded[at - 1] ?? '') && !/^(?:[a-z0-9-]|\.[a-z0-9])/.test(after)) return true
  }
  return false
}
