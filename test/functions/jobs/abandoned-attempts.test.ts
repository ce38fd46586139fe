import { expect, it } from 'vitest'
import { openAccountScope, openPlatformDb } from '#db/scope.ts'
import * as exportSlices from '#functions/accounts/export-slices/service.ts'
import * as importSlices from '#functions/accounts/import-slices/service.ts'
import * as tasks from '#functions/ai/tasks/service.ts'
import * as alertCases from '#functions/alerts/cases/service.ts'
import * as kbBatchSlices from '#functions/authoring/kb-batch-slices/service.ts'
import * as ticketChanges from '#functions/psa/changes/service.ts'
import * as pushAttempts from '#functions/psa/push-attempts/service.ts'
import * as runAttempts from '#functions/runner/run-attempts/service.ts'
import { sharedService } from '#test/support/app.ts'
import { collectAttempts } from '#test/support/attempts.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount } from '#test/support/people.ts'
import type { Ports } from '#vendors/ports.ts'

const service = await sharedService()
const database = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
const ctx = {
  ...(service.services?.ports as Ports),
  platform: openPlatformDb(database, 'test', () => {}),
  openAccountScope: (accountId: string, actor: string | null = null) =>
    openAccountScope(database, accountId, actor, () => {}),
  callStoredRequest: async () => ({ status: 500, body: '{}' }),
  log: () => {},
}

const exhausted = "4, 4, app.now() - interval '1 second', null"
const attemptColumns = 'attempts, max_attempts, leased_until, next_attempt_at'
const insertTask = `insert into ai_tasks (account_id, user_id, sign_in_id, operation, path, body, ${attemptColumns})
  select account_id, user_id, id, 'ai.turns.sendMessage', '/', '{}'`

it.each([
  [
    'an export',
    'account_exports',
    `insert into account_exports (account_id, requested_by, ${attemptColumns}) select account_id, user_id, ${exhausted}`,
    exportSlices.work.failAbandoned,
    'export',
  ],
  [
    'an import',
    'account_imports',
    `insert into account_imports (account_id, requested_by, object_key, progress, total, ${attemptColumns})
     select account_id, user_id, 'k', '{"skipped": {"records": [], "count": 0}}', 0, ${exhausted}`,
    importSlices.work.failAbandoned,
    'import',
  ],
  [
    'a batch of articles',
    'kb_batches',
    `insert into kb_batches (account_id, created_by, source, address, total, ${attemptColumns})
     select account_id, user_id, 'url', 'https://kb.example.com/', 1, ${exhausted}`,
    kbBatchSlices.work.failAbandoned,
    'kb_batch',
  ],
  ['an AI task', 'ai_tasks', `${insertTask}, ${exhausted}`, tasks.work.failAbandoned, 'ai_task'],
  [
    'the read of a ticket',
    'psa_ticket_changes',
    `insert into psa_ticket_changes (account_id, ticket_id, ${attemptColumns}) select account_id, '4711', ${exhausted}`,
    ticketChanges.work.failAbandoned,
    'ticket_change',
  ],
  [
    'the case of an alert',
    'alerts',
    `with s as (
       insert into alert_sources (account_id, name, format, user_id, token_hash)
       select account_id, 'Zabbix', 'zabbix', user_id, sha256('x') from sign_ins where id = $1 returning id)
     insert into alerts (account_id, source_id, fingerprint, title, digest, ${attemptColumns})
     select account_id, (select id from s), 'f', 'Disk', 'd', ${exhausted}`,
    alertCases.work.failAbandoned,
    'alert',
  ],
  [
    'a run at the runner',
    'runner_runs',
    `with s as (
       insert into ai_sessions (account_id, user_id, session_type, title) select account_id, user_id, 'chat', 'VPN' from sign_ins where id = $1 returning id)
     insert into runner_runs (account_id, ai_session_id, title, script_template_id, script_version, agent_id, time_limit_seconds, requested_by,
                              ${attemptColumns})
     select account_id, (select id from s), 'Restart', id, 1, 'a', 60, user_id, ${exhausted}`,
    runAttempts.work.failAbandoned,
    'runner_run',
  ],
  [
    'a push',
    'psa_pushes',
    `insert into psa_pushes (account_id, ticket_id, body, source_kind, source_id, ${attemptColumns})
     select account_id, '4711', 'Done', 'session', id, ${exhausted}`,
    pushAttempts.work.failAbandoned,
    'push',
  ],
] as const)(
  'fails %s whose last attempt never reported a result',
  async (_, table, insert, failAbandoned, kind) => {
    const { admin } = await createAccount(service)
    const [row] = await service.sql<{ id: string }>(`${insert} from sign_ins where id = $1 returning id`, [
      admin.signInId,
    ])
    const attempts = await collectAttempts(() => failAbandoned(ctx))
    expect(
      await service.sql(`select state, last_error, attempts from ${table} where id = $1`, [row?.id]),
    ).toEqual([{ state: 'failed', last_error: 'The last attempt did not finish', attempts: 4 }])
    expect(attempts).toContain(`${kind} failed`)
  },
)

it.each([
  [499, 'finished', null, 'succeeded'],
  [500, 'retrying', 'The operation answered 500', 'retried'],
  [502, 'finished', null, 'succeeded'],
  [503, 'retrying', 'The operation answered 503', 'retried'],
] as const)('AIT-03 an AI task whose operation answers %i is %s', async (status, state, error, outcome) => {
  const { admin } = await createAccount(service)
  const [row] = await service.sql<{ id: string }>(
    `${insertTask}, 0, 4, null, app.now() from sign_ins where id = $1 returning id`,
    [admin.signInId],
  )
  const callStoredRequest = async () => ({ status, body: '{}' })
  const attempts = await collectAttempts(() =>
    tasks.work.attempt({ ...ctx, callStoredRequest }, row?.id ?? '', 1),
  )
  expect(attempts).toEqual([`ai_task ${outcome}`])
  expect(await service.sql('select state, last_error from ai_tasks where id = $1', [row?.id])).toEqual([
    { state, last_error: error },
  ])
})
