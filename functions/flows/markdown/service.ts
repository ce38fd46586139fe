import { checkMarkdown, readMarkdown } from '../../../lib/flows/markdown/read.ts'
import { writeMarkdown } from '../../../lib/flows/markdown/write.ts'
import { Content, type Reader, type Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { slugOf } from '../../../lib/text/slug.ts'
import * as transfer from '../transfer/service.ts'
import * as trees from '../trees/service.ts'
import type { MarkdownFlow } from './schemas.ts'

export async function exportFile({ db }: Reader, treeId: string) {
  const flow = await trees.find(db, treeId)
  return new Content(writeMarkdown(flow), 'text/markdown; charset=utf-8', `${slugOf(flow.name)}.md`)
}

export async function importFile(ctx: Writer, { markdown }: MarkdownFlow) {
  const { flow, problems } = readMarkdown(markdown)
  if (!flow) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
    throw new Problem('bad_request', `The file cannot be read: ${count}`, { code: 'markdown_invalid', facts: { problems } })
  }
  return transfer.take(ctx, flow, { source: 'markdown' })
}

/** Also what would stop the flow from being published. */
export async function validate({ markdown }: MarkdownFlow) {
  const problems = checkMarkdown(markdown)
  return { valid: problems.length === 0, problems }
}
