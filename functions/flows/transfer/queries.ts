import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb, nowText } from '#db/expressions.ts'
import { notNull, readStatement } from '#db/statement.ts'
import { toNameKey } from '#rules/text/fold.ts'

/**
 * Select whether the account has a category of this name, and which of the tags visible flows of the account
 * use, in the form of `toNameKey`.
 */
export const selectExistingLabels = readStatement(
  z.object({ category: z.boolean(), tags: z.array(z.string()) }),
  (category: string | null, tags: readonly string[]) => sql`
    select exists (select from categories c where c.account_id = app.account_id() and app.name_key(c.name) = app.name_key(${category})) as category,
           array(select tag from jsonb_array_elements_text(${jsonb(tags.map(toNameKey))}) tag where app.has_tag(tag)) as tags`,
)

export const selectNow = readStatement(
  z.object({ exported_at: notNull<string>() }),
  () => sql`select ${nowText} as exported_at`,
)
