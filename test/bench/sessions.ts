import { withSuperuser } from '#local/postgres.ts'
import type { ListTimes } from './flows.ts'
import { runLoadWhile } from './load.ts'
import { type BenchDatabase, type SeededAccount, seedAccount, userId } from './seed.ts'
import type { BenchServer } from './server.ts'

export const sessionCounts = { small: 1_000, large: 100_000, all: 1_000_000 }

// Enough people to stay below the rate limits, and enough flows for the metrics per flow.
const peopleCount = 20
const flowCount = 20
const warmUpReads = 5
const measuredReads = 15
const treeId = (tag: string, flow: number | string) =>
  `000000${tag}-0000-7000-b001-${String(flow).padStart(12, '0')}`
const batchId = (tag: string) => `000000${tag}-0000-7000-b003-000000000001`

/**
 * Return SQL that inserts an account's flows and `count` sessions of the last year. One client has a tenth of
 * the sessions, and another client has one session.
 */
function sessionRows({ tag, accountId }: SeededAccount, count: number): string {
  const idSql = (kind: string, n: string) =>
    `('000000${tag}-0000-7000-${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`
  const treeIdSql = `('000000${tag}-0000-7000-b001-' || lpad((n % ${flowCount})::text, 12, '0'))::uuid`
  const startSql = `now() - n * interval '365 days' / ${count}`
  return `
    insert into trees (id, account_id, author_id, tree_type, status, visibility, name)
    select ${treeIdSql}, '${accountId}', '${userId(tag, 1)}', 'troubleshooting', 'published', 'account', 'Flow ' || n from generate_series(0, ${flowCount - 1}) n;
    insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, saved_by)
    select '${accountId}', ${treeIdSql}, 1, 'published', 'Flow ' || n, 'troubleshooting',
           '{"id": "a", "type": "action", "title": "Look", "description": "", "next_node_id": "b", "children": [{"id": "b", "type": "solution", "title": "Found", "description": ""}]}',
           '${userId(tag, 1)}' from generate_series(0, ${flowCount - 1}) n;
    insert into sessions (id, account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name, outcome,
                          batch_id, current_step_id, answered, remaining, started_at, completed_at, created_at)
    select ${idSql('b002', 'n')}, '${accountId}', ${idSql('8000', `1 + n % ${peopleCount}`)}, '${accountId}', ${treeIdSql}, 1, 'Flow ' || n % ${flowCount},
           case when n % 10 = 9 then 'in_progress' else 'completed' end, 'T-' || n,
           case when n = ${count / 2} then 'Zebra Logistics' when n % 10 = 0 then 'Contoso Dental' else 'Client ' || md5(n::text) end,
           case when n % 10 = 9 then null when n % 3 = 0 then 'unresolved' else 'resolved' end,
           case when n <= 50 then '${batchId(tag)}'::uuid end, case when n % 10 = 9 then 'b' end, 1, n % 10 / 9, ${startSql},
           case when n % 10 <> 9 then ${startSql} + n % 50 * interval '1 minute' end, ${startSql}
      from generate_series(1, ${count}) n;`
}

/** Return SQL that inserts the decisions, ratings and feedback of an account's sessions. */
const sessionDetailRows = ({ accountId }: SeededAccount) => `
    insert into session_decisions (decided_by, account_id, session_id, seq, step_id, outcome, started_at, duration_seconds, decided_at)
    select user_id, account_id, id, q, (array['a', 'b'])[q + 1], 'done', started_at, 30 + q, started_at from sessions, generate_series(0, 1) q
     where account_id = '${accountId}' and (q = 0 or state = 'completed');
    insert into session_ratings (account_id, session_id, session_user_id, score, rated_by, rated_at)
    select account_id, id, user_id, 1 + extract(minute from started_at)::integer % 5, user_id, completed_at from sessions
     where account_id = '${accountId}' and state = 'completed' and extract(second from started_at)::integer % 5 = 0;
    insert into session_step_feedback (account_id, session_id, step_id, user_id, helpful, given_at)
    select account_id, id, 'a', user_id, true, started_at from sessions
     where account_id = '${accountId}' and extract(second from started_at)::integer % 10 = 1;`

/** Insert the two measured accounts, and four others so that the tables contain a million sessions. */
async function seedSessions(
  database: BenchDatabase,
): Promise<{ small: SeededAccount; large: SeededAccount }> {
  const small = await seedAccount(database, '3a', peopleCount, 1)
  const large = await seedAccount(database, '3b', peopleCount, 1)
  const otherAccounts = await Promise.all(
    ['3c', '3d', '3e', '3f'].map((tag) => seedAccount(database, tag, peopleCount, 1)),
  )
  const sessionsPerOther =
    (sessionCounts.all - sessionCounts.large - sessionCounts.small) / otherAccounts.length
  await withSuperuser(database.postgresPort, database.database, async (client) => {
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '512MB'")
    // Creating the search indexes after the inserts takes a tenth of the time.
    const { rows: indexes } = await client.query(
      `select indexdef from pg_indexes where indexname in ('sessions_words', 'sessions_pairs')`,
    )
    await client.query('drop index sessions_words, sessions_pairs')
    for (const account of otherAccounts) await client.query(sessionRows(account, sessionsPerOther))
    for (const [account, count] of [
      [small, sessionCounts.small],
      [large, sessionCounts.large],
    ] as const)
      await client.query(sessionRows(account, count) + sessionDetailRows(account))
    for (const { indexdef } of indexes) await client.query(indexdef)
    await client.query('set session_replication_role = origin')
    await client.query('vacuum analyze')
  })
  return { small, large }
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/**
 * Return the queries of the list by title: each filter alone and with others, with rare and with frequent
 * values.
 */
const listQueries = (tag: string, count: number): Record<string, string> => ({
  'no filter': '',
  'the last page of ten': 'skip=450',
  'a part of every ticket number': 'ticket_number=t-',
  'a ticket': `ticket_number=t-${count - 7}`,
  'a client with a tenth of the sessions': 'client_name=contoso',
  'a client with one session': 'client_name=zebra',
  'a client without sessions': 'client_name=zeppelin',
  'one letter, one match': 'client_name=z',
  'two letters, no match': 'client_name=zq',
  'a flow': 'tree_name=flow%2013',
  'a part of every flow name': 'tree_name=flow',
  'an unknown flow': 'tree_name=zeppelin',
  'started recently': `started_after=${daysAgo(1)}`,
  'started long ago': `started_before=${daysAgo(360)}`,
  'started in an earlier month': `started_after=${daysAgo(210)}&started_before=${daysAgo(180)}`,
  'completed recently': `completed_after=${daysAgo(1)}`,
  'completed long ago': `completed_before=${daysAgo(360)}`,
  'completed in an earlier month': `completed_after=${daysAgo(210)}&completed_before=${daysAgo(180)}`,
  'a batch': `batch_id=${batchId(tag)}`,
  'a frequent client and a flow': 'client_name=contoso&tree_name=flow%2010',
  'a frequent client, long ago': `client_name=contoso&started_before=${daysAgo(360)}`,
  'a frequent client and a flow without match': 'client_name=contoso&tree_name=flow%2013',
  'a rare client and a part of every ticket number': 'client_name=zebra&ticket_number=t-',
  'parts of every flow and ticket, completed long ago': `tree_name=flow&ticket_number=t&completed_before=${daysAgo(360)}`,
  'all filters': `ticket_number=t&client_name=contoso&tree_name=flow&started_after=${daysAgo(300)}&started_before=${daysAgo(1)}&completed_after=${daysAgo(299)}&completed_before=${daysAgo(2)}`,
})

const metrics = ['team', 'me', 'flows', 'flow'] as const
const periods = ['7d', '30d', '90d'] as const

/** Return the measured paths with their titles. */
function listPaths(tag: string, count: number): [string, string][] {
  const paths = { team: 'team', me: 'me', flows: 'flows', flow: `flows/${treeId(tag, 13)}` }
  return [
    ...Object.entries(listQueries(tag, count)).map(([name, query]): [string, string] => [
      name,
      `/sessions?${query}`,
    ]),
    ...metrics.flatMap((metric) =>
      periods.map((period): [string, string] => [
        `metrics of ${metric}, ${period}`,
        `/analytics/${paths[metric]}?period=${period}`,
      ]),
    ),
  ]
}

/** Measure every list and every metric, in accounts of a thousand and of a hundred thousand sessions. */
export async function measureSessionReads(
  database: BenchDatabase,
  { workers }: BenchServer,
): Promise<ListTimes[]> {
  const port = workers[0]?.port ?? 0
  const accounts = await seedSessions(database)
  const measureReads = async ({ tokens }: SeededAccount, path: string) => {
    let requestCount = 0
    const next = () => ({
      method: 'GET',
      path: `/api/v1${path}`,
      token: tokens[requestCount++ % peopleCount] ?? '',
    })
    const runReadsUntil = (count: number) =>
      runLoadWhile({ port, connections: 1, next, hasMore: () => requestCount < count })
    // If a warm-up read fails, for example because the database cancels it, the duration is infinite and the
    // bench continues.
    return runReadsUntil(warmUpReads).then(
      async () => (await runReadsUntil(warmUpReads + measuredReads)).p50,
      () => Number.POSITIVE_INFINITY,
    )
  }
  const largePaths = listPaths(accounts.large.tag, sessionCounts.large)
  const results: ListTimes[] = []
  for (const [index, [list, path]] of listPaths(accounts.small.tag, sessionCounts.small).entries())
    results.push({
      list,
      small: await measureReads(accounts.small, path),
      large: await measureReads(accounts.large, largePaths[index]?.[1] ?? ''),
    })
  return results
}
