import * as z from 'zod'
import { createVersionStatements } from '../../../lib/db/rows/version-rows.ts'
import { DiagramEdges, DiagramNodes } from '../../../lib/diagrams/schema.ts'

export const { selectItems, selectVersion } = createVersionStatements(
  { table: 'network_diagrams', versions: 'diagram_versions', key: 'diagram_id' },
  {
    description: z.string(),
    client_name: z.string().nullable(),
    asset_name: z.string().nullable(),
    nodes: DiagramNodes,
    edges: DiagramEdges,
  },
)
