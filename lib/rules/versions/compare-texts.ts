import { diffLines, diffWordsWithSpace } from 'diff'
import { compareWithin } from './limit-differences.ts'
import type { TextPart } from './schema.ts'

const maxCharactersForWords = 20_000

/** Return whether a value is a text whose changes are shown part by part. */
export function isLongText(value: unknown): boolean {
  return typeof value === 'string' && (value.length > 80 || value.includes('\n'))
}

/**
 * Return the parts that two texts have in common, and those that only one of them has: words of a short text,
 * lines of a long one.
 */
export function compareTexts(before: string, after: string): TextPart[] {
  const isShort = before.length + after.length <= maxCharactersForWords
  const changes = compareWithin((options) =>
    isShort ? diffWordsWithSpace(before, after, options) : diffLines(before, after, options),
  )
  const parts = changes?.map(({ added, removed, value }) => ({ op: toOp(added, removed), text: value }))
  return (
    parts ??
    [{ op: 'delete', text: before } as const, { op: 'insert', text: after } as const].filter(
      ({ text }) => text !== '',
    )
  )
}

function toOp(added: boolean, removed: boolean): TextPart['op'] {
  if (added) return 'insert'
  return removed ? 'delete' : 'equal'
}
