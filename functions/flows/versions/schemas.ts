import * as z from 'zod'
import { ReplayCounts } from '#functions/flows/replays/schemas.ts'
import { Status } from '#functions/flows/trees/schemas.ts'
import { Id, Time } from '#http/fields.ts'
import { IntakeForm, NullableStructure, TreeType } from '#rules/flows/structure.ts'

export const StoredReplay = z
  .strictObject({
    base_version: z.int().describe('The published version that the runs are of.').meta({ example: 1 }),
    runs: z.int().describe('The completed runs that were played, at most 500.').meta({ example: 40 }),
    ...ReplayCounts.shape,
  })
  .nullable()
  .meta({ id: 'StoredReplay' })
  .describe('What became of the earlier runs in a replay when this version was published; null without one.')

const versionFields = {
  version: z.int().describe('Version number, starting at 1.'),
  status: Status.describe('Status of the flow in this version.'),
  name: z.string().describe('Name of the flow in this version.'),
  saved_by: Id.nullable().describe('The user who saved this version.'),
  saved_by_name: z.string().nullable().describe('The name of that user.'),
  restored_from: z
    .int()
    .nullable()
    .describe('The older version that was restored as this one; null for any other save.'),
  replay: StoredReplay,
  is_current: z.boolean().describe('Whether this is the current version of the flow.'),
  created_at: Time.describe('When it was saved.'),
}

export const TreeVersionItem = z.strictObject(versionFields).meta({ id: 'TreeVersionListItem' })
export type TreeVersionItem = z.infer<typeof TreeVersionItem>

export const TreeVersion = z
  .strictObject({
    ...versionFields,
    description: z.string().describe('Purpose of the flow in this version.'),
    category: z.string().nullable().describe('Name of the category of the flow in this version.'),
    tree_type: TreeType,
    tree_structure: NullableStructure,
    intake_form: IntakeForm,
  })
  .meta({ id: 'TreeVersionResponse' })
export type TreeVersion = z.infer<typeof TreeVersion>
