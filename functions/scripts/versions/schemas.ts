import * as z from 'zod'
import { ScriptTemplate } from '#functions/scripts/scripts/schemas.ts'
import { versionFields } from '#http/versions.ts'

export const ScriptVersionItem = z.strictObject(versionFields).meta({ id: 'ScriptVersionListItem' })

export const ScriptVersion = z
  .strictObject({
    ...versionFields,
    ...ScriptTemplate.pick({
      description: true,
      script_body: true,
      parameters_schema: true,
      language: true,
      requires_elevation: true,
    }).shape,
  })
  .meta({ id: 'ScriptVersionResponse' })
export type ScriptVersion = z.infer<typeof ScriptVersion>
