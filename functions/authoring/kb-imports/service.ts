import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'
import * as trees from '#functions/flows/trees/service.ts'
import type { FormFile, ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, invalidRequest, notFound, Problem, staleVersion, throwNotFound } from '#problem.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { type Article, ArticleError } from '#rules/knowledge/blocks.ts'
import { buildFlow, describeJumps } from '#rules/knowledge/flow.ts'
import { isBinary } from '#rules/knowledge/formats.ts'
import { isMergeWarning } from '#rules/knowledge/merge-segments.ts'
import { isSameOrDescendant } from '#rules/knowledge/node-tree.ts'
import { buildNodes } from '#rules/knowledge/nodes.ts'
import type { Segment } from '#rules/knowledge/segment.ts'
import { splitIntoSegments } from '#rules/knowledge/segments.ts'
import { decodeBase64 } from '#rules/text/bytes.ts'
import { ask } from '#vendors/ai/ask.ts'
import { articleNodes } from '#vendors/ai/prompts/knowledge.ts'
import * as queries from './queries.ts'
import type {
  KbImport,
  KbImportCommit,
  KbImportCreate,
  KbImportQuery,
  KbNode,
  KbNodeUpdate,
  KbQuota,
} from './schemas.ts'

export const maxBytes = 5 * 1024 * 1024
// The first characters of a piece are enough for the model to classify it.
const maxPromptCharacters = 300

export async function getQuota({ db }: ReadContext): Promise<KbQuota> {
  const { used, limit } = (await queries.selectQuota.first(db)) ?? { used: 0, limit: 0 }
  return { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) }
}

export async function create(ctx: WriteContext, input: FormFile | KbImportCreate): Promise<KbImport> {
  const article = await readArticle(ctx, input).catch(
    throwArticleProblem('bytes' in input ? 'file' : 'content'),
  )
  const inserted = await queries.insertImport.first(ctx.db, article)
  if (!inserted) throw new Problem('kb_quota_exceeded')
  return inserted
}

/**
 * Store an article that a job has read. Return the id of its import, or null when the plan allows no more.
 */
export async function store(db: WriteDb, article: Article): Promise<string | null> {
  return (await queries.insertImport.first(db, article))?.id ?? null
}

export async function list({ db }: ReadContext, { status, ...page }: KbImportQuery & PageQuery) {
  return toPage(await queries.selectImports(db, { status, ...page }), page, newestFirst)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<KbImport> {
  return toImport(await find(db, id))
}

/**
 * Ask the model to group the pieces of the article, and store the groups as nodes. The nodes contain the
 * article's text unchanged.
 */
export async function convert(ctx: WriteContext, id: string): Promise<KbImport> {
  requireUncommitted(await findOwn(ctx.db, id))
  const article = await queries.selectArticle(ctx.db, id)
  const { segments: pieces, warnings } = splitIntoSegments(article.blocks)
  // An earlier conversion has added its own to those of the article.
  const readWarnings = article.warnings.filter((warning) => !isMergeWarning(warning))
  const { groups } = await ask(ctx, articleNodes, { facts: { pieces: pieces.map(toPromptPiece) } }).catch(
    async (error: unknown) => {
      if (!(error instanceof Problem && error.kind === 'ai_budget_exhausted'))
        await queries.markFailed(ctx.db, id)
      throw error
    },
  )
  const nodes = buildNodes(pieces, groups, uuidv7)
  const isReplaced = await inTransaction(ctx.db, async (db) => {
    const isLocked = await queries.lockImport(db, id, ['uploaded', 'converted', 'failed'])
    if (isLocked) await queries.replaceNodes(db, id, nodes, [...readWarnings, ...warnings])
    return isLocked
  })
  const current = await findOwn(ctx.db, id)
  return toImport(isReplaced ? current : requireUncommitted(current))
}

export async function updateNode(
  { db }: WriteContext,
  id: string,
  nodeId: string,
  change: KbNodeUpdate,
): Promise<KbNode> {
  const node = requireMovable(requireUncommitted(await findOwn(db, id)), nodeId, change)
  if (Object.keys(change).length === 0) return node
  const updated = await queries.updateNode(db, id, nodeId, change)
  if (updated) return updated
  // Another request changed the import in between: the current rows show why the change is refused.
  requireMovable(requireUncommitted(await findOwn(db, id)), nodeId, change)
  throw staleVersion('import')
}

/**
 * Create the flow and mark the import as committed, in one transaction. Of several concurrent commits only
 * one creates the flow.
 */
export async function commit(ctx: WriteContext, id: string, input: KbImportCommit) {
  buildValidFlow(requireConverted(await findOwn(ctx.db, id)), input)
  return inTransaction(ctx.db, async (db) => {
    const isLocked = await queries.lockImport(db, id, ['converted'])
    const current = await findOwn(db, id)
    if (!isLocked) requireConverted(current)
    const { title, format } = current
    const import_metadata = { source: 'kb_import', import_id: id, title, format }
    const tree = await trees.create(
      { ...ctx, db },
      { ...input, tree_structure: buildValidFlow(current, input) },
      { import_metadata },
    )
    await queries.markCommitted(db, id, tree.id)
    return tree
  })
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteImport(db, id))) await findOwn(db, id)
}

async function readArticle(
  { files, caller: { accountId }, signal }: WriteContext,
  input: FormFile | KbImportCreate,
): Promise<Article> {
  if ('bytes' in input) return files.read('article_file', requireMaxSize(input), accountId, signal)
  const { title, content, format } = input
  if (!isBinary(format)) {
    requireMaxSize({ bytes: new TextEncoder().encode(content) })
    return files.read('article_text', { format, title, content }, accountId, signal)
  }
  const file = requireMaxSize({ bytes: readBase64(content), name: `${title}.${format}`, type: '' })
  return { ...(await files.read('article_file', file, accountId, signal)), title }
}

function requireMaxSize<T extends { bytes: Uint8Array }>(file: T): T {
  if (file.bytes.byteLength > maxBytes) throw new Problem('too_large', 'The article is larger than 5 MB')
  return file
}

function readBase64(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64(base64)
  } catch {
    throw invalidField(['body', 'content'], 'must be base64', 'invalid_base64')
  }
}

/** Create a `catch` handler that converts an ArticleError to a 415 or 422. */
function throwArticleProblem(field: 'file' | 'content') {
  return (error: unknown): never => {
    if (!(error instanceof ArticleError)) throw error
    if (error.kind === 'unsupported_format') throw new Problem('unsupported_media', error.message)
    throw invalidField(['body', field], error.message, 'unreadable_article')
  }
}

function toPromptPiece({ kind, text }: Segment, index: number) {
  const excerpt =
    text.length > maxPromptCharacters ? `${text.slice(0, maxPromptCharacters).toWellFormed()}…` : text
  return { number: index + 1, kind, text: excerpt }
}

/** Return the node. Throw 404 for an unknown node, 422 for a parent that it cannot have. */
function requireMovable({ nodes }: KbImport, nodeId: string, { parent_id }: KbNodeUpdate): KbNode {
  const node = nodes.find(({ id }) => id === nodeId)
  if (!node) throw notFound('Node')
  if (parent_id && !nodes.some(({ id }) => id === parent_id))
    throw invalidParent('must be the id of a node of this import')
  if (parent_id && isSameOrDescendant(nodes, parent_id, nodeId))
    throw invalidParent('must not be the node itself or one of its descendants')
  return node
}

function invalidParent(msg: string): Problem {
  return invalidField(['body', 'parent_id'], msg, 'unknown')
}

/** Build the flow from the nodes. Throw 422 with everything that prevents publishing it. */
function buildValidFlow({ nodes }: KbImport, { tree_type }: KbImportCommit): TreeStructure | null {
  const tree_structure = buildFlow(nodes, tree_type)
  const { errors } = validateFlow({ tree_type, tree_structure, intake_form: [] }, 'published')
  if (errors.length === 0) return tree_structure
  throw invalidRequest(
    errors.map(({ node_id, path, message }) => ({
      loc: ['body', ...(node_id ? ['nodes', node_id] : []), path],
      msg: message,
      type: 'flow_invalid',
    })),
  )
}

/** Return the import, or throw 409 if a flow was already created from it. */
function requireUncommitted(row: queries.KbImportRow): queries.KbImportRow {
  if (row.status !== 'committed') return row
  throw new Problem('already_committed', 'This import has already become a flow', {
    facts: { tree_id: row.tree_id },
  })
}

function requireConverted(row: queries.KbImportRow): queries.KbImportRow {
  if (requireUncommitted(row).status === 'converted') return row
  throw new Problem('not_converted', 'Convert the import first')
}

async function find(db: ReadContext['db'], id: string): Promise<queries.KbImportRow> {
  return (await queries.selectImport(db, id)) ?? throwNotFound('Knowledge import')
}

async function findOwn(db: ReadContext['db'], id: string): Promise<queries.KbImportRow> {
  const row = await find(db, id)
  if (!row.may_change)
    throw new Problem(
      'forbidden',
      'Only its author, an admin of its team or an account admin may change this import',
    )
  return row
}

function toImport({ may_change: _, warnings, ...columns }: queries.KbImportRow): KbImport {
  return { ...columns, warnings: [...warnings, ...describeJumps(columns.nodes)] }
}
