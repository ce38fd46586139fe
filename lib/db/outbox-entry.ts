import type { AttemptKind } from './work-kinds.ts'

/** Work for a worker, stored in a row. If the entry is lost in a crash, the sweep finds the row. */
export type OutboxEntry =
  | {
      kind: AttemptKind
      id: string
      attempt: number
      delaySeconds?: number | undefined
      isPostponed?: boolean | undefined
    }
  | {
      kind: 'live_event'
      accountId: string
      event: { key: string; event: string; data: Record<string, unknown> }
    }

/** Collects the work that the transactions of one request have stored. It is published after the commit. */
export type Outbox = (entry: OutboxEntry) => void
