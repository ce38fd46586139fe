import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, byName, userId as callerId } from '#db/expressions.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { Member } from '#vendors/psa/psa.ts'

/** Whether a user may act: a person who may sign in, or an API key. */
const canAct = sql<boolean>`(u.is_active or app.is_key_open(u.account_id, u.id))`

function selectMappingRows(db: ReadDb) {
  return db
    .selectFrom('users as u')
    .leftJoin('psa_member_mappings as m', (join) =>
      join.onRef('m.account_id', '=', 'u.account_id').onRef('m.user_id', '=', 'u.id'),
    )
    .select([
      'u.id as user_id',
      'u.full_name',
      'u.email',
      'm.psa_member_id',
      'm.psa_identifier',
      'm.psa_name',
    ])
    .where('u.account_id', '=', accountId)
    .where(canAct)
}

export function selectMappings(db: ReadDb) {
  return selectMappingRows(db).orderBy(byName('u.full_name')).orderBy('u.id').execute()
}

export function selectMapping(db: ReadDb, userId: string) {
  return selectMappingRows(db).where('u.id', '=', userId).executeTakeFirst()
}

/** Select the member that the caller is mapped to. */
export function selectOwnMember(db: ReadDb): Promise<Pick<Member, 'id' | 'identifier'> | undefined> {
  return selectMember(db).where('user_id', '=', callerId).executeTakeFirst()
}

/** Select the member that a user is mapped to. */
export function selectMemberOf(
  db: ReadDb,
  userId: string,
): Promise<Pick<Member, 'id' | 'identifier'> | undefined> {
  return selectMember(db).where('user_id', '=', userId).executeTakeFirst()
}

function selectMember(db: ReadDb) {
  return db
    .selectFrom('psa_member_mappings')
    .select(['psa_member_id as id', 'psa_identifier as identifier'])
    .where('account_id', '=', accountId)
}

/**
 * Map a user who may act to a member of the connection. Return false if the connection has changed since the
 * member was read.
 */
export const upsertMapping = writeStatement(
  z.object({ user_id: z.string() }),
  (userId: string, connection: { id: string; credentials: string }, { id, identifier, name }: Member) => sql`
    insert into psa_member_mappings as m (user_id, connection_id, psa_member_id, psa_identifier, psa_name)
    select u.id, c.id, ${id}, ${identifier}, ${name} from users u, psa_connections c
     where u.account_id = app.account_id() and u.id = ${userId} and ${canAct}
       and c.account_id = app.account_id() and c.id = ${connection.id} and c.credentials = ${connection.credentials}
    on conflict (account_id, user_id) do update set connection_id = excluded.connection_id, psa_member_id = excluded.psa_member_id,
      psa_identifier = excluded.psa_identifier, psa_name = excluded.psa_name, updated_at = app.now()
    returning user_id`,
)

export async function deleteMapping(db: WriteDb, userId: string): Promise<void> {
  await db
    .deleteFrom('psa_member_mappings')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}
