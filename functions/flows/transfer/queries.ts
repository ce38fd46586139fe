import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'

/** Return whether the account has the category, and which of the tags it has, in lower case. */
export async function selectExistingLabels(
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
