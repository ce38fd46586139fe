import { selectVisibleFlows } from '#db/rows/subflows.ts'
import * as trees from '#functions/flows/trees/service.ts'
import { Content, type ReadContext, type WriteContext } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { problemAt } from '#rules/flows/problems.ts'
import {
  copyColumns,
  type FlowContent,
  type FlowEnvelope,
  generatorName,
  rfflowVersion,
} from '#rules/flows/rfflow.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { replaceSubflowIds } from '#rules/flows/subflow-ids.ts'
import { removeRepeats } from '#rules/text/duplicates.ts'
import { toNameKey } from '#rules/text/fold.ts'
import { writeIndentedJson } from '#rules/text/json.ts'
import { createSlug } from '#rules/text/words.ts'
import { maxWrittenBytes } from '#rules/text/written-bytes.ts'
import * as queries from './queries.ts'

export async function exportFlow({ db }: ReadContext, treeId: string) {
  const [tree, { exported_at }] = await Promise.all([trees.find(db, treeId), queries.selectNow.one(db)])
  const { name, category, tree_structure, intake_form, version } = tree
  const flow = { ...copyColumns(tree), category, tree_structure, intake_form, version }
  const envelope: FlowEnvelope = {
    rfflow_version: rfflowVersion,
    exported_at,
    generator: generatorName,
    flow,
  }
  return new Content(
    `${writeIndentedJson(envelope, maxWrittenBytes)}\n`,
    'application/json',
    `${createSlug(name, 'flow')}.rfflow`,
  )
}

export async function importFlow(
  ctx: WriteContext,
  { rfflow_version, exported_at, generator, flow }: FlowEnvelope,
) {
  if (rfflow_version !== rfflowVersion)
    throw new Problem(
      'unsupported_version',
      `This version of the format is not supported; export the flow as version ${rfflowVersion}`,
    )
  const { version, ...content } = flow
  return createDraft(ctx, content, {
    source: 'rfflow',
    rfflow_version,
    exported_at: exported_at ?? null,
    generator: generator ?? null,
    version: version ?? null,
  })
}

/**
 * Create a draft from an imported flow. Return as warnings all errors and warnings that publishing the draft
 * would cause.
 */
export async function createDraft(ctx: WriteContext, flow: FlowContent, metadata: Record<string, unknown>) {
  const { db } = ctx
  const { category, intake_form, tree_structure } = flow
  const columns = copyColumns(flow)
  const [existingLabels, subflows] = await Promise.all([
    queries.selectExistingLabels.one(db, category ?? null, columns.tags),
    removeUnknownSubflows(db, tree_structure),
  ])
  const draft = {
    ...columns,
    tree_structure: subflows.structure,
    status: 'draft' as const,
    intake_form: intake_form ?? [],
    tags: removeRepeats(columns.tags),
    ...(category ? { category } : {}),
  }
  const tree = await trees.create(ctx, draft, { import_metadata: metadata })
  const { errors, warnings } = await trees.validateForPublishing(db, tree.id, tree)
  return {
    tree_id: tree.id,
    name: tree.name,
    status: 'draft' as const,
    category_created: Boolean(category) && !existingLabels.category,
    tags_created: tree.tags.filter((tag) => !existingLabels.tags.includes(toNameKey(tag))),
    warnings: [...subflows.warnings, ...errors, ...warnings],
  }
}

/** Remove the sub-flows that the caller cannot see, with a warning for each. */
async function removeUnknownSubflows(db: WriteContext['db'], structure: TreeStructure | null) {
  const references = listSubflows(structure)
  if (!structure || references.length === 0) return { structure, warnings: [] }
  const ids = [...new Set(references.map(({ subflow }) => subflow.tree_id))]
  const visibleIds = new Set((await selectVisibleFlows.all(db, ids)).map(({ id }) => id))
  const knownIds = new Map(
    ids.flatMap((id) => (visibleIds.has(id.toLowerCase()) ? [[id, id.toLowerCase()] as const] : [])),
  )
  const unknown = references.filter(({ subflow }) => !knownIds.has(subflow.tree_id))
  const warnings = unknown.map(({ node, path, subflow }) =>
    problemAt(
      node,
      path,
      'subflow',
      `The flow ${subflow.tree_id} does not exist, or you cannot see it; the sub-flow of this step was removed`,
    ),
  )
  return { structure: replaceSubflowIds(structure, knownIds), warnings }
}
