const label = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i

/** Whether a text is a host name, without a dot at its end. */
export function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => label.test(part))
}
