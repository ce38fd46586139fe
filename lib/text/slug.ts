/** A name as part of a file name or address: lower-case ASCII words joined by hyphens, at most 80 characters; `flow` when none are left. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.split(/[^a-z0-9]+/).filter(Boolean)
  return words.join('-').slice(0, 80).replace(/-$/, '') || 'flow'
}
