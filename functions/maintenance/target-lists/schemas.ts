import * as z from 'zod'
import { BatchTarget, batchTargets } from '#functions/sessions/batches/schemas.ts'
import { ExpectedVersion, Id, idParams, Name, Time, Version } from '#http/fields.ts'

export const ListId = idParams('list_id', 'target list')

const Targets = batchTargets(500).describe('The targets that flows are run on, 1 to 500, each once.')

const targetListFields = {
  id: Id,
  account_id: Id.describe('The account it belongs to.'),
  team_id: Id.nullable().describe('The team it belongs to.'),
  name: z.string().describe('Name of the list.').meta({ example: 'Contoso servers' }),
  description: z.string().describe('Purpose of the list.'),
  version: Version,
  created_by: Id.describe('The user who created it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
}

export const TargetList = z
  .strictObject({
    ...targetListFields,
    targets: z.array(BatchTarget).describe('The targets that flows are run on.'),
  })
  .meta({ id: 'TargetListResponse' })
export type TargetList = z.infer<typeof TargetList>

export const TargetListItem = z
  .strictObject({
    ...targetListFields,
    target_count: z.int().describe('Number of targets in the list.').meta({ example: 12 }),
  })
  .meta({ id: 'TargetListItem' })
export type TargetListItem = z.infer<typeof TargetListItem>

const inputFields = {
  name: Name.describe('Name of the list.').meta({ example: 'Contoso servers' }),
  description: z.string().max(20_000).describe('Purpose of the list.'),
  targets: Targets,
}
export const TargetListCreate = z
  .strictObject({ ...inputFields, description: inputFields.description.default('') })
  .meta({ id: 'TargetListCreate' })
export type TargetListCreate = z.infer<typeof TargetListCreate>
export const TargetListUpdate = z
  .strictObject({ ...inputFields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'TargetListUpdate' })
export type TargetListUpdate = z.infer<typeof TargetListUpdate>
