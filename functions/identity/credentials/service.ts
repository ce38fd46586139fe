import { sha256Bytea } from '../../../lib/auth/hash.ts'
import { hashPassword, verifyPassword, weakness } from '../../../lib/auth/passwords.ts'
import { publishDeliveries } from '../../../lib/events/outbox.ts'
import type { Context } from '../../../lib/http/operation.ts'
import { changedMeanwhile, invalid, Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { ChangePassword, ResetPassword } from './schemas.ts'

type Visitor = Context<'post', 'public', string>
type Person = Context<'post', 'user', string>

export async function changePassword(ctx: Person, { current_password, new_password }: ChangePassword) {
  const { userId, signInId } = ctx.caller
  const known = await queries.selectPassword(ctx.platform, userId)
  if (!known) throw new Problem('bad_request', 'You have no password yet: ask for a link to choose one', { code: 'no_password' })
  if (!(await verifyPassword(known.hash, current_password))) {
    throw new Problem('bad_request', 'The current password is wrong', { code: 'wrong_password' })
  }
  requireStrong(new_password, known.email, 'new_password')
  const change = { userId, signInId, before: known.hash, after: await hashPassword(new_password) }
  if (!(await queries.replacePassword(ctx.platform, change))) throw changedMeanwhile('password')
}

export async function verifyEmail({ platform }: Visitor, token: string) {
  if (await queries.verifyEmail(platform, await sha256Bytea(token))) return
  throw deadLink()
}

export async function resendVerification(ctx: Person) {
  const mail = await queries.insertVerificationMail(ctx.platform, ctx.caller.userId)
  if (mail) ctx.after(() => publishDeliveries(ctx.queue, [mail.id]))
}

/** Says nothing of whether the address is anybody's: the answer and the work are the same. */
export async function forgotPassword(ctx: Visitor, email: string) {
  const mail = await queries.insertResetMail(ctx.platform, email)
  if (mail) ctx.after(() => publishDeliveries(ctx.queue, [mail.id]))
}

export async function resetPassword({ platform }: Visitor, { token, new_password }: ResetPassword) {
  const hash = await sha256Bytea(token)
  const known = await queries.selectResetToken(platform, hash)
  if (!known) throw deadLink()
  requireStrong(new_password, known.email, 'new_password')
  if (!(await queries.resetPassword(platform, hash, await hashPassword(new_password)))) throw deadLink()
}

export function requireStrong(password: string, email: string, field: string): void {
  const reason = weakness(password, email)
  if (reason) throw invalid([{ loc: ['body', field], msg: reason, type: 'weak_password' }])
}

function deadLink(): Problem {
  return new Problem('bad_request', 'This link was used, has run out or never worked', { code: 'token_invalid_or_expired' })
}
