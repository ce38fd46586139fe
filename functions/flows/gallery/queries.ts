import { type RawBuilder, sql } from 'kysely'
import type { PlatformDb } from '../../../lib/db/scope.ts'
import type { IntakeField, TreeStructure } from '../../../lib/flows/structure.ts'
import type { GalleryCategory, GalleryItem, GalleryQuery, GalleryScript, sorts } from './schemas.ts'

const shown = sql`t.visibility = 'public' and t.status = 'published' and t.deleted_at is null and not t.is_gallery_hidden`
const flowColumns = sql`
  t.id, t.tree_type as type, null::text as slug, t.name, t.description, c.name as category, t.tags, t.usage_count,
  t.is_gallery_featured as is_featured, t.published_at`
const flowCategory = sql`left join categories c on c.account_id = t.account_id and c.id = t.category_id`
const scriptColumns = sql`
  s.id, 'script' as type, s.slug, s.name, s.description, c.name as category, '{}'::text[] as tags, s.usage_count, true as is_featured,
  s.created_at as published_at`
const scriptCategory = sql`left join script_categories c on c.account_id = s.account_id and c.id = s.category_id`
/** Flows that their accounts made public, and scripts that staff featured, as one list of items `i`. */
const everything = sql`(
  select ${flowColumns}, t.gallery_sort_order, t.words from trees t ${flowCategory} where ${shown}
  union all
  select ${scriptColumns}, s.gallery_sort_order, s.words from script_templates s ${scriptCategory} where s.is_gallery_featured) i`
const itemColumns = sql`i.id, i.type, i.slug, i.name, i.description, i.category, i.tags, i.usage_count, i.is_featured, i.published_at`

export async function selectIsOpen(platform: PlatformDb): Promise<boolean> {
  const { rows } = await sql<{ on: boolean }>`select app.feature_on(app.platform_account(), 'public_gallery') as "on"`.execute(platform)
  return rows[0]?.on ?? false
}

const orders: Record<(typeof sorts)[number], RawBuilder<unknown>> = {
  featured: sql`i.is_featured desc, i.gallery_sort_order, i.usage_count desc, i.id desc`,
  popular: sql`i.usage_count desc, i.id desc`,
  newest: sql`i.published_at desc, i.id desc`,
  name: sql`lower(i.name), i.id`,
}

type Filter = Pick<GalleryQuery, 'type' | 'category' | 'page' | 'page_size'>
interface Found {
  items: GalleryItem[]
  total: number
}

export async function selectItems(platform: PlatformDb, { sort, ...filter }: GalleryQuery): Promise<Found> {
  return select(platform, filter, sql``, orders[sort])
}

export async function searchItems(platform: PlatformDb, { q, ...filter }: Filter & { q: string }): Promise<Found> {
  const query = sql`websearch_to_tsquery('english', ${q})`
  return select(platform, filter, sql`and i.words @@ ${query}`, sql`ts_rank(i.words, ${query}) desc, i.id desc`)
}

async function select(
  platform: PlatformDb,
  { type, category: name, page, page_size }: Filter,
  found: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
) {
  const matching = sql`
    from ${everything} where true ${found} ${type ? sql`and i.type = ${type}` : sql``} ${name ? sql`and lower(i.category) = lower(${name})` : sql``}`
  const { rows } = await sql<GalleryItem & { total: number }>`
    select q.*, n.total from (select count(*)::integer as total ${matching}) n
      left join lateral (select ${itemColumns} ${matching} order by ${order} offset ${(page - 1) * page_size} limit ${page_size}) q on true`.execute(
    platform,
  )
  const items = rows.filter(({ id }) => id !== null).map(({ total: _, ...item }) => item)
  return { items, total: rows[0]?.total ?? 0 }
}

export async function selectCategories(platform: PlatformDb): Promise<GalleryCategory[]> {
  const { rows } = await sql<GalleryCategory>`
    select mode() within group (order by i.category) as category, count(*)::integer as count
      from ${everything} where i.category is not null group by lower(i.category) order by lower(i.category)`.execute(platform)
  return rows
}

export interface FlowRow extends GalleryItem {
  intake_form: IntakeField[]
  tree_structure: TreeStructure
}

export async function selectFlow(platform: PlatformDb, id: string): Promise<FlowRow | undefined> {
  const { rows } = await sql<FlowRow>`
    select ${flowColumns}, v.intake_form, v.tree_structure from trees t ${flowCategory}
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     where ${shown} and t.id = ${id}`.execute(platform)
  return rows[0]
}

/** Without its body, which leaves the account with nobody. */
export async function selectScript(platform: PlatformDb, slug: string): Promise<GalleryScript | undefined> {
  const { rows } = await sql<GalleryScript>`
    select ${scriptColumns}, s.language, s.requires_elevation, s.parameters_schema from script_templates s ${scriptCategory}
     where s.is_gallery_featured and s.slug = ${slug}`.execute(platform)
  return rows[0]
}
