/** Escape a text for XML, also within an attribute, and remove the characters that XML does not allow. */
export function escapeXml(text: string): string {
  return removeForbiddenXml(text).replace(/[&<>"'\n\r\t]/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Remove the characters that XML 1.0 does not allow: https://www.w3.org/TR/xml/#charsets */
export function removeForbiddenXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
}

// A start or end tag takes about 1 µs with the objects that are built from it, a character up to 50 ns.
const stepsPerTag = 125
const stepsPerCharacter = 5

/**
 * Return how many steps of work it takes to parse XML or HTML. Counting its tags takes little time, parsing
 * them most of it.
 */
export function countMarkupSteps(markup: string): number {
  let tags = 0
  for (let index = markup.indexOf('<'); index >= 0; index = markup.indexOf('<', index + 1)) tags++
  return tags * stepsPerTag + markup.length * stepsPerCharacter
}
