import { type NotNull, sql } from 'kysely'
import { accountId, bytea, mayChange, now } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import type { Share } from './schemas.ts'

/** Insert a share. Return undefined unless the flow exists, is published and the caller may change it. */
export function insertShare(
  db: WriteDb,
  treeId: string,
  hash: string,
  days: number,
): Promise<{ id: string; expires_at: string } | undefined> {
  const expiresAt = sql<string>`app.now() + make_interval(days => ${days}::integer)`
  return db
    .insertInto('tree_shares')
    .columns(['tree_id', 'hash', 'expires_at'])
    .expression((eb) =>
      eb
        .selectFrom('trees')
        .select(['id', bytea(hash).as('hash'), expiresAt.as('expires_at')])
        .where('account_id', '=', accountId)
        .where('id', '=', treeId)
        .where('status', '=', 'published')
        .where('deleted_at', 'is', null)
        .where(mayChange('author_id', 'team_id')),
    )
    .returning(['id', 'expires_at'])
    .executeTakeFirst()
}

export function selectShares(db: ReadDb, treeId: string, page: PageQuery): Promise<Share[]> {
  return db
    .selectFrom('tree_shares as s')
    .leftJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 's.account_id').onRef('u.id', '=', 's.created_by'),
    )
    .select(['s.id', 's.created_by', 'u.full_name as created_by_name', 's.expires_at', 's.created_at'])
    .where('s.account_id', '=', accountId)
    .where('s.tree_id', '=', treeId)
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', now)
    .$call(selectPage(newestFirst, page, 's'))
    .execute()
}

/** Revoke a share. Return false when it does not exist, has expired or was revoked before. */
export async function revokeShare(db: WriteDb, treeId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tree_shares')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('tree_id', '=', treeId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Return the published flow of a valid share. Return undefined for an invalid share, one whose creator has
 * left, and for a draft.
 */
export function selectSharedFlow(db: PlatformDb, hash: string) {
  return (
    db
      .selectFrom('tree_shares as s')
      .innerJoin('trees as t', (join) =>
        join.onRef('t.account_id', '=', 's.account_id').onRef('t.id', '=', 's.tree_id'),
      )
      .innerJoin('tree_versions as v', (join) =>
        join
          .onRef('v.account_id', '=', 't.account_id')
          .onRef('v.tree_id', '=', 't.id')
          .onRef('v.version', '=', 't.version'),
      )
      // A link ends with its creator's access, even if it was not revoked.
      .innerJoin('users as u', (join) =>
        join.onRef('u.account_id', '=', 's.account_id').onRef('u.id', '=', 's.created_by'),
      )
      .select(['t.name', 't.description', 't.tree_type', 'v.tree_structure', 'v.intake_form', 's.expires_at'])
      .where('s.hash', '=', bytea(hash))
      .where('s.revoked_at', 'is', null)
      .where('s.expires_at', '>', now)
      .where('u.is_active', '=', true)
      .where('t.status', '=', 'published')
      .where('t.deleted_at', 'is', null)
      // A published flow has content.
      .$narrowType<{ tree_structure: NotNull }>()
      .executeTakeFirst()
  )
}
