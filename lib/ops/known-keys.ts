import type pg from 'pg'
import { checkKeys, describeUnknownKeys } from '#db/require-connection.ts'
import type { KeySet } from '#rules/settings/fingerprint.ts'

type Client = Pick<pg.ClientBase, 'query'>

/** Throw unless the database knows one of the keys, or none of the setting yet. */
export async function requireKnownKeys(client: Client, keys: KeySet): Promise<void> {
  const { sql, parameters } = checkKeys(keys, false)
  const { rows } = await client.query(sql, [...parameters])
  const message = describeUnknownKeys(keys.setting, rows[0])
  if (message) throw new Error(message)
}

/** Make the keys of a setting those of the database. `client` must be its owner. */
export async function acceptKeys(client: Client, { setting, ids, fingerprints }: KeySet): Promise<void> {
  await client.query(
    `with old as (delete from key_fingerprints where setting = $1 and fingerprint <> all ($3::text[]))
     insert into key_fingerprints (setting, id, fingerprint)
       select $1, n.id, n.fingerprint from unnest($2::text[], $3::text[]) n (id, fingerprint) on conflict do nothing`,
    [setting, ids, fingerprints],
  )
}
