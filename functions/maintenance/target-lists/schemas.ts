import * as z from 'zod'
import { BatchTarget } from '#functions/sessions/batches/schemas.ts'
import { ExpectedVersion, exampleIds, Id, idParams, Name, Time, Version } from '#http/fields.ts'

export const ListId = idParams('list_id', 'target list')

const Targets = z.array(BatchTarget).min(1).max(500).describe('The targets that flows are run on, 1 to 500.')
const exampleTargets = [{ label: 'SRV-DC-01', variables: { server: 'srv-dc-01.contoso.example' } }]

const targetListFields = {
  id: Id,
  account_id: Id.describe('The account it belongs to.'),
  team_id: Id.nullable().describe('The team it belongs to.'),
  name: z.string().describe('Name of the list.'),
  description: z.string().describe('Purpose of the list.'),
  version: Version,
  created_by: Id.describe('The user who created it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
}
const example = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1f41',
  account_id: exampleIds.account,
  team_id: exampleIds.team,
  name: 'Contoso servers',
  description: '',
  version: 3,
  created_by: exampleIds.user,
  created_at: '2026-11-02T08:12:00.000Z',
  updated_at: '2026-11-20T16:40:00.000Z',
}

export const TargetList = z
  .strictObject({ ...targetListFields, targets: Targets })
  .meta({ id: 'TargetListResponse', examples: [{ ...example, targets: exampleTargets }] })
export type TargetList = z.infer<typeof TargetList>

export const TargetListItem = z
  .strictObject({ ...targetListFields, target_count: z.int().describe('Number of targets in the list.') })
  .meta({ id: 'TargetListItem', examples: [{ ...example, target_count: 12 }] })
export type TargetListItem = z.infer<typeof TargetListItem>

const inputFields = {
  name: Name.describe('Name of the list.'),
  description: z.string().max(20_000).describe('Purpose of the list.'),
  targets: Targets,
}
export const TargetListCreate = z
  .strictObject({ ...inputFields, description: inputFields.description.default('') })
  .meta({ id: 'TargetListCreate', examples: [{ name: 'Contoso servers', targets: exampleTargets }] })
export type TargetListCreate = z.infer<typeof TargetListCreate>
export const TargetListUpdate = z
  .strictObject({ ...inputFields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'TargetListUpdate', examples: [{ name: 'Contoso, all servers', expected_version: 3 }] })
export type TargetListUpdate = z.infer<typeof TargetListUpdate>
