import type { DB } from './schema.ts'

/** Columns of `accounts` with the days for which the account keeps rows. Null keeps them for ever. */
export type DaysSetting = 'audit_log_days' | 'notification_days' | 'ai_message_days' | 'session_days'

/** Rows that are deleted some time after `column`. */
export interface Expiry {
  column: string
  /** An interval of PostgreSQL, or the setting of each account. */
  keptFor: string | { setting: DaysSetting }
  /** Further condition, SQL without parameters. */
  where?: string
  /** Rows of one batch, if fewer than usual. */
  maxBatch?: number
}

/** How long a table keeps its rows. `why` completes the sentence for the README. */
export type Policy =
  | { kind: 'expires'; expiries: readonly Expiry[]; why: string }
  /** A statement of its own deletes or clears the rows; `rule` says which. */
  | { kind: 'statement'; rule: string; why: string }
  /** Rows end with the row of `parent` that they belong to. */
  | { kind: 'with'; parent: keyof DB; why: string }
  | { kind: 'kept'; why: string }

const expires = (why: string, ...expiries: Expiry[]): Policy => ({ kind: 'expires', expiries, why })
const deletedBy = (rule: string, why: string): Policy => ({ kind: 'statement', rule, why })
const endsWith = (parent: keyof DB, why: string): Policy => ({ kind: 'with', parent, why })
const kept = (why: string): Policy => ({ kind: 'kept', why })

const work = 'work of the account, which deletes it itself'
const person = 'one set per member'
const platform = 'written by the platform, and few'

/**
 * The policy of each table. A table that is missing is an error of types. Some rows stay for up to 30 days
 * after they expire, for support.
 */
export const retention: Record<keyof DB, Policy> = {
  account_erasures: kept('the proof that an account was erased, without names'),
  account_export_parts: endsWith('account_exports', 'where the objects of the archive are'),
  account_exports: expires('shows who exported what; its archive is deleted 7 days after it is ready', {
    column: 'removed_at',
    keptFor: '90 days',
  }),
  account_import_records: endsWith(
    'account_imports',
    'what was checked and is not stored yet; a job deletes it after the import',
  ),
  account_imports: expires('shows who imported what', { column: 'finished_at', keptFor: '90 days' }),
  account_usage: kept('one row per account'),
  accounts: kept('one row per account'),
  ai_branches: endsWith('ai_sessions', 'few per session'),
  ai_budgets: kept('one row per account and month'),
  ai_unpaid_budgets: kept('one row per day'),
  ai_calls: expires('costs of a year can be compared with the one before', {
    column: 'created_at',
    keptFor: '400 days',
  }),
  ai_facts: endsWith('ai_sessions', 'the record of a session'),
  ai_feedback: endsWith('ai_sessions', 'the record of a session'),
  ai_fixes: endsWith('ai_sessions', 'the record of a session'),
  ai_handoffs: endsWith('ai_sessions', 'the record of a session'),
  ai_message_uploads: endsWith('ai_messages', 'uploads of a message'),
  ai_messages: deletedBy(
    '`ai_message_days` after the last activity of an ended session',
    'texts of customers',
  ),
  ai_outputs: endsWith('ai_sessions', 'the documentation of a session'),
  ai_sessions: kept('the record of the work, without its messages when it is old'),
  ai_steps: deletedBy('with the messages of its session', 'texts of customers'),
  ai_tasks: expires('the caller fetches the result soon', { column: 'created_at', keptFor: '24 hours' }),
  alert_sources: kept(work),
  alerts: expires('a problem that comes back is found', { column: 'last_seen_at', keptFor: '90 days' }),
  api_keys: kept('created and revoked by admins'),
  approvals: deletedBy('with its row of `sessions`, or the messages of its AI session', 'texts of customers'),
  audit_logs: deletedBy(
    '`audit_log_days` after the entry',
    'only `app.delete_audit_logs` can delete entries',
  ),
  audit_sequences: kept('one row per account, so that a number is never used twice'),
  beta_feedback: kept('written by hand, for the authors of the service'),
  billing_customers: expires('a customer that no account was linked to', {
    column: 'received_at',
    keptFor: '30 days',
    where: 'account_id is null',
  }),
  billing_events: expires('the provider sends an event again for days', {
    column: 'received_at',
    keptFor: '400 days',
  }),
  billing_subscriptions: expires('a subscription whose customer no account was linked to', {
    column: 'received_at',
    keptFor: '30 days',
    where: 'account_id is null',
  }),
  calendar_feeds: kept('revoked by their person or an admin; ends when the person can no longer work'),
  categories: kept(work),
  chat_links: endsWith('sign_ins', 'a link is a sign-in'),
  push_subscriptions: endsWith('sign_ins', 'a browser shows notifications while its person is signed in'),
  deleted_objects: deletedBy('when the object is deleted, within minutes', 'a job deletes the object first'),
  deliveries: expires('an e-mail without an event; the others end with their event', {
    column: 'created_at',
    keptFor: '180 days',
    where: 'event_id is null',
  }),
  device_types: kept(work),
  diagram_versions: deletedBy(
    'beyond the newest 100 of a diagram',
    'limited by the stored bytes of the plan',
  ),
  draft_templates: kept(work),
  email_changes: expires('useless when it has expired', { column: 'expires_at', keptFor: '0 days' }),
  escalation_follow_ups: endsWith('ai_handoffs', 'one per escalation'),
  escalation_policies: kept(work),
  escalation_reminders: endsWith('escalation_follow_ups', 'at most 50 per escalation'),
  // An event takes its notifications and deliveries with it.
  events: expires('nobody reads old notifications', {
    column: 'created_at',
    keptFor: { setting: 'notification_days' },
    maxBatch: 500,
  }),
  feature_overrides: kept(platform),
  features: kept(platform),
  feedback: kept('written by hand, for the authors of the service'),
  flow_conversations: expires('a draft that nobody continued', { column: 'expires_at', keptFor: '0 days' }),
  flow_link_checks: endsWith('trees', 'one row per published flow with links'),
  flow_proposals: kept(work),
  idempotency_keys: expires('clients repeat a request within a day', {
    column: 'created_at',
    keptFor: '24 hours',
  }),
  identities: kept(person),
  invite_codes: endsWith('invites', 'codes of an invite'),
  invites: kept('shows who invited whom; limited by the e-mails per day'),
  key_fingerprints: kept('one row per key of the settings'),
  kb_batch_items: endsWith('kb_batches', 'what became of each article'),
  kb_batches: expires('shows who imported what', { column: 'finished_at', keptFor: '90 days' }),
  kb_import_nodes: endsWith('kb_imports', 'parts of an article'),
  kb_imports: kept(work),
  knowledge_embeddings: endsWith('knowledge_entries', 'one row per entry'),
  knowledge_entries: kept('one row per flow, article and resolved session'),
  knowledge_terms: kept('one row per word of the entries'),
  library_steps: kept(work),
  mail_batches: expires('the provider remembers the key of a call for 24 hours', {
    column: 'created_at',
    keptFor: '2 days',
  }),
  mail_counts: expires('for support', { column: 'day', keptFor: '30 days' }),
  mail_pace: kept('one row'),
  mail_preferences: kept(person),
  mail_problems: kept('an address that bounced stays so'),
  mail_suppressions: kept('an unsubscribed address stays so'),
  maintenance_runs: expires('a run of the year before can be compared', {
    column: 'due_at',
    keptFor: '400 days',
  }),
  maintenance_schedules: kept(work),
  mcp_servers: kept('at most five per account'),
  network_diagrams: kept(work),
  notification_configs: kept(work),
  notifications: endsWith('events', 'the event as a member sees it'),
  oauth_clients: expires('a program that nobody uses', {
    column: 'expires_at',
    keptFor: '0 days',
    maxBatch: 100,
  }),
  oauth_codes: expires('the reuse of a code ends its grant', { column: 'expires_at', keptFor: '1 day' }),
  oauth_refresh_tokens: expires('its second use ends the grant', { column: 'used_at', keptFor: '30 days' }),
  oauth_states: expires('for support', { column: 'expires_at', keptFor: '1 day' }),
  on_call_overrides: expires('shows who was on call', { column: 'ends_at', keptFor: '92 days' }),
  on_call_schedule_versions: expires('shows who was on call', { column: 'valid_until', keptFor: '92 days' }),
  on_call_schedules: kept(work),
  on_call_substitute_requests: expires('shows who was asked', { column: 'ends_at', keptFor: '92 days' }),
  onboarding: kept(person),
  one_time_tokens: expires('for support', { column: 'expires_at', keptFor: '30 days' }),
  passkey_challenges: expires('useless when it has expired', { column: 'expires_at', keptFor: '0 days' }),
  passkeys: kept(person),
  passwords: kept(person),
  phone_gateways: kept('one row per account'),
  phone_numbers: kept(person),
  plan_billing: kept(platform),
  plan_features: kept(platform),
  plan_limits: kept(platform),
  platform_invite_codes: kept(platform),
  presence: deletedBy('when it has expired, within a minute', 'clients repeat it'),
  psa_callbacks: kept('one row per account'),
  psa_connections: kept('one row per account'),
  psa_member_mappings: kept(person),
  psa_pushes: deletedBy(
    'the text, 90 days after it was pushed',
    'the ticket has the text; a failed one is needed for its retry',
  ),
  psa_rule_matches: expires('a ticket is closed by then', { column: 'created_at', keptFor: '400 days' }),
  psa_rules: kept(work),
  psa_ticket_changes: expires('for support', { column: 'created_at', keptFor: '7 days' }),
  queue_message_ids: deletedBy('when it has expired', 'the queue deletes them'),
  quota_counters: kept('one row per account, quota and month'),
  recovery_codes: kept(person),
  refresh_tokens: expires('a token is valid for 30 days', { column: 'created_at', keptFor: '35 days' }),
  report_subscriptions: kept(person),
  runner_connections: kept('one row per account'),
  runner_runs: expires('for support', { column: 'finished_at', keptFor: '30 days' }),
  sales_leads: kept('written by hand, for the sales team'),
  script_builder_messages: endsWith('script_builder_sessions', 'the conversation of a script'),
  script_builder_sessions: kept(work),
  script_categories: kept(work),
  script_runs: deletedBy(
    'with its row of `sessions`, or the messages of its AI session',
    'texts of customers',
  ),
  script_templates: kept(work),
  script_versions: deletedBy('beyond the newest 100 of a script', 'limited by the stored bytes of the plan'),
  search_entries: kept('one row per thing that can be found; triggers delete it with its row'),
  session_custom_steps: endsWith('sessions', 'the record of a session'),
  session_decisions: endsWith('sessions', 'the record of a session'),
  session_evidence: endsWith('session_decisions', 'the record of a session'),
  session_fallbacks: endsWith('sessions', 'the record of a session'),
  session_ratings: endsWith('sessions', 'the record of a session'),
  session_step_feedback: endsWith('sessions', 'the record of a session'),
  session_supporting_data: endsWith('sessions', 'the record of a session'),
  session_timers: endsWith('sessions', 'one per session'),
  sessions: expires(
    'the record of the work; kept unless the account sets `session_days`',
    {
      column: 'completed_at',
      keptFor: { setting: 'session_days' },
      where: "state = 'completed'",
      maxBatch: 200,
    },
    {
      column: 'created_at',
      keptFor: { setting: 'session_days' },
      where: "state = 'abandoned'",
      maxBatch: 200,
    },
  ),
  sign_in_attempts: expires('useless when it has expired', { column: 'expires_at', keptFor: '0 days' }),
  sign_in_challenges: expires('useless when it has expired', { column: 'expires_at', keptFor: '0 days' }),
  // A sign-in takes its refresh tokens with it, up to a thousand.
  sign_ins: expires('for support', { column: 'expires_at', keptFor: '30 days', maxBatch: 100 }),
  scim_group_members: kept('the groups of each member'),
  scim_groups: kept('at most 500 per account'),
  scim_users: kept(person),
  sso_connections: kept('one row per account'),
  sso_domains: kept('at most 20 per account'),
  sso_identities: kept(person),
  stream_events: deletedBy('when it was sent, at the latest after a day', 'the sweep deletes them'),
  stream_tickets: expires('useless when it has expired', { column: 'expires_at', keptFor: '0 days' }),
  target_lists: kept(work),
  teams: kept(work),
  totp_factors: kept(person),
  tree_pins: kept(person),
  tree_shares: kept(work),
  tree_subflows: endsWith('trees', 'which flows a flow runs'),
  tree_versions: deletedBy(
    '90 days after their flow was deleted, unless a session has run them',
    'sessions show the version that they ran',
  ),
  trees: deletedBy(
    '90 days after they were deleted, without versions that a session has run',
    'limited by the stored bytes of the plan',
  ),
  uploads: deletedBy(
    '7 days after they were sent, when nothing uses them any more',
    'sent, and not attached or attached to what was deleted',
  ),
  usage_counters: kept('one row per account and quota'),
  users: kept('limited by the seats of the plan'),
  weekly_reports: expires('what was sent in the last year can be looked up', {
    column: 'created_at',
    keptFor: '400 days',
  }),
  webhook_deliveries: expires('the log of a webhook, of which the newest 10,000 stay', {
    column: 'created_at',
    keptFor: '30 days',
  }),
  webhooks: kept(work),
}

/** Each expiry of the policies, with its table. */
export const expiries: readonly (Expiry & { table: keyof DB })[] = Object.entries(retention).flatMap(
  ([table, policy]) =>
    policy.kind === 'expires'
      ? policy.expiries.map((expiry) => ({ ...expiry, table: table as keyof DB }))
      : [],
)
