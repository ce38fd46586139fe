import { sql } from 'kysely'
import type { StaffDb } from '../../../lib/db/scope.ts'
import type { GalleryFlowState, GalleryFlowUpdate, GalleryScriptState, GalleryScriptUpdate } from './schemas.ts'

export async function updateFlow(db: StaffDb, id: string, changes: GalleryFlowUpdate): Promise<GalleryFlowState | undefined> {
  const { is_featured = null, sort_order = null, is_hidden = null } = changes
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

export async function updateScript(db: StaffDb, id: string, changes: GalleryScriptUpdate): Promise<GalleryScriptState | undefined> {
  const { is_featured = null, sort_order = null } = changes
  const { rows } = await sql<GalleryScriptState>`
    update script_templates s set is_gallery_featured = coalesce(${is_featured}, s.is_gallery_featured),
           gallery_sort_order = coalesce(${sort_order}, s.gallery_sort_order)
     where s.id = ${id}
    returning s.id as template_id, s.account_id, s.name, s.slug, s.is_gallery_featured as is_featured, s.gallery_sort_order as sort_order`.execute(
    db,
  )
  return rows[0]
}
