import { type FlowContent, type FlowEnvelope, generatorName, rfflowVersion } from '../../../lib/flows/rfflow.ts'
import { validateFlow } from '../../../lib/flows/validate.ts'
import { Content, type ReadContext, type WriteContext } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { createSlug } from '../../../lib/text/slug.ts'
import { removeDuplicateTags } from '../trees/schemas.ts'
import * as trees from '../trees/service.ts'
import * as queries from './queries.ts'

export async function exportFlow({ db }: ReadContext, treeId: string) {
  const { tree_type, name, description, category, tags, tree_structure, intake_form, version } = await trees.find(db, treeId)
  const flow = { tree_type, name, description, category, tags, tree_structure, intake_form, version }
  const envelope: FlowEnvelope = { rfflow_version: rfflowVersion, exported_at: new Date().toISOString(), generator: generatorName, flow }
  return new Content(`${JSON.stringify(envelope, null, 2)}\n`, 'application/json', `${createSlug(name)}.rfflow`)
}

export async function importFlow(ctx: WriteContext, { rfflow_version, exported_at, generator, flow }: FlowEnvelope) {
  if (rfflow_version !== rfflowVersion)
    throw new Problem('unsupported_version', `This version of the format is not supported; export the flow as version ${rfflowVersion}`)
  const { version, ...content } = flow
  return createDraft(ctx, content, {
    source: 'rfflow',
    rfflow_version,
    exported_at: exported_at ?? null,
    generator: generator ?? null,
    version: version ?? null,
  })
}

/** Create a draft from an imported flow. Return as warnings all errors and warnings that publishing the draft would cause. */
export async function createDraft({ db }: WriteContext, flow: FlowContent, metadata: Record<string, unknown>) {
  const { category, tags, description, intake_form, ...rest } = flow
  const existingLabels = await queries.selectExistingLabels.one(db, category ?? null, tags ?? [])
  const draft = {
    ...rest,
    status: 'draft' as const,
    description: description ?? '',
    intake_form: intake_form ?? [],
    tags: removeDuplicateTags(tags ?? []),
    ...(category ? { category } : {}),
  }
  const tree = await trees.create({ db }, draft, { import_metadata: { ...metadata, imported_at: new Date().toISOString() } })
  const { errors, warnings } = validateFlow(tree, 'published')
  return {
    tree_id: tree.id,
    name: tree.name,
    status: 'draft' as const,
    category_created: Boolean(category) && !existingLabels.category,
    tags_created: tree.tags.filter((tag) => !existingLabels.tags.includes(tag.toLowerCase())),
    warnings: [...errors, ...warnings],
  }
}
