import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { Member } from '../../../lib/psa/psa.ts'
import type { MemberMapping } from './schemas.ts'

type MappingRow = Omit<MemberMapping, 'suggested_member_id'>

const mappingColumns = sql`u.id as user_id, u.full_name, u.email, m.psa_member_id, m.psa_identifier, m.psa_name`
const mappedUsers = sql`
  users u left join psa_member_mappings m on m.account_id = u.account_id and m.user_id = u.id
  where u.account_id = app.account_id() and u.is_active`

export async function selectMappings(db: ReadDb): Promise<MappingRow[]> {
  return (await sql<MappingRow>`select ${mappingColumns} from ${mappedUsers} order by lower(u.full_name), u.id`.execute(db as WriteDb)).rows
}

export async function selectMapping(db: ReadDb, userId: string): Promise<MappingRow | undefined> {
  return (await sql<MappingRow>`select ${mappingColumns} from ${mappedUsers} and u.id = ${userId}`.execute(db as WriteDb)).rows[0]
}

/** Select the member that the caller is mapped to. */
export async function selectOwnMember(db: ReadDb): Promise<Pick<Member, 'id' | 'identifier'> | undefined> {
  const { rows } = await sql<Pick<Member, 'id' | 'identifier'>>`
    select m.psa_member_id as id, m.psa_identifier as identifier from psa_member_mappings m
     where m.account_id = app.account_id() and m.user_id = app.user_id()`.execute(db as WriteDb)
  return rows[0]
}

/** Map an active user to a member of the connection. Return false if the connection has changed since the member was read. */
export async function upsertMapping(
  db: WriteDb,
  userId: string,
  connection: { id: string; credentials: string },
  { id, identifier, name }: Member,
): Promise<boolean> {
  const { rows } = await sql`
    insert into psa_member_mappings as m (user_id, connection_id, psa_member_id, psa_identifier, psa_name)
    select u.id, c.id, ${id}, ${identifier}, ${name} from users u, psa_connections c
     where u.account_id = app.account_id() and u.id = ${userId} and u.is_active
       and c.account_id = app.account_id() and c.id = ${connection.id} and c.credentials = ${connection.credentials}
    on conflict (account_id, user_id) do update set connection_id = excluded.connection_id, psa_member_id = excluded.psa_member_id,
      psa_identifier = excluded.psa_identifier, psa_name = excluded.psa_name, updated_at = app.now()
    returning user_id`.execute(db)
  return rows.length > 0
}

export async function deleteMapping(db: WriteDb, userId: string): Promise<void> {
  await sql`delete from psa_member_mappings where account_id = app.account_id() and user_id = ${userId}`.execute(db)
}
