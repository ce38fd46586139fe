import { beforeAll, describe, expect, it } from 'vitest'
import { exportedTables } from '#db/account-data.ts'
import { erasure } from '#db/erasure.ts'
import { exportedColumns } from '#db/exported-columns.ts'
import { restoredKinds } from '#db/restored-columns.ts'
import { sharedService } from '#test/support/app.ts'

describe('the contents of an export', () => {
  const columnsByTable = new Map<string, string[]>()
  beforeAll(async () => {
    const service = await sharedService()
    const rows = await service.sql<{ table: string; columns: string[] }>(
      `select c.relname as table, array_agg(a.attname::text order by a.attname) as columns
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations' group by 1`,
    )
    for (const { table, columns } of rows) columnsByTable.set(table, columns)
  })

  it.each(exportedTables)(
    'DAT-02 every column of $table is declared as exported or left out',
    ({ table, columns, leftOut }) => {
      const declared = [...columns, ...Object.keys(leftOut), ...(table === 'accounts' ? [] : ['account_id'])]
      expect(declared.toSorted()).toEqual(columnsByTable.get(table)?.toSorted())
    },
  )

  it('DAT-02 no column is exported whose name says that it is a secret', () => {
    const secretName = /password|secret|hash|credential|sealed|(^|_)digest$|(^|_)(token|code|key)$/
    const named = exportedTables.flatMap(({ kind, columns }) =>
      columns.filter((name) => secretName.test(name)).map((name) => `${kind}.${name}`),
    )
    expect(named).toEqual([
      // These are names that people chose, or choices.
      ...['session_evidence.key', 'ai_facts.key', 'script_runs.exit_code', 'mail_preferences.digest'],
    ])
  })

  it.each(Object.entries(restoredKinds))(
    'DAT-08 what the import of %s leaves out or sets is exported',
    (_, { table, leftOut, set }) => {
      const exported: readonly string[] = exportedColumns[table]
      expect([...Object.keys(leftOut), ...set].filter((column) => !exported.includes(column))).toEqual([])
    },
  )

  it.each(exportedTables)(
    'DAT-01 the records of $table have an order that PostgreSQL enforces as unique',
    async ({ table, key }) => {
      const { sql } = await sharedService()
      const indexes = await sql<{ columns: string[] }>(
        `select array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n) as columns
         from pg_index i where i.indrelid = $1::regclass and i.indisunique and i.indpred is null`,
        [table],
      )
      const isUnique = ({ columns }: { columns: string[] }) =>
        columns.every((column) => column === 'account_id' || column in key)
      expect(indexes.some(isUnique), Object.keys(key).join()).toBe(true)
    },
  )
})

/** Group names by their limit. Of the group with the usual limit only the limit is listed. */
function groupByLimit(limits: readonly (readonly [name: string, limit: number])[], usual: number) {
  const groups = Map.groupBy(limits, ([, limit]) => limit)
  const names = [...groups].map(([limit, entries]) => [
    limit,
    limit === usual ? 'all others' : entries.map(([name]) => name).toSorted(),
  ])
  return Object.fromEntries(names)
}

it('an export reads fewer records at once where a record can be large', () => {
  expect(
    groupByLimit(
      exportedTables.map(({ kind, limit }) => [kind, limit]),
      500,
    ),
  ).toEqual({
    3: ['kb_imports'],
    10: ['diagram_versions', 'diagrams', 'flow_conversations', 'flow_proposals', 'flow_versions'],
    20: ['script_builder_sessions', 'script_drafts', 'script_versions', 'scripts', 'target_lists'],
    50: [
      'ai_feedback',
      'ai_fixes',
      'ai_handoffs',
      'ai_outputs',
      'ai_sessions',
      'script_runs',
      'ticket_notes',
    ],
    100: [
      ...[
        'approvals',
        'beta_feedback',
        'escalation_follow_ups',
        'feedback',
        'kb_import_nodes',
        'onboarding',
        'script_builder_messages',
      ],
      'session_notes',
    ],
    200: ['ai_messages', 'audit_log', 'flows', 'library_steps', 'session_custom_steps', 'sessions'],
    500: 'all others',
  })
})

it('an erasure deletes fewer rows at once where other rows end with them', () => {
  const limits = Object.entries(erasure).flatMap(([table, { account }]) =>
    account.kind === 'batches' ? [[table, account.limit] as const] : [],
  )
  expect(groupByLimit(limits, 1000)).toEqual({
    10: ['account_exports', 'account_imports', 'notification_configs', 'webhooks'],
    100: [
      ...[
        'ai_sessions',
        'draft_templates',
        'escalation_policies',
        'feedback',
        'flow_conversations',
        'flow_link_checks',
        'flow_proposals',
      ],
      ...[
        'invites',
        'kb_batches',
        'kb_imports',
        'knowledge_entries',
        'maintenance_schedules',
        'network_diagrams',
        'on_call_schedules',
      ],
      ...['script_builder_sessions', 'script_templates', 'sign_ins', 'target_lists', 'trees', 'uploads'],
    ],
    200: ['account_import_records', 'diagram_versions', 'script_versions', 'sessions', 'tree_versions'],
    500: ['events'],
    1000: 'all others',
  })
})
