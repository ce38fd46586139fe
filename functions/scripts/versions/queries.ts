import * as z from 'zod'
import { createVersionStatements } from '../../../lib/db/rows/version-rows.ts'
import { Language, ParametersSchema } from '../../../lib/scripts/schema.ts'

export const { selectItems, selectVersion } = createVersionStatements(
  { table: 'script_templates', versions: 'script_versions', key: 'script_id' },
  {
    description: z.string(),
    script_body: z.string(),
    parameters_schema: ParametersSchema,
    language: Language,
    requires_elevation: z.boolean(),
  },
)
