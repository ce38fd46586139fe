import { sql } from 'kysely'
import type { StaffDb } from '#db/scope.ts'
import type {
  GalleryFlowState,
  GalleryFlowUpdate,
  GalleryScriptState,
  GalleryScriptUpdate,
} from './schemas.ts'

// A field that is absent is assigned to itself, because an UPDATE needs at least one column.

export function updateFlow(
  db: StaffDb,
  id: string,
  changes: GalleryFlowUpdate,
): Promise<GalleryFlowState | undefined> {
  const { is_featured, sort_order, is_hidden } = changes
  return db
    .updateTable('trees')
    .set(({ ref }) => ({
      is_gallery_featured: is_featured ?? ref('is_gallery_featured'),
      gallery_sort_order: sort_order ?? ref('gallery_sort_order'),
      is_gallery_hidden: is_hidden ?? ref('is_gallery_hidden'),
    }))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning([
      'id as tree_id',
      'account_id',
      'name',
      'is_gallery_featured as is_featured',
      'gallery_sort_order as sort_order',
    ])
    .returning(['is_gallery_hidden as is_hidden', isShown.as('is_shown')])
    .executeTakeFirst()
}

const isShown = sql<boolean>`visibility = 'public' and status = 'published' and not is_gallery_hidden`

export function updateScript(
  db: StaffDb,
  id: string,
  changes: GalleryScriptUpdate,
): Promise<GalleryScriptState | undefined> {
  const { is_featured, sort_order } = changes
  return db
    .updateTable('script_templates')
    .set(({ ref }) => ({
      is_gallery_featured: is_featured ?? ref('is_gallery_featured'),
      gallery_sort_order: sort_order ?? ref('gallery_sort_order'),
    }))
    .where('id', '=', id)
    .returning([
      'id as template_id',
      'account_id',
      'name',
      'slug',
      'is_gallery_featured as is_featured',
      'gallery_sort_order as sort_order',
    ])
    .executeTakeFirst()
}
