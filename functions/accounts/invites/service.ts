import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import type { PlatformDb } from '#db/scope.ts'
import { throwUnknownId } from '#db/sqlstate.ts'
import type { Context, ReadContext, WriteContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { InviteCreate } from './schemas.ts'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectInvites(db, page), page, newestFirst)
}

export async function create({ db }: WriteContext, input: InviteCreate) {
  const inserted = await queries.insertInvite.first(db, input).catch(throwUnknownId('team_id', 'team'))
  if (!inserted) throw await createMemberProblem(db, input.email)
  const { delivery_id, ...invite } = inserted
  enqueueDelivery(db, delivery_id)
  return invite
}

/** Say whether the member who has the address was removed: then an invite is not needed. */
async function createMemberProblem(db: WriteContext['db'], email: string): Promise<Problem> {
  const { id = null, is_active = true } = (await queries.selectMember(db, email)) ?? {}
  const detail = is_active
    ? undefined
    : 'This address belongs to a removed member; activate them again instead of inviting them'
  return new Problem('already_member', detail, { facts: { member_id: id, is_active } })
}

export async function revoke({ db }: WriteContext, id: string) {
  const { is_known, is_revoked } = await queries.revokeInvite.one(db, id)
  if (!is_known) throw notFound('Invite')
  if (!is_revoked) throw inviteClosed()
}

export async function resend({ db }: WriteContext, id: string) {
  const renewed = await queries.renewInvite.first(db, id)
  if (!renewed) throw (await queries.hasInvite(db, id)) ? inviteClosed() : notFound('Invite')
  enqueueDelivery(db, renewed.delivery_id)
}

export async function lookUp({ platform }: Context<'get', 'public', string>, code: string) {
  return (await queries.selectInviteByCode(platform, await sha256Bytea(code))) ?? throwInvalidCode()
}

/** Accept an invite for the address that it was sent to, in the transaction that inserts the member. */
export async function claim(tx: PlatformDb, code: string, email: string) {
  const hash = await sha256Bytea(code)
  const invite = await queries.claimInvite(tx, hash, email)
  if (invite) return invite
  if (!(await queries.selectInviteByCode(tx, hash))) throwInvalidCode()
  throw emailMismatch()
}

/** Accept the open invite of an account for an address that is proved otherwise, if there is one. */
export async function claimByAddress(tx: PlatformDb, accountId: string, email: string) {
  return queries.claimInviteOf(tx, accountId, email)
}

export function emailMismatch(): Problem {
  return new Problem('invite_email_mismatch')
}

/** Throw the same 404 for every invalid code, so that the response does not reveal why it is invalid. */
function throwInvalidCode(): never {
  throw new Problem('invite_invalid_or_expired_or_revoked')
}

function inviteClosed(): Problem {
  return new Problem('invite_closed')
}
