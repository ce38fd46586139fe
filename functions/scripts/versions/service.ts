import { type PageQuery, toPage } from '#db/page.ts'
import * as scripts from '#functions/scripts/scripts/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { answerComparison } from '#http/versions.ts'
import { throwNotFound } from '#problem.ts'
import { toScriptContent } from '#rules/scripts/compare.ts'
import type { ComparisonQuery } from '#rules/versions/schema.ts'
import * as queries from './queries.ts'

export async function list({ db }: ReadContext, id: string, page: PageQuery) {
  const items = await queries.selectItems.all(db, id, page)
  if (items.length === 0) await scripts.get({ db }, id)
  return toPage(items, page.limit)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string, version: number) {
  return (await queries.selectVersion.first(db, id, version)) ?? throwNotFound('Version')
}

export async function compare(ctx: ReadContext, id: string, version: number, query: ComparisonQuery) {
  return answerComparison(version, query, async (number) => {
    const script = await get(ctx, id, number)
    return { name: script.name, content: toScriptContent(script) }
  })
}

/** Save the content of an old version as the newest. Its category and who may see it stay as they are. */
export async function restore(ctx: WriteContext, id: string, version: number) {
  const { name, description, script_body, parameters_schema, language, requires_elevation } = await get(ctx, id, version)
  return scripts.update(ctx, id, { name, description, script_body, parameters_schema, language, requires_elevation }, version)
}
