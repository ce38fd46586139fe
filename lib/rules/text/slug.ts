const maxSlugLength = 80

/**
 * Return a name as lower-case ASCII words with hyphens between them, for file names and addresses. It is
 * `flow` if no word is left.
 */
export function createSlug(name: string): string {
  const withoutAccents = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = withoutAccents.split(/[^a-z0-9]+/).filter(Boolean)
  return words.join('-').slice(0, maxSlugLength).replace(/-$/, '') || 'flow'
}
