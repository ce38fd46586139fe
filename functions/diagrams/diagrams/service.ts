import { type PageQuery, toPage } from '#db/page.ts'
import { retryOnConflict } from '#db/retry.ts'
import { Content, type ReadContext, type WriteContext } from '#http/operation.ts'
import { invalidField, invalidRequest, Problem, requireVersion, throwNotFound } from '#problem.ts'
import { writeDrawio } from '#rules/diagrams/drawio-write.ts'
import { DiagramFileError } from '#rules/diagrams/file-error.ts'
import { writeMermaid } from '#rules/diagrams/mermaid-write.ts'
import { findNeighbours as findNodes } from '#rules/diagrams/neighbours.ts'
import { validateDiagram } from '#rules/diagrams/schema.ts'
import { renderSvg } from '#rules/diagrams/svg.ts'
import { cut } from '#rules/text/clip.ts'
import { writeIndentedJson } from '#rules/text/json.ts'
import { createSlug } from '#rules/text/words.ts'
import { maxWrittenBytes } from '#rules/text/written-bytes.ts'
import * as queries from './queries.ts'
import {
  type Diagram,
  type DiagramCreate,
  type DiagramExport,
  type DiagramFile,
  type DiagramImport,
  type DiagramQuery,
  type DiagramUpdate,
  type DrawioFile,
  exportFormat,
  type MermaidFile,
} from './schemas.ts'

export async function list({ db }: ReadContext, query: DiagramQuery & PageQuery) {
  return toPage(await queries.selectDiagrams(db, query), query, queries.diagramOrder)
}

export async function listClients({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectClients.all(db, page), page, queries.clientOrder)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<Diagram> {
  return toDiagram(await find(db, id))
}

// Each diagram can have 2 MB.
const maxSearchedDiagrams = 5

/**
 * Return the diagrams of a client that have a node with a name, with what is beside it. The newest diagrams
 * are searched.
 */
export async function findNeighbours({ db }: Pick<ReadContext, 'db'>, client: string, name: string) {
  const diagrams = await queries.selectContentOfClient(db, client, maxSearchedDiagrams)
  return diagrams.flatMap((diagram) => {
    const found = findNodes(diagram, name)
    return found.length > 0 ? [{ diagram: diagram.name, found }] : []
  })
}

export async function create({ db }: Pick<WriteContext, 'db'>, diagram: DiagramCreate): Promise<Diagram> {
  const inserted = await queries.insertDiagram(db, diagram)
  if (!inserted) throw invalidField(['body'], 'cannot be stored because you are not in a team', 'no_team')
  return toDiagram(inserted)
}

/**
 * Update the changed fields. Validate nodes and edges together, even if only one of them changes.
 * `restoredFrom` is the version they come from.
 */
export async function update(
  { db }: WriteContext,
  id: string,
  { expected_version, ...changes }: DiagramUpdate,
  restoredFrom: number | null = null,
): Promise<Diagram> {
  return retryOnConflict('diagram', async () => {
    const currentDiagram = await requireEditable(db, id)
    requireVersion('diagram', currentDiagram, expected_version)
    if (Object.keys(changes).length === 0) return toDiagram(currentDiagram)
    const problems = validateDiagram({
      nodes: changes.nodes ?? currentDiagram.nodes,
      edges: changes.edges ?? currentDiagram.edges,
    })
    if (problems.length > 0)
      throw invalidRequest(
        problems.map(({ path, message }) => ({ loc: ['body', ...path], msg: message, type: 'custom' })),
      )
    const updatedDiagram = await queries.updateDiagram(db, id, currentDiagram.version, {
      ...changes,
      restored_from: restoredFrom,
    })
    return updatedDiagram && toDiagram(updatedDiagram)
  })
}

export async function archive({ db }: WriteContext, id: string, archived: boolean): Promise<Diagram> {
  return toDiagram((await queries.archiveDiagram(db, id, archived)) ?? (await requireEditable(db, id)))
}

export async function duplicate(ctx: WriteContext, id: string): Promise<Diagram> {
  const { name, description, client_name, asset_name, nodes, edges } = await find(ctx.db, id)
  const copyName = `${Array.from(name).slice(0, 190).join('')} (copy)`
  return create(ctx, { name: copyName, description, client_name, asset_name, nodes, edges })
}

export async function importDiagram(ctx: WriteContext, file: DiagramImport) {
  if (file.format === exportFormat) {
    const { format: _, version: __, ...diagram } = file
    return { diagram: await create(ctx, diagram), skipped: [] }
  }
  const { name, nodes, edges, skipped } = await parseFile(ctx, file).catch(throwUnreadableFile)
  const input = {
    name: file.name ?? (cut(name ?? '', 200) || 'Imported diagram'),
    client_name: file.client_name,
    nodes,
    edges,
  }
  return { diagram: await create(ctx, input), skipped }
}

function parseFile({ files, caller: { accountId }, signal }: WriteContext, file: DrawioFile | MermaidFile) {
  const { content } = file
  return file.format === 'drawio'
    ? files.read('drawio', { content, page: file.page }, accountId, signal)
    : files.read('mermaid', content, accountId, signal)
}

export async function exportDiagram(
  { db, assets }: ReadContext,
  id: string,
  format: DiagramExport['format'],
) {
  const { name, description, client_name, asset_name, nodes, edges } = await find(db, id)
  const slug = createSlug(name, 'diagram')
  switch (format) {
    case 'svg':
      return new Content(renderSvg(name, { nodes, edges }), 'image/svg+xml', `${slug}.svg`)
    case 'png': {
      const { renderPng } = await import('#rules/diagrams/png.ts')
      return new Content(await renderPng(name, { nodes, edges }, assets), 'image/png', `${slug}.png`)
    }
    case 'drawio':
      return new Content(
        writeDrawio(name, { nodes, edges }),
        'application/vnd.jgraph.mxfile',
        `${slug}.drawio`,
      )
    case 'mermaid':
      // https://mermaid.js.org/ecosystem/integrations-create.html
      return new Content(
        writeMermaid(name, { nodes, edges }),
        'text/vnd.mermaid; charset=utf-8',
        `${slug}.mmd`,
      )
    case 'json': {
      const file: DiagramFile = {
        format: exportFormat,
        version: '1.0',
        name,
        description,
        client_name,
        asset_name,
        nodes,
        edges,
      }
      return new Content(
        `${writeIndentedJson(file, maxWrittenBytes)}\n`,
        'application/json',
        `${slug}.diagram.json`,
      )
    }
  }
}

async function find(db: ReadContext['db'], id: string) {
  return (await queries.selectDiagram(db, id)) ?? throwNotFound('Diagram')
}

async function requireEditable(db: ReadContext['db'], id: string) {
  const diagram = await find(db, id)
  if (!diagram.may_change)
    throw new Problem(
      'forbidden',
      'Only its creator, an admin of its team or an account admin may change this diagram',
    )
  return diagram
}

function toDiagram({ may_change: _, ...diagram }: queries.DiagramRow): Diagram {
  return diagram
}

function throwUnreadableFile(error: unknown): never {
  throw error instanceof DiagramFileError
    ? invalidField(['body', error.field], error.message, 'unreadable')
    : error
}
