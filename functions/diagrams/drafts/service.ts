import { ask, providerError } from '../../../lib/ai/ask.ts'
import { type DiagramDraftAnswer, diagramDraft } from '../../../lib/ai/prompts/diagrams.ts'
import { placed } from '../../../lib/diagrams/layout.ts'
import { type DiagramEdge, type DiagramNode, most } from '../../../lib/diagrams/shapes.ts'
import type { Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as diagrams from '../diagrams/service.ts'
import type { DiagramDraft, DiagramGenerate } from './schemas.ts'

interface Drawn {
  nodes: DiagramNode[]
  edges: DiagramEdge[]
}

/** A proposal: nothing is stored until somebody saves it. A merge keeps every node and edge that is there, where it is. */
export async function generate(ctx: Writer, { description, mode, diagram_id }: DiagramGenerate): Promise<DiagramDraft> {
  const there: Drawn = mode === 'merge' && diagram_id ? await diagrams.get(ctx, diagram_id) : { nodes: [], edges: [] }
  if (there.nodes.length >= most.nodes) throw new Problem('conflict', 'The diagram is full', { code: 'diagram_full' })
  const answer = await ask(ctx, diagramDraft, { facts: { description, drawn: numbered(there) } })
  const draft = drawn(there, answer)
  if (draft.nodes.length > most.nodes || draft.edges.length > most.edges) throw providerError(new Error('The drawing is too large'))
  return draft
}

function numbered({ nodes, edges }: Drawn) {
  const places = new Map(nodes.map(({ id }, index) => [id, index + 1]))
  return {
    devices: nodes.map(({ data, nodeType, type }, index) => ({ number: index + 1, name: labelOf(data), kind: nodeType ?? type })),
    links: edges.map(({ source, target, label }) => ({ from: places.get(source), to: places.get(target), label: label ?? null })),
  }
}

function labelOf(data: DiagramNode['data']): string {
  return typeof data.label === 'string' ? data.label : ''
}

function drawn(there: Drawn, { devices, links, notes }: DiagramDraftAnswer): DiagramDraft {
  const known = new Set(there.nodes.map(({ data }) => labelOf(data).toLowerCase()))
  // One that is drawn already is that one, whatever the model says.
  const numbers = devices.map(({ name }, index) =>
    known.has(name.toLowerCase())
      ? there.nodes.findIndex(({ data }) => labelOf(data).toLowerCase() === name.toLowerCase())
      : there.nodes.length + index,
  )
  const newId = freshIds(there.nodes, 'n')
  const ids = [...there.nodes.map(({ id }) => id), ...devices.map(() => newId())]
  const idAt = (number: number) => ids[number > there.nodes.length ? (numbers[number - there.nodes.length - 1] ?? -1) : number - 1]
  const edges = edgesOf(there, links, idAt)
  const fresh = devices.flatMap((device, index) => {
    const id = numbers[index] === there.nodes.length + index ? ids[there.nodes.length + index] : undefined
    return id === undefined ? [] : [{ ...device, id }]
  })
  const places = placed(
    fresh.map(({ id }) => id),
    edges,
    there.nodes,
  )
  const nodes = fresh.map(({ id, name, category, kind }) => {
    const position = places.get(id) ?? { x: 0, y: 0 }
    return { id, type: category, position, nodeType: kind, data: { label: name, category } }
  })
  return { nodes: [...there.nodes, ...nodes], edges: [...there.edges, ...edges], notes }
}

/** Links between two that are there, each pair once. */
function edgesOf(there: Drawn, links: DiagramDraftAnswer['links'], idAt: (number: number) => string | undefined): DiagramEdge[] {
  const newId = freshIds(there.edges, 'e')
  const pairs = new Set(there.edges.flatMap(({ source, target }) => [`${source} ${target}`, `${target} ${source}`]))
  return links.flatMap(({ from, to, label }) => {
    const [source, target] = [idAt(from), idAt(to)]
    if (!source || !target || source === target || pairs.has(`${source} ${target}`)) return []
    pairs.add(`${source} ${target}`).add(`${target} ${source}`)
    return [{ id: newId(), source, target, ...(label ? { label } : {}) }]
  })
}

function freshIds(taken: readonly { id: string }[], letter: string): () => string {
  const ids = new Set(taken.map(({ id }) => id))
  let n = 0
  return () => {
    do n++
    while (ids.has(`${letter}${n}`))
    return `${letter}${n}`
  }
}
