import * as connection from '#functions/psa/connection/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, staleVersion, throwNotFound, unknownId } from '#problem.ts'
import { cut } from '#rules/text/clip.ts'
import type { Member } from '#vendors/psa/psa.ts'
import * as queries from './queries.ts'
import type { MappingUpdate, MemberMapping } from './schemas.ts'

const maxTextLength = 300

export async function list(ctx: connection.ConnectionContext): Promise<Member[]> {
  return listMembers(await connection.open(ctx))
}

/** List the stored mappings. Add suggestions only if the ticketing system is available. */
export async function listMappings(ctx: connection.ConnectionContext): Promise<MemberMapping[]> {
  const [rows, members] = await Promise.all([
    queries.selectMappings(ctx.db),
    list(ctx).catch(ignoreUnavailable),
  ])
  return rows.map((row) => ({
    ...row,
    suggested_member_id: row.psa_member_id === null ? suggestMemberId(members, row.email) : null,
  }))
}

export async function putMapping(
  ctx: WriteContext,
  userId: string,
  { psa_member_id }: MappingUpdate,
): Promise<MemberMapping> {
  await findMapping(ctx.db, userId)
  if (psa_member_id === null) await queries.deleteMapping(ctx.db, userId)
  if (typeof psa_member_id === 'string') await mapToMember(ctx, userId, psa_member_id)
  return { ...(await findMapping(ctx.db, userId)), suggested_member_id: null }
}

/** Find the member that the caller is mapped to. */
export function findOwnMember({ db }: Pick<ReadContext, 'db'>) {
  return queries.selectOwnMember(db)
}

/** Find the member that a user is mapped to. */
export function findMemberOf(db: ReadContext['db'], userId: string) {
  return queries.selectMemberOf(db, userId)
}

async function mapToMember(ctx: WriteContext, userId: string, memberId: string): Promise<void> {
  const psa = await connection.open(ctx)
  const member = (await listMembers(psa)).find(({ id }) => id === memberId)
  if (!member) throw unknownId('psa_member_id', 'member')
  const truncated = {
    ...member,
    identifier: cut(member.identifier, maxTextLength),
    name: cut(member.name, maxTextLength),
  }
  if ((await queries.upsertMapping.run(ctx.db, userId, psa.row, truncated)) === 0)
    throw staleVersion('connection')
}

function listMembers({ port }: connection.OpenConnection): Promise<Member[]> {
  return port.listMembers().catch((error: unknown) => {
    throw connection.toProblem(error)
  })
}

async function findMapping(db: ReadContext['db'], userId: string) {
  return (await queries.selectMapping(db, userId)) ?? throwNotFound('User')
}

/** Return the only member with this e-mail address, or null if there is none or more than one. */
function suggestMemberId(members: readonly Member[], email: string): string | null {
  const matches = members.filter((member) => member.email?.toLowerCase() === email.toLowerCase())
  return matches.length === 1 ? (matches[0]?.id ?? null) : null
}

function ignoreUnavailable(error: unknown): Member[] {
  if (error instanceof Problem && (error.kind === 'psa_not_connected' || error.status === 502)) return []
  throw error
}
