import { sql } from 'kysely'
import type { StaffDb } from '../../lib/db/scope.ts'
import type { GalleryFlowState, GalleryFlowUpdate } from './schemas.ts'

export async function updateFlow(db: StaffDb, id: string, change: GalleryFlowUpdate): Promise<GalleryFlowState | undefined> {
  const { is_featured = null, sort_order = null, is_hidden = null } = change
  const { rows } = await sql<GalleryFlowState>`
    update trees t set is_gallery_featured = coalesce(${is_featured}, t.is_gallery_featured),
           gallery_sort_order = coalesce(${sort_order}, t.gallery_sort_order), is_gallery_hidden = coalesce(${is_hidden}, t.is_gallery_hidden)
     where t.id = ${id} and t.deleted_at is null
    returning t.id as tree_id, t.account_id, t.name, t.is_gallery_featured as is_featured, t.gallery_sort_order as sort_order,
              t.is_gallery_hidden as is_hidden, t.visibility = 'public' and t.status = 'published' and not t.is_gallery_hidden as is_shown`.execute(
    db,
  )
  return rows[0]
}
