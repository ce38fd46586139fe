import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { changedMeanwhile, invalid, Problem } from '../../../lib/problem.ts'
import type { Member } from '../../../lib/psa/psa.ts'
import * as connection from '../connection/service.ts'
import * as queries from './queries.ts'
import type { MappingUpdate, MemberMapping } from './schemas.ts'

const maxText = 300

export async function list(ctx: connection.Connecting): Promise<Member[]> {
  return membersOf(await connection.connected(ctx))
}

/** Our own rows, whatever the provider does; suggestions only while it answers. */
export async function listMappings(ctx: connection.Connecting): Promise<MemberMapping[]> {
  const [rows, members] = await Promise.all([queries.selectMappings(ctx.db), list(ctx).catch(none)])
  return rows.map((row) => ({ ...row, suggested_member_id: row.psa_member_id === null ? suggestion(members, row.email) : null }))
}

export async function map(ctx: Writer, userId: string, { psa_member_id }: MappingUpdate): Promise<MemberMapping> {
  await find(ctx.db, userId)
  if (psa_member_id === null) await queries.deleteMapping(ctx.db, userId)
  if (typeof psa_member_id === 'string') await mapTo(ctx, userId, psa_member_id)
  return { ...(await find(ctx.db, userId)), suggested_member_id: null }
}

/** Who the caller is in the ticketing system. */
export function mine({ db }: Pick<Reader, 'db'>) {
  return queries.selectOwn(db)
}

async function mapTo(ctx: Writer, userId: string, memberId: string): Promise<void> {
  const psa = await connection.connected(ctx)
  const member = (await membersOf(psa)).find(({ id }) => id === memberId)
  if (!member) throw invalid([{ loc: ['body', 'psa_member_id'], msg: 'No such member', type: 'unknown' }])
  const short = { ...member, identifier: member.identifier.slice(0, maxText), name: member.name.slice(0, maxText) }
  if (!(await queries.upsertMapping(ctx.db, userId, psa.row, short))) throw changedMeanwhile('connection')
}

function membersOf({ port }: connection.Connected): Promise<Member[]> {
  return port.members().catch((error: unknown) => {
    throw connection.problemOf(error)
  })
}

async function find(db: Reader['db'], userId: string) {
  const found = await queries.selectMapping(db, userId)
  if (!found) throw new Problem('not_found', 'User not found')
  return found
}

/** Two members of one address are no suggestion. */
function suggestion(members: readonly Member[], email: string): string | null {
  const same = members.filter((member) => member.email?.toLowerCase() === email.toLowerCase())
  return same.length === 1 ? (same[0]?.id ?? null) : null
}

function none(error: unknown): Member[] {
  if (error instanceof Problem && (error.kind === 'conflict' || error.kind === 'provider_error')) return []
  throw error
}
