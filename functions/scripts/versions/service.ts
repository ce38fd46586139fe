import * as scripts from '#functions/scripts/scripts/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { createVersionReaders } from '#http/versions.ts'
import { toScriptContent } from '#rules/scripts/compare.ts'
import * as queries from './queries.ts'

export const { list, get, compare } = createVersionReaders({
  selectItems: queries.selectItems.all,
  selectVersion: queries.selectVersion.first,
  requireResource: scripts.find,
  toContent: toScriptContent,
})

/** Save the content of an old version as the newest. Its category and who may see it stay as they are. */
export async function restore(ctx: WriteContext, id: string, version: number) {
  const { name, description, script_body, parameters_schema, language, requires_elevation } = await get(
    ctx,
    id,
    version,
  )
  return scripts.update(
    ctx,
    id,
    { name, description, script_body, parameters_schema, language, requires_elevation },
    version,
  )
}
