import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { DrawioError, readDrawio } from '../../../lib/diagrams/drawio.ts'
import { faultsOf } from '../../../lib/diagrams/shapes.ts'
import { svgOf } from '../../../lib/diagrams/svg.ts'
import { Content, type Reader, type Writer } from '../../../lib/http/operation.ts'
import { changedMeanwhile, invalid, Problem } from '../../../lib/problem.ts'
import { slugOf } from '../../../lib/text/slug.ts'
import * as queries from './queries.ts'
import {
  type Diagram,
  type DiagramCreate,
  type DiagramFile,
  type DiagramImport,
  type DiagramQuery,
  type DiagramUpdate,
  exportFormat,
} from './schemas.ts'

export async function list({ db }: Reader, query: DiagramQuery & PageQuery) {
  return toPage(await queries.selectDiagrams(db, query), query.limit)
}

export async function listClients({ db }: Reader, page: PageQuery) {
  return toPage(await queries.selectClients(db, page), page.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<Diagram> {
  return shown(await find(db, id))
}

export async function create({ db }: Pick<Writer, 'db'>, diagram: DiagramCreate): Promise<Diagram> {
  const made = await queries.insertDiagram(db, diagram)
  if (!made) throw invalid([{ loc: ['body'], msg: 'A diagram belongs to a team, and you are in none', type: 'no_team' }])
  return shown(made)
}

/** Nodes and edges are looked at together, whichever is given. */
export async function update({ db }: Writer, id: string, change: DiagramUpdate): Promise<Diagram> {
  for (let tries = 0; tries < 5; tries++) {
    const current = await findOwn(db, id)
    if (Object.keys(change).length === 0) return shown(current)
    const faults = faultsOf({ nodes: change.nodes ?? current.nodes, edges: change.edges ?? current.edges })
    if (faults.length > 0) throw invalid(faults.map(({ path, message }) => ({ loc: ['body', ...path], msg: message, type: 'custom' })))
    const saved = await queries.updateDiagram(db, id, current.updated_at, change)
    if (saved) return shown(saved)
  }
  throw changedMeanwhile('diagram')
}

export async function archive({ db }: Writer, id: string, archived: boolean): Promise<Diagram> {
  return shown((await queries.archiveDiagram(db, id, archived)) ?? (await findOwn(db, id)))
}

export async function duplicate(ctx: Writer, id: string): Promise<Diagram> {
  const { name, description, client_name, asset_name, nodes, edges } = await find(ctx.db, id)
  const copy = `${Array.from(name).slice(0, 190).join('')} (copy)`
  return create(ctx, { name: copy, description, client_name, asset_name, nodes, edges })
}

export async function importFile(ctx: Writer, file: DiagramImport) {
  if (file.format === exportFormat) {
    const { format: _, version: __, ...diagram } = file
    return { diagram: await create(ctx, diagram), skipped: [] }
  }
  const { name, nodes, edges, skipped } = await readDrawio(file.content).catch(unreadable)
  const given = { name: file.name ?? (name?.slice(0, 200) || 'Imported diagram'), client_name: file.client_name, nodes, edges }
  return { diagram: await create(ctx, given), skipped }
}

export async function exportFile({ db }: Reader, id: string, format: 'json' | 'svg') {
  const { name, description, client_name, asset_name, nodes, edges } = await find(db, id)
  if (format === 'svg') return new Content(svgOf(name, { nodes, edges }), 'image/svg+xml', `${slugOf(name)}.svg`)
  const file: DiagramFile = { format: exportFormat, version: '1.0', name, description, client_name, asset_name, nodes, edges }
  return new Content(`${JSON.stringify(file, null, 2)}\n`, 'application/json', `${slugOf(name)}.diagram.json`)
}

async function find(db: Reader['db'], id: string) {
  const diagram = await queries.selectDiagram(db, id)
  if (!diagram) throw new Problem('not_found', 'Diagram not found')
  return diagram
}

async function findOwn(db: Reader['db'], id: string) {
  const diagram = await find(db, id)
  if (!diagram.may_change)
    throw new Problem('forbidden', 'Only who made it, an admin of its team or an account admin may change this diagram')
  return diagram
}

function shown({ may_change: _, ...diagram }: queries.DiagramRow): Diagram {
  return diagram
}

function unreadable(error: unknown): never {
  throw error instanceof DrawioError ? invalid([{ loc: ['body', 'content'], msg: error.message, type: 'unreadable' }]) : error
}
