import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'

/** Return whether the account has a category of this name, and which of the tags visible flows of the account use, in lower case. */
export async function selectExistingLabels(
  db: ReadDb,
  category: string | null,
  tags: readonly string[],
): Promise<{ category: boolean; tags: string[] }> {
  const keys = JSON.stringify(tags.map((tag) => tag.toLowerCase()))
  const { rows } = await sql<{ category: boolean; tags: string[] }>`
    select exists (select from categories c where c.account_id = app.account_id() and lower(c.name) = lower(${category})) as category,
           array(select tag from jsonb_array_elements_text(${keys}::jsonb) tag where app.has_tag(tag)) as tags`.execute(db as WriteDb)
  return rows[0] as { category: boolean; tags: string[] }
}
