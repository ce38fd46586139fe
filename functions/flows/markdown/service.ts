import { checkFlowMarkdown, readFlowMarkdown } from '../../../lib/flows/markdown/read.ts'
import { writeFlowMarkdown } from '../../../lib/flows/markdown/write.ts'
import { Content, type ReadContext, type WriteContext } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { createSlug } from '../../../lib/text/slug.ts'
import * as transfer from '../transfer/service.ts'
import * as trees from '../trees/service.ts'
import type { MarkdownFlow } from './schemas.ts'

export async function exportMarkdown({ db }: ReadContext, treeId: string) {
  const flow = await trees.find(db, treeId)
  return new Content(writeFlowMarkdown(flow), 'text/markdown; charset=utf-8', `${createSlug(flow.name)}.md`)
}

export async function importMarkdown(ctx: WriteContext, { markdown }: MarkdownFlow) {
  const { flow, problems } = readFlowMarkdown(markdown)
  if (!flow) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
    throw new Problem('markdown_invalid', `The file cannot be read: ${count}`, { facts: { problems } })
  }
  return transfer.createDraft(ctx, flow, { source: 'markdown' })
}

/** Return every problem of the file, including those that prevent publishing. */
export async function validate({ markdown }: MarkdownFlow) {
  const problems = checkFlowMarkdown(markdown)
  return { valid: problems.length === 0, problems }
}
