import type pg from 'pg'
import { flowForm, flowStructure } from '#test/bench/peers/seed-peers.ts'
import type { SeededAccount } from '#test/bench/seed.ts'

/**
 * Accounts with numbers from `first` on. `seedAccount` has made those with such a number as their tag; the
 * others are made here.
 */
export interface FilledAccounts {
  first: number
  count: number
  /** Rows of each account in the largest tables. */
  rows: number
  people: number
}

/** A measured account, with its rows in the largest tables. */
export interface GrowthAccount extends SeededAccount {
  rows: number
}

/** The people of a measured account. The last `adminCount` are account admins and super admins. */
export const peopleCount = 20
export const adminCount = 5
/**
 * Sessions in progress and open AI sessions at the start of each account, of which each measured write takes
 * one.
 */
export const poolSize = 64
/**
 * What an account has of each kind at most, whatever its other rows: nobody writes a million flows, or more
 * than a thousand messages in a chat.
 */
const mostOf = { flows: 100_000, articles: 10_000, members: 2_000, waiting: 1_000, chat: 1_000 }

/**
 * The newest row of an account is as old as this process, the oldest is a year older. Searches expect that
 * ids contain the time.
 */
const newestAt = Date.now()
const year = 365 * 86_400_000
const kinds = {
  flow: 1,
  session: 2,
  aiSession: 3,
  handoff: 4,
  branch: 5,
  article: 6,
  event: 7,
  notification: 8,
} as const
type Kind = keyof typeof kinds

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0')
/** Build the id of row `n` of an account, counted from 1, as SQL builds it below. */
export function rowId({ tag, rows }: GrowthAccount, kind: Kind, n: number): string {
  const time = hex(newestAt - Math.floor((n * year) / rows), 12)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(kinds[kind], 3)}-b000-${hex(Number.parseInt(tag, 16), 6)}${hex(n, 6)}`
}
const time = (n: string) => `${newestAt} - (${n})::bigint * ${year} / a.rows`
const id = (kind: Kind, n: string) =>
  `(lpad(to_hex(${time(n)}), 12, '0') || '7${hex(kinds[kind], 3)}b000' || right(a.start, 6) || lpad(to_hex(${n}), 6, '0'))::uuid`
const user = (n: string) => `(a.start || '-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
const owner = user('1 + n % a.people')
const each = (count: string) => `growth_accounts a, generate_series(1, ${count}) n`
const atMost = (most: number) => `least(a.rows, ${most})`
const waiting = `least(a.rows / 20, ${mostOf.waiting})`
const json = (value: unknown) => `'${JSON.stringify(value)}'::jsonb`
const at = `lateral (select to_timestamp((${time('n')}) / 1000.0) as at) t`

/**
 * Insert the rows of accounts. Triggers are off, so that a million rows take minutes, and counters are set
 * afterwards.
 */
export async function fillAccounts(client: pg.ClientBase, groups: readonly FilledAccounts[]): Promise<void> {
  await client.query(
    `set session_replication_role = replica; set maintenance_work_mem = '512MB'; drop table if exists growth_accounts`,
  )
  await client.query(
    `create temporary table growth_accounts as
     select start, (start || '-0000-7000-b000-000000000001')::uuid as id, rows, people
       from jsonb_to_recordset($1) g (first integer, count integer, rows integer, people integer), generate_series(first, first + count - 1) n,
            lateral (select lpad(to_hex(n), 8, '0') as start) s`,
    [JSON.stringify(groups)],
  )
  const indexes = await client.query<{ name: string; text: string }>(
    `select indexname as name, indexdef as text from pg_indexes where schemaname = 'public' and indexdef like '% USING gin %' and tablename in (
       'trees', 'sessions', 'search_entries', 'users')`,
  )
  // Creating these indexes after the inserts takes a tenth of the time.
  for (const { name } of indexes.rows) await client.query(`drop index ${name}`)
  for (const statement of [...peopleRows, ...flowRows, ...sessionRows, ...aiSessionRows, ...searchRows])
    await client.query(statement)
  for (const { text } of indexes.rows) await client.query(text)
  await client.query('set session_replication_role = origin')
  await client.query(`vacuum analyze ${filledTables.join(', ')}`)
}

const filledTables = [
  ...[
    'accounts',
    'account_usage',
    'usage_counters',
    'users',
    'sign_ins',
    'events',
    'notifications',
    'audit_logs',
    'trees',
    'tree_versions',
  ],
  ...[
    'kb_imports',
    'sessions',
    'session_decisions',
    'ai_sessions',
    'ai_branches',
    'ai_messages',
    'ai_handoffs',
    'search_entries',
  ],
]

const peopleRows = [
  `insert into accounts (id, name, plan, subscription_status) select a.id, 'Other', 'enterprise', 'active' from growth_accounts a on conflict do nothing`,
  `insert into account_usage (account_id) select a.id from growth_accounts a on conflict do nothing`,
  `insert into usage_counters (account_id, quota, used)
   select a.id, q, case q when 'open_ai_sessions' then ${waiting} + ${poolSize} when 'flows' then ${atMost(mostOf.flows)} else 0 end
     from growth_accounts a, unnest(app.counted_quotas()) q on conflict do nothing`,
  `insert into users (id, account_id, email, full_name, role, email_verified_at)
   select ${user('n')}, a.id, 'person-' || a.start || '-' || n || '@people.example', 'Person ' || n, 'engineer', app.now()
     from ${each(`a.people + greatest(least(a.rows, 60), least(a.rows / 500, ${mostOf.members}))`)} on conflict do nothing`,
  `update users u set role = 'admin', is_super_admin = true from ${each('a.people')}
    where a.people = ${peopleCount} and n > ${peopleCount - adminCount} and u.id = ${user('n')}`,
  // All but those that the tokens name belong to one person. A third is revoked.
  `insert into sign_ins (account_id, user_id, user_agent, created_at, last_used_at, expires_at, ended_at)
   select a.id, ${user('1')}, 'Mozilla/5.0', at, at, at + interval '200 days', case when n % 3 = 0 then at end from ${each('a.rows')}, ${at}`,
  `insert into events (id, account_id, key, title, body)
   select ${id('event', 'n')}, a.id, 'session.escalated', 'An event', 'What happened' from ${each('a.rows / a.people')}`,
  `insert into notifications (id, account_id, user_id, event_id, event_key, title, body, is_read, read_at, created_at)
   select ${id('notification', 'n')}, a.id, ${owner}, ${id('event', '1 + n / a.people')}, 'session.escalated', 'Printer ' || n || ' is offline',
          'Its queue does not empty.', n > 2000, case when n > 2000 then at end, at from ${each('a.rows')}, ${at}`,
  `insert into audit_logs (account_id, sequence, actor_id, action, resource_type, resource_id, created_at)
   select a.id, 1000000 + n, ${owner}, (array['member.updated', 'invite.created', 'team.updated'])[1 + n % 3], 'user', ${owner}, at from ${each('a.rows')}, ${at}`,
]

const flowRows = [
  // The first ones are run by sessions. The others have no versions, because lists do not read them.
  `insert into trees (id, account_id, author_id, tree_type, status, visibility, name, description, tags, usage_count, created_at, updated_at)
   select ${id('flow', 'n')}, a.id, ${owner}, 'troubleshooting', case when n % 7 = 0 and n > 20 then 'draft' else 'published' end,
          case when n % 10 = 0 and n > 20 then 'private' else 'account' end, 'Printer ' || md5(n::text),
          'Printer number ' || n || ' is out of order.', array['common', 'tag' || n % 50], n * 7919 % 1000, at, at
     from ${each(atMost(mostOf.flows))}, ${at}`,
  `insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, intake_form, saved_by)
   select a.id, ${id('flow', 'n')}, 1, 'published', 'Printer ' || md5(n::text), 'troubleshooting', ${json(flowStructure)}, ${json(flowForm)}, ${owner}
     from ${each('20')}`,
  `insert into kb_imports (id, account_id, created_by, title, format, blocks, created_at, updated_at)
   select ${id('article', 'n')}, a.id, ${owner}, 'Article ' || n, 'markdown', '[{"kind": "paragraph", "text": "Restart the spooler."}]', at, at
     from ${each(atMost(mostOf.articles))}, ${at}`,
]

const sessionRows = [
  `insert into sessions (id, account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name, variables,
                         outcome, current_step_id, answered, remaining, started_at, completed_at, created_at)
   select ${id('session', 'n')}, a.id, ${owner}, a.id, ${id('flow', '1 + n % 20')}, 1, 'Printer', case when done then 'completed' else 'in_progress' end,
          'T-' || n, case when n % 10 = 0 then 'Contoso Dental' else 'Client ' || n % 5000 end, '{"printer": "10.1.2.3"}',
          case when done then 'resolved' end, case when done then null else 'n1' end, case when done then 1 else 0 end, case when done then 0 else 3 end,
          at, case when done then at + n % 50 * interval '1 minute' end, at
     from ${each('a.rows')}, ${at}, lateral (select n > ${poolSize} as done) d`,
  `insert into session_decisions (decided_by, account_id, session_id, seq, step_id, option_id, started_at, duration_seconds, decided_at)
   select ${owner}, a.id, ${id('session', 'n')}, 0, 'n1', 'no', at, 30, at from ${each('a.rows')}, ${at} where n > ${poolSize}`,
]

const aiSessionRows = [
  `insert into ai_sessions (id, account_id, user_id, session_type, title, problem_summary, client_name, status, outcome, resolved_at, active_branch_id,
                            escalation_package, last_activity_at, created_at, updated_at)
   select ${id('aiSession', 'n')}, a.id, ${owner}, 'chat', 'Printer ' || n || ' is offline', 'It does not print.', 'Contoso', state,
          case when state = 'resolved' then 'resolved' end, case when state = 'resolved' then at end, ${id('branch', 'n')},
          case when state = 'escalated' then jsonb_build_object('summary', repeat('The queue does not empty. ', 40)) end, at, at, at
     from ${each('a.rows')}, ${at}, lateral (
       select case when n <= ${poolSize} then 'active' when n <= ${poolSize} + ${waiting} then 'escalated' else 'resolved' end as state) s`,
  `insert into ai_branches (id, account_id, session_id, name, created_by)
   select ${id('branch', 'n')}, a.id, ${id('aiSession', 'n')}, 'main', ${owner} from ${each(`least(a.rows, ${poolSize} + ${waiting})`)}`,
  `insert into ai_messages (account_id, session_id, branch_id, role, content, author_id, created_at)
   select a.id, ${id('aiSession', 's')}, ${id('branch', 's')}, 'user', 'The printer ' || n || ' is offline', ${user('1 + s % a.people')}, at
     from ${each('a.rows')}, ${at}, lateral (select case when n <= ${mostOf.chat} then 1 else n end as s) of_session`,
  // A tenth of the resolved sessions was escalated once.
  `insert into ai_handoffs (id, account_id, session_id, intent, created_by, urgency, documentation, closed_at, assessment_status, created_at)
   select ${id('handoff', 'n')}, a.id, ${id('aiSession', 'n')}, 'escalate', ${owner}, (array['low', 'normal', 'high', 'critical'])[1 + n % 4],
          repeat('What was tried and what is known. ', 20), case when n > ${poolSize} + ${waiting} then at end, 'ready', at
     from ${each('a.rows')}, ${at} where n > ${poolSize} and (n <= ${poolSize} + ${waiting} or n % 10 = 0)`,
]

// The words that triggers would store: two of every entry, one of a tenth, and one of few.
const searchRows = [
  `insert into search_entries (account_id, type, id, words)
   select a.id, type, case type when 'session' then ${id('session', 'n')} when 'ai_session' then ${id('aiSession', 'n')} else ${id('flow', 'n')} end,
          (select string_agg(app.quote_term(tag || w) || ':1A', ' ')
             from unnest(array['printer', 'offline', 'tenth' || n % 10, 'rare' || n % 5000, 't-' || n]) w)::tsvector
          || app.quote_term(tag || ' ' || case when type = 'ai_session' then ${owner}::text else 'all' end)::tsvector
     from ${each('a.rows')},
          lateral (select case when n > ${mostOf.flows} or n % 3 > 0 then (array['session', 'ai_session'])[1 + n % 2] else 'flow' end as type) k,
          lateral (select app.search_tag(a.id, type) as tag) g`,
]
