/** Escape a text for XML, also within an attribute, and remove the characters that XML does not allow. */
export function escapeXml(text: string): string {
  return removeForbiddenXml(text).replace(/[&<>"'\n\r\t]/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Remove the characters that XML 1.0 does not allow: https://www.w3.org/TR/xml/#charsets */
export function removeForbiddenXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
}
