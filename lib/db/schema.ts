// Generated from the migrated database by `npm run db:types`.
import type { ColumnType, Generated } from 'kysely'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export interface AccountsTable {
  id: Generated<string>
  name: string
  timezone: Generated<string>
  plan: string
  subscription_status: string
  trial_ends_at: string | null
  past_due_since: string | null
  created_at: Generated<string>
  settings: Generated<Json>
  preferences: Generated<Json>
  billing_customer_id: string | null
  provider_subscription_id: string | null
  current_period_end: string | null
  billing_anchor: string | null
  billing_event_at: string | null
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
  created_at: Generated<string>
}

export interface BillingEventsTable {
  id: string
  account_id: ColumnType<string, never, never>
  occurred_at: string
  received_at: Generated<string>
}

export interface DeliveriesTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  config_id: string | null
  event_id: string | null
  event_key: string | null
  channel: string
  recipient: string | null
  purpose: string | null
  user_id: string | null
  state: Generated<string>
  attempts: Generated<number>
  max_attempts: Generated<number>
  last_error: string | null
  last_status_code: number | null
  next_attempt_at: Generated<string | null>
  leased_until: string | null
  delivered_at: string | null
  created_at: Generated<string>
  invite_id: string | null
}

export interface EventsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  key: string
  actor_id: string | null
  title: string
  body: string
  link: string | null
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

export interface IdempotencyKeysTable {
  account_id: ColumnType<string, never, never>
  user_id: Generated<string>
  operation: string
  key: string
  request: Uint8Array
  status: number | null
  body: string | null
  leased_until: string | null
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
  role: string
  team_id: string | null
  invited_by: Generated<string | null>
  expires_at: Generated<string>
  accepted_at: string | null
  accepted_by: string | null
  revoked_at: string | null
  codes_since: Generated<string>
  created_at: Generated<string>
}

export interface LoginFailuresTable {
  email: string
  failed_at: string[]
  locked_until: string | null
}

export interface NotificationConfigsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  channel: string
  webhook_url: string | null
  email_addresses: Json | null
  events_enabled: Json
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
  is_read: Generated<boolean>
  read_at: string | null
  created_at: Generated<string>
}

export interface OneTimeTokensTable {
  hash: Uint8Array
  user_id: string
  purpose: string
  expires_at: string
  used_at: string | null
  created_at: Generated<string>
}

export interface PasswordsTable {
  user_id: string
  hash: string
  changed_at: Generated<string>
}

export interface PlanBillingTable {
  plan: string
  display_name: string
  description: Generated<string>
  monthly_price_cents: number | null
  annual_price_cents: number | null
  currency: Generated<string>
  features: Generated<Json>
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
}

export interface QuotaCountersTable {
  account_id: ColumnType<string, never, never>
  quota: string
  period_start: string
  used: Generated<number>
}

export interface RefreshTokensTable {
  hash: Uint8Array
  sign_in_id: string
  used_at: string | null
  created_at: Generated<string>
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
}

export interface TeamsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  name: string
  created_at: Generated<string>
  branding_company_name: string | null
  branding_primary_colour: string | null
  branding_footer_text: string | null
  branding_logo_upload_id: string | null
}

export interface UploadsTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  object_key: string
  content_type: string
  width: number
  height: number
  size: number
  created_by: Generated<string | null>
  created_at: Generated<string>
}

export interface UsersTable {
  id: Generated<string>
  account_id: ColumnType<string, never, never>
  email: string
  full_name: string
  role: string
  team_id: string | null
  team_role: string | null
  is_super_admin: Generated<boolean>
  is_active: Generated<boolean>
  email_verified_at: string | null
  must_change_password: Generated<boolean>
  timezone: Generated<string>
  created_at: Generated<string>
  last_login_at: string | null
}

export interface DB {
  accounts: AccountsTable
  audit_logs: AuditLogsTable
  billing_events: BillingEventsTable
  deliveries: DeliveriesTable
  events: EventsTable
  feature_overrides: FeatureOverridesTable
  features: FeaturesTable
  idempotency_keys: IdempotencyKeysTable
  invite_codes: InviteCodesTable
  invites: InvitesTable
  login_failures: LoginFailuresTable
  notification_configs: NotificationConfigsTable
  notifications: NotificationsTable
  one_time_tokens: OneTimeTokensTable
  passwords: PasswordsTable
  plan_billing: PlanBillingTable
  plan_features: PlanFeaturesTable
  plan_limits: PlanLimitsTable
  quota_counters: QuotaCountersTable
  refresh_tokens: RefreshTokensTable
  sign_ins: SignInsTable
  teams: TeamsTable
  uploads: UploadsTable
  users: UsersTable
}
