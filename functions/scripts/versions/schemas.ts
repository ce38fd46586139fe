import * as z from 'zod'
import { exampleScript, ScriptTemplate, TemplateId } from '#functions/scripts/scripts/schemas.ts'
import { VersionNumber, versionFields } from '#http/versions.ts'

export const VersionId = TemplateId.extend({ version: VersionNumber })

const example = {
  version: 2,
  name: exampleScript.name,
  saved_by: exampleScript.created_by,
  saved_by_name: 'Dana Reyes',
  restored_from: null,
  is_current: false,
  created_at: '2026-11-20T16:40:00.000Z',
}

export const ScriptVersionItem = z.strictObject(versionFields).meta({ id: 'ScriptVersionListItem', examples: [example] })

const { description, language, parameters_schema, requires_elevation } = exampleScript
export const ScriptVersion = z
  .strictObject({
    ...versionFields,
    ...ScriptTemplate.pick({ description: true, script_body: true, parameters_schema: true, language: true, requires_elevation: true })
      .shape,
  })
  .meta({
    id: 'ScriptVersionResponse',
    examples: [
      { ...example, description, script_body: 'Restart-Service {{ service }}\n', parameters_schema, language, requires_elevation },
    ],
  })
export type ScriptVersion = z.infer<typeof ScriptVersion>
