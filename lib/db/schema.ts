// Generated from the migrated database by `npm run db:types`.
import type { ColumnType, Generated } from 'kysely'
import type { JsonColumns } from './json-columns.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export interface AccountErasuresTable {
  id: string
  requested_by: string | null
  requested_at: string
  started_at: Generated<string>
  finished_at: string | null
  counts: Generated<Json>
}

export interface AccountExportPartsTable {
  account_id: ColumnType<string, never, never>
  export_id: string
  number: number
  object_key: string
  bytes: number
  directory: Uint8Array
}

export interface AccountExportsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  requested_by: Generated<string | null>
  contents: Generated<'all' | 'restorable'>
  state: Generated<'queued' | 'retrying' | 'ready' | 'failed' | 'expired'>
  progress: Generated<Json>
  bytes: Generated<number>
  ready_at: string | null
  expires_at: string | null
  links: Generated<number>
  removed_at: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface AccountImportRecordsTable {
  account_id: ColumnType<string, never, never>
  import_id: string
  kind: string
  place: number
  key: string
  is_valid: boolean
  new_id: Generated<string>
  is_existing: Generated<boolean>
  parent: string | null
  root: string | null
  depth: Generated<number>
  record: Json | null
  length: number
}

export interface AccountImportsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  requested_by: Generated<string | null>
  object_key: string
  state: Generated<'queued' | 'retrying' | 'succeeded' | 'failed'>
  progress: Json
  done: Generated<number>
  total: number
  counts: Generated<Json>
  problem: Json | null
  stored_at: string | null
  finished_at: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface AccountUsageTable {
  account_id: ColumnType<string, never, never>
}

export interface AccountsTable {
  id: Generated<string>
  name: string
  timezone: Generated<string>
  plan: string
  subscription_status: 'trialing' | 'free' | 'active' | 'past_due' | 'unpaid' | 'canceled'
  trial_ends_at: string | null
  trial_plan: string | null
  past_due_since: string | null
  created_at: Generated<string>
  require_mfa: Generated<boolean>
  settings: Generated<JsonColumns['accounts.settings']>
  preferences: Generated<JsonColumns['accounts.preferences']>
  brand_colour: string | null
  audit_log_days: Generated<number>
  notification_days: Generated<number>
  ai_message_days: Generated<number>
  session_days: number | null
  flow_review_months: number | null
  billing_customer_id: string | null
  provider_subscription_id: string | null
  current_period_end: string | null
  billing_anchor: string | null
  billing_event_at: string | null
  deletes_at: string | null
  deletion_requested_by: string | null
  erasing_at: string | null
}

export interface AiBranchesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  parent_branch_id: string | null
  fork_position: Generated<number>
  name: string
  created_by: Generated<string>
  created_at: Generated<string>
}

export interface AiBudgetsTable {
  account_id: ColumnType<string, never, never>
  period_start: string
  used_micros: number
}

export interface AiCallsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: Generated<string | null>
  prompt: string
  prompt_version: number | null
  model: string
  outcome: Generated<'running' | 'answered' | 'unusable' | 'truncated' | 'declined' | 'timed_out' | 'limited' | 'rejected' | 'failed'>
  input_tokens: Generated<number>
  cached_tokens: Generated<number>
  output_tokens: Generated<number>
  reasoning_tokens: Generated<number>
  cost_micros: number
  is_estimated: Generated<boolean>
  request_id: string | null
  period_start: string
  created_at: Generated<string>
  finished_at: string | null
}

export interface AiFactsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  key: string
  value: string
  source: 'user' | 'ai'
  created_by: Generated<string>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface AiFeedbackTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  subject: 'reply' | 'step' | 'fix' | 'assessment'
  subject_id: string
  user_id: Generated<string>
  helpful: boolean
  correction: string | null
  answer: string
  prompt: string | null
  prompt_version: number | null
  model: string | null
  given_at: Generated<string>
}

export interface AiFixesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  title: string
  description: string
  kind: 'manual' | 'script' | 'template'
  script_account_id: string | null
  script_template_id: string | null
  status: Generated<'proposed' | 'applied_success' | 'applied_failed' | 'applied_partial' | 'applied_pending' | 'dismissed'>
  applied_at: string | null
  verified_at: string | null
  partial_notes: string | null
  pending_reason: string | null
  failure_reason: string | null
  ai_drafted_script: string | null
  ai_drafted_language: 'powershell' | 'bash' | 'python' | null
  ai_drafted_parameters: Generated<JsonColumns['ai_fixes.ai_drafted_parameters']>
  ai_outcome_proposal: Json | null
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface AiHandoffsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  intent: 'park' | 'escalate'
  created_by: Generated<string>
  target_user_id: string | null
  reason: Generated<string>
  summary: Generated<string>
  what_was_tried: Generated<string>
  next_steps: Generated<string>
  urgency: Generated<'low' | 'normal' | 'high' | 'critical'>
  documentation: Generated<string>
  claimed_by: string | null
  claimed_at: string | null
  picked_up_at: string | null
  first_action_at: string | null
  closed_at: string | null
  ai_assessment: string | null
  assessment_status: 'pending' | 'ready' | 'failed' | 'timed_out' | null
  assessment_lease: string | null
  swept_at: string | null
  psa_push_id: string | null
  created_at: Generated<string>
  assessment_attempts: Generated<number>
}

export interface AiMessageUploadsTable {
  account_id: ColumnType<string, never, never>
  session_id: string
  message_id: string
  place: number
  upload_id: string
}

export interface AiMessagesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  branch_id: string
  position: Generated<number>
  role: 'user' | 'assistant'
  content: string
  citations: Generated<JsonColumns['ai_messages.citations']>
  sources: Generated<JsonColumns['ai_messages.sources']>
  lookups: Generated<JsonColumns['ai_messages.lookups']>
  failure: 'declined' | 'unusable' | 'truncated' | null
  author_id: string | null
  created_at: Generated<string>
}

export interface AiOutputsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  kind: 'resolution_summary' | 'ticket_note' | 'client_email' | 'kb_article'
  content: string
  edited: Generated<boolean>
  psa_push_id: string | null
  created_by: Generated<string>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface AiSessionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: Generated<string | null>
  user_id: Generated<string>
  session_type: 'guided' | 'chat'
  title: string
  status: Generated<'active' | 'parked' | 'requesting_escalation' | 'escalated' | 'claimed' | 'resolved' | 'abandoned' | 'archived'>
  problem_summary: string | null
  psa_ticket_id: string | null
  tree_account_id: string | null
  tree_id: string | null
  environment_tags: Generated<string[]>
  client_name: string | null
  asset_name: string | null
  issue_category: string | null
  triage_hypothesis: string | null
  cause_confirmed: Generated<boolean>
  evidence_items: Generated<JsonColumns['ai_sessions.evidence_items']>
  pending_task_lane: Generated<JsonColumns['ai_sessions.pending_task_lane']>
  task_lane_version: Generated<number>
  is_branching: Generated<boolean>
  active_branch_id: Generated<string>
  escalation_package: JsonColumns['ai_sessions.escalation_package'] | null
  escalated_to_id: string | null
  picked_up_by_id: string | null
  state_version: Generated<number>
  outcome: 'resolved' | 'workaround' | 'not_reproducible' | null
  resolution_notes: string | null
  resolution: string | null
  follow_up: string | null
  psa_push_id: string | null
  last_activity_at: Generated<string>
  created_at: Generated<string>
  updated_at: Generated<string>
  resolved_at: string | null
  messages_deleted_at: string | null
  returns_at: string | null
}

export interface AiStepsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  seq: number
  kind: 'question' | 'action' | 'fix'
  text: string
  options: Generated<JsonColumns['ai_steps.options']>
  rationale: string | null
  citations: Generated<JsonColumns['ai_steps.citations']>
  sources: Generated<JsonColumns['ai_steps.sources']>
  lookups: Generated<JsonColumns['ai_steps.lookups']>
  failure: 'declined' | 'unusable' | 'truncated' | null
  response: string | null
  answer_work_id: string | null
  created_at: Generated<string>
}

export interface AiTasksTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  sign_in_id: string
  operation: string
  path: string
  body: string
  state: Generated<'queued' | 'retrying' | 'finished' | 'failed'>
  finished_at: string | null
  calls_started: Generated<number>
  calls_answered: Generated<number>
  response_status: number | null
  response_body: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface AiUnpaidBudgetsTable {
  starts_at: string
  used_micros: number
}

export interface AlertSourcesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  name: string
  format: 'alertmanager' | 'zabbix' | 'json'
  mapping: JsonColumns['alert_sources.mapping'] | null
  is_enabled: Generated<boolean>
  severities: Generated<string[]>
  tree_id: string | null
  user_id: string
  schedule_id: string | null
  urgency: Generated<'low' | 'normal' | 'high' | 'critical'>
  max_cases_per_hour: Generated<number>
  token_hash: Uint8Array
  counted_since: Generated<string>
  calls: Generated<number>
  last_received_at: string | null
  last_error: string | null
  limit_told_at: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface AlertsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  source_id: string
  fingerprint: string
  title: string
  body: Generated<string>
  severity: string | null
  client_name: string | null
  asset_name: string | null
  status: Generated<'firing' | 'resolved'>
  digest: string
  fired_count: Generated<number>
  is_current: Generated<boolean>
  verdict: 'opened' | 'ignored' | 'limited' | 'refused' | null
  reason: string | null
  ai_session_id: string | null
  session_id: string | null
  state: Generated<'queued' | 'retrying' | 'done' | 'failed'>
  done_at: string | null
  last_seen_at: Generated<string>
  resolved_at: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface ApiKeysTable {
  id: string
  account_id: ColumnType<string, never, never>
  hash: Uint8Array
  last_characters: string
  scopes: string[]
  allowed_ranges: Generated<string[]>
  created_by: Generated<string>
  expires_at: string | null
  revoked_at: string | null
  created_at: Generated<string>
  last_used_at: string | null
  last_ip: string | null
  last_user_agent: string | null
}

export interface ApprovalsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string | null
  ai_session_id: string | null
  kind: 'step' | 'script'
  step_id: string | null
  seq: number
  digest: string
  title: string
  subject: string
  script_id: string | null
  script_version: number | null
  risk: 'medium' | 'high' | null
  risk_reasons: Generated<Json>
  agent_id: string | null
  target: string | null
  client_name: string | null
  approver_roles: string[]
  approver_ids: string[]
  team_id: string | null
  runner_id: string
  valid_minutes: number
  comment: string | null
  state: Generated<'pending' | 'approved' | 'rejected' | 'expired' | 'voided' | 'used'>
  requested_by: Generated<string>
  requested_at: Generated<string>
  expires_at: string
  decided_by: string | null
  decided_at: string | null
  decision_comment: string | null
}

export interface AuditLogsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  actor_id: string | null
  action: string
  resource_type: string
  resource_id: string | null
  changes: Generated<Json>
  ip: string | null
  sequence: number | null
  created_at: Generated<string>
}

export interface AuditSequencesTable {
  account_id: ColumnType<string, never, never>
  last_sequence: number
}

export interface BetaFeedbackTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  reaction: 'positive' | 'neutral' | 'negative'
  category: 'general' | 'bug' | 'idea' | 'ui' | 'ai' | 'performance'
  text: string
  page_url: string | null
  ai_session_id: string | null
  created_at: Generated<string>
}

export interface BillingCustomersTable {
  id: string
  account_id: ColumnType<string | null, never, never>
  linked_at: string | null
  deleted_at: string | null
  received_at: Generated<string>
}

export interface BillingEventsTable {
  id: string
  account_id: ColumnType<string, never, never>
  occurred_at: string
  received_at: Generated<string>
}

export interface BillingSubscriptionsTable {
  id: string
  account_id: ColumnType<string | null, never, never>
  customer_id: string
  status: 'active' | 'past_due' | 'unpaid' | 'canceled'
  plan: string | null
  created_at: string
  current_period_end: string | null
  cancel_at: string | null
  cancel_at_period_end: Generated<boolean>
  billing_anchor: string | null
  past_due_since: string | null
  event_id: string
  event_at: string
  received_at: Generated<string>
}

export interface CalendarFeedsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  schedule_id: string | null
  token_hash: Uint8Array
  last_read_at: string | null
  created_at: Generated<string>
}

export interface CategoriesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  name: string
  team_id: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
}

export interface ChatLinksTable {
  sign_in_id: string
  account_id: ColumnType<string, never, never>
  config_id: string
  team: string
  chat_user: string
  request_id: string
  created_at: Generated<string>
}

export interface DeletedObjectsTable {
  object_key: string
  deleted_at: Generated<string>
}

export interface DeliveriesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  config_id: string | null
  event_id: string | null
  event_key: string | null
  channel: 'chat1_webhook' | 'chat2_webhook' | 'email' | 'web_push' | 'sms' | 'voice'
  recipient: string | null
  subscription_id: string | null
  purpose: 'verify_email' | 'reset_password' | 'change_email' | 'email_change_requested' | 'email_changed' | 'identity_linked' | 'identity_unlinked' | 'password_changed' | 'chat_user_linked' | 'phone_number_added' | 'program_added' | 'invite' | 'sales_lead' | 'feedback' | 'feedback_receipt' | 'second_factor_added' | 'second_factor_removed' | 'sign_in_without_sso' | 'webhook_disabled' | 'export_ready' | 'export_failed' | 'account_deletion_requested' | 'account_deletion_cancelled' | 'digest' | 'weekly_report' | 'verify_phone' | null
  user_id: string | null
  state: Generated<'pending' | 'retrying' | 'held' | 'in_digest' | 'delivered' | 'failed'>
  held_until: string | null
  digest_id: string | null
  mails: Generated<number>
  batch_key: string | null
  delivered_at: string | null
  created_at: Generated<string>
  invite_id: string | null
  sales_lead_id: string | null
  feedback_id: string | null
  webhook_id: string | null
  report_id: string | null
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface DeviceTypesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  name: string
  category: 'network' | 'compute' | 'storage' | 'cloud' | 'endpoint' | 'infrastructure' | 'security'
  icon: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
}

export interface DiagramVersionsTable {
  account_id: ColumnType<string, never, never>
  diagram_id: string
  version: number
  name: string
  description: string
  client_name: string | null
  asset_name: string | null
  nodes: Json
  edges: Json
  saved_by: string | null
  restored_from: number | null
  bytes: number
  created_at: string
}

export interface DraftTemplatesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  created_by: Generated<string>
  status: Generated<'pending' | 'accepted' | 'rejected'>
  name: string
  description: Generated<string>
  language: 'powershell' | 'bash' | 'python'
  script_body: string
  proposed_parameters: Generated<JsonColumns['draft_templates.proposed_parameters']>
  source_session_id: string | null
  source_ticket_ref: string | null
  promoted_template_id: string | null
  resolved_at: string | null
  created_at: Generated<string>
  source_fix_id: string | null
}

export interface EmailChangesTable {
  user_id: string
  id: Generated<string>
  new_email: string
  expires_at: Generated<string>
  created_at: Generated<string>
}

export interface EscalationFollowUpsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  handoff_id: string
  policy_id: string | null
  rounds: number
  steps: JsonColumns['escalation_follow_ups.steps']
  alert: JsonColumns['escalation_follow_ups.alert']
  acknowledged_by: string | null
  acknowledged_at: string | null
  unreached_at: string | null
  created_at: Generated<string>
}

export interface EscalationPoliciesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  name: string
  is_default: Generated<boolean>
  rounds: number
  steps: JsonColumns['escalation_policies.steps']
  version: Generated<number>
  created_by: Generated<string>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface EscalationRemindersTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  follow_up_id: string
  round: number
  step: number
  event_id: string | null
  state: Generated<'waiting' | 'retrying' | 'sent' | 'unreached' | 'stopped' | 'failed'>
  sent_at: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: string | null
  leased_until: string | null
  swept_at: string | null
}

export interface EventsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  key: string
  actor_id: string | null
  caused_by: string | null
  title: string
  body: string
  link: string | null
  escalation: Json | null
  approval: JsonColumns['events.approval'] | null
  review: JsonColumns['events.review'] | null
  created_at: Generated<string>
}

export interface FeatureOverridesTable {
  account_id: ColumnType<string, never, never>
  feature: string
  enabled: boolean
  created_at: Generated<string>
}

export interface FeaturesTable {
  key: string
  description: string
}

export interface FeedbackTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  subject: string
  message: string
  page_url: string | null
  created_at: Generated<string>
}

export interface FlowConversationsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  goal: string
  tree_type: 'troubleshooting' | 'procedural' | 'maintenance'
  environment_tags: Generated<JsonColumns['flow_conversations.environment_tags']>
  messages: Json
  draft: Json | null
  turns: Generated<number>
  last_work_id: string | null
  created_at: Generated<string>
  expires_at: Generated<string>
}

export interface FlowLinkChecksTable {
  account_id: ColumnType<string, never, never>
  tree_id: string
  links: Generated<JsonColumns['flow_link_checks.links']>
  checked_at: string | null
  due_at: Generated<string>
}

export interface FlowProposalsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: Generated<string | null>
  source: 'session' | 'ai_session'
  source_id: string
  action: 'create' | 'update'
  target_tree_id: string | null
  target_version: number | null
  proposed_flow: Json
  status: Generated<'pending' | 'approved' | 'rejected'>
  submitted_by: Generated<string>
  decided_by: string | null
  decided_at: string | null
  reason: string | null
  created_at: Generated<string>
}

export interface IdempotencyKeysTable {
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  operation: string
  key: string
  request: Uint8Array
  status: number | null
  work_id: Generated<string>
  body: string | null
  leased_until: string | null
  created_at: Generated<string>
}

export interface IdentitiesTable {
  provider: 'google' | 'microsoft'
  subject: string
  user_id: string
  created_at: Generated<string>
}

export interface InviteCodesTable {
  hash: Uint8Array
  invite_id: string
  created_at: Generated<string>
}

export interface InvitesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  email: string
  role: 'viewer' | 'engineer' | 'admin'
  team_id: string | null
  invited_by: Generated<string | null>
  expires_at: Generated<string>
  accepted_at: string | null
  accepted_by: string | null
  revoked_at: string | null
  codes_since: Generated<string>
  created_at: Generated<string>
}

export interface KbBatchItemsTable {
  account_id: ColumnType<string, never, never>
  batch_id: string
  place: number
  name: string
  source_id: string | null
  import_id: string | null
  problem: string | null
}

export interface KbBatchesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  created_by: Generated<string>
  source: 'zip' | 'url' | 'hudu' | 'it_glue'
  address: string | null
  object_key: string | null
  api_key: string | null
  list_position: string | null
  state: Generated<'queued' | 'retrying' | 'succeeded' | 'failed' | 'canceled'>
  done: Generated<number>
  total: number
  problem: string | null
  succeeded_at: string | null
  finished_at: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface KbImportNodesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  import_id: string
  parent_id: string | null
  position: number
  kind: 'section' | 'step' | 'note' | 'decision' | 'solution'
  title: string
  content: string
}

export interface KbImportsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  created_by: Generated<string>
  title: string
  format: 'markdown' | 'text' | 'html' | 'docx' | 'pdf'
  blocks: JsonColumns['kb_imports.blocks']
  status: Generated<'uploaded' | 'converted' | 'committed' | 'failed'>
  warnings: Generated<JsonColumns['kb_imports.warnings']>
  tree_id: string | null
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface KeyFingerprintsTable {
  setting: 'JWT_KEYS' | 'CREDENTIALS_KEY'
  id: string
  fingerprint: string
  first_seen_at: Generated<string>
}

export interface KnowledgeEmbeddingsTable {
  account_id: ColumnType<string, never, never>
  entry_id: string
  model: string | null
  text_hash: Uint8Array | null
  embedding: number[] | null
  signs: Generated<string | null>
  due_at: Generated<string | null>
}

export interface KnowledgeEntriesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  tree_id: string | null
  import_id: string | null
  ai_session_id: string | null
  words: string
}

export interface KnowledgeTermsTable {
  account_id: ColumnType<string, never, never>
  term: string
  entries: number
}

export interface LibraryStepsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  created_by: Generated<string>
  visibility: Generated<'private' | 'team' | 'account'>
  title: string
  description: Generated<string>
  step_type: 'action' | 'solution' | 'procedure_step'
  source_tree_id: string | null
  source_node_id: string | null
  source_tree_name: string | null
  is_active: Generated<boolean>
  created_at: Generated<string>
  updated_at: Generated<string>
  search: Generated<string | null>
}

export interface MailBatchesTable {
  key: string
  delivery_ids: string[]
  created_at: Generated<string>
}

export interface MailCountsTable {
  account_id: ColumnType<string, never, never>
  day: string
  sent: Generated<number>
  refused: Generated<number>
}

export interface MailPaceTable {
  id: Generated<boolean>
  next_call_at: Generated<string>
  paused_until: Generated<string>
}

export interface MailPreferencesTable {
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  email_events: Generated<string[]>
  quiet_days: Generated<number[]>
  quiet_from: Generated<string>
  quiet_to: Generated<string>
  digest: Generated<'off' | 'hourly' | 'daily'>
  digest_time: Generated<string>
  alert_steps: Json | null
  updated_at: Generated<string>
}

export interface MailProblemsTable {
  address_hash: Uint8Array
  kind: 'bounced' | 'complained' | 'suppressed'
  occurred_at: string
  lifted_at: string | null
  created_at: Generated<string>
}

export interface MailSuppressionsTable {
  address_hash: Uint8Array
  created_at: Generated<string>
}

export interface MaintenanceRunsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  schedule_id: string
  due_at: string
  trigger: 'scheduled' | 'manual'
  status: 'created' | 'failed' | 'missed'
  error: string | null
  batch_ids: Generated<string[]>
  session_count: Generated<number>
  started_at: string | null
}

export interface MaintenanceSchedulesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: Generated<string>
  created_by: Generated<string>
  tree_id: string
  target_list_id: string
  name: string
  cron: string
  timezone: string
  ticket_number: string | null
  is_active: boolean
  next_run_at: string | null
  timed_since: Generated<string>
  version: Generated<number>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface McpServersTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  name: string
  url: string
  token: string | null
  tools: Generated<JsonColumns['mcp_servers.tools']>
  allowed: Generated<JsonColumns['mcp_servers.allowed']>
  last_checked_at: string | null
  last_check_error: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface NetworkDiagramsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string
  name: string
  description: Generated<string>
  client_name: string | null
  asset_name: string | null
  nodes: JsonColumns['network_diagrams.nodes']
  edges: JsonColumns['network_diagrams.edges']
  is_archived: Generated<boolean>
  version: Generated<number>
  restored_from: number | null
  saved_by: Generated<string | null>
  bytes: number | null
  created_by: Generated<string>
  created_at: Generated<string>
  updated_at: Generated<string>
  search: Generated<string | null>
}

export interface NotificationConfigsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  channel: 'chat1_webhook' | 'chat2_webhook' | 'email'
  webhook_url: string | null
  email_addresses: JsonColumns['notification_configs.email_addresses'] | null
  events_enabled: JsonColumns['notification_configs.events_enabled']
  set_up_by: string | null
  disconnected_at: string | null
  signing_secret: string | null
  created_at: Generated<string>
}

export interface NotificationsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: string
  event_id: string
  event_key: string
  title: string
  body: string
  link: string | null
  escalation: Json | null
  is_read: Generated<boolean>
  read_at: string | null
  created_at: Generated<string>
}

export interface OauthClientsTable {
  id: string
  name: string
  redirect_uris: string[]
  created_at: Generated<string>
  expires_at: Generated<string>
}

export interface OauthCodesTable {
  hash: Uint8Array
  client_id: string
  sign_in_id: string
  redirect_uri: string
  code_challenge: string
  scopes: string[]
  expires_at: Generated<string>
  used_at: string | null
  grant_id: string | null
}

export interface OauthRefreshTokensTable {
  hash: Uint8Array
  sign_in_id: string
  client_id: string
  scopes: string[]
  used_at: string | null
  created_at: Generated<string>
}

export interface OauthStatesTable {
  hash: Uint8Array
  provider: 'google' | 'microsoft' | 'sso'
  connection_id: string | null
  code_verifier: string
  nonce: string
  sign_in_id: string | null
  expires_at: Generated<string>
  used_at: string | null
  created_at: Generated<string>
}

export interface OnCallOverridesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  schedule_id: string
  user_id: string
  starts_at: string
  ends_at: string
  created_by: Generated<string>
  created_at: Generated<string>
}

export interface OnCallScheduleVersionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  schedule_id: string
  timezone: string
  rotations: JsonColumns['on_call_schedule_versions.rotations']
  people: string[]
  valid_until: Generated<string>
}

export interface OnCallSchedulesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  name: string
  timezone: string
  rotations: JsonColumns['on_call_schedules.rotations']
  version: Generated<number>
  notice_at: Generated<string>
  shifts_changed_at: Generated<string>
  created_by: Generated<string>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface OnCallSubstituteRequestsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  schedule_id: string
  user_id: string
  starts_at: string
  ends_at: string
  note: string | null
  asked_ids: string[]
  declined_ids: Generated<string[]>
  state: Generated<'open' | 'accepted' | 'declined' | 'withdrawn' | 'expired'>
  accepted_by: string | null
  override_id: string | null
  notice_at: string
  created_by: Generated<string>
  created_at: Generated<string>
}

export interface OnboardingTable {
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  current_step: Generated<number>
  completed_steps: Generated<number[]>
  skipped_steps: Generated<number[]>
  data: Generated<JsonColumns['onboarding.data']>
  dismissed_at: string | null
  updated_at: Generated<string>
}

export interface OneTimeTokensTable {
  hash: Uint8Array
  user_id: string
  purpose: 'verify_email' | 'reset_password' | 'change_email'
  email_change_id: string | null
  expires_at: string
  used_at: string | null
  created_at: Generated<string>
}

export interface PasskeyChallengesTable {
  hash: Uint8Array
  user_id: string | null
  expires_at: Generated<string>
}

export interface PasskeysTable {
  id: Generated<string>
  user_id: string
  name: string
  credential_id: string
  public_key: string
  counter: number
  transports: Generated<string[]>
  created_at: Generated<string>
  last_used_at: string | null
}

export interface PasswordsTable {
  user_id: string
  hash: string
  device_generation: Generated<number>
  changed_at: Generated<string>
}

export interface PhoneGatewaysTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  provider: 'twilio' | 'webhook'
  base_url: string
  account_sid: string | null
  api_key_sid: string | null
  secret: string
  sender: string | null
  allowed_prefixes: string[]
  daily_limit: Generated<number>
  counted_on: string | null
  counted: Generated<number>
  announced_on: string | null
  last_error: string | null
  last_error_at: string | null
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface PhoneNumbersTable {
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  number: string | null
  verified_at: string | null
  pending_number: string | null
  code_hash: Uint8Array | null
  code_attempts: Generated<number>
  code_expires_at: string | null
}

export interface PlanBillingTable {
  plan: string
  display_name: string
  description: Generated<string>
  monthly_price_cents: number | null
  annual_price_cents: number | null
  currency: Generated<string>
  features: Generated<JsonColumns['plan_billing.features']>
  is_public: Generated<boolean>
  is_archived: Generated<boolean>
  sort_order: Generated<number>
  provider_product_id: string | null
  provider_monthly_price_id: string | null
  provider_annual_price_id: string | null
  updated_at: Generated<string>
}

export interface PlanFeaturesTable {
  plan: string
  feature: string
  enabled: boolean
}

export interface PlanLimitsTable {
  plan: string
  max_users: number | null
  max_kb_imports: number | null
  max_ai_builds_per_month: number | null
  max_mails_per_day: Generated<number | null>
  max_notification_configs: Generated<number | null>
  max_flows: Generated<number | null>
  max_open_ai_sessions: Generated<number | null>
  max_schedules: Generated<number | null>
  max_stored_bytes: Generated<number | null>
  max_ai_cost_micros_per_month: Generated<number | null>
  max_webhooks: Generated<number | null>
}

export interface PlatformInviteCodesTable {
  id: Generated<string>
  hash: Uint8Array
  max_uses: number
  used_count: Generated<number>
  expires_at: string | null
  note: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
}

export interface PresenceTable {
  account_id: ColumnType<string, never, never>
  resource_type: 'flow' | 'session' | 'ai_session'
  resource_id: string
  user_id: Generated<string>
  tab_id: string
  mode: 'viewing' | 'editing'
  since: Generated<string>
  expires_at: string
}

export interface PsaCallbacksTable {
  account_id: ColumnType<string, never, never>
  connection_id: string
  token_hash: Uint8Array
  password_hash: Uint8Array
  counted_since: Generated<string>
  calls: Generated<number>
  last_received_at: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
}

export interface PsaConnectionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  provider: 'connectwise' | 'halopsa'
  base_url: string
  identity: Json
  credentials: string
  is_active: Generated<boolean>
  time_rounding_minutes: Generated<number>
  time_minimum_minutes: Generated<number>
  resolved_statuses: Generated<JsonColumns['psa_connections.resolved_statuses']>
  last_checked_at: string | null
  last_check_error: string | null
  system_since: Generated<string>
  created_by: Generated<string | null>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface PsaMemberMappingsTable {
  account_id: ColumnType<string, never, never>
  user_id: string
  connection_id: string
  psa_member_id: string
  psa_identifier: string
  psa_name: string
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface PsaPushesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  kind: Generated<'note' | 'time_entry' | 'ticket'>
  ticket_id: string | null
  details: Generated<JsonColumns['psa_pushes.details']>
  body: string
  internal: Generated<boolean>
  source_kind: 'session' | 'ai_session' | 'output' | 'user'
  source_id: string
  requested_by: Generated<string | null>
  state: Generated<'queued' | 'retrying' | 'pushed' | 'failed'>
  pushed_at: string | null
  provider_note_id: string | null
  ticket_status_id: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface PsaRuleMatchesTable {
  account_id: ColumnType<string, never, never>
  rule_id: string
  ticket_id: string
  session_id: string | null
  created_at: Generated<string>
}

export interface PsaRulesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  name: string
  position: Generated<number>
  is_enabled: Generated<boolean>
  board_id: string | null
  ticket_type: string | null
  keywords: Generated<string[]>
  tree_id: string
  variables: Generated<JsonColumns['psa_rules.variables']>
  user_id: string
  last_matched_at: string | null
  last_error: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface PsaTicketChangesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  ticket_id: string
  fingerprint: string | null
  state: Generated<'queued' | 'retrying' | 'done' | 'failed'>
  done_at: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface PushSubscriptionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  sign_in_id: string
  endpoint_hash: Uint8Array
  sealed: string
  created_at: Generated<string>
}

export interface QueueMessageIdsTable {
  id: string
  expires_at: string
}

export interface QuotaCountersTable {
  account_id: ColumnType<string, never, never>
  quota: 'ai_builds' | 'kb_imports'
  period_start: string
  used: Generated<number>
}

export interface RecoveryCodesTable {
  user_id: string
  hash: Uint8Array
  used_at: string | null
}

export interface RefreshTokensTable {
  hash: Uint8Array
  sign_in_id: string
  used_at: string | null
  created_at: Generated<string>
}

export interface ReportSubscriptionsTable {
  account_id: ColumnType<string, never, never>
  team_id: string
  user_id: Generated<string>
  created_at: Generated<string>
}

export interface RunnerConnectionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  provider: string
  base_url: string
  credentials: string
  last_checked_at: string | null
  last_check_error: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface RunnerRunsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string | null
  ai_session_id: string | null
  step_id: string | null
  title: string
  script_template_id: string
  script_version: number
  approval_id: string | null
  agent_id: string
  target: string | null
  client_name: string | null
  time_limit_seconds: number
  payload: string | null
  state: Generated<'queued' | 'retrying' | 'finished' | 'failed' | 'cancelled'>
  is_unknown: Generated<boolean>
  started_at: string | null
  finished_at: string | null
  recorded_at: string | null
  script_run_id: string | null
  requested_by: Generated<string>
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface SalesLeadsTable {
  id: Generated<string>
  email: string
  name: string
  company: string
  source: 'pricing_page' | 'contact_form' | 'landing_page' | 'demo_request' | 'referral'
  message: string | null
  phone: string | null
  seats: number | null
  received_at: Generated<string>
}

export interface ScimGroupMembersTable {
  account_id: ColumnType<string, never, never>
  group_id: string
  user_id: string
}

export interface ScimGroupsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  display_name: string
  external_id: string | null
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface ScimUsersTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: string
  user_name: string
  external_id: string | null
  given_name: string | null
  family_name: string | null
  formatted_name: string | null
  deleted_at: string | null
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface ScriptBuilderMessagesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  position: Generated<number>
  role: 'user' | 'assistant'
  content: string
  created_at: Generated<string>
}

export interface ScriptBuilderSessionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  origin: 'standalone' | 'pilot_inline'
  ai_session_id: string | null
  place: number | null
  language: 'powershell' | 'bash' | 'python'
  title: string
  script_body: string | null
  parameters_schema: Generated<JsonColumns['script_builder_sessions.parameters_schema']>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface ScriptCategoriesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  name: string
  created_by: Generated<string | null>
  created_at: Generated<string>
}

export interface ScriptRunsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string | null
  ai_session_id: string | null
  step_id: string | null
  title: string
  script_template_id: string | null
  script_version: number | null
  script: string | null
  approval_id: string | null
  target: string
  agent_id: string | null
  client_name: string | null
  exit_code: number | null
  output: Generated<string>
  started_at: string
  ended_at: string
  run_by: Generated<string>
  created_at: Generated<string>
}

export interface ScriptTemplatesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  created_by: Generated<string>
  name: string
  slug: string
  description: Generated<string>
  script_body: string
  parameters_schema: Generated<JsonColumns['script_templates.parameters_schema']>
  language: 'powershell' | 'bash' | 'python'
  requires_elevation: Generated<boolean>
  risk: Generated<'low' | 'medium' | 'high'>
  category_id: string | null
  is_shared: Generated<boolean>
  is_gallery_featured: Generated<boolean>
  gallery_sort_order: Generated<number>
  usage_count: Generated<number>
  source_session_id: string | null
  source_user_id: string | null
  source_ticket_ref: string | null
  version: Generated<number>
  restored_from: number | null
  saved_by: Generated<string | null>
  created_at: Generated<string>
  updated_at: Generated<string>
  search: Generated<string | null>
  words: Generated<string | null>
}

export interface ScriptVersionsTable {
  account_id: ColumnType<string, never, never>
  script_id: string
  version: number
  name: string
  description: string
  script_body: string
  parameters_schema: Json
  language: string
  requires_elevation: boolean
  saved_by: string | null
  restored_from: number | null
  bytes: number
  created_at: string
}

export interface SearchEntriesTable {
  account_id: ColumnType<string, never, never>
  type: 'flow' | 'step' | 'library_step' | 'script' | 'session' | 'ai_session' | 'article' | 'diagram'
  id: string
  step_id: Generated<string>
  words: string
}

export interface SessionCustomStepsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  source: 'ad-hoc' | 'step-library' | 'forked-tree'
  after_step_id: string
  title: string
  description: Generated<string>
  library_step_id: string | null
  tree_account_id: string | null
  tree_id: string | null
  node_id: string | null
  created_by: Generated<string>
  created_at: Generated<string>
}

export interface SessionDecisionsTable {
  account_id: ColumnType<string, never, never>
  session_id: string
  seq: number
  step_id: string
  option_id: string | null
  outcome: 'done' | 'skipped' | 'failed' | null
  note: string | null
  started_at: string
  duration_seconds: number
  decided_at: Generated<string>
  decided_by: Generated<string>
}

export interface SessionEvidenceTable {
  account_id: ColumnType<string, never, never>
  session_id: string
  seq: number
  key: string
  place: number
  type: 'screenshot' | 'text' | 'number' | 'boolean' | 'select'
  label: string
  value: Json | null
  upload_id: string | null
}

export interface SessionFallbacksTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  seq: number
  step_id: string
  fallback_step_id: string
  outcome: 'done' | 'skipped' | 'failed'
  note: string | null
  decided_at: Generated<string>
  decided_by: Generated<string>
}

export interface SessionRatingsTable {
  account_id: ColumnType<string, never, never>
  session_id: string
  score: number
  comment: string | null
  rated_by: Generated<string>
  rated_at: Generated<string>
  session_user_id: string
}

export interface SessionStepFeedbackTable {
  account_id: ColumnType<string, never, never>
  session_id: string
  step_id: string
  user_id: Generated<string>
  helpful: boolean
  comment: string | null
  given_at: Generated<string>
}

export interface SessionSupportingDataTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  session_id: string
  kind: 'text' | 'screenshot'
  title: string
  content: string | null
  upload_id: string | null
  step_id: string | null
  created_by: Generated<string>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface SessionTimersTable {
  account_id: ColumnType<string, never, never>
  session_id: string
  step_id: string
  seq: number
  due_at: string
  until: string | null
  state: Generated<'waiting' | 'sent' | 'stopped'>
}

export interface SessionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  user_id: Generated<string>
  tree_account_id: string
  tree_id: string
  tree_version: number
  tree_name: string
  state: 'prepared' | 'in_progress' | 'completed' | 'abandoned'
  ticket_number: string | null
  client_name: string | null
  variables: Generated<JsonColumns['sessions.variables']>
  secret_variables: Generated<JsonColumns['sessions.secret_variables']>
  outcome: 'resolved' | 'unresolved' | 'escalated' | 'cancelled' | null
  notes: string | null
  next_steps: string | null
  batch_id: string | null
  target_label: string | null
  parent_session_id: string | null
  parent_step_id: string | null
  subflow_session_id: string | null
  replaced_variables: Json | null
  current_step_id: string | null
  answered: Generated<number>
  remaining: number
  exported_at: string | null
  assigned_at: string | null
  started_at: string | null
  completed_at: string | null
  created_at: Generated<string>
  lasted: Generated<number | null>
}

export interface SignInAttemptsTable {
  key: Uint8Array
  attempted_at: string[]
  locked_until: string | null
  expires_at: string
}

export interface SignInChallengesTable {
  hash: Uint8Array
  user_id: string
  device_id: string | null
  is_password: boolean
  is_sso: Generated<boolean>
  expires_at: Generated<string>
}

export interface SignInsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  user_id: string
  user_agent: Generated<string>
  ip: Generated<string>
  created_at: Generated<string>
  last_used_at: Generated<string>
  expires_at: string
  ended_at: string | null
  second_factor_at: string | null
  method: 'password' | 'identity' | 'passkey' | 'sso' | 'delegated' | null
}

export interface SsoConnectionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  issuer: string
  client_id: string
  client_secret: string
  scopes: string[]
  mode: Generated<'optional' | 'enforced'>
  default_role: Generated<'viewer' | 'engineer'>
  groups_claim: Generated<string>
  group_roles: Generated<JsonColumns['sso_connections.group_roles']>
  groups_omitted_at: string | null
  last_checked_at: string | null
  last_check_error: string | null
  scim_hash: Uint8Array | null
  scim_created_at: string | null
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface SsoDomainsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  domain: string
  token: string
  verified_at: string | null
  created_at: Generated<string>
}

export interface SsoIdentitiesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  connection_id: string
  issuer: string
  subject: string
  user_id: string
  created_at: Generated<string>
}

export interface StreamEventsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  event: 'handoff_created' | 'handoff_claimed' | 'handoff_closed' | 'handoff_assessment_ready' | 'ai_task_finished' | 'ticket_changed' | 'approval_changed' | 'kb_batch_finished' | 'job_progressed' | 'script_run_finished'
  data: Json
  created_at: Generated<string>
  swept_at: string | null
}

export interface StreamTicketsTable {
  hash: Uint8Array
  sign_in_id: string
  reconnect_hash: Uint8Array | null
  expires_at: string
}

export interface TargetListsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  created_by: Generated<string>
  name: string
  description: Generated<string>
  targets: Json
  version: Generated<number>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface TeamsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  name: string
  timezone: string | null
  created_at: Generated<string>
  handover_time: string | null
  handover_set_by: string | null
  handover_at: string | null
  handover_sent_at: string | null
  branding_company_name: string | null
  branding_primary_colour: string | null
  branding_footer_text: string | null
  branding_logo_upload_id: string | null
}

export interface TotpFactorsTable {
  user_id: string
  secret: string
  confirmed_at: string | null
  last_step: number | null
  created_at: Generated<string>
}

export interface TreePinsTable {
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  tree_account_id: string
  tree_id: string
  position: number
  created_at: Generated<string>
}

export interface TreeSharesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  tree_id: string
  hash: Uint8Array
  created_by: Generated<string | null>
  expires_at: string
  revoked_at: string | null
  created_at: Generated<string>
}

export interface TreeSubflowsTable {
  account_id: ColumnType<string, never, never>
  tree_id: string
  child_account_id: string
  child_tree_id: string
}

export interface TreeVersionsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  tree_id: string
  version: number
  status: 'draft' | 'published'
  name: string
  description: Generated<string>
  category: string | null
  tree_structure: JsonColumns['tree_versions.tree_structure'] | null
  intake_form: Generated<JsonColumns['tree_versions.intake_form']>
  tree_type: 'troubleshooting' | 'procedural' | 'maintenance'
  saved_by: Generated<string | null>
  restored_from: number | null
  replay: JsonColumns['tree_versions.replay'] | null
  bytes: number | null
  created_at: Generated<string>
}

export interface TreesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string | null
  author_id: Generated<string>
  tree_type: 'troubleshooting' | 'procedural' | 'maintenance'
  status: 'draft' | 'published'
  visibility: 'private' | 'team' | 'account' | 'public'
  name: string
  description: Generated<string>
  category_id: string | null
  tags: Generated<string[]>
  version: Generated<number>
  usage_count: Generated<number>
  parent_account_id: string | null
  parent_tree_id: string | null
  root_account_id: string | null
  root_tree_id: string | null
  fork_depth: Generated<number>
  fork_reason: string | null
  import_metadata: JsonColumns['trees.import_metadata'] | null
  is_gallery_featured: Generated<boolean>
  gallery_sort_order: Generated<number>
  is_gallery_hidden: Generated<boolean>
  dismissed_findings: Generated<string[]>
  owner_id: Generated<string | null>
  review_months: number | null
  is_evergreen: Generated<boolean>
  reviewed_at: string | null
  reviewed_by: string | null
  review_due_on: string | null
  review_notice_at: string | null
  review_notices: Generated<number>
  created_at: Generated<string>
  updated_at: Generated<string>
  published_at: string | null
  deleted_at: string | null
  search: Generated<string | null>
  tag_keys: Generated<string[] | null>
  words: Generated<string | null>
}

export interface UploadsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  object_key: string
  content_type: string
  width: number
  height: number
  size: number
  sha256: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
}

export interface UsageCountersTable {
  account_id: ColumnType<string, never, never>
  quota: 'stored_bytes' | 'open_ai_sessions' | 'flows' | 'schedules'
  used: number
}

export interface UsersTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  email: string
  full_name: string
  role: 'viewer' | 'engineer' | 'admin'
  team_id: string | null
  team_role: 'member' | 'admin' | null
  is_super_admin: Generated<boolean>
  is_active: Generated<boolean>
  is_service: Generated<boolean>
  email_verified_at: string | null
  must_change_password: Generated<boolean>
  has_second_factor: Generated<boolean>
  timezone: Generated<string>
  created_at: Generated<string>
  last_login_at: string | null
  erased_at: string | null
  traces_erased_at: string | null
}

export interface WebhookDeliveriesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  webhook_id: string
  message_id: string
  type: string
  first_sequence: number | null
  last_sequence: number | null
  subject: string
  payload: string
  state: Generated<'pending' | 'retrying' | 'delivered' | 'failed'>
  earlier_attempts: Generated<number>
  response_body: string | null
  duration_ms: number | null
  last_attempt_at: string | null
  replayed_at: string | null
  delivered_at: string | null
  created_at: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  swept_at: string | null
}

export interface WebhooksTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  url: string
  description: Generated<string>
  events: string[]
  secret: string
  previous_secret: string | null
  previous_secret_until: string | null
  is_active: Generated<boolean>
  disabled_reason: 'gone' | 'failing' | null
  failures: Generated<number>
  failing_since: string | null
  paused_until: string | null
  last_replay_at: string | null
  created_by: Generated<string | null>
  created_at: Generated<string>
  updated_at: Generated<string>
}

export interface WeeklyReportsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  team_id: string
  week: string
  due_at: string
  content: JsonColumns['weekly_reports.content']
  created_at: Generated<string>
}

export interface DB {
  account_erasures: AccountErasuresTable
  account_export_parts: AccountExportPartsTable
  account_exports: AccountExportsTable
  account_import_records: AccountImportRecordsTable
  account_imports: AccountImportsTable
  account_usage: AccountUsageTable
  accounts: AccountsTable
  ai_branches: AiBranchesTable
  ai_budgets: AiBudgetsTable
  ai_calls: AiCallsTable
  ai_facts: AiFactsTable
  ai_feedback: AiFeedbackTable
  ai_fixes: AiFixesTable
  ai_handoffs: AiHandoffsTable
  ai_message_uploads: AiMessageUploadsTable
  ai_messages: AiMessagesTable
  ai_outputs: AiOutputsTable
  ai_sessions: AiSessionsTable
  ai_steps: AiStepsTable
  ai_tasks: AiTasksTable
  ai_unpaid_budgets: AiUnpaidBudgetsTable
  alert_sources: AlertSourcesTable
  alerts: AlertsTable
  api_keys: ApiKeysTable
  approvals: ApprovalsTable
  audit_logs: AuditLogsTable
  audit_sequences: AuditSequencesTable
  beta_feedback: BetaFeedbackTable
  billing_customers: BillingCustomersTable
  billing_events: BillingEventsTable
  billing_subscriptions: BillingSubscriptionsTable
  calendar_feeds: CalendarFeedsTable
  categories: CategoriesTable
  chat_links: ChatLinksTable
  deleted_objects: DeletedObjectsTable
  deliveries: DeliveriesTable
  device_types: DeviceTypesTable
  diagram_versions: DiagramVersionsTable
  draft_templates: DraftTemplatesTable
  email_changes: EmailChangesTable
  escalation_follow_ups: EscalationFollowUpsTable
  escalation_policies: EscalationPoliciesTable
  escalation_reminders: EscalationRemindersTable
  events: EventsTable
  feature_overrides: FeatureOverridesTable
  features: FeaturesTable
  feedback: FeedbackTable
  flow_conversations: FlowConversationsTable
  flow_link_checks: FlowLinkChecksTable
  flow_proposals: FlowProposalsTable
  idempotency_keys: IdempotencyKeysTable
  identities: IdentitiesTable
  invite_codes: InviteCodesTable
  invites: InvitesTable
  kb_batch_items: KbBatchItemsTable
  kb_batches: KbBatchesTable
  kb_import_nodes: KbImportNodesTable
  kb_imports: KbImportsTable
  key_fingerprints: KeyFingerprintsTable
  knowledge_embeddings: KnowledgeEmbeddingsTable
  knowledge_entries: KnowledgeEntriesTable
  knowledge_terms: KnowledgeTermsTable
  library_steps: LibraryStepsTable
  mail_batches: MailBatchesTable
  mail_counts: MailCountsTable
  mail_pace: MailPaceTable
  mail_preferences: MailPreferencesTable
  mail_problems: MailProblemsTable
  mail_suppressions: MailSuppressionsTable
  maintenance_runs: MaintenanceRunsTable
  maintenance_schedules: MaintenanceSchedulesTable
  mcp_servers: McpServersTable
  network_diagrams: NetworkDiagramsTable
  notification_configs: NotificationConfigsTable
  notifications: NotificationsTable
  oauth_clients: OauthClientsTable
  oauth_codes: OauthCodesTable
  oauth_refresh_tokens: OauthRefreshTokensTable
  oauth_states: OauthStatesTable
  on_call_overrides: OnCallOverridesTable
  on_call_schedule_versions: OnCallScheduleVersionsTable
  on_call_schedules: OnCallSchedulesTable
  on_call_substitute_requests: OnCallSubstituteRequestsTable
  onboarding: OnboardingTable
  one_time_tokens: OneTimeTokensTable
  passkey_challenges: PasskeyChallengesTable
  passkeys: PasskeysTable
  passwords: PasswordsTable
  phone_gateways: PhoneGatewaysTable
  phone_numbers: PhoneNumbersTable
  plan_billing: PlanBillingTable
  plan_features: PlanFeaturesTable
  plan_limits: PlanLimitsTable
  platform_invite_codes: PlatformInviteCodesTable
  presence: PresenceTable
  psa_callbacks: PsaCallbacksTable
  psa_connections: PsaConnectionsTable
  psa_member_mappings: PsaMemberMappingsTable
  psa_pushes: PsaPushesTable
  psa_rule_matches: PsaRuleMatchesTable
  psa_rules: PsaRulesTable
  psa_ticket_changes: PsaTicketChangesTable
  push_subscriptions: PushSubscriptionsTable
  queue_message_ids: QueueMessageIdsTable
  quota_counters: QuotaCountersTable
  recovery_codes: RecoveryCodesTable
  refresh_tokens: RefreshTokensTable
  report_subscriptions: ReportSubscriptionsTable
  runner_connections: RunnerConnectionsTable
  runner_runs: RunnerRunsTable
  sales_leads: SalesLeadsTable
  scim_group_members: ScimGroupMembersTable
  scim_groups: ScimGroupsTable
  scim_users: ScimUsersTable
  script_builder_messages: ScriptBuilderMessagesTable
  script_builder_sessions: ScriptBuilderSessionsTable
  script_categories: ScriptCategoriesTable
  script_runs: ScriptRunsTable
  script_templates: ScriptTemplatesTable
  script_versions: ScriptVersionsTable
  search_entries: SearchEntriesTable
  session_custom_steps: SessionCustomStepsTable
  session_decisions: SessionDecisionsTable
  session_evidence: SessionEvidenceTable
  session_fallbacks: SessionFallbacksTable
  session_ratings: SessionRatingsTable
  session_step_feedback: SessionStepFeedbackTable
  session_supporting_data: SessionSupportingDataTable
  session_timers: SessionTimersTable
  sessions: SessionsTable
  sign_in_attempts: SignInAttemptsTable
  sign_in_challenges: SignInChallengesTable
  sign_ins: SignInsTable
  sso_connections: SsoConnectionsTable
  sso_domains: SsoDomainsTable
  sso_identities: SsoIdentitiesTable
  stream_events: StreamEventsTable
  stream_tickets: StreamTicketsTable
  target_lists: TargetListsTable
  teams: TeamsTable
  totp_factors: TotpFactorsTable
  tree_pins: TreePinsTable
  tree_shares: TreeSharesTable
  tree_subflows: TreeSubflowsTable
  tree_versions: TreeVersionsTable
  trees: TreesTable
  uploads: UploadsTable
  usage_counters: UsageCountersTable
  users: UsersTable
  webhook_deliveries: WebhookDeliveriesTable
  webhooks: WebhooksTable
  weekly_reports: WeeklyReportsTable
}

/** The arguments of the SQL functions. */
export interface SqlFunctions {
  'app.account_id': Record<never, never>
  'app.add_usage': { p_account: string; p_quota: string; p_change: number }
  'app.address_hash': { p_address: string }
  'app.administers': { p_team: string }
  'app.applied_migration': Record<never, never>
  'app.are_secrets': { j: string }
  'app.are_variables': { j: string }
  'app.attempt_key': { p_kind: string; p_name: string }
  'app.audit_message': {
    p_account: string
    p_first: number
    p_last: number
    p_timestamp: string
    p_missed: string
    p_is_short?: boolean
  }
  'app.branch_messages': { p_session: string; p_branch: string; p_after?: number; p_count?: number }
  'app.cannot_work': { p_user: string }
  'app.change_provisioned_address': { p_user: string; p_email: string }
  'app.changes': { before: string; after: string; secrets: readonly string[] }
  'app.check_keys': {
    p_setting: string
    p_ids: readonly string[]
    p_fingerprints: readonly string[]
    p_stores: boolean
  }
  'app.check_quota': { p_account: string; p_quota: string }
  'app.check_subflows': { p_tree: string; p_children: readonly string[] }
  'app.choose_texts': { p_texts: string; p_masked: string }
  'app.client_address': Record<never, never>
  'app.continue_user_erasure': { p_limit: number }
  'app.count_ai_build': Record<never, never>
  'app.count_attempt': { p_key: string; p_max: number }
  'app.count_mails': { p_account: string; p_mails: number }
  'app.count_phone_message': Record<never, never>
  'app.count_refused_mails': { p_account: string; p_mails: number }
  'app.count_script_use': { p_id: string }
  'app.count_stuck_jobs': Record<never, never>
  'app.count_unread': {
    p_user: string
    p_account: string
    p_sign_in: string
    p_access: string
    p_past: string
    p_ip: string
  }
  'app.count_use': { p_account: string; p_tree: string }
  'app.counted_quotas': Record<never, never>
  'app.create_api_key': {
    p_id: string
    p_hash: string
    p_last_characters: string
    p_name: string
    p_role: string
    p_team: string
    p_scopes: readonly string[]
    p_allowed_ranges: readonly string[]
    p_expires_at: string
  }
  'app.cut_snippet': { p_text: string; p_marks: readonly string[] }
  'app.days_of': { p_days: number }
  'app.delete_audit_logs': { p_limit: number }
  'app.delete_presence': { p_type: string; p_id: string; p_tab: string }
  'app.delete_team': { p_id: string }
  'app.disable_webhook': { p_account: string; p_webhook: string; p_reason: string }
  'app.due_weekly_reports': { p_limit: number; p_now?: string }
  'app.embedding_signs': { p_embedding: readonly number[] }
  'app.emit': {
    p_key: string
    p_actor: string
    p_team: string
    p_users: readonly string[]
    p_admins: boolean
    p_mailed: readonly string[]
    p_texts: string
    p_masked: string
    p_link: string
    p_cause: string
    p_webhook: string
  }
  'app.emit_reminder': {
    p_key: string
    p_team: string
    p_users: readonly string[]
    p_configs: readonly string[]
    p_texts: string
    p_masked: string
    p_link: string
    p_cause: string
    p_webhook: string
  }
  'app.emit_webhook': { p_type: string; p_subject: string; p_data: string }
  'app.end_email_problem': { p_user: string }
  'app.enter': {
    p_user: string
    p_account: string
    p_sign_in: string
    p_access: string
    p_past: string
    p_ip: string
  }
  'app.enter_account': { p_account: string; p_actor: string }
  'app.enter_feature': {
    p_user: string
    p_account: string
    p_sign_in: string
    p_access: string
    p_past: string
    p_ip: string
    p_feature: string
  }
  'app.enter_key': {
    p_account: string
    p_key: string
    p_hash: string
    p_scopes: readonly string[]
    p_access: string
    p_past: string
    p_feature: string
    p_address: string
  }
  'app.enter_scim': { p_account: string; p_connection: string; p_hash: string; p_address: string }
  'app.enter_team': { p_team: string }
  'app.enter_with_step_up': {
    p_user: string
    p_account: string
    p_sign_in: string
    p_access: string
    p_past: string
    p_ip: string
    p_feature: string
  }
  'app.entry_terms': { p_words: string }
  'app.erase_account': { p_account: string }
  'app.erase_addresses': { p_account: string; p_user: string; p_email: string; p_is_verified: boolean }
  'app.erase_rows': { p_account: string; p_table: string; p_limit: number }
  'app.erase_traces': { p_user: string; p_limit: number }
  'app.erase_user': { p_user: string }
  'app.feature_on': { p_account: string; p_feature: string }
  'app.field_terms': Record<never, never>
  'app.fill_triage': {
    p_session: string
    p_client: string
    p_asset: string
    p_category: string
    p_hypothesis: string
    p_evidence: string
  }
  'app.find_answering_call': { p_prompts: readonly string[]; p_until: string }
  'app.find_category': { p_account: string; p_name: string }
  'app.find_concepts': { p_words: readonly string[]; p_firsts: readonly number[] }
  'app.find_diagrams': { p_words: readonly string[] }
  'app.find_entries': { p_text: string; p_types: readonly string[]; p_limit: number }
  'app.find_entries_of': {
    p_account: string
    p_type: string
    p_matching: string
    p_ranking: string
    p_limit: number
  }
  'app.find_knowledge': { p_text: string; p_limit: number }
  'app.find_library_steps': { p_words: readonly string[]; p_active: boolean }
  'app.find_scripts': { p_words: readonly string[] }
  'app.find_sessions': {
    p_filters: string
    p_skip: number
    p_limit: number
    p_after_at?: string
    p_after_id?: string
  }
  'app.find_similar_knowledge': { p_embedding: readonly number[]; p_model: string; p_limit: number }
  'app.find_subflow_problems': { p_account: string; p_tree: string; p_children: readonly string[] }
  'app.finish_ai_call': {
    p_id: string
    p_outcome: string
    p_input: number
    p_cached: number
    p_output: number
    p_reasoning: number
    p_cost: number
    p_estimated: boolean
    p_request_id: string
  }
  'app.finish_erasure': { p_account: string }
  'app.flow_text': { p_name: string; p_description: string; p_tags: readonly string[] }
  'app.flow_words': { p_name: string; p_description: string; p_tags: readonly string[] }
  'app.fold': { p_text: string }
  'app.fold_cases': { p_text: string }
  'app.forward_audit_entries': { p_account: string; p_first: number; p_last: number }
  'app.has_other_sign_in': { p_user: string; p_provider: string; p_passkey: string }
  'app.has_part': { p_column: string; p_part: string }
  'app.has_phone': { p_account: string; p_user: string }
  'app.has_tag': { p_tag: string }
  'app.has_way_past_provider': Record<never, never>
  'app.hides_flow': { p_tree: string }
  'app.hold_time': { p_claimed: string; p_after: string }
  'app.id_between': { p_first: string; p_last: string; p_share: number }
  'app.inherits_from': { p_user: string }
  'app.is_ai_budget_used': { p_account: string }
  'app.is_domain_proved': { p_email: string }
  'app.is_empty': { p_account: string }
  'app.is_filler': { p_word: string }
  'app.is_key_admitted': { p_account: string; p_key: string }
  'app.is_key_open': { p_account: string; p_key: string }
  'app.is_open_ai_session': { p_status: string }
  'app.is_past_ai_quota': Record<never, never>
  'app.is_rehash': Record<never, never>
  'app.is_small_object': { j: string }
  'app.is_task_lane': { j: string }
  'app.is_unpaid': { p_account: string }
  'app.is_unpaid_ai_used': { p_limit: number }
  'app.iso': { t: string }
  'app.knowledge_words': { p_title: string; p_description: string; p_body: string }
  'app.known_timezone': { p_timezone: string }
  'app.leads_team': { p_team: string }
  'app.lift_mail_problems': { p_addresses: readonly string[]; p_is_owner: boolean }
  'app.list_browsers': { p_account: string; p_user: string }
  'app.list_mail_problems': { p_addresses: string }
  'app.list_messages': { p_user: string; p_is_alert: boolean }
  'app.list_notifications': {
    p_user: string
    p_account: string
    p_sign_in: string
    p_access: string
    p_past: string
    p_ip: string
    p_skip: number
    p_limit: number
    body?: boolean
    last?: string
    p_after_read?: string
  }
  'app.list_on_call_users': { p_account: string; p_schedule: string; p_rotations: string }
  'app.list_slow_statements': Record<never, never>
  'app.list_steps': { p_structure: string }
  'app.list_subflow_sessions': { p_session: string }
  'app.list_trees': {
    p_filters: string
    p_sort: string
    p_skip: number
    p_limit: number
    p_after?: string
    p_after_id?: string
  }
  'app.local_today': Record<never, never>
  'app.lock_presence': { p_type: string; p_id: string }
  'app.lock_usage': { p_account: string }
  'app.mail_addresses': { p_account: string; p_event: string; p_delivery: string; p_config: string }
  'app.mail_problem': { p_address: string }
  'app.mails_sent_today': { p_account: string }
  'app.mark_exported': {
    p_user: string
    p_account: string
    p_sign_in: string
    p_access: string
    p_past: string
    p_ip: string
    p_session: string
  }
  'app.mark_notification_read': {
    p_user: string
    p_account: string
    p_sign_in: string
    p_access: string
    p_past: string
    p_ip: string
    p_id: string
  }
  'app.masks_exports': { p_account?: string }
  'app.max_api_keys': Record<never, never>
  'app.may_change': { p_creator: string; p_team: string }
  'app.may_send_mail': { p_account: string; p_user: string }
  'app.missed_audit_entries': { p_account: string; p_webhook: string }
  'app.month_start': { p_anchor: string; p_at: string; p_months: number }
  'app.move_held_mails': { p_account: string; p_user: string }
  'app.name_key': { p_name: string }
  'app.name_keys': { p_texts: readonly string[] }
  'app.next_time_of_day': { p_time: string; p_zone: string }
  'app.node_texts': { p_nodes: string }
  'app.now': Record<never, never>
  'app.onboarding_facts': { p_account: string; p_user: string }
  'app.pair_characters': { p_text: string }
  'app.pairs': { p_text: string }
  'app.period_start': { p_days: number }
  'app.person_of': { p_user: string }
  'app.platform_account': Record<never, never>
  'app.presence_event': { p_account: string; p_type: string; p_id: string; p_user: string }
  'app.presence_mode': { p_account: string; p_type: string; p_id: string; p_user: string }
  'app.provision_member': {
    p_email: string
    p_full_name: string
    p_is_active: boolean
    p_role: string
    p_team: string
    p_default_role: string
  }
  'app.put_knowledge': {
    p_account: string
    p_tree: string
    p_import: string
    p_session: string
    p_texts: readonly string[]
  }
  'app.put_presence': { p_type: string; p_id: string; p_tab: string; p_mode: string }
  'app.put_search_entry': { p_account: string; p_type: string; p_id: string; p_words: string }
  'app.quota_limit': { p_account: string; p_quota: string }
  'app.quota_used': { p_account: string; p_quota: string }
  'app.quote_term': { p_term: string }
  'app.raise_limit_reached': { p_quota: string; p_used: number; p_limit: number }
  'app.read_form': { p_text: string }
  'app.real_time': Record<never, never>
  'app.record_factor_change': {
    p_user: string
    p_actor: string
    p_action: string
    p_ip: string
    p_purpose: string
  }
  'app.record_key_use': { p_account: string; p_key: string; p_ip: string; p_user_agent: string }
  'app.record_mail_problem': { p_address: string; p_kind: string; p_at: string }
  'app.rehash_password': { p_user: string; p_old: string; p_new: string }
  'app.remove_names': { p_data: string; p_user: string }
  'app.replay_outbox': { p_outbox: string }
  'app.require_policies': { p_is_staff: boolean }
  'app.require_row': { p_is_found: boolean }
  'app.require_scim': Record<never, never>
  'app.require_scope': Record<never, never>
  'app.require_writable': Record<never, never>
  'app.reserve_unpaid_ai': { p_reserved: number; p_limit: number }
  'app.resource_audience': { p_account: string; p_type: string; p_id: string }
  'app.rewrite_audit_messages': { p_account: string; p_ids: readonly string[] }
  'app.role': Record<never, never>
  'app.script_run_words': { p_account: string; p_case: string }
  'app.search_chunks': { p_text: string }
  'app.search_conditions': { p_text: string; p_similar: boolean; p_partly: boolean }
  'app.search_readers': { p_visibility: string; p_author: string; p_team: string }
  'app.search_tag': { p_account: string; p_type: string }
  'app.search_text': { p_text: string }
  'app.search_words': {
    p_tag: string
    p_title: string
    p_purpose: string
    p_body: string
    p_readers: readonly string[]
  }
  'app.sees': { p_visibility: string; p_author: string; p_team: string }
  'app.sees_resource': { p_type: string; p_id: string }
  'app.send_weekly_report': {
    p_account: string
    p_team: string
    p_week: string
    p_due: string
    p_content: string
  }
  'app.service_user': Record<never, never>
  'app.settle_unpaid_ai': { p_at: string; p_difference: number }
  'app.signed_account_id': Record<never, never>
  'app.split_code': { p_word: string }
  'app.split_names': { p_text: string; p_parts: number }
  'app.start_ai_call': {
    p_prompt: string
    p_model: string
    p_reserved: number
    p_unpaid_limit?: number
    p_prompt_version?: number
  }
  'app.start_erasures': { p_limit: number; p_mails?: boolean }
  'app.start_import': { p_counts: string }
  'app.step_ids': { p_structure: string }
  'app.still_admits_key': { p_account: string; p_key: string; p_access: string; p_feature: string }
  'app.still_let_in': {
    p_account: string
    p_users: readonly string[]
    p_sign_ins: readonly string[]
    p_access: string
    p_feature: string
  }
  'app.sum_usage': { p_account: string; p_quota: string }
  'app.sync_library': { p_tree: string; p_entries: string }
  'app.team_id': Record<never, never>
  'app.team_role': Record<never, never>
  'app.team_week': { p_team: string; p_week: string; p_weeks_ago?: number; p_now?: string }
  'app.text_dictionary': { p_text: string }
  'app.text_words': { p_text: string; p_dictionary: string }
  'app.ticket_filler': Record<never, never>
  'app.time_bound': { p_text: string; p_is_end: boolean }
  'app.tree_line': { p_account: string; p_tree: string }
  'app.user_id': Record<never, never>
  'app.utc_day': { p_at: string }
  'app.weigh_words': { p_text: string; p_language: string; p_weight: string }
  'app.why_closed': { p_account: string; p_feature: string }
  'app.word_pairs': { p_text: string }
  'app.write_digests': { p_limit: number; p_late?: string }
}
