import { exportedColumns } from './exported-columns.ts'
import type { DB } from './schema.ts'

// What an export of an account contains: every column, unless it is left out here with its reason. `npm run
// db:types` writes the rest to exported-columns.ts, which is what an export reads: until a release knows a
// column, it does not export it.

/** The SQL type of a key column. */
type KeyType = 'uuid' | 'integer' | 'text' | 'timestamptz'

/** A table whose rows an export contains, as one kind of record. */
export interface ExportedTable {
  table: keyof DB
  /** The name of the file, without `.jsonl`. */
  kind: string
  /** The order of the records. An index should start with `account_id` and these columns. */
  key: Readonly<Record<string, KeyType>>
  columns: readonly string[]
  /** Columns that are left out, with the reason. */
  leftOut: Readonly<Record<string, string>>
  /** Fields that are computed from columns that are left out, in SQL. The table is `t`. */
  computed?: Readonly<Record<string, string>>
  /** Records that one statement reads at most. Lower where a record can be large. */
  limit: number
}

type Column<T extends keyof DB> = Exclude<keyof DB[T], 'account_id'> & string
interface Declaration<T extends keyof DB> {
  key?: { [C in Column<T>]?: KeyType }
  leftOut?: { [C in Column<T>]?: string }
  computed?: Record<string, string>
  limit?: number
}

function exportTable<T extends keyof typeof exportedColumns>(
  table: T,
  kind: string,
  declaration: Declaration<T> = {},
): ExportedTable {
  const { key = { id: 'uuid' }, leftOut = {}, limit = 500, ...rest } = declaration
  const columns: readonly string[] = exportedColumns[table]
  return {
    table,
    kind,
    key: key as ExportedTable['key'],
    columns,
    leftOut: leftOut as Record<string, string>,
    limit,
    ...rest,
  }
}

const derived = 'derived from other columns'
const state = 'internal state of deliveries'
const secret = 'a secret'
const mayBeSecret = 'its path may be a secret; the host is exported'
const mayBeGuessed = 'a hash that may cover a secret'
const searched = { search: derived, words: derived } as const
const perSession = { session_id: 'uuid', id: 'uuid' } as const

/** The kinds of records, in the order of the archive and of an import. */
export const exportedTables: readonly ExportedTable[] = [
  exportTable('accounts', 'account', {
    leftOut: {
      past_due_since: 'state of billing',
      trial_plan: 'state of billing',
      billing_customer_id: 'an id at the billing provider',
      provider_subscription_id: 'an id at the billing provider',
      current_period_end: 'state of billing',
      billing_anchor: 'state of billing',
      billing_event_at: 'state of billing',
      deletes_at: 'state of the deletion',
      deletion_requested_by: 'state of the deletion',
      erasing_at: 'state of the deletion',
    },
  }),
  exportTable('teams', 'teams'),
  exportTable('users', 'members', {
    leftOut: {
      is_super_admin: 'a right on the platform',
      must_change_password: 'state of the sign-in',
      erased_at: 'state of the deletion',
      traces_erased_at: 'state of the deletion',
    },
  }),
  exportTable('invites', 'invites', { leftOut: { codes_since: 'state of its codes' } }),
  exportTable('categories', 'categories'),
  exportTable('script_categories', 'script_categories'),
  exportTable('script_templates', 'scripts', {
    leftOut: { ...searched, gallery_sort_order: 'the platform sets it' },
    limit: 20,
  }),
  exportTable('device_types', 'device_types'),
  exportTable('network_diagrams', 'diagrams', { leftOut: { search: derived, bytes: derived }, limit: 10 }),
  exportTable('target_lists', 'target_lists', { limit: 20 }),
  exportTable('trees', 'flows', {
    leftOut: {
      ...searched,
      tag_keys: derived,
      review_due_on: derived,
      review_notice_at: 'an internal time',
      review_notices: 'an internal number',
      gallery_sort_order: 'the platform sets it',
    },
    limit: 200,
  }),
  exportTable('tree_versions', 'flow_versions', {
    key: { tree_id: 'uuid', version: 'integer' },
    leftOut: { bytes: derived },
    limit: 10,
  }),
  exportTable('library_steps', 'library_steps', { leftOut: { search: derived }, limit: 200 }),
  exportTable('script_versions', 'script_versions', {
    key: { script_id: 'uuid', version: 'integer' },
    leftOut: { bytes: derived },
    limit: 20,
  }),
  exportTable('diagram_versions', 'diagram_versions', {
    key: { diagram_id: 'uuid', version: 'integer' },
    leftOut: { bytes: derived },
    limit: 10,
  }),
  exportTable('tree_pins', 'flow_pins', { key: { user_id: 'uuid', tree_id: 'uuid' } }),
  exportTable('tree_shares', 'flow_shares', { leftOut: { hash: secret } }),
  exportTable('draft_templates', 'script_drafts', { limit: 20 }),
  exportTable('script_builder_sessions', 'script_builder_sessions', {
    leftOut: { place: 'an internal number' },
    limit: 20,
  }),
  exportTable('script_builder_messages', 'script_builder_messages', {
    key: { session_id: 'uuid', id: 'uuid' },
    limit: 100,
  }),
  exportTable('on_call_schedules', 'on_call_schedules', {
    leftOut: { shifts_changed_at: 'an internal time' },
  }),
  exportTable('on_call_overrides', 'on_call_overrides'),
  exportTable('escalation_policies', 'escalation_policies'),
  exportTable('maintenance_schedules', 'schedules', { leftOut: { timed_since: 'an internal time' } }),
  exportTable('maintenance_runs', 'maintenance_runs', { key: { schedule_id: 'uuid', id: 'uuid' } }),
  exportTable('sessions', 'sessions', { leftOut: { secret_variables: secret }, limit: 200 }),
  exportTable('session_decisions', 'session_decisions', { key: { session_id: 'uuid', seq: 'integer' } }),
  exportTable('session_evidence', 'session_evidence', {
    key: { session_id: 'uuid', seq: 'integer', key: 'text' },
  }),
  exportTable('approvals', 'approvals', {
    key: perSession,
    // The hash of a script with a short password would help to guess it.
    leftOut: { digest: mayBeGuessed },
    limit: 100,
  }),
  exportTable('session_fallbacks', 'session_fallbacks', { key: perSession }),
  exportTable('session_custom_steps', 'session_custom_steps', { key: perSession, limit: 200 }),
  exportTable('session_supporting_data', 'session_notes', { key: perSession, limit: 100 }),
  exportTable('session_ratings', 'session_ratings', { key: { session_id: 'uuid' } }),
  exportTable('session_step_feedback', 'session_step_feedback', {
    key: { session_id: 'uuid', step_id: 'text', user_id: 'uuid' },
  }),
  exportTable('ai_sessions', 'ai_sessions', { limit: 50 }),
  exportTable('ai_branches', 'ai_branches', { key: perSession }),
  exportTable('ai_messages', 'ai_messages', { key: perSession, limit: 200 }),
  exportTable('ai_message_uploads', 'ai_message_uploads', {
    key: { session_id: 'uuid', message_id: 'uuid', place: 'integer' },
  }),
  exportTable('ai_steps', 'ai_steps', { key: { session_id: 'uuid', seq: 'integer' } }),
  exportTable('ai_facts', 'ai_facts', { key: { session_id: 'uuid', key: 'text' } }),
  exportTable('ai_fixes', 'ai_fixes', { key: perSession, limit: 50 }),
  exportTable('ai_feedback', 'ai_feedback', { key: perSession, limit: 50 }),
  exportTable('ai_handoffs', 'ai_handoffs', {
    key: perSession,
    leftOut: { assessment_lease: state, swept_at: state, assessment_attempts: state },
    limit: 50,
  }),
  exportTable('ai_outputs', 'ai_outputs', { key: perSession, limit: 50 }),
  exportTable('script_runs', 'script_runs', { limit: 50 }),
  exportTable('ai_calls', 'ai_calls', { leftOut: { request_id: 'an id at the provider' } }),
  exportTable('flow_proposals', 'flow_proposals', { limit: 10 }),
  exportTable('flow_conversations', 'flow_conversations', { limit: 10 }),
  exportTable('kb_imports', 'kb_imports', { limit: 3 }),
  exportTable('kb_import_nodes', 'kb_import_nodes', { key: { import_id: 'uuid', id: 'uuid' }, limit: 100 }),
  exportTable('escalation_follow_ups', 'escalation_follow_ups', { limit: 100 }),
  exportTable('escalation_reminders', 'escalation_reminders', {
    leftOut: {
      attempts: state,
      max_attempts: state,
      last_error: state,
      last_status_code: state,
      next_attempt_at: state,
      leased_until: state,
      swept_at: state,
    },
  }),
  exportTable('notification_configs', 'notification_configs', {
    leftOut: { webhook_url: mayBeSecret, signing_secret: secret },
    computed: { webhook_host: `substring(t.webhook_url from '^[a-z]+://([^/@?#]+)(?:[/?#]|$)')` },
  }),
  exportTable('webhooks', 'webhooks', {
    leftOut: {
      url: mayBeSecret,
      secret,
      previous_secret: secret,
      previous_secret_until: secret,
      failures: state,
      failing_since: state,
      paused_until: state,
      last_replay_at: state,
    },
    computed: { host: `substring(t.url from '^[a-z]+://([^/@?#]+)(?:[/?#]|$)')` },
  }),
  exportTable('api_keys', 'api_keys', { leftOut: { hash: secret } }),
  exportTable('psa_rules', 'psa_rules', {
    leftOut: { last_matched_at: 'state of the rule', last_error: 'state of the rule' },
  }),
  exportTable('alert_sources', 'alert_sources', {
    leftOut: {
      token_hash: secret,
      counted_since: 'state of the source',
      calls: 'state of the source',
      last_received_at: 'state of the source',
      last_error: 'state of the source',
      limit_told_at: 'state of the source',
    },
  }),
  exportTable('psa_connections', 'psa_connection', {
    leftOut: {
      identity: 'keys of the ticketing system',
      credentials: secret,
      system_since: state,
      last_checked_at: state,
      last_check_error: state,
    },
  }),
  exportTable('sso_connections', 'sso_connection', {
    leftOut: {
      client_secret: secret,
      scim_hash: secret,
      scim_created_at: state,
      groups_omitted_at: state,
      last_checked_at: state,
      last_check_error: state,
    },
  }),
  exportTable('sso_domains', 'sso_domains', { leftOut: { token: 'proves a domain for this account only' } }),
  exportTable('runner_connections', 'runner_connection', {
    leftOut: { credentials: secret, last_checked_at: state, last_check_error: state },
  }),
  exportTable('phone_gateways', 'phone_gateway', {
    leftOut: {
      base_url: mayBeSecret,
      secret,
      counted_on: state,
      counted: state,
      announced_on: state,
      last_error: state,
      last_error_at: state,
    },
    computed: { host: `substring(t.base_url from '^[a-z]+://([^/@?#]+)(?:[/?#]|$)')` },
  }),
  exportTable('mcp_servers', 'mcp_servers', {
    leftOut: {
      token: secret,
      tools: 'what the server says',
      last_checked_at: state,
      last_check_error: state,
    },
  }),
  exportTable('psa_member_mappings', 'psa_members', { key: { user_id: 'uuid' } }),
  exportTable('psa_pushes', 'ticket_notes', {
    leftOut: {
      attempts: state,
      max_attempts: state,
      last_error: state,
      last_status_code: state,
      next_attempt_at: state,
      leased_until: state,
      swept_at: state,
    },
    limit: 50,
  }),
  exportTable('mail_preferences', 'mail_preferences', { key: { user_id: 'uuid' } }),
  exportTable('report_subscriptions', 'report_subscriptions', { key: { team_id: 'uuid', user_id: 'uuid' } }),
  exportTable('weekly_reports', 'weekly_reports'),
  exportTable('onboarding', 'onboarding', { key: { user_id: 'uuid' }, limit: 100 }),
  exportTable('feedback', 'feedback', { limit: 100 }),
  exportTable('beta_feedback', 'beta_feedback', { limit: 100 }),
  exportTable('audit_logs', 'audit_log', { key: { created_at: 'timestamptz', id: 'uuid' }, limit: 200 }),
  exportTable('uploads', 'uploads', {
    leftOut: { object_key: 'an internal name; the file is `uploads/{id}.jpg`' },
  }),
]

const credentials = 'credentials of members'
const counters = 'counters, computed from the records'
const platform = 'belongs to the platform'
const copies = 'copies of what other records contain'
const shortLived = 'deleted within days'
const provisioned = 'the provider of the organisation provisions it again'

/** The tables that an export leaves out, with the reason. */
export const tablesLeftOut: Readonly<Partial<Record<keyof DB, string>>> = {
  account_erasures: platform,
  account_export_parts: 'parts of exports',
  account_exports: 'the exports themselves',
  account_import_records: 'parts of imports',
  account_imports: 'the imports themselves',
  account_usage: counters,
  audit_sequences: counters,
  key_fingerprints: platform,
  kb_batch_items: 'parts of batches',
  kb_batches: 'jobs, whose articles are exported',
  session_timers: 'state of reminders',
  scim_group_members: provisioned,
  scim_groups: provisioned,
  scim_users: provisioned,
  ai_budgets: counters,
  ai_unpaid_budgets: platform,
  ai_tasks: shortLived,
  calendar_feeds: credentials,
  chat_links: credentials,
  push_subscriptions: credentials,
  billing_events: 'ids at the billing provider',
  billing_customers: 'ids at the billing provider',
  billing_subscriptions: 'ids at the billing provider',
  deleted_objects: platform,
  deliveries: copies,
  email_changes: credentials,
  events: copies,
  feature_overrides: platform,
  features: platform,
  idempotency_keys: shortLived,
  identities: credentials,
  invite_codes: 'hashes of codes',
  knowledge_entries: 'words of other records',
  knowledge_terms: 'words of other records',
  knowledge_embeddings: 'computed again from other records',
  search_entries: 'words of other records',
  tree_subflows: 'in the structures of the flows',
  flow_link_checks: 'checked again for each published flow',
  mail_batches: shortLived,
  mail_counts: counters,
  mail_pace: platform,
  mail_problems: platform,
  mail_suppressions: platform,
  notifications: copies,
  oauth_clients: platform,
  oauth_codes: credentials,
  oauth_refresh_tokens: credentials,
  oauth_states: credentials,
  on_call_substitute_requests: 'what came of them is an override',
  on_call_schedule_versions: 'what decided who was on call before a change, for 92 days',
  one_time_tokens: credentials,
  passkey_challenges: credentials,
  passkeys: credentials,
  passwords: credentials,
  phone_numbers: 'of their owners, who have verified them',
  plan_billing: platform,
  plan_features: platform,
  plan_limits: platform,
  platform_invite_codes: platform,
  presence: shortLived,
  alerts: 'their cases have what they said',
  psa_callbacks: 'hashes of secrets',
  psa_rule_matches: 'which tickets the rules have seen',
  psa_ticket_changes: shortLived,
  queue_message_ids: platform,
  runner_runs: 'what ended is in script_runs',
  quota_counters: counters,
  recovery_codes: credentials,
  refresh_tokens: credentials,
  sales_leads: platform,
  sign_in_attempts: credentials,
  sign_in_challenges: credentials,
  sign_ins: credentials,
  sso_identities: credentials,
  stream_events: shortLived,
  stream_tickets: credentials,
  totp_factors: credentials,
  usage_counters: counters,
  webhook_deliveries: copies,
}
