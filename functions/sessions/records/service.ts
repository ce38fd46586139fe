import { Buffer } from 'node:buffer'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { ReadContext } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { pause, spend } from '#rules/budget.ts'
import { writeCanonicalJson } from '#rules/text/canonical-json.ts'
import * as queries from './queries.ts'
import type { SignedRecord } from './schemas.ts'

/** The rows of one record. A Worker has 128 MB for all of its requests. */
const maxBytes = 8 * 1024 * 1024

/** Return the signed record of a run, with its sub-flows. Throw 409 for one that is too large. */
export async function get(ctx: ReadContext, id: string): Promise<SignedRecord> {
  await sessions.find(ctx.db, id)
  return signCase(ctx, 'session', id)
}

/** Return the signed record of a case that the caller may read. Throw 409 for one that is too large. */
export async function signCase(
  { db, config, recordSigner }: Pick<ReadContext, 'db' | 'config' | 'recordSigner'>,
  kind: queries.CaseKind,
  id: string,
): Promise<SignedRecord> {
  const rows = await queries.selectRows.all(db, kind, id, maxBytes)
  const size = rows.reduce((sum, { line }) => sum + line.length, 0)
  if (size > maxBytes)
    throw new Problem('limit_reached', 'The record is larger than 8 MiB; export the account instead')
  // It is parsed, sorted, written and searched for ids.
  spend(4 * size)
  await pause()
  const { issued_at, ...account } = await queries.selectAccount(db)
  const records = Object.fromEntries(
    Object.keys(queries.caseTables[kind]).map((name) => [
      name,
      rows.flatMap(({ table_name, line }) => (table_name === name ? [JSON.parse(line) as unknown] : [])),
    ]),
  )
  const record = writeCanonicalJson({
    format: 'support-flow-record',
    version: 1,
    issuer: config.PUBLIC_BASE_URL,
    ...{ kind, id, account, issued_at, records },
  })
  await pause()
  const signature = await recordSigner.sign(new TextEncoder().encode(record))
  return {
    record,
    algorithm: 'Ed25519',
    key_id: recordSigner.keyId,
    signature: Buffer.from(signature).toString('base64url'),
    people: await queries.selectPeople(db, [...new Set(record.match(uuid))]),
  }
}

/** An id as a whole text of JSON. */
const uuid = /(?<=")[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=")/g
