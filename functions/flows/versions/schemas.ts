import * as z from 'zod'
import { Status } from '#functions/flows/trees/schemas.ts'
import { Id, Time } from '#http/fields.ts'
import { IntakeForm, NullableStructure, TreeType } from '#rules/flows/structure.ts'

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
