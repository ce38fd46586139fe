import * as z from 'zod'
import { Diagram, DiagramId } from '#functions/diagrams/diagrams/schemas.ts'
import { exampleIds } from '#http/fields.ts'
import { VersionNumber, versionFields } from '#http/versions.ts'

export const VersionId = DiagramId.extend({ version: VersionNumber })

const example = {
  version: 2,
  name: 'Head office',
  saved_by: exampleIds.user,
  saved_by_name: 'Dana Reyes',
  restored_from: null,
  is_current: false,
  created_at: '2026-11-20T16:40:00.000Z',
}

export const DiagramVersionItem = z.strictObject(versionFields).meta({ id: 'DiagramVersionListItem', examples: [example] })

export const DiagramVersion = z
  .strictObject({
    ...versionFields,
    ...Diagram.pick({ description: true, client_name: true, asset_name: true, nodes: true, edges: true }).shape,
  })
  .meta({
    id: 'DiagramVersionResponse',
    examples: [{ ...example, description: '', client_name: 'Fabrikam', asset_name: null, nodes: [], edges: [] }],
  })
