import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { Share, SharedFlow } from './schemas.ts'

const isValidShare = sql`s.revoked_at is null and s.expires_at > app.now()`

/** Insert a share. Return undefined unless the flow exists, is published and the caller may change it. */
export async function insertShare(
  db: WriteDb,
  treeId: string,
  hash: string,
  days: number,
): Promise<{ id: string; expires_at: string } | undefined> {
  const { rows } = await sql<{ id: string; expires_at: string }>`
    insert into tree_shares (tree_id, hash, expires_at)
    select t.id, ${hash}::bytea, app.now() + make_interval(days => ${days}::integer) from trees t
     where t.account_id = app.account_id() and t.id = ${treeId} and t.status = 'published' and t.deleted_at is null
       and app.may_change(t.author_id, t.team_id)
    returning id, expires_at`.execute(db)
  return rows[0]
}

export async function selectShares(db: ReadDb, treeId: string, { skip, limit }: PageQuery): Promise<Share[]> {
  const { rows } = await sql<Share>`
    select s.id, s.created_by, u.full_name as created_by_name, s.expires_at, s.created_at
      from tree_shares s left join users u on u.account_id = s.account_id and u.id = s.created_by
     where s.account_id = app.account_id() and s.tree_id = ${treeId} and ${isValidShare}
     order by s.created_at desc, s.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

/** Revoke a share. Return false when it does not exist, has expired or was revoked before. */
export async function revokeShare(db: WriteDb, treeId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    update tree_shares s set revoked_at = app.now()
     where s.account_id = app.account_id() and s.tree_id = ${treeId} and s.id = ${id} and ${isValidShare} returning s.id`.execute(db)
  return rows.length > 0
}

/** Return the published flow of a valid share. Return undefined for an invalid share and for a draft. */
export async function selectSharedFlow(platform: PlatformDb, hash: string): Promise<SharedFlow | undefined> {
  const { rows } = await sql<SharedFlow>`
    select t.name, t.description, t.tree_type, v.tree_structure, v.intake_form, s.expires_at
      from tree_shares s
      join trees t on t.account_id = s.account_id and t.id = s.tree_id and t.status = 'published' and t.deleted_at is null
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     where s.hash = ${hash}::bytea and ${isValidShare}`.execute(platform)
  return rows[0]
}
