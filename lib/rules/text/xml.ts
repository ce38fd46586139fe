/** Escape a text for XML, also within an attribute, and remove the characters that XML does not allow. */
export function escapeXml(text: string): string {
  return removeForbiddenXml(text).replace(/[&<>"'\n\r\t]/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Remove the characters that XML 1.0 does not allow: https://www.w3.org/TR/xml/#charsets */
export function removeForbiddenXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
}

// A start or end tag takes about 1 µs with the objects that are built from it, an attribute 200 ns, and a
// character up to 50 ns.
const stepsPerTag = 125
const stepsPerAttribute = 20
const stepsPerCharacter = 5
// Bytes of memory of the objects of a tag and of an attribute, with their texts.
const [tagBytes, attributeBytes] = [150, 100]

/** The attributes that a tag may have. Those of one tag are in memory together, and slow to find. */
export const maxAttributes = 1000

/** Return how many tags and attributes XML or HTML has at most. Counting takes little time, parsing most of it. */
function countParts(markup: string): { tags: number; attributes: number } {
  let tags = 0
  let attributes = 0
  for (let start = markup.indexOf('<'); start >= 0; start = markup.indexOf('<', start + 1)) {
    tags++
    for (let at = start + 1; at < markup.length; at++) {
      const code = markup.charCodeAt(at)
      if (code === 0x3c || code === 0x3e) break
      if (code === 0x3d) attributes++
    }
  }
  return { tags, attributes }
}

/** Return how many steps of work it takes to parse XML or HTML, and how many bytes of memory its tree takes. */
export function countMarkup(markup: string): { steps: number; bytes: number } {
  const { tags, attributes } = countParts(markup)
  return {
    steps: tags * stepsPerTag + attributes * stepsPerAttribute + markup.length * stepsPerCharacter,
    bytes: tags * tagBytes + attributes * attributeBytes + markup.length,
  }
}

export const countMarkupSteps = (markup: string): number => countMarkup(markup).steps

/** Steps and bytes of memory of a sign at which the parser of XML appends to the value that it reads. */
const [stepsPerPiece, pieceBytes] = [20, 50]

/**
 * Return what the signs cost at which the parser of XML appends to the value that it reads: a line break or tab
 * in an attribute, a reference, and the signs that may end a comment, character data or an instruction. It
 * keeps a piece of text for each, so a value of such signs takes fifty times its length.
 */
export function countXmlPieces(xml: string): { steps: number; bytes: number } {
  let pieces = 0
  /** The sign that may end what is read: 0 in a text, `>` in a tag, and a quote in an attribute. */
  let end = 0
  /** Count the sign with which a part may end, and return the end of the part. */
  const countUpTo = (closing: string, start: number) => {
    const found = xml.indexOf(closing, start)
    const last = found < 0 ? xml.length : found
    const sign = closing.charCodeAt(0)
    for (let at = start; at < last; at++) if (xml.charCodeAt(at) === sign) pieces++
    return last + closing.length - 1
  }
  for (let at = 0; at < xml.length; at++) {
    const code = xml.charCodeAt(at)
    if (end === 0) {
      if (code === ampersand) pieces++
      if (code !== lessThan) continue
      if (xml.startsWith('!--', at + 1)) at = countUpTo('-->', at + 4)
      else if (xml.startsWith('![CDATA[', at + 1)) at = countUpTo(']]>', at + 9)
      else if (xml.startsWith('?', at + 1)) at = countUpTo('?>', at + 2)
      else end = greaterThan
    } else if (end === greaterThan) {
      if (code === greaterThan) end = 0
      else if (code === quote || code === apostrophe) end = code
    } else if (code === end) end = greaterThan
    else if (code === ampersand || code === tab || code === lineFeed) pieces++
  }
  return { steps: pieces * stepsPerPiece, bytes: pieces * pieceBytes }
}

const [tab, lineFeed, quote, ampersand, apostrophe, lessThan, greaterThan] = [9, 10, 34, 38, 39, 60, 62]
