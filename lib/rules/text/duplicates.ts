/** Return whether each text occurs once. */
export const hasNoDuplicates = (texts: readonly string[]): boolean => new Set(texts).size === texts.length
