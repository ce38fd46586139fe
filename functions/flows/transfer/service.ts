import { type Envelope, envelopeVersion, type FlowContent, generator } from '../../../lib/flows/envelope.ts'
import { validateFlow } from '../../../lib/flows/validate.ts'
import { Content, type Reader, type Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { slugOf } from '../../../lib/text/slug.ts'
import { eachOnce } from '../trees/schemas.ts'
import * as trees from '../trees/service.ts'
import * as queries from './queries.ts'

export async function exportFile({ db }: Reader, treeId: string) {
  const { tree_type, name, description, category, tags, tree_structure, intake_form, version } = await trees.find(db, treeId)
  const flow = { tree_type, name, description, category, tags, tree_structure, intake_form, version }
  const envelope: Envelope = { rfflow_version: envelopeVersion, exported_at: new Date().toISOString(), generator, flow }
  return new Content(`${JSON.stringify(envelope, null, 2)}\n`, 'application/json', `${slugOf(name)}.rfflow`)
}

export async function importFile(ctx: Writer, { rfflow_version, exported_at, generator: from, flow }: Envelope) {
  if (rfflow_version !== envelopeVersion)
    throw new Problem('bad_request', `This version of the format is not supported; ${envelopeVersion} is`, { code: 'unsupported_version' })
  const { version, ...content } = flow
  return take(ctx, content, {
    source: 'rfflow',
    rfflow_version,
    exported_at: exported_at ?? null,
    generator: from ?? null,
    version: version ?? null,
  })
}

/** Makes a draft of what came from outside, and says what became of it. */
export async function take({ db }: Writer, flow: FlowContent, metadata: Record<string, unknown>) {
  const { category, tags, description, intake_form, ...rest } = flow
  const known = await queries.selectKnown(db, category ?? null, tags ?? [])
  const given = {
    ...rest,
    status: 'draft' as const,
    description: description ?? '',
    intake_form: intake_form ?? [],
    tags: eachOnce(tags ?? []),
    ...(category ? { category } : {}),
  }
  const tree = await trees.create({ db }, given, { import_metadata: { ...metadata, imported_at: new Date().toISOString() } })
  const { errors, warnings } = validateFlow(tree, 'published')
  return {
    tree_id: tree.id,
    name: tree.name,
    status: 'draft' as const,
    category_created: Boolean(category) && !known.category,
    tags_created: tree.tags.filter((tag) => !known.tags.includes(tag.toLowerCase())),
    warnings: [...errors, ...warnings],
  }
}
