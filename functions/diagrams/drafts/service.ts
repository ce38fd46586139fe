import * as diagrams from '#functions/diagrams/diagrams/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { limitReached } from '#problem.ts'
import { computePositions } from '#rules/diagrams/layout.ts'
import { type DiagramEdge, type DiagramNode, diagramLimits } from '#rules/diagrams/schema.ts'
import { toNameKey } from '#rules/text/fold.ts'
import { ask, toProviderProblem } from '#vendors/ai/ask.ts'
import { type DiagramDraftAnswer, diagramDraft } from '#vendors/ai/prompts/diagrams.ts'
import type { DiagramDraft, DiagramGenerate } from './schemas.ts'

interface Drawing {
  nodes: DiagramNode[]
  edges: DiagramEdge[]
}

/** Draft a diagram and store nothing. A merge keeps every node and edge of the diagram in place. */
export async function generate(
  ctx: WriteContext,
  { description, mode, diagram_id }: DiagramGenerate,
): Promise<DiagramDraft> {
  const diagram = diagram_id && (await diagrams.get(ctx, diagram_id))
  const currentDrawing: Drawing = mode === 'merge' && diagram ? diagram : { nodes: [], edges: [] }
  if (currentDrawing.nodes.length >= diagramLimits.maxNodes)
    throw limitReached(
      'nodes',
      diagramLimits.maxNodes,
      `A diagram can have at most ${diagramLimits.maxNodes} nodes`,
    )
  const answer = await ask(ctx, diagramDraft, {
    facts: { description, drawn: describeDrawing(currentDrawing) },
  })
  const draft = addToDrawing(currentDrawing, answer)
  if (draft.nodes.length > diagramLimits.maxNodes || draft.edges.length > diagramLimits.maxEdges)
    throw toProviderProblem(new Error('The drawing is too large'))
  return draft
}

/** Describe a drawing for the prompt. Number the devices, because the model refers to them by number. */
function describeDrawing({ nodes, edges }: Drawing) {
  const numbersById = new Map(nodes.map(({ id }, index) => [id, index + 1]))
  const namesById = new Map(nodes.map(({ id, data }) => [id, getLabel(data)]))
  return {
    devices: nodes.map(({ data, nodeType, type, parent_id }, index) => {
      const group = parent_id === undefined ? undefined : namesById.get(parent_id)
      return { number: index + 1, name: getLabel(data), kind: nodeType ?? type, group: group || undefined }
    }),
    links: edges.map(({ source, target, label }) => ({
      from: numbersById.get(source),
      to: numbersById.get(target),
      label: label ?? null,
    })),
  }
}

function getLabel(data: DiagramNode['data']): string {
  return typeof data.label === 'string' ? data.label : ''
}

/**
 * Return the drawing with the model's devices and links added. The model numbers its devices after those of
 * the drawing.
 */
function addToDrawing(current: Drawing, { devices, links, notes }: DiagramDraftAnswer): DiagramDraft {
  const knownNames = new Set(current.nodes.map(({ data }) => toNameKey(getLabel(data))))
  // A device that the diagram already has, by name, keeps its existing node.
  const nodeIndexes = devices.map(({ name }, index) =>
    knownNames.has(toNameKey(name))
      ? current.nodes.findIndex(({ data }) => toNameKey(getLabel(data)) === toNameKey(name))
      : current.nodes.length + index,
  )
  const newId = createIdGenerator(current.nodes, 'n')
  const ids = [...current.nodes.map(({ id }) => id), ...devices.map(() => newId())]
  const getIdByNumber = (number: number) =>
    ids[number > current.nodes.length ? (nodeIndexes[number - current.nodes.length - 1] ?? -1) : number - 1]
  const edges = buildEdges(current, links, getIdByNumber)
  const newDevices = devices.flatMap((device, index) => {
    const id =
      nodeIndexes[index] === current.nodes.length + index ? ids[current.nodes.length + index] : undefined
    return id === undefined ? [] : [{ ...device, id }]
  })
  const positions = computePositions(
    newDevices.map(({ id }) => id),
    edges,
    current.nodes,
  )
  const nodes = newDevices.map(({ id, name, category, kind }) => {
    const position = positions.get(id) ?? { x: 0, y: 0 }
    return { id, type: category, position, nodeType: kind, data: { label: name, category } }
  })
  return { nodes: [...current.nodes, ...nodes], edges: [...current.edges, ...edges], notes }
}

/**
 * Convert links to edges. Ignore links to unknown nodes and links between nodes that are already connected.
 */
function buildEdges(
  current: Drawing,
  links: DiagramDraftAnswer['links'],
  getIdByNumber: (number: number) => string | undefined,
): DiagramEdge[] {
  const newId = createIdGenerator(current.edges, 'e')
  const connectedPairs = new Set(
    current.edges.flatMap(({ source, target }) => [`${source} ${target}`, `${target} ${source}`]),
  )
  return links.flatMap(({ from, to, label }) => {
    const [source, target] = [getIdByNumber(from), getIdByNumber(to)]
    if (!source || !target || source === target || connectedPairs.has(`${source} ${target}`)) return []
    connectedPairs.add(`${source} ${target}`).add(`${target} ${source}`)
    return [{ id: newId(), source, target, label: label || undefined }]
  })
}

function createIdGenerator(existing: readonly { id: string }[], prefix: string): () => string {
  const ids = new Set(existing.map(({ id }) => id))
  let n = 0
  return () => {
    do n++
    while (ids.has(`${prefix}${n}`))
    return `${prefix}${n}`
  }
}
