import { asSuperuser } from '../../lib/local/postgres.ts'
import type { Listed } from './flows.ts'
import { loadWhile } from './load.ts'
import { type Crowd, type Place, seedCrowd, userId } from './seed.ts'
import type { Standing } from './server.ts'

export const sessionCounts = { small: 1_000, large: 100_000, all: 1_000_000 }

// Enough people to stay below the limits, and flows for figures to be told apart by.
const people = 20
const flows = 20
const [warm, listsEach] = [5, 15]
const treeId = (tag: string, flow: number | string) => `000000${tag}-0000-7000-b001-${String(flow).padStart(12, '0')}`
const batchId = (tag: string) => `000000${tag}-0000-7000-b003-000000000001`

/** SQL for an account's flows and for `count` sessions of the last year, a tenth of them of one client and one of another. */
function manySessions({ tag, accountId }: Crowd, count: number): string {
  const id = (kind: string, n: string) => `('000000${tag}-0000-7000-${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`
  const tree = `('000000${tag}-0000-7000-b001-' || lpad((n % ${flows})::text, 12, '0'))::uuid`
  const start = `now() - n * interval '365 days' / ${count}`
  return `
    insert into trees (id, account_id, author_id, tree_type, status, visibility, name)
    select ${tree}, '${accountId}', '${userId(tag, 1)}', 'troubleshooting', 'published', 'account', 'Flow ' || n from generate_series(0, ${flows - 1}) n;
    insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, saved_by)
    select '${accountId}', ${tree}, 1, 'published', 'Flow ' || n, 'troubleshooting',
           '{"id": "a", "type": "action", "title": "Look", "description": "", "next_node_id": "b", "children": [{"id": "b", "type": "solution", "title": "Found", "description": ""}]}',
           '${userId(tag, 1)}' from generate_series(0, ${flows - 1}) n;
    insert into sessions (id, account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name, outcome,
                          batch_id, current_step_id, answered, remaining, started_at, completed_at, created_at)
    select ${id('b002', 'n')}, '${accountId}', ${id('8000', `1 + n % ${people}`)}, '${accountId}', ${tree}, 1, 'Flow ' || n % ${flows},
           case when n % 10 = 9 then 'in_progress' else 'completed' end, 'T-' || n,
           case when n = ${count / 2} then 'Zebra Logistics' when n % 10 = 0 then 'Contoso Dental' else 'Client ' || md5(n::text) end,
           case when n % 10 = 9 then null when n % 3 = 0 then 'unresolved' else 'resolved' end,
           case when n <= 50 then '${batchId(tag)}'::uuid end, case when n % 10 = 9 then 'b' end, 1, n % 10 / 9, ${start},
           case when n % 10 <> 9 then ${start} + n % 50 * interval '1 minute' end, ${start}
      from generate_series(1, ${count}) n;`
}

const whatSessionsHold = ({ accountId }: Crowd) => `
    insert into session_decisions (account_id, session_id, seq, step_id, outcome, started_at, duration_seconds, decided_at)
    select account_id, id, q, (array['a', 'b'])[q + 1], 'done', started_at, 30 + q, started_at from sessions, generate_series(0, 1) q
     where account_id = '${accountId}' and (q = 0 or state = 'completed');
    insert into session_ratings (account_id, session_id, session_user_id, score, rated_by, rated_at)
    select account_id, id, user_id, 1 + extract(minute from started_at)::integer % 5, user_id, completed_at from sessions
     where account_id = '${accountId}' and state = 'completed' and extract(second from started_at)::integer % 5 = 0;
    insert into session_step_feedback (account_id, session_id, step_id, user_id, helpful, given_at)
    select account_id, id, 'a', user_id, true, started_at from sessions
     where account_id = '${accountId}' and extract(second from started_at)::integer % 10 = 1;`

/** Two accounts that are measured, and others among whose sessions theirs lie. */
async function seedSessions(place: Place): Promise<{ small: Crowd; large: Crowd }> {
  const [small, large] = [await seedCrowd(place, '3a', people, 1), await seedCrowd(place, '3b', people, 1)]
  const others = await Promise.all(['3c', '3d', '3e', '3f'].map((tag) => seedCrowd(place, tag, people, 1)))
  const rest = (sessionCounts.all - sessionCounts.large - sessionCounts.small) / others.length
  await asSuperuser(place.postgresPort, place.database, async (client) => {
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '512MB'")
    // Filled first and built after, an index of words takes a tenth of the time.
    const { rows } = await client.query(`select indexdef from pg_indexes where indexname in ('sessions_words', 'sessions_pairs')`)
    await client.query('drop index sessions_words, sessions_pairs')
    for (const crowd of others) await client.query(manySessions(crowd, rest))
    for (const [crowd, count] of [
      [small, sessionCounts.small],
      [large, sessionCounts.large],
    ] as const)
      await client.query(manySessions(crowd, count) + whatSessionsHold(crowd))
    for (const { indexdef } of rows) await client.query(indexdef)
    await client.query('set session_replication_role = origin')
    await client.query('vacuum analyze')
  })
  return { small, large }
}

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString()

/** What is asked of a list, each filter alone and with others, rare and frequent. */
const lists = (tag: string, count: number): Record<string, string> => ({
  'no filter': '',
  'the last page of ten': 'skip=450',
  'a ticket that all have part of': 'ticket_number=t-',
  'a ticket': `ticket_number=t-${count - 7}`,
  'a client that a tenth has': 'client_name=contoso',
  'a client that one has': 'client_name=zebra',
  'a client that none has': 'client_name=zeppelin',
  'a letter that one has': 'client_name=z',
  'two letters that none has': 'client_name=zq',
  'a flow': 'tree_name=flow%2013',
  'a flow of all': 'tree_name=flow',
  'a flow of none': 'tree_name=zeppelin',
  'started lately': `started_after=${day(1)}`,
  'started long ago': `started_before=${day(360)}`,
  'started in a month past': `started_after=${day(210)}&started_before=${day(180)}`,
  'completed lately': `completed_after=${day(1)}`,
  'completed long ago': `completed_before=${day(360)}`,
  'completed in a month past': `completed_after=${day(210)}&completed_before=${day(180)}`,
  'a batch': `batch_id=${batchId(tag)}`,
  'a client of a tenth, of a flow': 'client_name=contoso&tree_name=flow%2010',
  'a client of a tenth, long ago': `client_name=contoso&started_before=${day(360)}`,
  'a client of a tenth, with no such flow': 'client_name=contoso&tree_name=flow%2013',
  'a client of one, with all tickets': 'client_name=zebra&ticket_number=t-',
  'words of all, completed long ago': `tree_name=flow&ticket_number=t&completed_before=${day(360)}`,
  'all filters': `ticket_number=t&client_name=contoso&tree_name=flow&started_after=${day(300)}&started_before=${day(1)}&completed_after=${day(299)}&completed_before=${day(2)}`,
})

const figures = ['team', 'me', 'flows', 'flow'] as const
const periods = ['7d', '30d', '90d'] as const

function pathsOf(tag: string, count: number): [string, string][] {
  const paths = { team: 'team', me: 'me', flows: 'flows', flow: `flows/${treeId(tag, 13)}` }
  return [
    ...Object.entries(lists(tag, count)).map(([name, query]): [string, string] => [name, `/sessions?${query}`]),
    ...figures.flatMap((one) =>
      periods.map((period): [string, string] => [`figures of ${one}, ${period}`, `/analytics/${paths[one]}?period=${period}`]),
    ),
  ]
}

/** Each list and each figure, in accounts of a thousand and of a hundred thousand sessions. */
export async function sessionReads(place: Place, { subjects }: Standing): Promise<Listed[]> {
  const port = subjects[0]?.port ?? 0
  const crowds = await seedSessions(place)
  const p50 = async ({ tokens }: Crowd, path: string) => {
    let turn = 0
    const next = () => ({ method: 'GET', path: `/api/v1${path}`, token: tokens[turn++ % people] ?? '' })
    const read = (upTo: number) => loadWhile({ port, connections: 1, next, more: () => turn < upTo })
    // What the database gives up on has no time; the others are worth knowing all the same.
    return read(warm).then(
      async () => (await read(warm + listsEach)).p50,
      () => Number.POSITIVE_INFINITY,
    )
  }
  const large = pathsOf(crowds.large.tag, sessionCounts.large)
  const listed: Listed[] = []
  for (const [index, [list, path]] of pathsOf(crowds.small.tag, sessionCounts.small).entries())
    listed.push({ list, small: await p50(crowds.small, path), large: await p50(crowds.large, large[index]?.[1] ?? '') })
  return listed
}
