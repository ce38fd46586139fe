import * as z from 'zod'
import { createSlug } from '#rules/text/slug.ts'
import type { Content as ComparedContent } from '#rules/versions/compare.ts'
import type { Comparison, ComparisonQuery } from '#rules/versions/schema.ts'
import { Id, Time } from './fields.ts'
import { Content } from './operation.ts'

/** The number of a version in a path. */
export const VersionNumber = z.coerce.number().int().min(1).max(2_147_483_647).describe('Version number, starting at 1.')

/** The fields of a version in a list. */
export const versionFields = {
  version: z.int().describe('Version number, starting at 1.'),
  name: z.string().describe('The name in this version.'),
  saved_by: Id.nullable().describe('The user who saved this version; null if it was not recorded.'),
  saved_by_name: z.string().nullable().describe('The name of that user.'),
  restored_from: z.int().nullable().describe('The older version that was restored as this one; null for any other save.'),
  is_current: z.boolean().describe('Whether this is the current version.'),
  created_at: Time.describe('When it was saved.'),
}

const empty: ComparedContent = { fields: {}, items: [], isOrdered: true }

/**
 * Compare a version with `base`, by default the version before. `read` returns the content of a version, and throws if there is none. Return
 * the comparison, or a page that shows it.
 */
export async function answerComparison(
  version: number,
  { base = version - 1, format }: ComparisonQuery,
  read: (version: number) => Promise<{ name: string; content: ComparedContent }>,
): Promise<Comparison | Content> {
  const newer = await read(version)
  const older = base === 0 ? empty : (await read(base)).content
  // Loaded on first use, because few requests compare.
  const [{ compareVersions }, { renderComparison }] = await Promise.all([
    import('#rules/versions/compare.ts'),
    import('#rules/versions/html.ts'),
  ])
  const comparison = { base, version, ...compareVersions(older, newer.content) }
  if (format === 'json') return comparison
  return new Content(renderComparison(newer.name, comparison), 'text/html; charset=utf-8', `${createSlug(newer.name)}-changes.html`)
}
