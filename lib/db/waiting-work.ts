/** What becomes of work that waits for somebody who can no longer work. */
export const workOutcomes = ['freed', 'inherited', 'taken_over', 'ended'] as const
type WorkOutcome = (typeof workOutcomes)[number]

interface WaitingWork {
  kind: string
  /** Condition on the row `t`: it still waits. */
  isOpen: string
  outcome: WorkOutcome
}

/**
 * What waits for a person, by the column that names them. Every other column with a user says who did
 * something; a test knows both lists, so that a new column has to decide.
 */
export const waitingWork = {
  'ai_handoffs.claimed_by': {
    kind: 'claim',
    isOpen: 't.picked_up_at is null and t.closed_at is null',
    // By the trigger `release_claims`.
    outcome: 'freed',
  },
  'ai_sessions.escalated_to_id': {
    kind: 'escalation_to_them',
    // Every colleague may claim it as well.
    isOpen: `t.status in ('requesting_escalation', 'escalated')`,
    outcome: 'freed',
  },
  'ai_sessions.picked_up_by_id': {
    kind: 'picked_up_case',
    isOpen: `t.status not in ('resolved', 'abandoned', 'archived')`,
    // By the sweep of `returns_at`.
    outcome: 'freed',
  },
  'ai_sessions.user_id': {
    kind: 'ai_session',
    isOpen: `t.picked_up_by_id is null and t.status not in ('resolved', 'abandoned', 'archived')`,
    outcome: 'inherited',
  },
  'sessions.user_id': {
    kind: 'session',
    isOpen: `t.state in ('prepared', 'in_progress')`,
    outcome: 'inherited',
  },
  // An account admin decides when no approver is left, and a request that nobody may decide expires.
  'approvals.approver_ids': {
    kind: 'approval',
    isOpen: `t.state = 'pending' and t.expires_at > app.now()`,
    outcome: 'freed',
  },
  'maintenance_schedules.created_by': { kind: 'schedule', isOpen: 't.is_active', outcome: 'taken_over' },
  'psa_rules.user_id': { kind: 'ticket_rule', isOpen: 't.is_enabled', outcome: 'taken_over' },
  'alert_sources.user_id': { kind: 'alert_source', isOpen: 't.is_enabled', outcome: 'taken_over' },
  'trees.author_id': {
    kind: 'private_flow',
    isOpen: `t.visibility = 'private' and t.deleted_at is null`,
    outcome: 'inherited',
  },
  // The admins are told instead: the trigger `pass_on_reviews`.
  'trees.owner_id': { kind: 'flow_review', isOpen: 't.review_due_on is not null', outcome: 'inherited' },
  'flow_conversations.user_id': {
    kind: 'flow_conversation',
    isOpen: 't.expires_at > app.now()',
    outcome: 'inherited',
  },
  'script_builder_sessions.user_id': { kind: 'script_session', isOpen: 'true', outcome: 'inherited' },
  // By the trigger `revoke_api_keys`.
  'api_keys.created_by': {
    kind: 'api_key',
    isOpen: 't.revoked_at is null and (t.expires_at is null or t.expires_at > app.now())',
    outcome: 'ended',
  },
  // By the trigger `end_shares`.
  'tree_shares.created_by': {
    kind: 'shared_link',
    isOpen: 't.revoked_at is null and t.expires_at > app.now()',
    outcome: 'ended',
  },
  // By the trigger `end_calendar_feeds`.
  'calendar_feeds.user_id': { kind: 'calendar_feed', isOpen: 'true', outcome: 'ended' },
  'report_subscriptions.user_id': { kind: 'report', isOpen: 'true', outcome: 'ended' },
  // The next attempt of stored work asks for its person again.
  'runner_runs.requested_by': {
    kind: 'queued_run',
    isOpen: `t.state in ('queued', 'retrying') and t.started_at is null`,
    outcome: 'ended',
  },
  'psa_pushes.requested_by': {
    kind: 'queued_push',
    isOpen: `t.state in ('queued', 'retrying')`,
    outcome: 'ended',
  },
  'ai_tasks.user_id': { kind: 'ai_task', isOpen: `t.state in ('queued', 'retrying')`, outcome: 'ended' },
  'account_exports.requested_by': {
    kind: 'account_export',
    isOpen: `t.state in ('queued', 'retrying')`,
    outcome: 'ended',
  },
  'account_imports.requested_by': {
    kind: 'account_import',
    isOpen: `t.state in ('queued', 'retrying')`,
    outcome: 'ended',
  },
  'kb_batches.created_by': {
    kind: 'article_import',
    isOpen: `t.state in ('queued', 'retrying')`,
    outcome: 'ended',
  },
} as const satisfies Record<`${string}.${string}`, WaitingWork>

export type WaitingKind = (typeof waitingWork)[keyof typeof waitingWork]['kind']
export const waitingKinds = Object.values(waitingWork).map(({ kind }) => kind)
