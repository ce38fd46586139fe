import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { noSuch, violated } from '../../../lib/db/sqlstate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { AccountUpdate, MemberUpdate } from './schemas.ts'

export async function mine({ db }: Pick<Reader, 'db'>) {
  const { max_users, users, open_invites, ...account } = await queries.selectAccount(db)
  return { ...account, limits: { max_users }, usage: { users, open_invites } }
}

export async function update({ db }: Writer, change: AccountUpdate) {
  if (Object.keys(change).length > 0) await queries.updateAccount(db, change).catch(tooLarge('settings'))
  return mine({ db })
}

export async function preferences({ db }: Reader) {
  return queries.selectPreferences(db)
}

export async function updatePreferences({ db }: Writer, change: Record<string, unknown>) {
  const merged = await queries.mergePreferences(db, change).catch(tooLarge('preferences'))
  return merged
}

export async function listMembers({ db }: Reader, { skip, limit }: PageQuery) {
  return toPage(await queries.selectMembers(db, skip, limit), limit)
}

export async function updateMember({ db }: Writer, id: string, change: MemberUpdate) {
  if (change.team_id === null && change.team_role) {
    throw invalid([{ loc: ['body', 'team_role'], msg: 'Nobody has a role in no team', type: 'custom' }])
  }
  return (await queries.updateMember(db, id, change).catch(noSuch('team_id', 'team'))) ?? missing()
}

export async function removeMember({ db }: Writer, id: string) {
  if (!(await queries.updateMember(db, id, { is_active: false }))) missing()
}

export async function listAuditLog({ db }: Reader, { skip, limit }: PageQuery) {
  return toPage(await queries.selectAuditLog(db, skip, limit), limit)
}

function missing(): never {
  throw new Problem('not_found', 'Member not found')
}

function tooLarge(field: string) {
  return (error: unknown): never => {
    const exceeded = violated(error)?.startsWith('accounts_')
    throw exceeded ? invalid([{ loc: ['body'], msg: `The ${field} would exceed 64 keys or 16 KB`, type: 'too_big' }]) : error
  }
}
