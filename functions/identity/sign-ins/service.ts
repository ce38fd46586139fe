import { sha256Bytea } from '../../../lib/auth/hash.ts'
import type { PlatformDb } from '../../../lib/db/scope.ts'
import type { Context, ReadContext, WriteContext } from '../../../lib/http/operation.ts'
import { notFound } from '../../../lib/problem.ts'
import * as queries from './queries.ts'

export async function list({ db, caller }: ReadContext) {
  return queries.selectSignIns(db, caller.userId, caller.signInId)
}

export async function revoke({ db, caller }: WriteContext, id: string) {
  if (!(await queries.revokeSignIn(db, caller.userId, id))) throw notFound('Sign-in')
}

/** Revoke every sign-in of the caller, and the device tokens. */
export async function revokeAll({ platform, caller }: Context<'delete', 'user', string>) {
  await queries.revokeAll.run(platform, caller.userId)
}

/** Revoke the sign-in of a refresh token, used or not. */
export async function revokeByToken(platform: PlatformDb, token: string) {
  await queries.revokeByToken(platform, await sha256Bytea(token))
}

/** Revoke the sign-in of a reused refresh token, with a grace of 5 s for parallel tabs. Return whether the token was reused. */
export async function revokeByReusedToken(platform: PlatformDb, tokenHash: string): Promise<boolean> {
  return (await queries.revokeByReusedToken.run(platform, tokenHash)) > 0
}
