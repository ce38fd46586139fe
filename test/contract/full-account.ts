import { createKey } from '#test/support/api-keys.ts'
import type { Service } from '#test/support/app.ts'
import type { TestAccount } from '#test/support/people.ts'
import { insertDelivery, insertNotification } from './fixture-rows.ts'
import { insertFullAiSession } from './fixtures-ai.ts'
import { insertAlert } from './fixtures-alerts.ts'
import { insertApproval } from './fixtures-approvals.ts'
import { insertConversation, insertProposal } from './fixtures-authoring.ts'
import { insertDeviceType, insertDiagram } from './fixtures-diagrams.ts'
import { insertExport, insertImport } from './fixtures-exports.ts'
import {
  insertCategory,
  insertPin,
  insertPublishedFlowRows,
  insertShare,
  insertStep,
} from './fixtures-flows.ts'
import { insertBatch, insertKbImport } from './fixtures-knowledge.ts'
import { insertSchedule } from './fixtures-maintenance.ts'
import { insertMcpServer } from './fixtures-mcp.ts'
import { insertReportSubscription } from './fixtures-members.ts'
import {
  insertCalendarFeed,
  insertFollowUp,
  insertOverride,
  insertPolicy,
  insertSubstituteRequest,
} from './fixtures-oncall.ts'
import { insertGateway, insertNumbers } from './fixtures-phone.ts'
import { insertPresence } from './fixtures-platform.ts'
import { createCallback, insertMapping, insertPush, insertRule } from './fixtures-psa.ts'
import { insertPushSubscription } from './fixtures-push.ts'
import { insertRun, insertRunner } from './fixtures-runner.ts'
import { insertBuilder, insertDraft, insertScript, insertScriptCategory } from './fixtures-scripts.ts'
import { insertFullSession, insertSession } from './fixtures-sessions.ts'
import { insertLinkedMember } from './fixtures-sso.ts'
import { insertFailedDelivery } from './fixtures-webhooks.ts'

/** Insert rows into every tenant table that an account can have. */
export async function insertFullAccount(service: Service, account: TestAccount): Promise<void> {
  await insertDelivery(service, account.admin)
  await insertNotification(service, account.admin)
  await service.sql(
    `insert into chat_links (account_id, sign_in_id, config_id, team, chat_user, request_id)
     select $1, $2, id, 'T1', 'U1', gen_random_uuid() from notification_configs where account_id = $1 limit 1`,
    [account.id, account.admin.signInId],
  )
  await insertPushSubscription(service, account.admin)
  await service.sql(`insert into invites (account_id, email, role) values ($1, 'x@y.example', 'viewer')`, [
    account.id,
  ])
  await service.sql(
    `insert into feature_overrides (account_id, feature, enabled) values ($1, 'ai_sessions', true)`,
    [account.id],
  )
  await insertPin(service, account.admin)
  await insertMapping(service, account.admin)
  await insertFailedDelivery(service, account.admin)
  await insertPush(service, account.admin)
  await insertRunner(service, account.admin)
  await insertGateway(service, account.admin)
  await insertLinkedMember(service, account.admin)
  await insertNumbers(service, account.admin)
  await insertMcpServer(service, account.admin)
  await insertRun(service, account.admin, 'session_id', await insertSession(service, account.admin))
  await createCallback(service, account.admin)
  const ruleId = await insertRule(service, account.admin)
  await service.sql(`insert into psa_rule_matches (account_id, rule_id, ticket_id) values ($1, $2, '4711')`, [
    account.id,
    ruleId,
  ])
  await service.sql(
    `insert into psa_ticket_changes (account_id, ticket_id, state, next_attempt_at) values ($1, '4711', 'done', null)`,
    [account.id],
  )
  await insertAlert(service, account.admin)
  await insertSchedule(service, account.admin)
  await insertScript(service, account.admin)
  await insertScriptCategory(service, account.admin)
  await insertDraft(service, account.admin)
  await insertBuilder(service, account.admin)
  await insertDiagram(service, account.admin)
  await insertKbImport(service, account.admin)
  await service.sql(
    `insert into kb_batch_items (account_id, batch_id, place, name) values ($1, $2, 0, 'a.md')`,
    [account.id, await insertBatch(service, account.admin)],
  )
  await insertDeviceType(service, account.admin)
  await insertShare(service, account.admin)
  await insertCategory(service, account.admin)
  await insertStep(service, account.admin)
  await insertFullSession(service, account.admin)
  await insertApproval(service, account.admin, account.admin.id)
  await insertPublishedFlowRows(service, account.admin)
  await insertFullAiSession(service, account.admin)
  await insertFollowUp(service, account.id)
  await insertOverride(service, account.admin)
  await insertSubstituteRequest(service, account.admin)
  await insertCalendarFeed(service, account.admin)
  // A change keeps the earlier version.
  await service.sql(`update on_call_schedules set timezone = 'UTC' where account_id = $1`, [account.id])
  await insertPolicy(service, account.admin)
  await insertPresence(service, account.admin)
  const reportTeamId = await insertReportSubscription(service, account.admin)
  await service.sql(
    `insert into weekly_reports (account_id, team_id, week, due_at, content) values ($1, $2, '2026-W47', now(), '{}')`,
    [account.id, reportTeamId],
  )
  await insertConversation(service, account.admin)
  await insertProposal(service, account.admin)
  await service.sql(
    `insert into stream_events (account_id, event, data) values ($1, 'handoff_created', '{}')`,
    [account.id],
  )
  await service.sql(
    `insert into ai_calls (account_id, user_id, prompt, model, cost_micros, period_start) values ($1, $2, 'chat_turn', 'local', 1, now())`,
    [account.id, account.admin.id],
  )
  await service.sql(
    `insert into ai_tasks (account_id, user_id, sign_in_id, operation, path, body) values ($1, $2, $3, 'x', '/x', '{}')`,
    [account.id, account.admin.id, account.admin.signInId],
  )
  await service.sql('insert into ai_budgets (account_id, period_start, used_micros) values ($1, now(), 1)', [
    account.id,
  ])
  await service.sql(
    `insert into feedback (account_id, user_id, subject, message) values ($1, $2, 'Hi', 'There')`,
    [account.id, account.admin.id],
  )
  await service.sql(
    `insert into beta_feedback (account_id, user_id, reaction, category, text) values ($1, $2, 'neutral', 'ui', 'Fine')`,
    [account.id, account.admin.id],
  )
  await service.sql(`insert into mail_preferences (account_id, user_id) values ($1, $2)`, [
    account.id,
    account.admin.id,
  ])
  await service.sql(`insert into onboarding (account_id, user_id, current_step) values ($1, $2, 1)`, [
    account.id,
    account.admin.id,
  ])
  await service.sql(
    `insert into billing_events (id, account_id, occurred_at) values ('evt_' || $1, $1::uuid, now())`,
    [account.id],
  )
  await service.sql(`insert into billing_customers (id, account_id) values ('cus_' || $1, $1::uuid)`, [
    account.id,
  ])
  await service.sql(
    `insert into billing_subscriptions (id, account_id, customer_id, status, created_at, event_id, event_at)
     values ('sub_' || $1, $1::uuid, 'cus_' || $1, 'canceled', now(), 'evt', now())`,
    [account.id],
  )
  await service.sql(
    `insert into quota_counters (account_id, quota, period_start) values ($1, 'ai_builds', now())`,
    [account.id],
  )
  await service.sql(
    `insert into uploads (account_id, object_key, content_type, width, height, size, sha256) values ($1, 'k', 'image/jpeg', 1, 1, 1, repeat('0', 64))`,
    [account.id],
  )
  await createKey(service, account)
  await service.sql('insert into mail_counts (account_id, day) values ($1, now())', [account.id])
  await service.sql(
    `insert into audit_logs (account_id, action, resource_type) values ($1, 'test', 'test')`,
    [account.id],
  )
  await service.sql(
    `insert into idempotency_keys (account_id, user_id, operation, key, request, status, body) values ($1, $2, 'test', 'k', 'r', 200, '')`,
    [account.id, account.admin.id],
  )
  await service.sql(
    `insert into script_versions (account_id, script_id, version, name, description, script_body, parameters_schema, language, requires_elevation, bytes,
                                  created_at)
     select account_id, id, 1, name, description, script_body, parameters_schema, language, requires_elevation, 1, created_at
       from script_templates where account_id = $1 on conflict do nothing`,
    [account.id],
  )
  await service.sql(
    `insert into diagram_versions (account_id, diagram_id, version, name, description, nodes, edges, bytes, created_at)
     select account_id, id, 1, name, description, nodes, edges, 1, created_at from network_diagrams where account_id = $1 on conflict do nothing`,
    [account.id],
  )
  const exportId = await insertExport(service, account.admin)
  await service.sql(
    `insert into account_export_parts (account_id, export_id, number, object_key, bytes, directory) values ($1, $2, 1, 'k', 1, '')`,
    [account.id, exportId],
  )
  await service.sql(
    `insert into account_import_records (account_id, import_id, kind, place, key, is_valid, length) values ($1, $2, 'teams', 1, 'k', true, 1)`,
    [account.id, await insertImport(service, account.admin)],
  )
}
