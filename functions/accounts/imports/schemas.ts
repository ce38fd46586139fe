import * as z from 'zod'

const Counts = z.record(z.string(), z.int())
const example = {
  restored: { teams: 2, categories: 5, scripts: 12, diagrams: 3, target_lists: 4, flows: 31, flow_versions: 118, library_steps: 64 },
  not_restored: { members: 4, sessions: 1204, audit_log: 5310 },
  skipped: [{ kind: 'flows', name: 'Old printer guide', reason: 'was deleted' }],
  skipped_count: 1,
}

export const AccountImport = z
  .strictObject({
    restored: Counts.describe('Records that were restored, by kind.'),
    not_restored: Counts.describe('Records of kinds that an import never restores.'),
    skipped: z
      .array(
        z.strictObject({
          kind: z.string().describe('Kind of the record.'),
          name: z.string().nullable().describe('Its name.'),
          reason: z.string().describe('Why it was not restored.'),
        }),
      )
      .describe('Records that could not be restored, at most 200.'),
    skipped_count: z.int().describe('Number of records that could not be restored.'),
  })
  .meta({ id: 'AccountImport', examples: [example] })
export type AccountImport = z.infer<typeof AccountImport>
