import * as z from 'zod'
import { exampleScript, ScriptTemplate } from '#functions/scripts/scripts/schemas.ts'
import { exampleVersion, versionFields } from '#http/versions.ts'

const example = { ...exampleVersion, name: exampleScript.name, saved_by: exampleScript.created_by }

export const ScriptVersionItem = z
  .strictObject(versionFields)
  .meta({ id: 'ScriptVersionListItem', examples: [example] })

const { description, language, parameters_schema, requires_elevation } = exampleScript
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
  .meta({
    id: 'ScriptVersionResponse',
    examples: [
      {
        ...example,
        description,
        script_body: 'Restart-Service {{ service }}\n',
        parameters_schema,
        language,
        requires_elevation,
      },
    ],
  })
export type ScriptVersion = z.infer<typeof ScriptVersion>
