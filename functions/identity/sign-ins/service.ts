import { sha256Bytea } from '../../../lib/auth/hash.ts'
import type { PlatformDb } from '../../../lib/db/scope.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'

export async function list({ db, caller }: Reader) {
  return queries.selectDevices(db, caller.userId, caller.signInId)
}

export async function end({ db, caller }: Writer, id: string) {
  if (!(await queries.endDevice(db, caller.userId, id))) throw new Problem('not_found', 'Sign-in not found')
}

/** Signs out whoever has this refresh token, used or not. */
export async function endByToken(platform: PlatformDb, token: string) {
  await queries.endFamilyOf(platform, await sha256Bytea(token))
}

/** Signs out a family one of whose tokens is presented again, but for two tabs that refresh at once; true when it is signed out by that. */
export async function endReused(platform: PlatformDb, tokenHash: string): Promise<boolean> {
  return queries.endReusedFamily(platform, tokenHash)
}
