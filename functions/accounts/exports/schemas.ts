import * as z from 'zod'
import { Id, idParams, Secret, Time } from '#http/fields.ts'
import { progressField } from '#http/progress.ts'

export const ExportId = idParams('export_id', 'export')

const Contents = z
  .enum(['all', 'restorable'])
  .meta({ id: 'AccountExportContents' })
  .describe(
    '`all`: every record and file. `restorable`: only what an import restores, which makes a smaller archive.',
  )

export const ExportCreate = z
  .strictObject({ contents: Contents.default('all') })
  .prefault({})
  .meta({ id: 'AccountExportCreate' })
export type ExportCreate = z.infer<typeof ExportCreate>

export const AccountExport = z
  .strictObject({
    id: Id,
    contents: Contents,
    status: z
      .enum(['queued', 'running', 'ready', 'failed', 'expired'])
      .meta({ id: 'AccountExportStatus' })
      .describe(
        '`ready`: can be downloaded. `expired`: the archive is deleted. `failed`: start a new export.',
      ),
    size: z.int().describe('Bytes of the archive so far.').meta({ example: 48_213_441 }),
    progress: progressField('kinds of records and files; 0 of 0 before it runs', {
      id: 'AccountExportPhase',
      phases: ['waiting', 'writing', 'finished'],
      meaning: '`writing`: records and files are added to the archive. `finished`: nothing follows.',
    }),
    counts: z
      .record(z.string(), z.int())
      .describe('Records so far by kind, and files.')
      .meta({ example: { members: 4, flows: 31, sessions: 1204, upload_files: 212 } }),
    requested_by: Id.nullable().describe('The admin who started it.'),
    created_at: Time,
    ready_at: Time.nullable().describe('When the archive was complete.'),
    expires_at: Time.nullable().describe('When the archive is deleted, 7 days after it is ready.'),
  })
  .meta({ id: 'AccountExport' })
export type AccountExport = z.infer<typeof AccountExport>

export const ExportLink = z
  .strictObject({
    url: Secret.describe('Address of the ZIP archive. It needs no sign-in, so treat it as a secret.').meta({
      example: 'https://api.supportflow.example/api/v1/account-exports/eyJhbGciOi',
    }),
    expires_at: Time.describe('When the link ends: after 24 hours, or with the archive.'),
  })
  .meta({ id: 'AccountExportLink' })

export const ExportToken = z.object({ token: z.string().max(2000).describe('The token of a download link.') })
