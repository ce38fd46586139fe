import * as z from 'zod'
import { exampleIds, Id, idParams, Time } from '#http/fields.ts'
import { progressField } from '#http/progress.ts'

export const ImportId = idParams('import_id', 'import')

const Counts = z.record(z.string(), z.int())
const example = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c4a02',
  status: 'succeeded' as const,
  progress: { phase: 'finished' as const, done: 20_480_000, total: 20_480_000 },
  restored: {
    teams: 2,
    categories: 5,
    scripts: 12,
    diagrams: 3,
    target_lists: 4,
    flows: 31,
    flow_versions: 118,
    library_steps: 64,
  },
  not_restored: { members: 4, sessions: 1204, audit_log: 5310 },
  skipped: [{ kind: 'flows', name: 'Old printer guide', reason: 'was deleted' }],
  skipped_count: 1,
  problem: null,
  requested_by: exampleIds.user,
  created_at: '2026-11-21T09:30:00.000Z',
  finished_at: '2026-11-21T09:30:12.000Z',
}

export const AccountImport = z
  .strictObject({
    id: Id,
    status: z
      .enum(['queued', 'running', 'succeeded', 'failed'])
      .meta({ id: 'AccountImportStatus' })
      .describe('`succeeded`: everything is stored. `failed`: nothing is stored; `problem` says why.'),
    progress: progressField(
      'bytes of records; each counts when it is checked, and again when it is prepared for storing',
      {
        id: 'AccountImportPhase',
        phases: ['waiting', 'checking', 'preparing', 'storing', 'finished'],
        meaning:
          '`checking`: records are read. `preparing`: their new ids are written. `storing`: all are stored at once. `finished`: nothing follows.',
      },
    ),
    restored: Counts.describe('Records that were restored, by kind. Empty until the import has succeeded.'),
    not_restored: Counts.describe('Records of kinds that an import never restores.'),
    skipped: z
      .array(
        z.strictObject({
          kind: z.string().describe('Kind of the record.'),
          name: z.string().nullable().describe('Its name.'),
          reason: z.string().describe('Why it is not restored.'),
        }),
      )
      .describe('Records that cannot be restored, at most 200.'),
    skipped_count: z.int().describe('Number of records that cannot be restored.'),
    problem: z
      .looseObject({
        detail: z.string().describe('What is wrong.'),
        code: z.string().describe('Code of the error.').optional(),
      })
      .nullable()
      .describe(
        'Why the import has failed, in the form of an error answer; null otherwise. A full plan is `limit_reached`.',
      ),
    requested_by: Id.nullable().describe('The admin who started it.'),
    created_at: Time,
    finished_at: Time.nullable().describe('When it succeeded or failed.'),
  })
  .meta({ id: 'AccountImport', examples: [example] })
export type AccountImport = z.infer<typeof AccountImport>
