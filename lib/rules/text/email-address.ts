const maxInputLength = 1000
const internationalDomain = /^[\p{L}\p{M}\p{N}.-]+$/u

/**
 * Remove the spaces around an e-mail address and write an international domain in its ASCII form, as mail
 * servers expect it (RFC 5891): `info@müller.example` becomes `info@xn--mller-kva.example`. Return other
 * texts unchanged.
 */
export function normaliseEmail(text: string): string {
  const address = text.trim()
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches ASCII
  const isAscii = /^[\x00-\x7f]*$/.test(domain)
  if (at < 1 || text.length > maxInputLength || isAscii || !internationalDomain.test(domain)) return address
  return URL.canParse(`http://${domain}`)
    ? `${address.slice(0, at)}@${new URL(`http://${domain}`).hostname}`
    : address
}

/** Return whether the part before the @ has at most 64 octets (RFC 5321, section 4.5.3.1.1). */
export function hasShortLocalPart(address: string): boolean {
  return address.lastIndexOf('@') <= 64
}
