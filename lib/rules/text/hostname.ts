const maxHostnameLength = 253
// Windows takes underscores in computer names, and so do names of DNS that are not host names.
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i

/** Return whether a text is a host name. A dot at the end is not allowed. */
export function isHostname(text: string): boolean {
  return text.length <= maxHostnameLength && text.split('.').every((part) => label.test(part))
}
