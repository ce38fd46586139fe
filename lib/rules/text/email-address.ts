import { toAsciiHostname, toPlainSigns } from './hostname.ts'

const maxInputLength = 1000

/**
 * An e-mail address with an ASCII local part. Its domain may end with the ASCII form of an international
 * top-level domain, such as `xn--p1ai`.
 */
export const emailPattern =
  /^(?!\.)(?![^@]{0,300}\.\.)[A-Za-z0-9_'+.-]{0,319}[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,30}(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9-]{2,59})$/i

/**
 * Remove blanks around an e-mail address and invisible characters, write signs of wide keyboards as ASCII
 * (`＠`, `．`), and an international domain in its ASCII form, as mail servers expect it (RFC 5891):
 * `info@müller.example` becomes `info@xn--mller-kva.example`. Return other texts unchanged.
 */
export function normaliseEmail(text: string): string {
  if (text.length > maxInputLength) return text.trim()
  const address = toPlainSigns(text)
  const at = address.lastIndexOf('@')
  const domain = at < 1 ? null : toAsciiHostname(address.slice(at + 1))
  return domain === null ? text.trim() : `${address.slice(0, at)}@${domain}`
}

/** Return whether the part before the @ has at most 64 octets (RFC 5321, section 4.5.3.1.1). */
export function hasShortLocalPart(address: string): boolean {
  return address.lastIndexOf('@') <= 64
}
