import * as z from 'zod'
import { versionItemShape, writeVersionSql } from '#db/rows/version-rows.ts'
import { readStatement } from '#db/statement.ts'
import { DiagramEdges, DiagramNodes } from '#rules/diagrams/schema.ts'

const content = {
  description: z.string(),
  client_name: z.string().nullable(),
  asset_name: z.string().nullable(),
  nodes: DiagramNodes,
  edges: DiagramEdges,
}
const statements = writeVersionSql(
  { table: 'network_diagrams', versions: 'diagram_versions', key: 'diagram_id' },
  content,
)

export const selectItems = readStatement(z.object(versionItemShape), statements.selectItems)

export const selectVersion = readStatement(
  z.object({ ...versionItemShape, ...content }),
  statements.selectVersion,
)
