import { type RawBuilder, sql } from 'kysely'
import type { PlatformDb } from '../../lib/db/scope.ts'
import type { IntakeField, TreeStructure } from '../../lib/flows/structure.ts'
import type { GalleryCategory, GalleryItem, GalleryQuery, sorts } from './schemas.ts'

const shown = sql`t.visibility = 'public' and t.status = 'published' and t.deleted_at is null and not t.is_gallery_hidden`
const columns = sql`
  t.id, t.tree_type as type, null as slug, t.name, t.description, c.name as category, t.tags, t.usage_count, t.is_gallery_featured as is_featured,
  t.published_at`
const category = sql`left join categories c on c.account_id = t.account_id and c.id = t.category_id`

export async function selectIsOpen(platform: PlatformDb): Promise<boolean> {
  const { rows } = await sql<{ on: boolean }>`select app.feature_on(app.platform_account(), 'public_gallery') as "on"`.execute(platform)
  return rows[0]?.on ?? false
}

const orders: Record<(typeof sorts)[number], RawBuilder<unknown>> = {
  featured: sql`t.is_gallery_featured desc, t.gallery_sort_order, t.usage_count desc, t.id desc`,
  popular: sql`t.usage_count desc, t.id desc`,
  newest: sql`t.published_at desc, t.id desc`,
  name: sql`lower(t.name), t.id`,
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
  return select(platform, filter, sql`and t.words @@ ${query}`, sql`ts_rank(t.words, ${query}) desc, t.id desc`)
}

async function select(
  platform: PlatformDb,
  { type, category: name, page, page_size }: Filter,
  found: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
) {
  const matching = sql`
    from trees t ${category} where ${shown} ${found} ${type ? sql`and t.tree_type = ${type}` : sql``}
      ${name ? sql`and lower(c.name) = lower(${name})` : sql``}`
  const { rows } = await sql<GalleryItem & { total: number }>`
    select q.*, n.total from (select count(*)::integer as total ${matching}) n
      left join lateral (select ${columns} ${matching} order by ${order} offset ${(page - 1) * page_size} limit ${page_size}) q on true`.execute(
    platform,
  )
  const items = rows.filter(({ id }) => id !== null).map(({ total: _, ...item }) => item)
  return { items, total: rows[0]?.total ?? 0 }
}

export async function selectCategories(platform: PlatformDb): Promise<GalleryCategory[]> {
  const { rows } = await sql<GalleryCategory>`
    select mode() within group (order by c.name) as category, count(*)::integer as count
      from trees t join categories c on c.account_id = t.account_id and c.id = t.category_id
     where ${shown} group by lower(c.name) order by lower(c.name)`.execute(platform)
  return rows
}

export interface FlowRow extends GalleryItem {
  intake_form: IntakeField[]
  tree_structure: TreeStructure
}

export async function selectFlow(platform: PlatformDb, id: string): Promise<FlowRow | undefined> {
  const { rows } = await sql<FlowRow>`
    select ${columns}, v.intake_form, v.tree_structure from trees t ${category}
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     where ${shown} and t.id = ${id}`.execute(platform)
  return rows[0]
}
