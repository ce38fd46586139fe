import type { PlatformDb } from '#db/scope.ts'
import { Problem, throwNotFound } from '#problem.ts'
import { buildPreview } from '#rules/flows/preview.ts'
import { forPublic } from '#rules/release.ts'
import * as queries from './queries.ts'
import type { GalleryQuery, GallerySearch } from './schemas.ts'

interface GalleryContext {
  platform: PlatformDb
}

export async function list({ platform }: GalleryContext, query: GalleryQuery) {
  const result = await requireEnabled(platform, queries.selectItems(platform, query))
  return forPublic({ ...result, page: query.page, page_size: query.page_size })
}

export async function search({ platform }: GalleryContext, query: GallerySearch) {
  const result = await requireEnabled(platform, queries.searchItems(platform, query))
  return forPublic({ ...result, page: query.page, page_size: query.page_size })
}

export async function listCategories({ platform }: Pick<GalleryContext, 'platform'>) {
  return requireEnabled(platform, queries.selectCategories.all(platform))
}

export async function getFlow({ platform }: GalleryContext, id: string) {
  const flow =
    (await requireEnabled(platform, queries.selectFlow.first(platform, id))) ?? throwNotFound('Flow')
  const { tree_structure, ...item } = flow
  return forPublic({ ...item, preview: buildPreview(tree_structure) })
}

export async function getScript({ platform }: GalleryContext, slug: string) {
  return forPublic(
    (await requireEnabled(platform, queries.selectScript.first(platform, slug))) ?? throwNotFound('Script'),
  )
}

/**
 * Return the result of `query`, which runs in parallel with the check. Throw 404 while the gallery is
 * switched off.
 */
async function requireEnabled<T>(platform: PlatformDb, query: Promise<T>): Promise<T> {
  const [{ is_enabled: isEnabled }, result] = await Promise.all([
    queries.selectGalleryState.one(platform),
    query,
  ])
  if (!isEnabled) throw new Problem('not_found')
  return result
}
