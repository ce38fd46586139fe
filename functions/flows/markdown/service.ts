import { Content, type ReadContext, type WriteContext } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { createSlug } from '../../../lib/text/slug.ts'
import * as transfer from '../transfer/service.ts'
import * as trees from '../trees/service.ts'
import type { MarkdownFlow } from './schemas.ts'

// Loaded on first use, with the parser of YAML.
const loadReader = () => import('../../../lib/flows/markdown/read.ts')
const loadWriter = () => import('../../../lib/flows/markdown/write.ts')

export async function exportMarkdown({ db }: ReadContext, treeId: string) {
  const [flow, { writeFlowMarkdown }] = await Promise.all([trees.find(db, treeId), loadWriter()])
  return new Content(writeFlowMarkdown(flow), 'text/markdown; charset=utf-8', `${createSlug(flow.name)}.md`)
}

export async function importMarkdown(ctx: WriteContext, { markdown }: MarkdownFlow) {
  const { flow, problems } = (await loadReader()).readFlowMarkdown(markdown)
  if (!flow) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
    throw new Problem('markdown_invalid', `The file cannot be read: ${count}`, { facts: { problems } })
  }
  return transfer.createDraft(ctx, flow, { source: 'markdown' })
}

/** Return every problem of the file, including those that prevent publishing. */
export async function validate({ markdown }: MarkdownFlow) {
  const problems = (await loadReader()).checkFlowMarkdown(markdown)
  return { valid: problems.length === 0, problems }
}
