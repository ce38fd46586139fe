import { z } from 'zod'
import { IntakeForm, NullableStructure, TreeType } from '../../../lib/flows/structure.ts'
import { exampleIds, Id, Time } from '../../../lib/http/fields.ts'
import { TreeId } from '../trees/schemas.ts'

export const VersionId = TreeId.extend({
  version: z.coerce.number().int().min(1).max(2_147_483_647).describe('Number of the version.'),
})

const fields = {
  version: z.int().describe('1 is the first.'),
  status: z.enum(['draft', 'published']).describe('What the flow was with this version.'),
  name: z.string().describe('What it was called.'),
  saved_by: Id.nullable().describe('Who saved it.'),
  saved_by_name: z.string().nullable().describe('Their name.'),
  restored_from: z.int().nullable().describe('The version that was restored with it.'),
  is_current: z.boolean().describe('Whether it is the flow as it is now.'),
  created_at: Time.describe('When it was saved.'),
}
const example = {
  version: 3,
  status: 'published' as const,
  name: 'Printer offline',
  saved_by: exampleIds.user,
  saved_by_name: 'Dana Reyes',
  restored_from: null,
  is_current: true,
  created_at: '2026-11-20T16:40:00.000Z',
}

export const TreeVersionItem = z.strictObject(fields).meta({ id: 'TreeVersionListItem', examples: [example] })
export type TreeVersionItem = z.infer<typeof TreeVersionItem>

export const TreeVersion = z
  .strictObject({
    ...fields,
    description: z.string().describe('What it was for.'),
    category: z.string().nullable().describe('Its category’s name then.'),
    tree_type: TreeType,
    tree_structure: NullableStructure,
    intake_form: IntakeForm,
  })
  .meta({
    id: 'TreeVersionResponse',
    examples: [
      {
        ...example,
        description: '',
        category: 'Printing',
        tree_type: 'troubleshooting',
        tree_structure: { id: 'cable', type: 'solution', title: 'Reseat the network cable', description: '' },
        intake_form: [],
      },
    ],
  })
export type TreeVersion = z.infer<typeof TreeVersion>
