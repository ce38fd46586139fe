import type { SignedRecord } from './types.ts'

/** The public keys of the service: the answer of `/.well-known/jwks.json`. Keep a copy beside your records. */
export interface RecordKeys {
  keys: readonly { kid: string; x: string }[]
}

/** What a signed record says. */
export interface CaseRecord {
  format: 'support-flow-record'
  version: 1
  /** Address of the service that issued the record. */
  issuer: string
  kind: 'session' | 'ai_session'
  id: string
  account: { id: string; name: string }
  /** RFC 3339, in UTC. */
  issued_at: string
  /** The rows by table, with the fields of an export of the account. */
  records: Record<string, Record<string, unknown>[]>
}

/**
 * Verify a signed record without asking the service, and return what it says. Throw an error when no key has
 * its `key_id`, or when the record or its signature was changed. The names in `people` are not signed.
 */
export async function verifyRecord(
  { record, key_id, signature }: Pick<SignedRecord, 'record' | 'key_id' | 'signature'>,
  { keys }: RecordKeys,
): Promise<CaseRecord> {
  const key = keys.find(({ kid }) => kid === key_id)
  if (!key) throw new Error(`No key is named ${key_id}; get the keys of the service again`)
  // Of the last character two bits are used: another one would be a second text of the same signature.
  const isSignature = /^[\w-]{85}[AQgw]$/.test(signature)
  if (!isSignature || !(await isSigned(record, signature, key.x)))
    throw new Error('The record or its signature was changed')
  return JSON.parse(record) as CaseRecord
}

async function isSigned(text: string, signature: string, x: string): Promise<boolean> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x }
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', key, decodeBase64url(signature), new TextEncoder().encode(text))
}

function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
