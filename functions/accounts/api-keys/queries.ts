import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, now } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { ApiKey, ApiKeyCreate } from './schemas.ts'

function selectRows(db: ReadDb) {
  return db
    .selectFrom('api_keys as k')
    .innerJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 'k.account_id').onRef('u.id', '=', 'k.id'),
    )
    .leftJoin('users as creator', (join) =>
      join.onRef('creator.account_id', '=', 'k.account_id').onRef('creator.id', '=', 'k.created_by'),
    )
    .select([
      'k.id',
      'u.full_name as name',
      'u.role',
      'u.team_id',
      'k.scopes',
      'k.allowed_ranges',
      'k.last_characters',
      'k.created_by',
    ])
    .select([
      'creator.full_name as creator_name',
      'k.expires_at',
      'k.last_used_at',
      'k.last_ip',
      'k.last_user_agent',
      'k.created_at',
    ])
    .where('k.account_id', '=', accountId)
    .where('k.revoked_at', 'is', null)
}

export function selectApiKeys(db: ReadDb, page: PageQuery): Promise<ApiKey[]> {
  return selectRows(db)
    .$call(selectPage(newestFirst, page, 'k'))
    .execute()
}

interface NewApiKey extends ApiKeyCreate {
  id: string
  hash: string
  lastCharacters: string
}

export const createKey = writeStatement(
  z.object({ is_created: z.boolean() }),
  ({ id, hash, lastCharacters, name, role, team_id, scopes, allowed_ranges, expires_at }: NewApiKey) => sql`
    select ${callFunction('app.create_api_key', {
      p_id: id,
      p_hash: hash,
      p_last_characters: lastCharacters,
      p_name: name,
      p_role: role,
      p_team: team_id,
      p_scopes: scopes,
      p_allowed_ranges: allowed_ranges,
      p_expires_at: expires_at,
    })} as is_created`,
)

/** Create a key and its user. Return undefined, and create nothing, if the key would have expired already. */
export async function insertApiKey(db: WriteDb, key: NewApiKey): Promise<ApiKey | undefined> {
  const [, [row]] = await db.batch([createKey.query(key), selectRows(db).where('k.id', '=', key.id)])
  return row
}

/** Revoke a key. Return false if it is unknown or revoked already. */
export async function revokeApiKey(db: WriteDb, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
