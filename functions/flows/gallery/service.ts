import type { PlatformDb } from '../../../lib/db/scope.ts'
import { preview } from '../../../lib/flows/preview.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { GalleryQuery, GallerySearch } from './schemas.ts'

interface Visitor {
  platform: PlatformDb
}

export async function list({ platform }: Visitor, query: GalleryQuery) {
  const found = await whileOpen(platform, queries.selectItems(platform, query))
  return { ...found, page: query.page, page_size: query.page_size }
}

export async function search({ platform }: Visitor, query: GallerySearch) {
  const found = await whileOpen(platform, queries.searchItems(platform, query))
  return { ...found, page: query.page, page_size: query.page_size }
}

export async function categories({ platform }: Visitor) {
  return whileOpen(platform, queries.selectCategories(platform))
}

export async function flow({ platform }: Visitor, id: string) {
  const found = await whileOpen(platform, queries.selectFlow(platform, id))
  if (!found) throw new Problem('not_found')
  const { tree_structure, ...item } = found
  return { ...item, preview: preview(tree_structure) }
}

export async function script({ platform }: Visitor, slug: string) {
  const found = await whileOpen(platform, queries.selectScript(platform, slug))
  if (!found) throw new Problem('not_found')
  return found
}

/** What was found, asked for beside the switch: switched off, the gallery is as if it were not there. */
async function whileOpen<T>(platform: PlatformDb, found: Promise<T>): Promise<T> {
  const [open, result] = await Promise.all([queries.selectIsOpen(platform), found])
  if (!open) throw new Problem('not_found')
  return result
}
