import * as z from 'zod'
import { Id, idParams, Time } from '#http/fields.ts'
import { progressField } from '#http/progress.ts'

export const ImportId = idParams('import_id', 'import')

const Counts = z.record(z.string(), z.int())

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
    restored: Counts.describe(
      'Records that were restored, by kind. Empty until the import has succeeded.',
    ).meta({ example: { teams: 2, scripts: 12, flows: 31, flow_versions: 118 } }),
    not_restored: Counts.describe('Records of kinds that an import never restores.').meta({
      example: { members: 4, sessions: 1204, audit_log: 5310 },
    }),
    skipped: z
      .array(
        z.strictObject({
          kind: z.string().describe('Kind of the record.').meta({ example: 'flows' }),
          name: z.string().nullable().describe('Its name.'),
          reason: z.string().describe('Why it is not restored.').meta({ example: 'was deleted' }),
        }),
      )
      .describe('Records that cannot be restored, at most 200.'),
    skipped_count: z.int().describe('Number of records that cannot be restored.'),
    problem: z
      .looseObject({
        detail: z.string().describe('What is wrong.').meta({ example: 'The archive is damaged.' }),
        code: z.string().describe('Code of the error.').optional().meta({ example: 'limit_reached' }),
      })
      .nullable()
      .describe(
        'Why the import has failed, in the form of an error answer; null otherwise. A full plan is `limit_reached`.',
      ),
    requested_by: Id.nullable().describe('The admin who started it.'),
    created_at: Time,
    finished_at: Time.nullable().describe('When it succeeded or failed.'),
  })
  .meta({ id: 'AccountImport' })
export type AccountImport = z.infer<typeof AccountImport>
