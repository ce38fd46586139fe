// Composes patterns for a line of arguments. `a.*b` takes quadratic time where `a` repeats; these are linear.

/**
 * Return a pattern for a line that has these parts in their order, such as `push … --force`.
 * Each but the last matches in one way: `[^\WR]*R`, not `\w*R`.
 */
export function inOrder(...parts: readonly RegExp[]): RegExp {
  const source = parts.reduceRight((rest, { source }, index) => {
    const toFirst = index === 0 ? `^(?:(?!${source}).)*` : `(?:(?!${source}).)*`
    return `${toFirst}(?:${source})${rest}`
  }, '')
  return new RegExp(source, `${parts[0]?.flags}m`)
}

/** Return a pattern for what one of these matches. It has the flags of them all. */
export function either(...patterns: readonly RegExp[]): RegExp {
  const flags = new Set(patterns.flatMap((pattern) => [...pattern.flags]))
  return new RegExp(patterns.map(({ source }) => source).join('|'), [...flags].join(''))
}
