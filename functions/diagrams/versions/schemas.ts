import * as z from 'zod'
import { Diagram } from '#functions/diagrams/diagrams/schemas.ts'
import { exampleVersion, versionFields } from '#http/versions.ts'

const example = { ...exampleVersion, name: 'Head office' }

export const DiagramVersionItem = z
  .strictObject(versionFields)
  .meta({ id: 'DiagramVersionListItem', examples: [example] })

export const DiagramVersion = z
  .strictObject({
    ...versionFields,
    ...Diagram.pick({ description: true, client_name: true, asset_name: true, nodes: true, edges: true })
      .shape,
  })
  .meta({
    id: 'DiagramVersionResponse',
    examples: [
      { ...example, description: '', client_name: 'Fabrikam', asset_name: null, nodes: [], edges: [] },
    ],
  })
