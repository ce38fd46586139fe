import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { ExportProgress } from '#rules/exports/account-archive.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { attemptTable } from '#work/attempts.ts'
import { attemptStatements } from '#work/define-work.ts'

const exportTable = attemptTable('export')

export const ClaimedExport = z.object({
  id: z.string(),
  account_id: z.string(),
  requested_by: z.string().nullable(),
  contents: z.enum(['all', 'restorable']),
  progress: z.custom<ExportProgress | Record<string, never>>(),
  created_at: z.string(),
  attempts: z.int(),
  max_attempts: z.int(),
})
export type ClaimedExport = z.output<typeof ClaimedExport>

export const attempts = attemptStatements('export', ClaimedExport)

/** A part whose object was stored. `directory` is base64. */
export interface NewPart {
  number: number
  object_key: string
  bytes: number
  directory: string
}

export const insertPart = writeStatement(
  null,
  (exportId: string, { number, object_key, bytes, directory }: NewPart) => sql`
    insert into account_export_parts (account_id, export_id, number, object_key, bytes, directory)
    values (app.account_id(), ${exportId}, ${number}, ${object_key}, ${bytes}, decode(${directory}, 'base64'))`,
)

/** Record a slice after which another follows. Return no row when a later attempt was claimed. */
export const continueExport = writeStatement(
  z.object({ id: z.string() }),
  (claimed: ClaimedExport, progress: ExportProgress) =>
    exportTable.continue(claimed, sql`, progress = ${jsonb(progress)}, bytes = ${progress.bytes}`),
)

/**
 * Record the last slice, or a failed attempt. `retrySeconds` is null when no attempt follows. Return no row
 * when a later one was claimed.
 */
export const completeExport = writeStatement(
  z.object({ id: z.string() }),
  (
    claimed: ClaimedExport,
    result: SendResult,
    retrySeconds: number | null,
    progress: ExportProgress | null,
  ) => {
    const progressColumns = progress
      ? sql`, progress = ${jsonb(progress)}, bytes = ${progress.bytes + progress.directory_bytes}`
      : sql``
    const expiry = result.ok
      ? sql`app.now() + interval '7 days'`
      : retrySeconds === null
        ? sql`app.now()`
        : sql`null`
    return exportTable.complete(
      claimed,
      result,
      retrySeconds,
      sql`${progressColumns}, expires_at = ${expiry}`,
    )
  },
)

/**
 * Insert the e-mail to the person who asked for the export, if they are an active member with a verified
 * address.
 */
export const insertMail = writeStatement(
  z.object({ id: z.string() }),
  (userId: string, purpose: 'export_ready' | 'export_failed') => sql`
    with mail as (
      insert into deliveries (account_id, channel, recipient, purpose, user_id)
      select u.account_id, 'email', u.email, ${purpose}, u.id from users u
       where u.account_id = app.account_id() and u.id = ${userId} and u.is_active and u.email_verified_at is not null
      returning id, state
    )
    select id from mail where state = 'pending'`,
)

/** Select parts of archives that have expired or failed. */
export const selectExpiredParts = readStatement(
  z.object({ account_id: z.string(), export_id: z.string(), number: z.int(), object_key: z.string() }),
  (limit: number) => sql`
    select p.account_id, p.export_id, p.number, p.object_key
      from account_exports e join account_export_parts p on p.account_id = e.account_id and p.export_id = e.id
     where e.state in ('ready', 'failed') and e.expires_at <= app.now() limit ${limit}::integer`,
)

export async function deletePart(
  db: PlatformDb,
  accountId: string,
  exportId: string,
  number: number,
): Promise<void> {
  await db
    .deleteFrom('account_export_parts')
    .where('account_id', '=', accountId)
    .where('export_id', '=', exportId)
    .where('number', '=', number)
    .execute()
}

/** Mark the expired and failed exports of which no part is left. */
export const markRemoved = writeStatement(
  null,
  () => sql`
    update account_exports e set state = case e.state when 'ready' then 'expired' else e.state end, removed_at = app.now()
     where e.state in ('ready', 'failed') and e.expires_at <= app.now() and e.removed_at is null
       and not exists (select from account_export_parts p where p.account_id = e.account_id and p.export_id = e.id)`,
)
