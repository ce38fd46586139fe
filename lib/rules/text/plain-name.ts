// Invisible characters can hide a link or reverse a text. Joiners stay: some scripts and emoji need them.
const invisible = /(?![\u200c\u200d])[\p{Cf}\p{Cs}]/gu
/** The isolates around values in a sentence of the service (`sentence.ts`) stay where they hide no link. */
const invisibleInSentence = /(?![\u200c\u200d]|[\u2066-\u2069])[\p{Cf}\p{Cs}]/gu
const separators = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu
// The numbers of repetitions are bounded, so that a search takes linear time.
const domain = String.raw`(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}\p{L}{2,63}`
const link = new RegExp(
  String.raw`(?:[a-z][a-z0-9+.-]{0,20}:\/\/|www\.|${domain}(?::\d{1,5})?\/)[^\s\u2066-\u2069]*`,
  'giu',
)
const linkMarker = '[link]'
/** Maximum length of a name, in characters. */
const maxNameLength = 80

/** Remove characters that hide or reverse text. */
export function removeInvisible(text: string): string {
  const visible = text.replace(invisible, '')
  // Joiners alone show nothing.
  return /[^\p{Cf}\s]/u.test(visible) ? visible : ''
}

/**
 * Convert a user's text to one line without control characters, in which each link is replaced by `[link]`.
 */
export function removeLinks(text: string): string {
  return replaceLinks(text.replace(separators, ' '), () => linkMarker).trim()
}

/** Remove what is invisible and replace each link. */
function replaceLinks(text: string, replacer: (found: string) => string): string {
  const replaced = text.replace(invisibleInSentence, '').replace(link, replacer)
  const bare = replaced.replace(invisible, '')
  // A link that runs over an isolate is seen only without it.
  return bare !== replaced && bare.search(link) >= 0 ? bare.replace(link, replacer) : replaced
}

/**
 * Convert the name of a person or an account to one line of at most 80 characters in which no mail client
 * finds a link.
 */
export function toPlainName(name: string): string {
  // `evil.example` becomes `evil example`. Initials such as `J.R.` stay.
  const line = removeLinks(name.slice(0, 1000).replace(invisible, '')).replace(
    /(?<=[\p{L}\p{N}])\.(?=\p{L}{2})/gu,
    ' ',
  )
  const characters = Array.from(line)
  return characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : line
}

/**
 * Write the links of a text so that nobody follows them by accident, but everybody can read them:
 * `https[:]//evil[.]example/`.
 */
export function defuseLinks(text: string): string {
  return replaceLinks(text, (found) => found.replace('://', '[:]//').replace(/\.(?=\p{L}{2})/gu, '[.]'))
}
