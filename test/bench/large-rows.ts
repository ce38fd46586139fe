import { type SeededAccount, userId } from './seed.ts'

/** Rows of the measured account, and of all accounts together. */
export const largeCounts = { rows: 100_000, allRows: 1_000_000, waiting: 2_000, otherAccounts: 1_000, usersPerOther: 100 }
/** The first users of the account, who are account admins and super admins. */
export const adminCount = 20

const rowsPerOtherUser = (largeCounts.allRows - largeCounts.rows) / largeCounts.otherAccounts / largeCounts.usersPerOther

/**
 * Return SQL that inserts 100,000 sign-ins, AI sessions and audit log entries each into `account`, and a thousand other accounts with
 * 100,000 users, 900,000 sign-ins and 900,000 audit log entries. All sign-ins of the account belong to user 1; a third of them is revoked
 * and half is expired.
 */
export function insertManyRowsSql(account: SeededAccount): string {
  const { tag, accountId } = account
  return `
    update users set role = 'admin', is_super_admin = true where account_id = '${accountId}' and id <= '${userId(tag, adminCount)}';
    ${otherAccountsSql()}
    ${signInsSql(account)}
    ${auditLogsSql(account)}
    ${resolvedSessionsSql(account)}`
}

function otherAccountsSql(): string {
  const { otherAccounts, usersPerOther } = largeCounts
  return `
    create temporary table other_users as
    select uuidv7() as id, u as n, account_id from generate_series(1, ${otherAccounts * usersPerOther}) u
      join (select uuidv7() as account_id, a from generate_series(0, ${otherAccounts - 1}) a) accounts on a = u % ${otherAccounts};
    insert into accounts (id, name, plan, subscription_status) select distinct account_id, 'Other', 'enterprise', 'active' from other_users;
    insert into users (id, account_id, email, full_name, role, email_verified_at)
    select id, account_id, 'many-' || n || '@people.example', 'Person ' || n, 'engineer', now() from other_users;`
}

/** Return SQL that inserts the sign-ins in random order, because those of one user are scattered over the table. */
function signInsSql({ tag, accountId }: SeededAccount): string {
  return `
    insert into sign_ins (account_id, user_id, user_agent, created_at, last_used_at, expires_at, ended_at)
    select account_id, user_id, 'Mozilla/5.0', at, at, at + interval '30 days', case when n % 3 = 0 then at end from (
      select '${accountId}'::uuid as account_id, '${userId(tag, 1)}'::uuid as user_id, n, now() - n * interval '60 days' / ${largeCounts.rows} as at
        from generate_series(1, ${largeCounts.rows}) n
      union all select account_id, id, s, now() - s * interval '1 day' from other_users, generate_series(1, ${rowsPerOtherUser}) s
    ) r order by random();`
}

/** Return SQL that inserts the audit log of all accounts in the order of time. */
function auditLogsSql({ tag, accountId, userCount }: SeededAccount): string {
  const minutes = largeCounts.rows
  return `
    insert into audit_logs (account_id, actor_id, action, resource_type, resource_id, changes, created_at)
    select account_id, actor_id, (array['member.updated', 'invite.created', 'team.updated', 'subscription.updated'])[1 + n % 4], 'user', actor_id,
           '{"role": {"from": "viewer", "to": "engineer"}}', at from (
      select '${accountId}'::uuid as account_id, ${accountUser(tag, `n % ${userCount}`)} as actor_id, n, now() - n * interval '1 minute' as at
        from generate_series(1, ${minutes}) n
      union all select account_id, id, s, now() - random() * ${minutes} * interval '1 minute'
        from other_users, generate_series(1, ${rowsPerOtherUser}) s
    ) r order by at;`
}

/** Return SQL that inserts resolved AI sessions, a tenth of which were escalated. */
function resolvedSessionsSql({ tag, accountId, userCount }: SeededAccount): string {
  return `
    insert into ai_sessions (account_id, user_id, session_type, title, status, outcome, resolved_at, created_at, updated_at)
    select '${accountId}', ${accountUser(tag, `n % ${userCount}`)}, 'chat', 'The printer on floor ' || n || ' is offline', 'resolved', 'resolved', at, at, at
      from generate_series(1, ${largeCounts.rows}) n, lateral (select now() - n * interval '1 minute' as at) t;
    insert into ai_sessions (account_id, user_id, session_type, title, status, outcome, resolved_at)
    select account_id, id, 'chat', 'The VPN is slow', 'resolved', 'resolved', now() from other_users;
    insert into ai_handoffs (account_id, session_id, intent, created_by, documentation, closed_at, assessment_status)
    select account_id, id, 'escalate', user_id, repeat('What was tried and what is known. ', 60), now(), 'ready'
      from ai_sessions where extract(minute from created_at)::integer % 10 = 0;`
}

/** Return SQL that inserts 2,000 AI sessions that wait for a colleague, with their handoffs. A tenth of them is claimed. */
export function insertWaitingSessionsSql({ tag, accountId, userCount }: SeededAccount): string {
  return `
    insert into ai_sessions (account_id, user_id, session_type, title, status, escalation_package)
    select '${accountId}', ${accountUser(tag, `n % ${userCount}`)}, 'chat', 'The printer on floor ' || n || ' is offline',
           case when n % 10 = 1 then 'claimed' else 'escalated' end, jsonb_build_object('summary', repeat('The queue does not empty. ', 40))
      from generate_series(1, ${largeCounts.waiting}) n;
    insert into ai_handoffs (account_id, session_id, intent, created_by, urgency, documentation, claimed_by, claimed_at, assessment_status)
    select account_id, id, 'escalate', user_id, (array['low', 'normal', 'high', 'critical'])[1 + row_number() over () % 4],
           repeat('What was tried and what is known. ', 60), case when status = 'claimed' then '${userId(tag, 1)}'::uuid end,
           case when status = 'claimed' then now() end, 'ready'
      from ai_sessions where account_id = '${accountId}' and status in ('escalated', 'claimed');`
}

/** Return SQL for the id of a user of the account, counted from 0. */
function accountUser(tag: string, index: string): string {
  return `('000000${tag}-0000-7000-8000-' || lpad(to_hex(1 + ${index}), 12, '0'))::uuid`
}
