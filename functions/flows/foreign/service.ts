import * as transfer from '#functions/flows/transfer/service.ts'
import type { WriteContext } from '#http/operation.ts'
import type { ForeignFlow } from './schemas.ts'

// Loaded on first use, with the parser of YAML.
const loadReader = () => import('#rules/flows/imports/read-foreign-flow.ts')

export async function importForeign(ctx: WriteContext, { content }: ForeignFlow) {
  const { tool, flow, warnings } = (await loadReader()).readForeignFlow(content, ctx.budget)
  const draft = await transfer.createDraft(ctx, flow, { source: tool })
  return { ...draft, warnings: [...warnings, ...draft.warnings] }
}
