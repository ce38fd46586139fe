import { withSuperuser } from '#local/postgres.ts'
import { adminCount, insertManyRowsSql, insertWaitingSessionsSql, largeCounts } from './large-rows.ts'
import { type LoadRequest, runLoadWhile } from './load.ts'
import { type BenchDatabase, type SeededAccount, seedAccount } from './seed.ts'
import type { BenchServer } from './server.ts'

/** A list with its goal. Durations are medians in milliseconds. */
export interface LargeListTime {
  list: string
  p50: number
  goal: number
}

const tag = '5a'
const userCount = 1_000
const warmUpReads = 10
const measuredReads = 30

interface MeasuredList {
  list: string
  path: string
  goal: number
  /** Measure as the user with 100,000 sign-ins instead of as one admin after the other. */
  asFirstUser?: boolean
}

const lists: readonly MeasuredList[] = [
  { list: `escalation queue, ${largeCounts.waiting} waiting`, path: '/ai-sessions/queue', goal: 50 },
  { list: 'escalation queue, its last page', path: `/ai-sessions/queue?skip=${largeCounts.waiting - 50}`, goal: 50 },
  { list: 'members', path: '/accounts/me/members', goal: 30 },
  { list: 'members, the last page', path: `/accounts/me/members?skip=${userCount - 50}`, goal: 30 },
  { list: 'sign-ins of a user', path: '/auth/me/sessions', goal: 30, asFirstUser: true },
  { list: 'audit log', path: '/accounts/me/audit-logs', goal: 30 },
  { list: 'audit log, skip=90000', path: '/accounts/me/audit-logs?skip=90000', goal: 30 },
  { list: 'admin: users, no match', path: '/admin/users?q=zeppelin', goal: 30 },
  { list: 'admin: users, one match', path: '/admin/users?q=many-50000%40', goal: 30 },
  { list: 'admin: users, all match', path: '/admin/users?q=people', goal: 30 },
  { list: 'admin: audit log, unknown action', path: '/admin/audit-logs?action=zeppelin.created', goal: 30 },
  { list: 'admin: audit log, frequent action', path: '/admin/audit-logs?action=member.updated', goal: 30 },
]

async function seedLists(database: BenchDatabase): Promise<SeededAccount> {
  const account = await seedAccount(database, tag, userCount, 1)
  await withSuperuser(database.postgresPort, database.database, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(insertManyRowsSql(account))
    await client.query('vacuum analyze')
    // An account's statistics do not include the escalations since the last analyze.
    await client.query('alter table ai_sessions set (autovacuum_enabled = off); alter table ai_handoffs set (autovacuum_enabled = off)')
    await client.query(insertWaitingSessionsSql(account))
    await client.query('set session_replication_role = origin')
  })
  return account
}

/** Measure lists in an account with 100,000 sign-ins, AI sessions and audit log entries each, in tables of up to a million rows. */
export async function measureLargeLists(database: BenchDatabase, { workers }: BenchServer): Promise<LargeListTime[]> {
  const port = workers[0]?.port ?? 0
  const { tokens } = await seedLists(database)
  const results: LargeListTime[] = []
  for (const { list, path, goal, asFirstUser } of lists) {
    let requestCount = 0
    const next = (): LoadRequest => {
      const user = asFirstUser ? 0 : 1 + (requestCount % (adminCount - 1))
      requestCount++
      return { method: 'GET', path: `/api/v1${path}`, token: tokens[user] ?? '' }
    }
    const readUntil = (count: number) => runLoadWhile({ port, connections: 1, next, hasMore: () => requestCount < count })
    await readUntil(warmUpReads)
    results.push({ list, goal, p50: (await readUntil(warmUpReads + measuredReads)).p50 })
  }
  return results
}
