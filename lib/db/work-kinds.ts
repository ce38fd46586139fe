export interface WorkKind {
  /** What operators read: the name of its backlog. */
  outbox: string
  /** The job that makes an attempt. Stored messages have its path, and the id of the row as `idField`. */
  job?: { id: `jobs.${string}`; path: `/jobs/${string}`; idField: `${string}_id` }
  table?: WorkTable
  /**
   * Whoever asked for the work, whose right each attempt asks again before it does anything: they may have
   * left since. Null where the work is nobody's, or asks in another way, as the comment of the kind says.
   */
  person: WorkPerson | null
  /**
   * What the account must still have at each attempt: a subscription that has not lapsed, and the feature, as the
   * operations that cause the work demand it.
   */
  needs?: { feature: string | null }
  /**
   * The connection that the work goes through. Its column has the time since which it leads to the same system,
   * where ids mean the same.
   */
  connection?: { table: string; since: string }
}

/** The column of the user, and the role that the work needs. */
export interface WorkPerson {
  column: string
  role: 'engineer' | 'admin'
}

/** A table whose rows are done in attempts. `app.attempts` adds the columns that these need. */
export interface WorkTable {
  name: string
  /** The state before the first attempt, and the state after a successful one. */
  initial: string
  done: string
  /** The column with the time of the successful attempt. */
  doneAt: string
  /**
   * After how long without a sign of life another attempt is made; 60 by default. An attempt that runs renews
   * its lease.
   */
  leaseSeconds?: number
}
export const defaultLeaseSeconds = 60
/** For work in long attempts, so that what a killed process did goes on soon. */
const shortLeaseSeconds = 30

const ticketingSystem = { table: 'psa_connections', since: 'system_since' } as const

/**
 * Every kind of stored work. Its messages, its job, the SQL of its table, its sweep and what operators see of
 * it follow from its entry here. `defineWork` in its group says what an attempt does.
 */
export const workKinds = {
  delivery: {
    // Of the account. A recipient who has left gets none: `may_receive` of a claimed delivery.
    person: null,
    outbox: 'deliveries',
    job: { id: 'jobs.deliver', path: '/jobs/notifications/deliver', idField: 'delivery_id' },
    table: { name: 'deliveries', initial: 'pending', done: 'delivered', doneAt: 'delivered_at' },
  },
  push: {
    person: { column: 'requested_by', role: 'engineer' },
    needs: { feature: null },
    connection: ticketingSystem,
    outbox: 'pushes',
    job: { id: 'jobs.push', path: '/jobs/psa/push', idField: 'push_id' },
    table: { name: 'psa_pushes', initial: 'queued', done: 'pushed', doneAt: 'pushed_at' },
  },
  ai_task: {
    // The stored request runs as its caller, who is admitted again.
    person: null,
    outbox: 'ai_tasks',
    job: { id: 'jobs.runAiTask', path: '/jobs/ai/task', idField: 'task_id' },
    table: {
      name: 'ai_tasks',
      initial: 'queued',
      done: 'finished',
      doneAt: 'finished_at',
      leaseSeconds: shortLeaseSeconds,
    },
  },
  webhook: {
    // Of the account.
    person: null,
    outbox: 'webhooks',
    job: { id: 'jobs.deliverWebhook', path: '/jobs/webhooks/deliver', idField: 'delivery_id' },
    table: { name: 'webhook_deliveries', initial: 'pending', done: 'delivered', doneAt: 'delivered_at' },
  },
  reminder: {
    // Of the escalation, which waits for colleagues whoever has left. It ends with the escalation.
    person: null,
    outbox: 'reminders',
    job: { id: 'jobs.remind', path: '/jobs/escalations/remind', idField: 'reminder_id' },
    table: { name: 'escalation_reminders', initial: 'waiting', done: 'sent', doneAt: 'sent_at' },
  },
  // A part of its handoff, so it has no table.
  assessment: {
    // Of the escalation, as reminders.
    person: null,
    needs: { feature: 'ai_sessions' },
    outbox: 'assessments',
    job: { id: 'jobs.assess', path: '/jobs/ai/assess', idField: 'handoff_id' },
  },
  // It is published to open streams, not to a job.
  live_event: { outbox: 'live_events', person: null },
  export: {
    person: { column: 'requested_by', role: 'admin' },
    outbox: 'exports',
    job: { id: 'jobs.export', path: '/jobs/accounts/export', idField: 'export_id' },
    table: {
      name: 'account_exports',
      initial: 'queued',
      done: 'ready',
      doneAt: 'ready_at',
      leaseSeconds: shortLeaseSeconds,
    },
  },
  import: {
    person: { column: 'requested_by', role: 'admin' },
    needs: { feature: null },
    outbox: 'imports',
    job: { id: 'jobs.import', path: '/jobs/accounts/import', idField: 'import_id' },
    table: {
      name: 'account_imports',
      initial: 'queued',
      done: 'succeeded',
      doneAt: 'stored_at',
      leaseSeconds: shortLeaseSeconds,
    },
  },
  kb_batch: {
    person: { column: 'created_by', role: 'engineer' },
    needs: { feature: 'kb_import' },
    outbox: 'kb_batches',
    job: { id: 'jobs.importArticles', path: '/jobs/kb-imports/batch', idField: 'batch_id' },
    table: { name: 'kb_batches', initial: 'queued', done: 'succeeded', doneAt: 'succeeded_at' },
  },
  ticket_change: {
    // Of the ticketing system.
    person: null,
    connection: ticketingSystem,
    outbox: 'ticket_changes',
    job: { id: 'jobs.readTicket', path: '/jobs/psa/ticket', idField: 'change_id' },
    table: { name: 'psa_ticket_changes', initial: 'queued', done: 'done', doneAt: 'done_at' },
  },
  alert: {
    // Of the monitoring. Opening a case asks whether its user may have it.
    person: null,
    outbox: 'alerts',
    job: { id: 'jobs.openCase', path: '/jobs/alerts/open', idField: 'alert_id' },
    table: { name: 'alerts', initial: 'queued', done: 'done', doneAt: 'done_at' },
  },
  runner_run: {
    // Asked by the statement that marks the start; a script that runs is followed to its end.
    person: null,
    outbox: 'runner_runs',
    job: { id: 'jobs.runScript', path: '/jobs/runner/run', idField: 'run_id' },
    table: { name: 'runner_runs', initial: 'queued', done: 'finished', doneAt: 'recorded_at' },
  },
} as const satisfies Record<string, WorkKind>

/** The kinds whose work is done in numbered attempts, each by a job. */
export type AttemptKind = Exclude<keyof typeof workKinds, 'live_event'>
export const attemptKinds = Object.keys(workKinds).filter((kind) => kind !== 'live_event') as AttemptKind[]

/** The kinds that have a table of their own. */
export type TableKind = Exclude<AttemptKind, 'assessment'>
export const workTables: readonly WorkTable[] = Object.values<WorkKind>(workKinds).flatMap(
  ({ table }) => table ?? [],
)
