// By their codes: a text is looked through faster than by a regular expression.
const signs: (string | undefined)[] = []
for (const [sign, name] of Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }))
  signs[sign.charCodeAt(0)] = name

/** A text that is nothing but text in HTML, in attributes too. */
export function escapeHtml(text: string): string {
  let made = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const name = code < signs.length ? signs[code] : undefined
    if (name === undefined) continue
    made += text.slice(from, at) + name
    from = at + 1
  }
  return from === 0 ? text : made + text.slice(from)
}
