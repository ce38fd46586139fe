import { type RawBuilder, sql } from 'kysely'
import type { PlatformDb } from '../../../lib/db/scope.ts'
import type { IntakeField, TreeStructure } from '../../../lib/flows/structure.ts'
import type { GalleryCategory, GalleryItem, GalleryQuery, GalleryScript, sorts } from './schemas.ts'

const isListed = sql`t.visibility = 'public' and t.status = 'published' and t.deleted_at is null and not t.is_gallery_hidden`
const flowColumns = sql`
  t.id, t.tree_type as type, null::text as slug, t.name, t.description, c.name as category, t.tags, t.usage_count,
  t.is_gallery_featured as is_featured, t.published_at`
const flowCategoryJoin = sql`left join categories c on c.account_id = t.account_id and c.id = t.category_id`
const scriptColumns = sql`
  s.id, 'script' as type, s.slug, s.name, s.description, c.name as category, '{}'::text[] as tags, s.usage_count, true as is_featured,
  s.created_at as published_at`
const scriptCategoryJoin = sql`left join script_categories c on c.account_id = s.account_id and c.id = s.category_id`
/** A subquery `i` of all items: flows that their accounts made public and staff did not hide, and scripts that staff featured. */
const galleryItems = sql`(
  select ${flowColumns}, t.gallery_sort_order, t.words from trees t ${flowCategoryJoin} where ${isListed}
  union all
  select ${scriptColumns}, s.gallery_sort_order, s.words from script_templates s ${scriptCategoryJoin} where s.is_gallery_featured) i`
const itemColumns = sql`i.id, i.type, i.slug, i.name, i.description, i.category, i.tags, i.usage_count, i.is_featured, i.published_at`

export async function isGalleryEnabled(platform: PlatformDb): Promise<boolean> {
  const { rows } = await sql<{ is_enabled: boolean }>`
    select app.feature_on(app.platform_account(), 'public_gallery') as is_enabled`.execute(platform)
  return rows[0]?.is_enabled ?? false
}

const orders: Record<(typeof sorts)[number], RawBuilder<unknown>> = {
  featured: sql`i.is_featured desc, i.gallery_sort_order, i.usage_count desc, i.id desc`,
  popular: sql`i.usage_count desc, i.id desc`,
  newest: sql`i.published_at desc, i.id desc`,
  name: sql`lower(i.name), i.id`,
}

type Filter = Pick<GalleryQuery, 'type' | 'category' | 'page' | 'page_size'>
interface ItemsPage {
  items: GalleryItem[]
  total: number
}

export async function selectItems(platform: PlatformDb, { sort, ...filter }: GalleryQuery): Promise<ItemsPage> {
  return selectItemsPage(platform, filter, sql``, orders[sort])
}

export async function searchItems(platform: PlatformDb, { q, ...filter }: Filter & { q: string }): Promise<ItemsPage> {
  const query = sql`websearch_to_tsquery('english', ${q})`
  return selectItemsPage(platform, filter, sql`and i.words @@ ${query}`, sql`ts_rank(i.words, ${query}) desc, i.id desc`)
}

async function selectItemsPage(
  platform: PlatformDb,
  { type, category: categoryName, page, page_size }: Filter,
  searchCondition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
) {
  const matchingItems = sql`
    from ${galleryItems} where true ${searchCondition} ${type ? sql`and i.type = ${type}` : sql``} ${categoryName ? sql`and lower(i.category) = lower(${categoryName})` : sql``}`
  const { rows } = await sql<GalleryItem & { total: number }>`
    select q.*, n.total from (select count(*)::integer as total ${matchingItems}) n
      left join lateral (select ${itemColumns} ${matchingItems} order by ${order} offset ${(page - 1) * page_size} limit ${page_size}) q on true`.execute(
    platform,
  )
  const items = rows.filter(({ id }) => id !== null).map(({ total: _, ...item }) => item)
  return { items, total: rows[0]?.total ?? 0 }
}

export async function selectCategories(platform: PlatformDb): Promise<GalleryCategory[]> {
  const { rows } = await sql<GalleryCategory>`
    select mode() within group (order by i.category) as category, count(*)::integer as count
      from ${galleryItems} where i.category is not null group by lower(i.category) order by lower(i.category)`.execute(platform)
  return rows
}

export interface GalleryFlowRow extends GalleryItem {
  intake_form: IntakeField[]
  tree_structure: TreeStructure
}

export async function selectFlow(platform: PlatformDb, id: string): Promise<GalleryFlowRow | undefined> {
  const { rows } = await sql<GalleryFlowRow>`
    select ${flowColumns}, v.intake_form, v.tree_structure from trees t ${flowCategoryJoin}
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     where ${isListed} and t.id = ${id}`.execute(platform)
  return rows[0]
}

/** Select a featured script without its body, which must not leave its account. */
export async function selectScript(platform: PlatformDb, slug: string): Promise<GalleryScript | undefined> {
  const { rows } = await sql<GalleryScript>`
    select ${scriptColumns}, s.language, s.requires_elevation, s.parameters_schema from script_templates s ${scriptCategoryJoin}
     where s.is_gallery_featured and s.slug = ${slug}`.execute(platform)
  return rows[0]
}
