import type pg from 'pg'

/**
 * What the first migration withdraws only where its owner is a superuser: large objects would let the roles of the
 * service fill the disk.
 */
export const forbidLargeObjects =
  'revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public'

interface Server {
  version: string
  isOld: boolean
  encoding: string
  database: string
  owner: string
  isAllowed: boolean
}

// BYPASSRLS is needed to create a role with it, and because row level security applies to the owner of the
// tables too.
// https://www.postgresql.org/docs/18/sql-createrole.html
const query = `
  select current_setting('server_version') as version, current_setting('server_version_num')::integer < 160000 as "isOld", rolname as owner,
         pg_encoding_to_char(encoding) as encoding, datname as database,
         rolsuper or (rolcreaterole and rolbypassrls) as "isAllowed"
    from pg_roles, pg_database where rolname = current_user and datname = current_database()`

/**
 * Throw if the server is too old for the migrations, the database has another encoding than UTF8, or the role of
 * the connection has not the rights that they need. Writes nothing.
 */
export async function requireServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Server>(query)
  for (const { version, isOld, encoding, database, owner, isAllowed } of rows) {
    if (isOld)
      throw new Error(
        `PostgreSQL ${version} found, but 16 or newer is needed. Nothing was changed.\n` +
          'If this machine has a newer one too, correct the port in the connection strings; otherwise install one: https://www.postgresql.org/download/',
      )
    if (encoding !== 'UTF8')
      throw new Error(
        `The database has the encoding ${encoding}, but UTF8 is needed. Nothing was changed.\n` +
          `Drop it. Then run, as a superuser: create database ${client.escapeIdentifier(database)} owner ${client.escapeIdentifier(owner)} encoding 'UTF8' template template0`,
      )
    if (!isAllowed)
      throw new Error(
        `The role ${owner} needs CREATEROLE and BYPASSRLS, because the first migration creates the roles of the service. Nothing was changed.\n` +
          `As a superuser, run: alter role ${client.escapeIdentifier(owner)} createrole bypassrls`,
      )
  }
}
