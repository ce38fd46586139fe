import type * as z from 'zod'
import type { McpTool } from '#rules/ai/outside-tool.ts'
import type { AlertMapping } from '#rules/alerts/parse-alerts.ts'
import type { DiagramEdge, DiagramNode } from '#rules/diagrams/schema.ts'
import type { ApprovalAlert } from '#rules/events/approval-alert.ts'
import type { StoredAlert } from '#rules/events/escalation-alert.ts'
import type { ReviewAlert } from '#rules/events/review-alert.ts'
import type { CheckedLink } from '#rules/flows/health/links.ts'
import type { StoredReplay } from '#rules/flows/replay.ts'
import type { FlowNode, IntakeField, StepList } from '#rules/flows/structure.ts'
import type { GroupRole } from '#rules/group-roles.ts'
import type { Block } from '#rules/knowledge/blocks.ts'
import type { EscalationStep } from '#rules/oncall/escalation-step.ts'
import type { Rotation } from '#rules/oncall/schema.ts'
import type { WeeklyReport } from '#rules/reports/weekly.ts'
import type { ScriptParameter } from '#rules/scripts/schema.ts'
import type { Citation, Evidence, Lookup, TaskLane } from './rows/ai-session.ts'

type JsonObject = Record<string, z.core.util.JSONType>

/**
 * The types of JSON columns, by table and column. `npm run db:types` writes them into schema.ts; a column
 * without an entry is `Json`.
 */
export interface JsonColumns {
  'accounts.preferences': JsonObject
  'accounts.settings': JsonObject
  'ai_fixes.ai_drafted_parameters': ScriptParameter[]
  'ai_messages.citations': Citation[]
  'ai_messages.sources': Citation[]
  'ai_messages.lookups': Lookup[]
  'sso_connections.group_roles': GroupRole[]
  'psa_connections.resolved_statuses': Record<string, string>
  'ai_sessions.escalation_package': Record<string, unknown>
  'ai_sessions.evidence_items': Evidence[]
  'ai_sessions.pending_task_lane': TaskLane
  'ai_steps.citations': Citation[]
  'ai_steps.sources': Citation[]
  'ai_steps.lookups': Lookup[]
  'ai_steps.options': string[]
  'draft_templates.proposed_parameters': ScriptParameter[]
  'events.approval': ApprovalAlert | null
  'events.review': ReviewAlert | null
  'escalation_follow_ups.alert': StoredAlert
  'escalation_follow_ups.steps': EscalationStep[]
  'escalation_policies.steps': EscalationStep[]
  'flow_conversations.environment_tags': string[]
  'flow_link_checks.links': CheckedLink[]
  'kb_imports.blocks': Block[]
  'kb_imports.warnings': string[]
  'mcp_servers.allowed': Record<string, string>
  'mcp_servers.tools': McpTool[]
  'network_diagrams.edges': DiagramEdge[]
  'network_diagrams.nodes': DiagramNode[]
  'notification_configs.email_addresses': string[]
  'notification_configs.events_enabled': string[]
  'on_call_schedule_versions.rotations': Rotation[]
  'on_call_schedules.rotations': Rotation[]
  'onboarding.data': Record<string, unknown>
  'plan_billing.features': string[]
  'psa_pushes.details': Record<string, unknown>
  'alert_sources.mapping': AlertMapping | null
  'psa_rules.variables': Record<string, string>
  'script_builder_sessions.parameters_schema': ScriptParameter[]
  'script_templates.parameters_schema': ScriptParameter[]
  'sessions.secret_variables': Record<string, string>
  'sessions.variables': Record<string, unknown>
  'tree_versions.intake_form': IntakeField[]
  'tree_versions.replay': StoredReplay
  'tree_versions.tree_structure': FlowNode | StepList
  'trees.import_metadata': Record<string, unknown>
  'weekly_reports.content': WeeklyReport
}
