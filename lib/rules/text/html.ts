const namedEntities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const entityByCode: (string | undefined)[] = []
for (const [char, entity] of Object.entries(namedEntities)) entityByCode[char.charCodeAt(0)] = entity

/** Escape a text for HTML content and attributes. A loop over character codes is faster here than a regular expression. */
export function escapeHtml(text: string): string {
  let escaped = ''
  let copiedTo = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const entity = code < entityByCode.length ? entityByCode[code] : undefined
    if (entity === undefined) continue
    escaped += text.slice(copiedTo, index) + entity
    copiedTo = index + 1
  }
  return copiedTo === 0 ? text : escaped + text.slice(copiedTo)
}
