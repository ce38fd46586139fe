import { sha256Bytea } from '../../../lib/auth/hash.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { PlatformDb } from '../../../lib/db/scope.ts'
import { sqlState } from '../../../lib/db/sqlstate.ts'
import { publishDeliveries } from '../../../lib/events/outbox.ts'
import type { Context, Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { InviteCreate } from './schemas.ts'

export async function list({ db }: Reader, { skip, limit }: PageQuery) {
  return toPage(await queries.selectInvites(db, skip, limit), limit)
}

export async function create({ db, after, queue }: Writer, input: InviteCreate) {
  const made = await queries.insertInvite(db, input).catch(unknownTeam)
  if (!made) throw new Problem('conflict', 'This address is a member already', { code: 'already_member' })
  const { delivery_id, ...invite } = made
  after(() => publishDeliveries(queue, [delivery_id]))
  return invite
}

export async function revoke({ db }: Writer, id: string) {
  const { found, revoked } = await queries.revokeInvite(db, id)
  if (!found) missing()
  if (!revoked) throw closed()
}

export async function resend({ db, after, queue }: Writer, id: string) {
  const renewed = await queries.renewInvite(db, id)
  if (!renewed) throw (await queries.inviteExists(db, id)) ? closed() : missing()
  after(() => publishDeliveries(queue, [renewed.delivery_id]))
}

export async function lookup({ platform }: Context<'get', 'public', string>, code: string) {
  return (await queries.selectByCode(platform, await sha256Bytea(code))) ?? unusable()
}

/** Uses an invite, once, for the address it was sent to, in the transaction of the one who joins. */
export async function claim(tx: PlatformDb, code: string, email: string) {
  const hash = await sha256Bytea(code)
  const claimed = await queries.claimInvite(tx, hash, email)
  if (claimed) return claimed
  if (!(await queries.selectByCode(tx, hash))) unusable()
  throw otherAddress()
}

export function otherAddress(): Problem {
  return new Problem('bad_request', 'This invite was sent to another address', { code: 'invite_email_mismatch' })
}

/** One answer for every code that does not work, so that none can be told from another. */
function unusable(): never {
  const code = 'invite_invalid_or_expired_or_revoked'
  throw new Problem('not_found', code, { code })
}

function closed(): Problem {
  return new Problem('conflict', 'This invite was accepted or revoked already', { code: 'invite_closed' })
}

function missing(): never {
  throw new Problem('not_found', 'Invite not found')
}

function unknownTeam(error: unknown): never {
  throw sqlState(error) === '23503' ? invalid([{ loc: ['body', 'team_id'], msg: 'No such team', type: 'unknown' }]) : error
}
