import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { throwUnknownId } from '#db/sqlstate.ts'
import { uuidv7 } from '#db/uuid.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, throwNotFound } from '#problem.ts'
import { createApiKey } from '#vendors/auth/api-keys.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import * as queries from './queries.ts'
import type { ApiKeyCreate } from './schemas.ts'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectApiKeys(db, page), page, newestFirst)
}

/** Create a key. Only its hash is stored, so the key cannot be shown again. */
export async function create({ db, caller: { accountId } }: WriteContext, input: ApiKeyCreate) {
  const id = uuidv7()
  const key = createApiKey({ accountId, keyId: id })
  const hash = await sha256Bytea(key)
  const row = await queries
    .insertApiKey(db, { ...input, id, hash, lastCharacters: key.slice(-4) })
    .catch(throwUnknownId('team_id', 'team'))
  if (!row) throw invalidField(['body', 'expires_at'], 'must be in the future', 'too_small')
  return { ...row, key }
}

export async function revoke({ db }: WriteContext, id: string) {
  if (!(await queries.revokeApiKey(db, id))) throwNotFound('API key')
}
