import { describe, expect, it } from 'vitest'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import { type AttemptKind, attemptKinds, type WorkKind, type WorkTable, workKinds } from '#db/work-kinds.ts'
import { loadWork } from '#functions/work.ts'
import type { JobContext } from '#http/job.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const database = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
const ctx = {
  platform: openPlatformDb(database, 'test', () => {}),
  openAccountScope: (accountId: string, actor: string | null = null) =>
    openAccountScope(database, accountId, actor, () => {}),
  // A slice that fails deletes what it has stored.
  uploads: { remove: async () => {} },
  log: () => {},
  // The attempt may use nothing else of the world.
} as unknown as JobContext

type PersonalKind = {
  [K in AttemptKind]: (typeof workKinds)[K]['person'] extends null ? never : K
}[AttemptKind]

const due = 'attempts, next_attempt_at'
/** The queued row of each kind that somebody asked for, from `users u`. */
const inserts: Record<PersonalKind, string> = {
  push: `insert into psa_pushes (account_id, requested_by, ticket_id, body, source_kind, source_id, ${due})
         select u.account_id, u.id, '4711', 'Done', 'session', u.id, 0, app.now()`,
  export: `insert into account_exports (account_id, requested_by, ${due}) select u.account_id, u.id, 0, app.now()`,
  import: `insert into account_imports (account_id, requested_by, object_key, progress, total, ${due})
           select u.account_id, u.id, 'k', '{"stage": "store", "skipped": {"records": [], "count": 0}}', 0, 0, app.now()`,
  kb_batch: `insert into kb_batches (account_id, created_by, source, address, total, ${due})
             select u.account_id, u.id, 'url', 'https://kb.example.com/', 1, 0, app.now()`,
}

/** How the other kinds ask, and which test proves it. */
const otherKinds: Record<Exclude<AttemptKind, PersonalKind>, string> = {
  delivery: 'nobody gets a mail after a deactivation: NOT-83',
  ai_task: 'the caller is admitted again: AIT-04',
  webhook: 'of the account',
  reminder: 'of the escalation',
  assessment: 'of the escalation',
  alert: 'of the monitoring',
  ticket_change: 'of the ticketing system',
  runner_run: 'the start is marked only for whoever may start it: RUN-07',
}

const changes = {
  'was deactivated': { set: 'is_active = false', endsFor: ['engineer', 'admin'] },
  'became a viewer': { set: `role = 'viewer'`, endsFor: ['engineer', 'admin'] },
  'is no longer an admin': { set: `role = 'engineer'`, endsFor: ['admin'] },
} as const

describe.each(Object.entries(inserts) as [PersonalKind, string][])(
  'queued work of the kind %s',
  (kind, insert) => {
    const { table, person } = workKinds[kind] as WorkKind & { table: WorkTable }

    async function attemptAfter(requester: Person, change: string) {
      const [row] = await service.sql<{ id: string }>(`${insert} from users u where u.id = $1 returning id`, [
        requester.id,
      ])
      await service.sql(`update users set ${change} where id = $1`, [requester.id])
      const { work } = await loadWork[kind]()
      await work.attempt(ctx, row?.id ?? '', 1)
      const [after] = await service.sql(`select state, last_error from ${table.name} where id = $1`, [
        row?.id,
      ])
      return after
    }

    it.each(
      Object.entries(changes).filter(([, { endsFor }]) => endsFor.some((role) => role === person?.role)),
    )('RES-09 does nothing when whoever asked for it %s', async (_, { set }) => {
      const { admin, addColleague } = await createAccount(service)
      // An account keeps an admin.
      await addColleague({ role: 'admin' })
      expect(await attemptAfter(admin, set)).toEqual({
        state: 'failed',
        last_error: 'Whoever asked for this may no longer do it',
      })
    })
  },
)

it('RES-09 each kind of work has decided whose right it asks again', () => {
  expect([...Object.keys(inserts), ...Object.keys(otherKinds)].sort()).toEqual([...attemptKinds].sort())
})
