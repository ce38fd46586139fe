import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import type { PlatformDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import type { IntakeField, TreeStructure } from '#rules/flows/structure.ts'
import { GalleryCategory, GalleryItem, type GalleryQuery, GalleryScript, type sorts } from './schemas.ts'

const isListed = sql`t.visibility = 'public' and t.status = 'published' and t.deleted_at is null and not t.is_gallery_hidden`
const flowColumns = sql`
  t.id, t.tree_type as type, null::text as slug, t.name, t.description, c.name as category, t.tags, t.usage_count,
  t.is_gallery_featured as is_featured, t.published_at`
const flowCategoryJoin = sql`left join categories c on c.account_id = t.account_id and c.id = t.category_id`
const scriptColumns = sql`
  s.id, 'script' as type, s.slug, s.name, s.description, c.name as category, '{}'::text[] as tags, s.usage_count, true as is_featured,
  s.created_at as published_at`
const scriptCategoryJoin = sql`left join script_categories c on c.account_id = s.account_id and c.id = s.category_id`
/**
 * A subquery `i` of all items: flows that their accounts made public and staff did not hide, and scripts that
 * staff featured.
 */
const galleryItems = sql`(
  select ${flowColumns}, t.gallery_sort_order, t.words from trees t ${flowCategoryJoin} where ${isListed}
  union all
  select ${scriptColumns}, s.gallery_sort_order, s.words from script_templates s ${scriptCategoryJoin} where s.is_gallery_featured) i`
const itemObject = sql`jsonb_build_object(
  'id', i.id, 'type', i.type, 'slug', i.slug, 'name', i.name, 'description', i.description, 'category', i.category, 'tags', i.tags,
  'usage_count', i.usage_count, 'is_featured', i.is_featured, 'published_at', app.iso(i.published_at))`

export const selectGalleryState = readStatement(
  z.object({ is_enabled: z.boolean() }),
  () =>
    sql`select ${callFunction('app.feature_on', { p_account: sql`app.platform_account()`, p_feature: 'public_gallery' })} as is_enabled`,
)

const orders: Record<(typeof sorts)[number], RawBuilder<unknown>> = {
  featured: sql`i.is_featured desc, i.gallery_sort_order, i.usage_count desc, i.id desc`,
  popular: sql`i.usage_count desc, i.id desc`,
  newest: sql`i.published_at desc, i.id desc`,
  name: sql`i.name collate "und-x-icu", i.id`,
}

type Filter = Pick<GalleryQuery, 'type' | 'category' | 'page' | 'page_size'>
interface ItemsPage {
  items: GalleryItem[]
  total: number
}

export async function selectItems(
  platform: PlatformDb,
  { sort, ...filter }: GalleryQuery,
): Promise<ItemsPage> {
  return selectItemsPage(platform, filter, sql``, orders[sort])
}

export async function searchItems(
  platform: PlatformDb,
  { q, ...filter }: Filter & { q: string },
): Promise<ItemsPage> {
  const query = sql`websearch_to_tsquery('english', ${q})`
  return selectItemsPage(
    platform,
    filter,
    sql`and i.words @@ ${query}`,
    sql`ts_rank(i.words, ${query}) desc, i.id desc`,
  )
}

/** Select a page and the number of all matching items. An empty page is one row without an item. */
export const selectItemRows = readStatement(
  z.object({ total: z.int(), item: z.custom<GalleryItem | null>() }),
  (
    { type, category: categoryName, page, page_size }: Filter,
    searchCondition: RawBuilder<unknown>,
    order: RawBuilder<unknown>,
  ) => {
    const matchingItems = sql`
      from ${galleryItems} where true ${searchCondition} ${type ? sql`and i.type = ${type}` : sql``}
       ${categoryName ? sql`and app.name_key(i.category) = app.name_key(${categoryName})` : sql``}`
    return sql`
      select n.total, q.item from (select count(*)::integer as total ${matchingItems}) n
        left join lateral (select ${itemObject} as item ${matchingItems} order by ${order} offset ${(page - 1) * page_size} limit ${page_size}) q on true`
  },
)

async function selectItemsPage(
  platform: PlatformDb,
  filter: Filter,
  searchCondition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
) {
  const rows = await selectItemRows.all(platform, filter, searchCondition, order)
  return { items: rows.flatMap(({ item }) => item ?? []), total: rows[0]?.total ?? 0 }
}

export const selectCategories = readStatement(
  GalleryCategory,
  () => sql`
    select mode() within group (order by i.category) as category, count(*)::integer as count
      from ${galleryItems} where i.category is not null group by app.name_key(i.category) order by app.name_key(i.category)`,
)

const GalleryFlowRow = GalleryItem.extend({
  intake_form: z.custom<IntakeField[]>(),
  tree_structure: z.custom<TreeStructure>(),
})
export type GalleryFlowRow = z.output<typeof GalleryFlowRow>

export const selectFlow = readStatement(
  GalleryFlowRow,
  (id: string) => sql`
    select ${flowColumns}, v.intake_form, v.tree_structure from trees t ${flowCategoryJoin}
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     where ${isListed} and t.id = ${id}`,
)

/** Select a featured script without its body, which must not leave its account. */
export const selectScript = readStatement(
  GalleryScript,
  (slug: string) => sql`
    select ${scriptColumns}, s.language, s.requires_elevation, s.parameters_schema from script_templates s ${scriptCategoryJoin}
     where s.is_gallery_featured and s.slug = ${slug}`,
)
