import * as z from 'zod'
import { Diagram } from '#functions/diagrams/diagrams/schemas.ts'
import { versionFields } from '#http/versions.ts'

export const DiagramVersionItem = z.strictObject(versionFields).meta({ id: 'DiagramVersionListItem' })

export const DiagramVersion = z
  .strictObject({
    ...versionFields,
    ...Diagram.pick({ description: true, client_name: true, asset_name: true, nodes: true, edges: true })
      .shape,
  })
  .meta({ id: 'DiagramVersionResponse' })
