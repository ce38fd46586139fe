import { sql } from 'kysely'
import * as z from 'zod'
import { notNull, writeStatement } from '#db/statement.ts'
import type { Embedding } from '#vendors/ai/embeddings.ts'
import { lockInTurn } from '#work/lock-in-turn.ts'

const DueEntry = z.object({
  account_id: z.string(),
  entry_id: z.string(),
  due_at: notNull<string>(),
  text: notNull<string>(),
  /** SHA-256 of the text, in hex. */
  text_hash: notNull<string>(),
  /** Whether the model has embedded this text already. */
  is_embedded: notNull<boolean>(),
  /** Whether the account has AI sessions, which search with embeddings. */
  is_used: notNull<boolean>(),
})
export type DueEntry = z.output<typeof DueEntry>

/**
 * Claim up to `limit` entries whose text may have changed, and as many of another model, with the start of
 * their texts. Until they are stored, they are due again in ten minutes, or in a day if the account does not
 * use them.
 */
export const claimDueEntries = writeStatement(
  DueEntry,
  (model: string, characters: number, limit: number) => sql`
    with ${lockInTurn('knowledge_embeddings', { id: 'entry_id', isDue: sql`due_at <= app.now()`, orderBy: 'due_at', limit })},
    outdated as materialized (
      select k.account_id, k.entry_id from knowledge_embeddings k
       where k.due_at is null and (k.model < ${model} or k.model > ${model}) limit ${limit} for update skip locked),
    used as materialized (
      select a.account_id, app.feature_on(a.account_id, 'ai_sessions') as is_used
        from (select account_id from due union select account_id from outdated) a),
    claimed as (
      update knowledge_embeddings k set due_at = app.now() + case when u.is_used then interval '10 minutes' else interval '1 day' end
        from (select account_id, entry_id from due union all select account_id, entry_id from outdated) d join used u using (account_id)
       where k.account_id = d.account_id and k.entry_id = d.entry_id
      returning k.account_id, k.entry_id, k.due_at, k.model, k.text_hash, u.is_used)
    select c.account_id, c.entry_id, app.iso(c.due_at) as due_at, t.text, encode(t.hash, 'hex') as text_hash,
           coalesce(c.model = ${model} and c.text_hash = t.hash, false) as is_embedded, c.is_used
      from claimed c join knowledge_entries e on e.account_id = c.account_id and e.id = c.entry_id
      cross join lateral (
        select x.text, sha256(convert_to(x.text, 'UTF8')) as hash from (select app.entry_text(e, ${characters}::integer) as text offset 0) x offset 0) t`,
)

type Claimed = Pick<DueEntry, 'account_id' | 'entry_id' | 'due_at'>

const notChanged = ({ account_id, entry_id, due_at }: Claimed) =>
  sql`where account_id = ${account_id} and entry_id = ${entry_id} and due_at = ${due_at}::timestamptz`

/** Store an embedding. If the text was changed meanwhile, the entry stays due. */
export const storeEmbedding = writeStatement(
  null,
  (entry: DueEntry, model: string, embedding: Embedding) => sql`
    update knowledge_embeddings
       set model = ${model}, text_hash = decode(${entry.text_hash}, 'hex'), embedding = ${embedding}::real[], due_at = null ${notChanged(entry)}`,
)

/** Leave an entry as it is for some days, or with null until its text changes. */
export const postponeEntry = writeStatement(
  null,
  (entry: Claimed, days: number | null) => sql`
    update knowledge_embeddings set due_at = app.now() + make_interval(days => ${days}::integer) ${notChanged(entry)}`,
)
