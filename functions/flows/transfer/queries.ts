import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'

/** What the account has already of a category and tags, by lower-case name. */
export async function selectKnown(
  db: ReadDb,
  category: string | null,
  tags: readonly string[],
): Promise<{ category: boolean; tags: string[] }> {
  const keys = JSON.stringify(tags.map((tag) => tag.toLowerCase()))
  const { rows } = await sql<{ category: boolean; tags: string[] }>`
    select exists (select from categories c where c.account_id = app.account_id() and lower(c.name) = lower(${category})) as category,
           array(select k from jsonb_array_elements_text(${keys}::jsonb) k where app.has_tag(k)) as tags`.execute(db as WriteDb)
  return rows[0] as { category: boolean; tags: string[] }
}
