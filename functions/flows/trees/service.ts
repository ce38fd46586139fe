import { type PageQuery, toPage } from '#db/page.ts'
import { retryOnConflict } from '#db/retry.ts'
import { readReplayBase } from '#db/rows/replay-runs.ts'
import { SubflowProblems, selectSubflowProblems, selectVisibleFlows } from '#db/rows/subflows.ts'
import { findDetail, getSqlState, throwUnknownId } from '#db/sqlstate.ts'
import { requireGranted, requirePerson } from '#http/granted-scopes.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import {
  type FieldError,
  invalidField,
  maxListedErrors,
  Problem,
  requireVersion,
  staleVersion,
  throwNotFound,
} from '#problem.ts'
import { getStepsLeft, runWithinPart } from '#rules/budget.ts'
import { identifyFindings, splitDismissed } from '#rules/flows/health/finding-ids.ts'
import { findFlaws } from '#rules/flows/health/flaws.ts'
import { normaliseForm, normaliseStructure, toSingleLine } from '#rules/flows/normalise.ts'
import type { FlowProblem } from '#rules/flows/problems.ts'
import { replayRuns, type StoredReplay } from '#rules/flows/replay.ts'
import { copyColumns, mergeColumns } from '#rules/flows/rfflow.ts'
import { extractLibraryEntries } from '#rules/flows/step-library.ts'
import { type Flow, matchesTreeType } from '#rules/flows/structure.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { validateSubflowState } from '#rules/flows/subflow-rules.ts'
import { type ValidationResult, validateFlow } from '#rules/flows/validate.ts'
import { parseJson } from '#rules/text/json.ts'
import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'
import * as queries from './queries.ts'
import {
  type Tree,
  type TreeCreate,
  type TreeQuery,
  type TreeUpdate,
  wrongStructureMessage,
} from './schemas.ts'

type TreeContext = Pick<WriteContext, 'db' | 'caller'>

export async function list({ db }: ReadContext, query: TreeQuery & PageQuery) {
  return toPage(await queries.selectTrees(db, query), query, queries.treeOrders[query.sort_by])
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<Tree> {
  return toTree(await find(db, id))
}

/**
 * Create a flow, published unless the input's status is `draft`. `origin` has the parent of a fork, another
 * owner or import metadata.
 */
export async function create(
  ctx: TreeContext,
  input: TreeCreate,
  origin: queries.Origin = {},
): Promise<Tree> {
  const { db } = ctx
  const { tree_structure, intake_form } = input
  const content: queries.TreeContent = {
    ...copyColumns(input),
    status: input.status ?? 'published',
    visibility: resolveVisibility(input) ?? 'team',
    name: toSingleLine(input.name),
    description: normaliseLineBreaks(input.description ?? ''),
    category: resolveCategory(input),
    tree_structure: tree_structure ? normaliseStructure(tree_structure) : null,
    intake_form: normaliseForm(intake_form ?? []),
    library: [],
  }
  if (content.visibility === 'public') requirePerson(ctx)
  await requireSubflows(db, null, content)
  const write = queries.insertTree(db, prepareContent(content), origin)
  return toTree(
    await write
      .catch(throwImpossibleSubflows(content))
      .catch(throwUnknownId('category_id', 'category', 'category')),
  )
}

/**
 * Save the changed fields as a new version. Retry on concurrent changes; throw 409 if `expected_version` is
 * outdated or every retry fails.
 */
export async function update(
  ctx: TreeContext,
  id: string,
  input: TreeUpdate,
  restored_from?: number,
): Promise<Tree> {
  const { expected_version, replay: isReplayed, ...changes } = input
  if (isReplayed) await requireGranted(ctx, ['sessions:read'])
  const trySave = async () => {
    const current = await requireEditable(ctx.db, id)
    requireVersion('flow', current, expected_version)
    const isChanged = Object.keys(changes).length > 0
    if (isReplayed) requirePublishing(isChanged ? (changes.status ?? current.status) : null)
    if (!isChanged) return toTree(current)
    const content = prepareContent({ ...mergeChanges(current, changes, ctx.caller.userId), restored_from })
    if (content.visibility === 'public' && current.visibility !== 'public') requirePerson(ctx)
    await requireSubflows(ctx.db, id, content)
    const replay = isReplayed ? await tryReplay(ctx.db, current, content) : null
    const updatedTree = await queries
      .updateTree(ctx.db, id, current.version, { ...content, replay })
      .catch(throwImpossibleSubflows(content))
      .catch(throwUnknownId('category_id', 'category', 'category'))
    return toTree(updatedTree)
  }
  return retryOnConflict('flow', trySave, async () => staleFlow((await requireEditable(ctx.db, id)).version))
}

/** Throw 422 for a replay of what is no published version. `status` is null if nothing is saved. */
function requirePublishing(status: Tree['status'] | null): void {
  if (status !== 'published')
    throw invalidField(
      ['body', 'replay'],
      'must be false unless a change of a published flow is saved: see POST /trees/{tree_id}/replay',
      'custom',
    )
}

/**
 * Play the newest completed runs of the published version through the next one, and count what became of them.
 * Return null if none was published before, and if it fails or takes too much work: it never prevents
 * publishing.
 */
async function tryReplay(
  db: ReadContext['db'],
  { id, version }: queries.TreeRow,
  { tree_structure }: queries.TreeContent,
): Promise<StoredReplay | null> {
  try {
    const { base, runs } = await readReplayBase(db, id, version + 1)
    if (!base || !tree_structure) return null
    const play = () => replayRuns(base.tree_structure, tree_structure, runs)
    const { counts } = runWithinPart(getStepsLeft() / 2, play).result
    return { base_version: base.version, runs: runs.length, ...counts }
  } catch {
    return null
  }
}

export async function remove({ db }: Pick<WriteContext, 'db'>, id: string): Promise<void> {
  if (await queries.deleteTree(db, id)) return
  await requireEditable(db, id)
}

export async function validatePublish({ db }: Pick<ReadContext, 'db'>, id: string) {
  const flow = await find(db, id)
  const { errors, warnings } = await validateForPublishing(db, id, flow, flow.dismissed_findings)
  return { can_publish: errors.length === 0, errors, warnings }
}

type PublishedContent = Flow & Pick<Tree, 'visibility'>

/** Return all problems of a flow, including those of its sub-flows. `id` is null for a new flow. */
export async function validateForPublishing(
  db: ReadContext['db'],
  id: string | null,
  content: PublishedContent,
  dismissedFindings: readonly string[] = [],
): Promise<ValidationResult> {
  const [flow, subflows] = [validateFlow(content, 'published'), await validateSubflowsOf(db, id, content)]
  return {
    errors: [...flow.errors, ...subflows.errors],
    warnings: [...flow.warnings, ...subflows.warnings, ...(await warnOfFlaws(content, dismissedFindings))],
  }
}

/**
 * Return what the flow proves about itself, as warnings. A step that cannot be reached is an error of the
 * validation already.
 */
async function warnOfFlaws(
  content: PublishedContent,
  dismissedIds: readonly string[],
): Promise<FlowProblem[]> {
  const { open } = splitDismissed(
    await identifyFindings(findFlaws(content).filter(({ reason }) => reason !== 'unreachable_step')),
    dismissedIds,
  )
  return open.map(({ step_id: node_id, path, message }) => ({ node_id, path, message }))
}

async function validateSubflowsOf(
  db: ReadContext['db'],
  id: string | null,
  content: PublishedContent,
): Promise<ValidationResult> {
  const references = listSubflows(content.tree_structure)
  if (references.length === 0) return { errors: [], warnings: [] }
  const ids = [...new Set(references.map(({ subflow }) => subflow.tree_id))]
  const [flows, problems] = await db.batch([
    selectVisibleFlows.query(ids),
    selectSubflowProblems.query(id, ids),
  ])
  return validateSubflowState(references, { flows, problems }, content.visibility)
}

/** Throw 400 `flow_invalid` if a published flow has sub-flows that cannot be run. */
async function requireSubflows(
  db: ReadContext['db'],
  id: string | null,
  content: queries.TreeContent,
): Promise<void> {
  if (content.status !== 'published') return
  const result = await validateSubflowsOf(db, id, content)
  if (result.errors.length > 0) throw flowInvalid('published', result)
}

/**
 * Create a `catch` handler that turns SF4SF into 400 `flow_invalid`: another flow was saved meanwhile and
 * makes the sub-flows impossible.
 */
function throwImpossibleSubflows({ tree_structure, visibility }: queries.TreeContent) {
  return (error: unknown): never => {
    const { data: problems } = SubflowProblems.safeParse(
      getSqlState(error) === 'SF4SF' && parseJson(findDetail(error) ?? ''),
    )
    if (!problems) throw error
    const references = listSubflows(tree_structure)
    const flows = references.map(({ subflow: { tree_id: id } }) => ({
      id,
      name: id,
      status: 'published',
      visibility,
    }))
    throw flowInvalid('published', validateSubflowState(references, { flows, problems }, visibility))
  }
}

/** Return a flow that the caller can see; throw 404 otherwise. */
export async function find(db: ReadContext['db'], id: string): Promise<queries.TreeRow> {
  return (await queries.selectTree(db, id)) ?? throwNotFound('Flow')
}

/**
 * Return a flow that the caller may change. Throw 404 when they cannot see it, and 403 when they may not
 * change it.
 */
export async function requireEditable(db: ReadContext['db'], id: string): Promise<queries.TreeRow> {
  const tree = await find(db, id)
  if (!tree.may_change)
    throw new Problem(
      'forbidden',
      'Only its author, an admin of its team or an account admin may change this flow',
    )
  return tree
}

function mergeChanges(
  current: queries.TreeRow,
  changes: Omit<TreeUpdate, 'expected_version' | 'replay'>,
  userId: string,
): queries.TreeContent {
  const { tree_structure, intake_form } = changes
  const visibility = resolveVisibility(changes, current.visibility) ?? current.visibility
  if (visibility === 'private' && current.visibility !== 'private' && current.author_id !== userId)
    throw new Problem('forbidden', 'Only its author can make a flow private')
  return {
    ...mergeColumns(current, changes),
    status: changes.status ?? current.status,
    visibility,
    name: toSingleLine(changes.name ?? current.name),
    description: normaliseLineBreaks(changes.description ?? current.description),
    category: resolveCategory(changes),
    tree_structure:
      tree_structure === undefined
        ? current.tree_structure
        : tree_structure && normaliseStructure(tree_structure),
    intake_form: intake_form ? normaliseForm(intake_form) : current.intake_form,
    library: [],
  }
}

type Sharing = Pick<TreeUpdate, 'visibility' | 'is_public'>
function resolveVisibility(
  { visibility, is_public }: Sharing,
  current?: Tree['visibility'],
): Tree['visibility'] | undefined {
  if (visibility || is_public === undefined) return visibility
  if (is_public) return 'public'
  return current === 'public' ? 'team' : current
}

function resolveCategory({
  category,
  category_id,
}: Pick<TreeUpdate, 'category' | 'category_id'>): queries.TreeContent['category'] {
  if (category !== undefined) return category === null ? { id: null } : { name: category }
  return category_id === undefined ? undefined : { id: category_id }
}

/**
 * Add the library entries of a published flow. Throw 422 for a structure of another flow type, and 400 for
 * other invalid content.
 */
function prepareContent(content: queries.TreeContent): queries.TreeContent {
  const { tree_type, tree_structure, status } = content
  if (tree_structure && !matchesTreeType(tree_type, tree_structure))
    throw invalidField(['body', 'tree_structure'], wrongStructureMessage(tree_type), 'custom')
  requireValid(content, status)
  return {
    ...content,
    library: status === 'published' && tree_structure ? extractLibraryEntries(tree_structure) : [],
  }
}

/** Throw 400 `flow_invalid` with the first 50 errors if a normalised flow is not valid for `status`. */
export function requireValid(flow: Flow, status: Tree['status']): void {
  const result = validateFlow(flow, status)
  if (result.errors.length > 0) throw flowInvalid(status, result)
}

function flowInvalid(status: string, { errors, warnings }: ValidationResult): Problem {
  const problems = errors.length === 1 ? '1 problem' : `${errors.length} problems`
  const action = status === 'published' ? 'published' : 'saved'
  return new Problem('flow_invalid', `The flow cannot be ${action}: ${problems}`, {
    facts: {
      errors: errors.slice(0, maxListedErrors).map(toFieldError),
      warnings: warnings.slice(0, maxListedErrors),
    },
  })
}

/** Give a problem the fields of every other error too, so that callers read one shape. */
function toFieldError(problem: FlowProblem): FlowProblem & FieldError {
  const keys = problem.path.split(/[.[\]]+/).filter(Boolean)
  const loc = ['body', ...keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key))]
  return { loc, msg: problem.message, type: 'flow_problem', ...problem }
}

function staleFlow(current_version: number): Problem {
  return staleVersion('flow', { current_version })
}

function toTree({ may_change: _, dismissed_findings: __, ...tree }: queries.TreeRow): Tree {
  return tree
}
