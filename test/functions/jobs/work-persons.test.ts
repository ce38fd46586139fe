import { describe, expect, it } from 'vitest'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import { type AttemptKind, attemptKinds, type WorkKind, type WorkTable, workKinds } from '#db/work-kinds.ts'
import { operations } from '#functions/operations.ts'
import { loadWork } from '#functions/work.ts'
import type { JobContext } from '#http/job.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount } from '#test/support/people.ts'

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
type AskingKind = PersonalKind | 'ticket_change'

const due = 'attempts, next_attempt_at'
/** The queued row of each kind that asks, from `users u`. */
const inserts: Record<AskingKind, string> = {
  push: `insert into psa_pushes (account_id, requested_by, ticket_id, body, source_kind, source_id, ${due})
         select u.account_id, u.id, '4711', 'Done', 'session', u.id, 0, app.now()`,
  export: `insert into account_exports (account_id, requested_by, ${due}) select u.account_id, u.id, 0, app.now()`,
  import: `insert into account_imports (account_id, requested_by, object_key, progress, total, ${due})
           select u.account_id, u.id, 'k', '{"stage": "store", "skipped": {"records": [], "count": 0}}', 0, 0, app.now()`,
  kb_batch: `insert into kb_batches (account_id, created_by, source, address, total, ${due})
             select u.account_id, u.id, 'url', 'https://kb.example.com/', 1, 0, app.now()`,
  ticket_change: `insert into psa_ticket_changes (account_id, ticket_id, ${due}) select u.account_id, '4711', 0, app.now()`,
}

/** The operations whose requests are queued, and which say who may ask. */
const causes: Record<PersonalKind | 'assessment', RegExp> = {
  assessment: /^ai\.handoffs\.escalate$/,
  push: /^psa\.pushes\.(create|retry)/,
  export: /^accounts\.exports\.create$/,
  import: /^accounts\.imports\.create$/,
  kb_batch: /^authoring\.kbBatches\.create/,
}

/** How the other kinds ask, and which test proves it. */
const otherKinds: Record<Exclude<AttemptKind, AskingKind>, string> = {
  delivery: 'nobody gets a mail after a deactivation: NOT-83',
  ai_task: 'the caller is admitted again: AIT-04',
  webhook: 'of the account',
  reminder: 'of the escalation',
  assessment: 'of the escalation',
  alert: 'of the monitoring',
  runner_run: 'the start is marked only for whoever may start it: RUN-07',
}

const isOfPerson = (kind: WorkKind) => kind.person !== null
const left = 'Whoever asked for this may no longer do it'
/** What may happen between the request and the attempt: to the user $1 of the account $2. */
const changes: { what: string; sql: string; ends: (kind: WorkKind) => boolean; reason: string }[] = [
  {
    what: 'whoever asked was deactivated',
    sql: 'update users set is_active = false where id = $1 and account_id = $2',
    ends: isOfPerson,
    reason: left,
  },
  {
    what: 'whoever asked became a viewer',
    sql: `update users set role = 'viewer' where id = $1 and account_id = $2`,
    ends: isOfPerson,
    reason: left,
  },
  {
    what: 'whoever asked is no longer an admin',
    sql: `update users set role = 'engineer' where id = $1 and account_id = $2`,
    ends: ({ person }) => person?.role === 'admin',
    reason: left,
  },
  {
    what: 'the subscription has lapsed',
    sql: `update accounts set subscription_status = 'unpaid' where $1::uuid is not null and id = $2`,
    ends: ({ needs }) => needs !== undefined,
    reason: 'The subscription of the account has lapsed',
  },
  {
    what: 'the feature was switched off',
    sql: `insert into feature_overrides (account_id, feature, enabled)
          select $2, f.key, false from features f where $1::uuid is not null`,
    ends: ({ needs }) => Boolean(needs?.feature),
    reason: 'The account no longer has this feature',
  },
  ...['base_url = c.base_url || $3', `identity = c.identity || '{"client_id": "another"}'`].map((set) => ({
    what: `the connection leads to another system: ${set}`,
    sql: `update psa_connections c set ${set.replace('$3', `'/other'`)} where $1::uuid is not null and account_id = $2`,
    ends: ({ connection }: WorkKind) => connection?.table === 'psa_connections',
    reason: 'The system that was connected at that time has been replaced',
  })),
  {
    what: 'the connection was deleted and set up again',
    sql: `with old as (delete from psa_connections where $1::uuid is not null and account_id = $2 returning *)
          select 1 from old`,
    ends: ({ connection }: WorkKind) => connection?.table === 'psa_connections',
    reason: 'The system that was connected at that time has been replaced',
  },
]

const connect = (accountId: string) =>
  service.sql(
    `insert into psa_connections (account_id, provider, base_url, identity, credentials)
     values ($1, 'halopsa', 'https://halo.example.com', '{"client_id": "c", "tenant": null}', 'sealed')
     on conflict do nothing`,
    [accountId],
  )

describe.each(Object.entries(inserts) as [AskingKind, string][])(
  'queued work of the kind %s',
  (kind, insert) => {
    const { table } = workKinds[kind] as WorkKind & { table: WorkTable }

    it.each(changes.filter(({ ends }) => ends(workKinds[kind])))(
      'RES-09 does nothing when $what',
      async ({ sql, reason }) => {
        const { id, admin, addColleague } = await createAccount(service)
        // An account keeps an admin.
        await addColleague({ role: 'admin' })
        await connect(id)
        const [row] = await service.sql<{ id: string }>(
          `${insert} from users u where u.id = $1 returning id`,
          [admin.id],
        )
        await service.sql(`select pg_sleep(0.002)`)
        await service.sql(sql, [admin.id, id])
        await connect(id)
        const { work } = await loadWork[kind]()
        await work.attempt(ctx, row?.id ?? '', 1)
        const [after] = await service.sql(`select state, last_error from ${table.name} where id = $1`, [
          row?.id,
        ])
        expect(after).toEqual({ state: 'failed', last_error: reason })
      },
    )
  },
)

it.each(Object.entries(causes) as [keyof typeof causes, RegExp][])(
  'RES-09 %s asks what the operations demand that queue it',
  (kind, ids) => {
    const { person, needs } = workKinds[kind] as WorkKind
    const causing = operations.filter(({ id }) => ids.test(id))
    expect(causing.length).toBeGreaterThan(0)
    for (const { id, access, feature, skipGuards } of causing)
      expect({
        id,
        role: person ? (access === 'account_admin' ? 'admin' : access) : undefined,
        needs: skipGuards ? undefined : { feature: feature ?? null },
      }).toEqual({ id, role: person?.role, needs })
  },
)

it('RES-09 each kind of work has decided whose right it asks again', () => {
  expect([...Object.keys(inserts), ...Object.keys(otherKinds)].sort()).toEqual([...attemptKinds].sort())
})
