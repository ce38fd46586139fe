const maxHostnameLength = 253
const label = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i

/** Return whether a text is a host name. A dot at the end is not allowed. */
export function isHostname(text: string): boolean {
  return text.length <= maxHostnameLength && text.split('.').every((part) => label.test(part))
}
