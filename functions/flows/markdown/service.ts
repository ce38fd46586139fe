import * as transfer from '#functions/flows/transfer/service.ts'
import * as trees from '#functions/flows/trees/service.ts'
import { Content, type ReadContext, type WriteContext } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { createSlug } from '#rules/text/words.ts'
import type { MarkdownFlow } from './schemas.ts'

// Loaded on first use, with the writer of YAML.
const loadWriter = () => import('#rules/flows/markdown/write.ts')

export async function exportMarkdown({ db }: ReadContext, treeId: string) {
  const [flow, { writeFlowMarkdown }] = await Promise.all([trees.find(db, treeId), loadWriter()])
  return new Content(
    writeFlowMarkdown(flow),
    'text/markdown; charset=utf-8',
    `${createSlug(flow.name, 'flow')}.md`,
  )
}

export async function importMarkdown(ctx: WriteContext, { markdown }: MarkdownFlow) {
  const { flow, problems } = await ctx.files.read('flow', markdown, ctx.caller.accountId, ctx.signal)
  if (!flow) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
    throw new Problem('markdown_invalid', `The file cannot be read: ${count}`, { facts: { problems } })
  }
  return transfer.createDraft(ctx, flow, { source: 'markdown' })
}

/** Return every problem of the file, including those that prevent publishing. */
export async function validate({ files, caller, signal }: WriteContext, { markdown }: MarkdownFlow) {
  const problems = await files.read('flow_problems', markdown, caller.accountId, signal)
  return { valid: problems.length === 0, problems }
}
