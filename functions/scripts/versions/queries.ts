import * as z from 'zod'
import { versionItemShape, writeVersionSql } from '#db/rows/version-rows.ts'
import { readStatement } from '#db/statement.ts'
import { Language, ParametersSchema } from '#rules/scripts/schema.ts'

const content = {
  description: z.string(),
  script_body: z.string(),
  parameters_schema: ParametersSchema,
  language: Language,
  requires_elevation: z.boolean(),
}
const statements = writeVersionSql(
  { table: 'script_templates', versions: 'script_versions', key: 'script_id' },
  content,
)

export const selectItems = readStatement(z.object(versionItemShape), statements.selectItems)

export const selectVersion = readStatement(
  z.object({ ...versionItemShape, ...content }),
  statements.selectVersion,
)
