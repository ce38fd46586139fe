import { streamChunks } from '#async/stream-chunks.ts'
import { nameOrder, newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { insertAuditEntry } from '#db/rows/audit.ts'
import { inTransaction, type PlatformDb, type ReadDb, type WriteDb } from '#db/scope.ts'
import { getViolatedConstraint, throwUnknownId } from '#db/sqlstate.ts'
import { waitingWork } from '#db/waiting-work.ts'
import { announceLeaver } from '#functions/oncall/shift-notices/service.ts'
import {
  type BaseContext,
  Content,
  type Context,
  type ReadContext,
  type WriteContext,
} from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import { enqueueDeliveries, enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type {
  AccountUpdate,
  AuditLogQuery,
  Member,
  MemberUpdate,
  OnCallChange,
  WaitingWork,
} from './schemas.ts'

export async function get({ db }: Pick<ReadContext, 'db'>) {
  return toAccount(await queries.selectAccount(db))
}

function toAccount(row: Awaited<ReturnType<typeof queries.selectAccount>>) {
  const {
    max_users,
    users,
    open_invites,
    audit_log_days,
    notification_days,
    ai_message_days,
    session_days,
    ...account
  } = row
  const retention = { audit_log_days, notification_days, ai_message_days, session_days }
  return { ...account, retention, limits: { max_users }, usage: { users, open_invites } }
}

export async function update({ db }: WriteContext, changes: AccountUpdate) {
  const { retention, ...others } = changes
  if (Object.keys({ ...others, ...retention }).length === 0) return get({ db })
  const account = await queries.updateAccount(db, changes).catch(throwTooLarge('settings'))
  return account ? toAccount(account) : throwNotFound('Account')
}

/** Have the account erased after 14 days. `name` must be its name. */
export async function requestDeletion(ctx: WriteContext, name: string) {
  const { name: currentName } = await get(ctx)
  if (currentName !== name)
    throw invalidField(['body', 'name'], 'must be the name of the account', 'mismatch')
  const mails = await queries.requestDeletion.all(ctx.db, name)
  const requested = await get(ctx)
  if (requested.deletes_at === null) throw new Problem('forbidden', 'This account cannot be deleted')
  enqueueDeliveries(ctx.db, toIds(mails))
  return requested
}

/** Cancel the deletion of the account. */
export async function restore(ctx: WriteContext) {
  enqueueDeliveries(ctx.db, toIds(await queries.restoreAccount.all(ctx.db)))
  return get(ctx)
}

const toIds = (mails: readonly { delivery_id: string }[]) => mails.map(({ delivery_id }) => delivery_id)

export async function getUsage({ db }: ReadContext) {
  return queries.selectUsage.one(db)
}

export async function getPreferences({ db }: ReadContext) {
  return queries.selectPreferences(db)
}

export async function updatePreferences({ db }: WriteContext, changes: Record<string, unknown>) {
  return queries.mergePreferences(db, changes).catch(throwTooLarge('preferences'))
}

export async function listMembers({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectMembers(db, page), page, nameOrder('full_name'))
}

export async function updateMember(
  ctx: WriteContext & { platform: PlatformDb },
  id: string,
  changes: MemberUpdate,
) {
  const waiting_work = stopsWork(changes) ? await readWaitingWork(ctx, id) : []
  const { member, on_call } = await storeMember(ctx, id, changes)
  return { ...member, waiting_work, on_call }
}

/** Who changes a member: another one, or the provider of the organisation, which is no user. */
interface ChangeContext {
  db: WriteDb
  caller: { userId: string | null }
}

export async function changeMember(ctx: ChangeContext, id: string, changes: MemberUpdate) {
  return (await storeMember(ctx, id, changes)).member
}

/** Return whether a change means that a member can no longer work. */
function stopsWork({ is_active, role }: MemberUpdate): boolean {
  return is_active === false || role === 'viewer'
}

/** Change a member, and tell who is on call in their place if they can no longer be. */
async function storeMember(
  { db, caller }: ChangeContext,
  id: string,
  changes: MemberUpdate,
): Promise<{ member: Member; on_call: OnCallChange[] }> {
  if (changes.team_id === null && changes.team_role)
    throw invalidField(['body', 'team_role'], 'must be absent if team_id is null', 'custom')
  const update = async (inner: WriteDb) =>
    (await queries
      .updateMember(inner, id, changes)
      .catch(throwAddressTaken)
      .catch(throwUnknownId('team_id', 'team'))) ?? throwNotFound('Member')
  if (!stopsWork(changes)) return { member: await update(db), on_call: [] }
  return inTransaction(db, async (inner) => {
    const { result, changes: shiftChanges } = await announceLeaver(inner, caller.userId, update)
    return {
      member: result,
      on_call: shiftChanges.map(({ schedule, previous, member }) => ({
        schedule_id: schedule.id,
        schedule_name: schedule.name,
        on_call_before: previous,
        on_call_after: member,
      })),
    }
  })
}

/** A removed member may have joined or opened another account with their address. */
function throwAddressTaken(error: unknown): never {
  if (getViolatedConstraint(error) !== 'users_email') throw error
  throw new Problem('email_taken', 'This member has another account by now; they leave it first')
}

/** List what waits for a member, and what becomes of it when they can no longer work. */
export async function listWaitingWork(
  ctx: ReadContext & { platform: PlatformDb },
  id: string,
): Promise<WaitingWork[]> {
  if (!(await queries.isMember(ctx.db, id))) throwNotFound('Member')
  return readWaitingWork(ctx, id)
}

async function readWaitingWork(
  { platform, caller }: Pick<ReadContext, 'caller'> & { platform: PlatformDb },
  id: string,
): Promise<WaitingWork[]> {
  const counts = new Map(
    (await queries.selectWaitingWork.all(platform, caller.accountId, id)).map(({ kind, count }) => [
      kind,
      count,
    ]),
  )
  return Object.values(waitingWork).flatMap(({ kind, outcome }) => {
    const count = counts.get(kind)
    return count === undefined ? [] : [{ kind, count, outcome }]
  })
}

export async function removeMember(ctx: WriteContext, id: string) {
  await changeMember(ctx, id, { is_active: false })
}

/** Let e-mails go to a member again. Throw 409 when the member has complained. */
export async function endEmailProblem({ db }: WriteContext, id: string) {
  const { is_complaint } = await queries.endEmailProblem.one(db, id)
  if (is_complaint === null) throwNotFound('Member')
  if (is_complaint) throw new Problem('email_complaint')
}

export async function listAuditLog({ db }: ReadContext, query: AuditLogQuery & PageQuery) {
  return toPage(await queries.selectAuditLog(db, query), query, newestFirst)
}

const maxExported = 100_000
const exportedAtOnce = 500

/** Return a part of the audit log as CSV, which is read page by page while it is sent. */
export async function exportAuditLog(ctx: Context<'get', 'account_admin', string>, range: AuditLogQuery) {
  const found = await queries.selectAuditRange.one(ctx.db, range, maxExported)
  const { first_sequence, last_sequence, next_sequence } = found
  if (next_sequence !== null)
    throw invalidField(
      ['query', 'to_sequence'],
      `must be at most ${next_sequence - 1}, because a file has at most ${maxExported} entries`,
    )
  const entry = { action: 'audit_log.exported', resource_type: 'audit_log' }
  await insertAuditEntry(ctx.platform, { ...ctx.caller, ip: ctx.ip }, { ...entry, changes: { ...range } })
  const body = await streamChunks(readCsv(ctx.db, first_sequence ?? 1, last_sequence ?? 0))
  const name = `audit-log-${first_sequence ?? 0}-${last_sequence ?? 0}.csv`
  return new Content(body, 'text/csv; charset=utf-8', name)
}

/** Read the entries of the audit log from one number to another, as CSV. */
async function* readCsv(
  db: ReadDb,
  first: number,
  last: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { header, writeLines } = await import('#rules/exports/audit-csv.ts')
  const encoder = new TextEncoder()
  let text = header
  let from = first
  for (;;) {
    const entries = await queries.selectAuditEntries(db, from, last, exportedAtOnce)
    text += writeLines(entries)
    if (text !== '') yield encoder.encode(text)
    const lastEntry = entries.at(-1)
    if (!lastEntry || entries.length < exportedAtOnce) return
    text = ''
    from = lastEntry.sequence + 1
  }
}

/** Create a `catch` handler that turns a violated size check of the table into a 422 that names `column`. */
function throwTooLarge(column: string) {
  return (error: unknown): never => {
    const isTooLarge = getViolatedConstraint(error)?.startsWith('accounts_')
    throw isTooLarge
      ? invalidField(['body'], `must keep the ${column} within 64 keys and 16 KB`, 'too_big')
      : error
  }
}

type ResetContext = Pick<BaseContext, 'ip'> & {
  platform: PlatformDb
  caller: { userId: string; accountId: string }
}

/**
 * Delete the second factors of a member of the caller's account. Those of a super admin are left to super
 * admins.
 */
export async function resetMemberMfa(ctx: ResetContext, userId: string) {
  const user =
    (await queries.selectUser(ctx.platform, userId, ctx.caller.accountId)) ?? throwNotFound('Member')
  if (user.is_super_admin) throw new Problem('forbidden')
  await reset(ctx, userId)
}

/** Delete the second factors of a user of any account, for a super admin. */
export async function resetUserMfa(ctx: ResetContext, userId: string) {
  if (!(await queries.selectUser(ctx.platform, userId, null))) throwNotFound('User')
  await reset(ctx, userId)
}

async function reset({ platform, caller, ip }: ResetContext, userId: string): Promise<void> {
  const result = await queries.resetFactors.first(platform, userId, caller.userId, ip)
  if (!result) throw new Problem('mfa_not_enabled')
  if (result.delivery_id) enqueueDelivery(platform, result.delivery_id)
}
