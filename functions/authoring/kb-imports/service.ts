import { ask } from '../../../lib/ai/ask.ts'
import { articleNodes } from '../../../lib/ai/prompts/knowledge.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { inTransaction } from '../../../lib/db/scope.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import type { TreeStructure } from '../../../lib/flows/structure.ts'
import { validateFlow } from '../../../lib/flows/validate.ts'
import type { FormFile, Reader, Writer } from '../../../lib/http/operation.ts'
import { type Article, readFile, readGiven } from '../../../lib/knowledge/article.ts'
import { ArticleError } from '../../../lib/knowledge/blocks.ts'
import { flowOf } from '../../../lib/knowledge/flow.ts'
import { nodesOf } from '../../../lib/knowledge/nodes.ts'
import { isWithin } from '../../../lib/knowledge/order.ts'
import { type Piece, piecesOf } from '../../../lib/knowledge/pieces.ts'
import { changedMeanwhile, invalid, Problem } from '../../../lib/problem.ts'
import * as trees from '../../flows/trees/service.ts'
import * as queries from './queries.ts'
import type { KbImport, KbImportCommit, KbImportCreate, KbImportQuery, KbNode, KbNodeUpdate, KbQuota } from './schemas.ts'

const mostBytes = 5 * 1024 * 1024
// As much of a piece as tells what it is.
const shownCharacters = 300

export async function quota({ db }: Reader): Promise<KbQuota> {
  const { used, limit } = await queries.selectQuota(db)
  return { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) }
}

export async function create({ db }: Writer, given: FormFile | KbImportCreate): Promise<KbImport> {
  const article = await read(given).catch(refused('bytes' in given ? 'file' : 'content'))
  const made = await queries.insertImport(db, article)
  if (!made) throw new Problem('forbidden', 'Your plan allows no more knowledge imports', { code: 'kb_quota_exceeded' })
  return made
}

export async function list({ db }: Reader, { status, ...page }: KbImportQuery & PageQuery) {
  return toPage(await queries.selectImports(db, { ...(status ? { status } : {}), ...page }), page.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<KbImport> {
  return shown(await find(db, id))
}

/** Asks the model what the pieces are; what it says of them is a proposal, and the texts stay the article's. */
export async function convert(ctx: Writer, id: string): Promise<KbImport> {
  open(await findOwn(ctx.db, id))
  const pieces = piecesOf(await queries.selectBlocks(ctx.db, id))
  const { groups } = await ask(ctx, articleNodes, { facts: { pieces: pieces.map(numbered) } }).catch(async (error: unknown) => {
    await queries.markFailed(ctx.db, id)
    throw error
  })
  const nodes = nodesOf(pieces, groups, uuidv7)
  const kept = await inTransaction(ctx.db, async (db) => {
    const held = await queries.holdImport(db, id, ['uploaded', 'converted', 'failed'])
    if (held) await queries.replaceNodes(db, id, nodes)
    return held
  })
  const now = await findOwn(ctx.db, id)
  return shown(kept ? now : open(now))
}

export async function updateNode({ db }: Writer, id: string, nodeId: string, change: KbNodeUpdate): Promise<KbNode> {
  const node = changeable(open(await findOwn(db, id)), nodeId, change)
  if (Object.keys(change).length === 0) return node
  const changed = await queries.updateNode(db, id, nodeId, change)
  if (changed) return changed
  // Somebody else changed it meanwhile: what stands now says why.
  changeable(open(await findOwn(db, id)), nodeId, change)
  throw changedMeanwhile('import')
}

/** The flow and the mark that it was made are one transaction: of those who commit at once one makes it. */
export async function commit(ctx: Writer, id: string, given: KbImportCommit) {
  flowIn(converted(await findOwn(ctx.db, id)), given)
  return inTransaction(ctx.db, async (db) => {
    const held = await queries.holdImport(db, id, ['converted'])
    const current = await findOwn(db, id)
    if (!held) converted(current)
    const { title, format } = current
    const import_metadata = { source: 'kb_import', import_id: id, title, format, imported_at: new Date().toISOString() }
    const tree = await trees.create({ db }, { ...given, tree_structure: flowIn(current, given) }, { import_metadata })
    await queries.markCommitted(db, id, tree.id)
    return tree
  })
}

export async function remove({ db }: Writer, id: string): Promise<void> {
  if (!(await queries.deleteImport(db, id))) await findOwn(db, id)
}

async function read(given: FormFile | KbImportCreate): Promise<Article> {
  if ('bytes' in given) return readFile(within(given))
  const { title, content, format } = given
  if (format !== 'docx') {
    within({ bytes: new TextEncoder().encode(content) })
    return readGiven(format, title, content)
  }
  const file = within({ bytes: decoded(content), name: `${title}.docx`, type: '' })
  return { ...(await readFile(file)), title }
}

function within<T extends { bytes: Uint8Array }>(file: T): T {
  if (file.bytes.byteLength > mostBytes) throw new Problem('too_large', 'The article is over 5 MB')
  return file
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    throw invalid([{ loc: ['body', 'content'], msg: 'Not base64', type: 'invalid_base64' }])
  }
}

function refused(field: 'file' | 'content') {
  return (error: unknown): never => {
    if (!(error instanceof ArticleError)) throw error
    if (error.kind === 'type') throw new Problem('unsupported_media', error.message)
    throw invalid([{ loc: ['body', field], msg: error.message, type: 'unreadable_article' }])
  }
}

function numbered({ kind, text }: Piece, index: number) {
  const beginning = text.length > shownCharacters ? `${text.slice(0, shownCharacters).toWellFormed()}…` : text
  return { number: index + 1, kind, text: beginning }
}

/** The node, if it may stand below the parent that it shall have. */
function changeable({ nodes }: KbImport, nodeId: string, { parent_id }: KbNodeUpdate): KbNode {
  const node = nodes.find(({ id }) => id === nodeId)
  if (!node) throw new Problem('not_found', 'Node not found')
  if (parent_id && !nodes.some(({ id }) => id === parent_id)) throw wrongParent('No such node in this import')
  if (parent_id && isWithin(nodes, parent_id, nodeId)) throw wrongParent('A node cannot stand below itself')
  return node
}

function wrongParent(msg: string): Problem {
  return invalid([{ loc: ['body', 'parent_id'], msg, type: 'unknown' }])
}

/** The flow that the nodes make up, or 422 with everything that would stop it from being published. */
function flowIn({ nodes }: KbImport, { tree_type }: KbImportCommit): TreeStructure | null {
  const tree_structure = flowOf(nodes, tree_type)
  const { errors } = validateFlow({ tree_type, tree_structure, intake_form: [] }, 'published')
  if (errors.length === 0) return tree_structure
  throw invalid(
    errors.map(({ node_id, path, message }) => ({
      loc: ['body', ...(node_id ? ['nodes', node_id] : []), path],
      msg: message,
      type: 'flow_invalid',
    })),
  )
}

/** Throws of an import that became a flow: it changes no more. */
function open(found: queries.KbImportRow): queries.KbImportRow {
  if (found.status !== 'committed') return found
  const facts = { tree_id: found.tree_id }
  throw new Problem('conflict', 'This import has become a flow', { code: 'already_committed', facts })
}

function converted(found: queries.KbImportRow): queries.KbImportRow {
  if (open(found).status === 'converted') return found
  throw new Problem('conflict', 'Convert the import first', { code: 'not_converted' })
}

async function find(db: Reader['db'], id: string): Promise<queries.KbImportRow> {
  const found = await queries.selectImport(db, id)
  if (!found) throw new Problem('not_found', 'Knowledge import not found')
  return found
}

async function findOwn(db: Reader['db'], id: string): Promise<queries.KbImportRow> {
  const found = await find(db, id)
  if (!found.may_change) throw new Problem('forbidden', 'Only who sent it, an admin of its team or an account admin may change this import')
  return found
}

function shown({ may_change: _, ...found }: queries.KbImportRow): KbImport {
  return found
}
