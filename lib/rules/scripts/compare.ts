import type { Content } from '#rules/versions/compare.ts'
import type { ScriptParameter } from './schema.ts'

/** What a comparison of scripts reads of a version. */
export interface ScriptContent {
  name: string
  description: string
  language: string
  requires_elevation: boolean
  script_body: string
  parameters_schema: readonly ScriptParameter[]
}

/** Return the fields of a script and its parameters for a comparison. */
export function toScriptContent({ parameters_schema, ...fields }: ScriptContent): Content {
  const { name, description, language, requires_elevation, script_body } = fields
  const items = parameters_schema.map(({ name: id, ...parameter }) => ({
    list: 'parameters',
    id,
    label: parameter.label,
    parentId: null,
    fields: parameter,
  }))
  return { fields: { name, description, language, requires_elevation, script_body }, items, isOrdered: true }
}
