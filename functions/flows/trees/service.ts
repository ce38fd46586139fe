import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { noSuch } from '../../../lib/db/sqlstate.ts'
import { libraryEntries } from '../../../lib/flows/library.ts'
import { normaliseForm, normaliseStructure, oneLine, plainBreaks } from '../../../lib/flows/normalise.ts'
import { type Flow, fitsType } from '../../../lib/flows/structure.ts'
import { type Findings, validateFlow } from '../../../lib/flows/validate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import { type Tree, type TreeCreate, type TreeQuery, type TreeUpdate, wrongKind } from './schemas.ts'

type Caller = Pick<Writer, 'db' | 'caller'>

export async function list({ db }: Reader, query: TreeQuery & PageQuery) {
  return toPage(await queries.selectTrees(db, query), query.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<Tree> {
  return shown(await find(db, id))
}

/** Makes a flow of somebody's own, published when it may be and nothing else is asked. `origin` says where it was taken from. */
export async function create({ db }: Pick<Writer, 'db'>, given: TreeCreate, origin: queries.Origin = {}): Promise<Tree> {
  const content: queries.Content = {
    tree_type: given.tree_type,
    status: given.status ?? 'published',
    visibility: visibilityOf(given) ?? 'team',
    name: oneLine(given.name),
    description: plainBreaks(given.description ?? ''),
    tags: given.tags ?? [],
    category: categoryOf(given),
    tree_structure: given.tree_structure ? normaliseStructure(given.tree_structure) : null,
    intake_form: normaliseForm(given.intake_form ?? []),
    library: [],
  }
  return shown(await queries.insertTree(db, checked(content), origin).catch(noSuch('category_id', 'category', 'category')))
}

/** Changes what is given, as a new version. Whoever saved meanwhile is not overwritten but merged with, unless a version was expected. */
export async function update(ctx: Caller, id: string, change: TreeUpdate, restored_from?: number): Promise<Tree> {
  const { expected_version, ...given } = change
  for (let tries = 0; ; tries++) {
    const current = await findOwn(ctx.db, id)
    if (expected_version !== undefined && expected_version !== current.version) throw stale(current.version)
    if (Object.keys(given).length === 0) return shown(current)
    const content = checked({ ...merged(current, given, ctx.caller.userId), restored_from })
    const saved = await queries.updateTree(ctx.db, id, current.version, content).catch(noSuch('category_id', 'category', 'category'))
    if (saved) return shown(saved)
    if (tries === 5) throw stale((await findOwn(ctx.db, id)).version)
  }
}

export async function remove({ db }: Pick<Writer, 'db'>, id: string): Promise<void> {
  if (await queries.deleteTree(db, id)) return
  await findOwn(db, id)
}

export async function canPublish({ db }: Pick<Reader, 'db'>, id: string) {
  const { errors, warnings } = validateFlow(await find(db, id), 'published')
  return { can_publish: errors.length === 0, errors, warnings }
}

/** A flow the caller sees, or 404. */
export async function find(db: Reader['db'], id: string): Promise<queries.TreeRow> {
  return (await queries.selectTree(db, id)) ?? missing()
}

/** A flow the caller may change: 404 when it is not seen, 403 when it is seen and not theirs. */
export async function findOwn(db: Reader['db'], id: string): Promise<queries.TreeRow> {
  const tree = await find(db, id)
  if (!tree.may_change) throw new Problem('forbidden', 'Only its author, an admin of its team or an account admin may change this flow')
  return tree
}

function merged(current: queries.TreeRow, given: Omit<TreeUpdate, 'expected_version'>, userId: string): queries.Content {
  const { tree_type = current.tree_type, tree_structure, intake_form } = given
  const visibility = visibilityOf(given, current.visibility) ?? current.visibility
  if (visibility === 'private' && current.visibility !== 'private' && current.author_id !== userId)
    throw new Problem('forbidden', 'Only its author can make a flow private')
  return {
    tree_type,
    status: given.status ?? current.status,
    visibility,
    name: oneLine(given.name ?? current.name),
    description: plainBreaks(given.description ?? current.description),
    tags: given.tags ?? current.tags,
    category: categoryOf(given),
    tree_structure: tree_structure === undefined ? current.tree_structure : tree_structure && normaliseStructure(tree_structure),
    intake_form: intake_form ? normaliseForm(intake_form) : current.intake_form,
    library: [],
  }
}

type Shared = Pick<TreeUpdate, 'visibility' | 'is_public'>
function visibilityOf({ visibility, is_public }: Shared, current?: Tree['visibility']): Tree['visibility'] | undefined {
  if (visibility || is_public === undefined) return visibility
  if (is_public) return 'public'
  return current === 'public' ? 'team' : current
}

function categoryOf({ category, category_id }: Pick<TreeUpdate, 'category' | 'category_id'>): queries.Content['category'] {
  if (category !== undefined) return category === null ? { id: null } : { name: category }
  return category_id === undefined ? undefined : { id: category_id }
}

/** Throws what is wrong with a flow for the status it is to have; a published one brings its library entries. */
function checked(content: queries.Content): queries.Content {
  const { tree_type, tree_structure, status } = content
  if (tree_structure && !fitsType(tree_type, tree_structure))
    throw invalid([{ loc: ['body', 'tree_structure'], msg: wrongKind(tree_type), type: 'custom' }])
  requireFit(content, status)
  return { ...content, library: status === 'published' && tree_structure ? libraryEntries(tree_structure) : [] }
}

/** Throws 400 `flow_invalid` with all that keeps a flow in normal form from a status. */
export function requireFit(flow: Flow, status: Tree['status']): void {
  const findings = validateFlow(flow, status)
  if (findings.errors.length > 0) throw unfit(status, findings)
}

function unfit(status: string, { errors, warnings }: Findings): Problem {
  const problems = errors.length === 1 ? '1 problem' : `${errors.length} problems`
  const what = status === 'published' ? 'published' : 'saved'
  return new Problem('bad_request', `The flow cannot be ${what}: ${problems}`, { code: 'flow_invalid', facts: { errors, warnings } })
}

function stale(current_version: number): Problem {
  return new Problem('conflict', 'The flow was saved by somebody else meanwhile', { code: 'stale_version', facts: { current_version } })
}

function shown({ may_change: _, ...tree }: queries.TreeRow): Tree {
  return tree
}

function missing(): never {
  throw new Problem('not_found', 'Flow not found')
}
