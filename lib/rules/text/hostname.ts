const maxHostnameLength = 253
// Windows takes underscores in computer names, and so do names of DNS that are not host names.
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i

/** Return whether a text is a host name. A dot at the end is not allowed. */
export function isHostname(text: string): boolean {
  return text.length <= maxHostnameLength && text.split('.').every((part) => label.test(part))
}

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
