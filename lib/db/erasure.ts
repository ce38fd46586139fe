import type { DB } from './schema.ts'

/** What happens to the rows of an account that is erased. */
export type AccountFate =
  /** Deleted in batches of at most this many rows, because there may be many. */
  | { kind: 'batches'; limit: number }
  /** Deleted with the row of the account, or with the row of another table that they belong to. */
  | { kind: 'deleted' }
  /** The rows belong to the platform or to nobody. */
  | { kind: 'kept'; why: string }

/**
 * What happens to the rows about a person who is erased. Columns that are not named hold nothing about a
 * person but an id of `users`.
 */
export interface PersonFate<Column extends string = string> {
  /** Whether the rows of the person are deleted. */
  rows?: 'deleted'
  /** Columns in which the person is replaced or removed. */
  anonymised?: readonly Column[]
  /** Columns with texts that people wrote, and why they stay as they are. */
  kept?: { columns: readonly Column[]; why: string }
}

type Declaration = { [T in keyof DB]: { account: AccountFate; person: PersonFate<keyof DB[T] & string> } }

const batches = (limit = 1000): AccountFate => ({ kind: 'batches', limit })
const deleted: AccountFate = { kind: 'deleted' }
const keptFor = (why: string): AccountFate => ({ kind: 'kept', why })
const nothing = {}
const rows = { rows: 'deleted' } as const
const keeps = <Column extends string>(why: string, ...columns: Column[]) => ({ kept: { columns, why } })

const work = 'work for the account, whose texts colleagues and tickets refer to'
const platform = keptFor('belongs to the platform')
const ids = keptFor('holds ids alone, which lead nowhere afterwards')

/**
 * What an erasure does to each table. A table that is missing is an error of types.
 * `functions/accounts/erasure` deletes in this order.
 */
export const erasure: Declaration = {
  webhook_deliveries: { account: batches(), person: { anonymised: ['payload', 'response_body'] } },
  webhooks: { account: batches(10), person: keeps('a description for admins', 'description') },
  mail_preferences: { account: batches(), person: rows },
  deliveries: { account: batches(), person: { rows: 'deleted', anonymised: ['recipient'] } },
  escalation_reminders: { account: batches(), person: nothing },
  notifications: {
    account: batches(),
    person: { rows: 'deleted', anonymised: ['title'], ...keeps(work, 'body', 'escalation') },
  },
  events: {
    account: batches(500),
    person: { anonymised: ['title'], ...keeps(work, 'body', 'escalation', 'approval', 'review') },
  },
  chat_links: { account: deleted, person: rows },
  phone_numbers: { account: deleted, person: rows },
  push_subscriptions: { account: deleted, person: rows },
  notification_configs: { account: batches(10), person: { anonymised: ['email_addresses'] } },
  report_subscriptions: { account: batches(), person: rows },
  weekly_reports: { account: batches(), person: keeps(work, 'content') },
  presence: { account: batches(), person: rows },
  stream_events: { account: batches(), person: { rows: 'deleted', anonymised: ['data'] } },
  psa_pushes: { account: batches(), person: keeps(work, 'body', 'details') },
  ai_tasks: { account: batches(), person: rows },
  idempotency_keys: {
    account: batches(),
    person: { rows: 'deleted', ...keeps('answers to colleagues, deleted after 24 hours', 'body') },
  },
  escalation_follow_ups: { account: batches(), person: keeps(work, 'alert') },
  escalation_policies: { account: batches(100), person: nothing },
  on_call_overrides: { account: batches(), person: nothing },
  on_call_substitute_requests: { account: batches(), person: keeps(work, 'note') },
  on_call_schedule_versions: { account: batches(), person: nothing },
  alerts: { account: batches(), person: keeps(work, 'title', 'body') },
  alert_sources: { account: batches(), person: rows },
  calendar_feeds: { account: batches(), person: rows },
  on_call_schedules: { account: batches(100), person: nothing },
  maintenance_runs: { account: batches(), person: nothing },
  maintenance_schedules: { account: batches(100), person: nothing },
  target_lists: { account: batches(100), person: nothing },
  session_step_feedback: { account: batches(), person: keeps(work, 'comment') },
  session_ratings: { account: batches(), person: keeps(work, 'comment') },
  runner_runs: { account: batches(), person: keeps(work, 'title', 'target') },
  script_runs: { account: batches(), person: keeps(work, 'script', 'target', 'output') },
  approvals: { account: batches(), person: keeps(work, 'title', 'subject', 'comment', 'decision_comment') },
  session_timers: { account: batches(), person: nothing },
  session_evidence: { account: batches(), person: keeps(work, 'value') },
  session_decisions: { account: batches(), person: keeps(work, 'note') },
  session_fallbacks: { account: batches(), person: keeps(work, 'note') },
  session_custom_steps: { account: batches(), person: keeps(work, 'description') },
  session_supporting_data: { account: batches(), person: keeps(work, 'content') },
  sessions: { account: batches(200), person: keeps(work, 'variables', 'notes', 'next_steps') },
  ai_message_uploads: { account: batches(), person: nothing },
  ai_messages: { account: batches(), person: keeps(work, 'content') },
  ai_steps: { account: batches(), person: keeps(work, 'response') },
  ai_facts: { account: batches(), person: keeps(work, 'value') },
  ai_feedback: { account: batches(), person: keeps(work, 'correction', 'answer') },
  ai_fixes: { account: batches(), person: keeps(work, 'description') },
  ai_handoffs: { account: batches(), person: keeps(work, 'summary', 'documentation') },
  ai_outputs: { account: batches(), person: keeps(work, 'content') },
  script_builder_messages: { account: batches(), person: { rows: 'deleted', ...keeps(work, 'content') } },
  script_builder_sessions: {
    account: batches(100),
    person: { rows: 'deleted', ...keeps(work, 'script_body') },
  },
  search_entries: { account: batches(), person: keeps(work, 'words') },
  knowledge_embeddings: { account: batches(), person: keeps(work, 'embedding') },
  knowledge_entries: { account: batches(100), person: keeps(work, 'words') },
  knowledge_terms: { account: batches(), person: keeps(work, 'term') },
  ai_sessions: {
    account: batches(100),
    person: keeps(
      work,
      'problem_summary',
      'resolution_notes',
      'resolution',
      'follow_up',
      'escalation_package',
    ),
  },
  ai_branches: { account: deleted, person: nothing },
  ai_calls: { account: batches(), person: nothing },
  ai_budgets: { account: deleted, person: nothing },
  ai_unpaid_budgets: { account: platform, person: nothing },
  flow_conversations: { account: batches(100), person: rows },
  flow_proposals: { account: batches(100), person: keeps(work, 'reason') },
  draft_templates: { account: batches(100), person: keeps(work, 'script_body') },
  kb_batch_items: { account: batches(), person: keeps(work, 'name') },
  kb_batches: { account: batches(100), person: keeps(work, 'address') },
  kb_import_nodes: { account: batches(), person: keeps(work, 'content') },
  kb_imports: { account: batches(100), person: keeps(work, 'blocks') },
  tree_shares: { account: batches(), person: nothing },
  tree_pins: { account: batches(), person: rows },
  library_steps: { account: batches(), person: keeps(work, 'description') },
  tree_subflows: { account: batches(), person: nothing },
  flow_link_checks: { account: batches(100), person: nothing },
  tree_versions: { account: batches(200), person: keeps(work, 'tree_structure') },
  trees: { account: batches(100), person: keeps(work, 'description') },
  categories: { account: batches(), person: nothing },
  diagram_versions: { account: batches(200), person: keeps(work, 'nodes') },
  network_diagrams: { account: batches(100), person: keeps(work, 'nodes') },
  device_types: { account: batches(), person: nothing },
  script_versions: { account: batches(200), person: keeps(work, 'script_body') },
  script_templates: { account: batches(100), person: keeps(work, 'script_body') },
  script_categories: { account: batches(), person: nothing },
  sign_ins: { account: batches(100), person: rows },
  refresh_tokens: { account: deleted, person: rows },
  oauth_codes: { account: deleted, person: rows },
  oauth_refresh_tokens: { account: deleted, person: rows },
  stream_tickets: { account: deleted, person: rows },
  api_keys: { account: batches(), person: nothing },
  invites: { account: batches(100), person: { anonymised: ['email'] } },
  invite_codes: { account: deleted, person: rows },
  feedback: { account: batches(100), person: rows },
  beta_feedback: { account: batches(), person: rows },
  onboarding: { account: batches(), person: rows },
  psa_member_mappings: { account: batches(), person: rows },
  psa_callbacks: { account: deleted, person: nothing },
  psa_ticket_changes: { account: batches(), person: nothing },
  psa_rule_matches: { account: batches(), person: nothing },
  psa_rules: { account: batches(), person: rows },
  psa_connections: { account: deleted, person: nothing },
  runner_connections: { account: deleted, person: nothing },
  scim_group_members: { account: batches(), person: rows },
  scim_groups: { account: deleted, person: nothing },
  scim_users: { account: batches(), person: rows },
  sso_identities: { account: batches(), person: rows },
  sso_domains: { account: deleted, person: nothing },
  sso_connections: { account: deleted, person: nothing },
  phone_gateways: { account: deleted, person: nothing },
  mcp_servers: { account: deleted, person: nothing },
  billing_events: { account: batches(), person: nothing },
  billing_subscriptions: { account: deleted, person: nothing },
  billing_customers: { account: deleted, person: nothing },
  uploads: { account: batches(100), person: nothing },
  audit_logs: { account: batches(), person: { anonymised: ['changes', 'ip'] } },
  account_usage: { account: deleted, person: nothing },
  audit_sequences: { account: deleted, person: nothing },
  usage_counters: { account: deleted, person: nothing },
  quota_counters: { account: deleted, person: nothing },
  mail_counts: { account: deleted, person: nothing },
  feature_overrides: { account: deleted, person: nothing },
  passwords: { account: deleted, person: rows },
  identities: { account: deleted, person: rows },
  passkeys: { account: deleted, person: rows },
  passkey_challenges: { account: deleted, person: rows },
  totp_factors: { account: deleted, person: rows },
  recovery_codes: { account: deleted, person: rows },
  one_time_tokens: { account: deleted, person: rows },
  email_changes: { account: deleted, person: rows },
  sign_in_challenges: { account: deleted, person: rows },
  users: { account: deleted, person: { anonymised: ['email', 'full_name', 'timezone', 'last_login_at'] } },
  teams: { account: deleted, person: nothing },
  accounts: { account: deleted, person: keeps('the name of the account, which its admins chose', 'name') },
  account_exports: { account: batches(10), person: nothing },
  account_export_parts: { account: deleted, person: nothing },
  account_import_records: { account: batches(200), person: nothing },
  account_imports: { account: batches(10), person: nothing },
  account_erasures: {
    account: keptFor('the proof that the account was erased; it names nobody'),
    person: nothing,
  },
  deleted_objects: { account: deleted, person: nothing },
  // Outside any account.
  sign_in_attempts: { account: keptFor('a hash of an address, for 15 minutes'), person: rows },
  mail_problems: { account: keptFor('a hash of an address that takes no e-mails'), person: nothing },
  mail_suppressions: {
    account: keptFor('a hash of an address whose owner wants no e-mails'),
    person: nothing,
  },
  sales_leads: { account: keptFor('sent by a visitor to the sales team'), person: rows },
  mail_batches: { account: ids, person: nothing },
  mail_pace: { account: platform, person: nothing },
  queue_message_ids: { account: ids, person: nothing },
  key_fingerprints: { account: platform, person: nothing },
  oauth_states: { account: keptFor('names nobody, and expires after 10 minutes'), person: nothing },
  oauth_clients: { account: keptFor('names a program that any account may use'), person: nothing },
  features: { account: platform, person: nothing },
  plan_billing: { account: platform, person: nothing },
  plan_features: { account: platform, person: nothing },
  plan_limits: { account: platform, person: nothing },
  platform_invite_codes: { account: platform, person: keeps('a note of staff', 'note') },
}

/** What is stored outside PostgreSQL. The values complete the sentence "An erasure …". */
export const otherStores = {
  'objects below `accounts/{account_id}/`':
    'deletes all of them with the account; those of a person are work for the account',
  'stored live events (Redis, the hub, or the process)':
    'deletes those of the account, and closes the streams whose sign-in has ended; on Cloudflare it frees the whole object',
  '`psa:*` in Redis (tickets)': 'leaves them: nobody can read them any more, and they expire within an hour',
  '`limit:*` in Redis': 'leaves them: they count the calls of an id, and expire with their window',
  'messages of the queue': 'leaves them: they hold ids, and find no row',
  'the Stripe customers':
    'deletes them with the account, which also cancels their subscriptions; invoices stay at Stripe, as the law requires',
  'e-mails at Resend': 'leaves them: Resend deletes them after the time of its plan, or on request',
  'events at PostHog': 'leaves them: they are about sales leads, by id, and about no user',
} as const

/** The tables whose rows of an account are deleted in batches, in the order of their deletion. */
export const accountBatches: readonly { table: keyof DB; limit: number }[] = Object.entries(erasure).flatMap(
  ([table, { account }]) =>
    account.kind === 'batches' ? [{ table: table as keyof DB, limit: account.limit }] : [],
)
