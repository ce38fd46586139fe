import { spend } from '#rules/budget.ts'
import { fold } from '#rules/text/fold.ts'
import { type DiagramContent, type DiagramNode, getLabel } from './schema.ts'

/** A node, and the nodes that an edge links to it. */
export interface Neighbourhood {
  node: string
  type: string | null
  linked: { node: string; type: string | null; link: string | null }[]
}

const maxFound = 5
const maxLinked = 50
const stepsPerPart = 20

/** Return the nodes whose text contains a name, at most 5, each with the nodes beside it, at most 50. */
export function findNeighbours({ nodes, edges }: DiagramContent, name: string): Neighbourhood[] {
  spend((nodes.length + edges.length) * (maxFound + 1) * stepsPerPart)
  const wanted = fold(name)
  const nodeById = new Map(nodes.map((node) => [node.id, node]))
  const found = nodes.filter((node) => fold(getLabel(node)).includes(wanted)).slice(0, maxFound)
  return found.map((node) => ({
    ...describe(node),
    linked: edges
      .flatMap(({ source, target, label = null }) => {
        const other =
          source === node.id ? nodeById.get(target) : target === node.id ? nodeById.get(source) : undefined
        return other ? [{ ...describe(other), link: label }] : []
      })
      .slice(0, maxLinked),
  }))
}

function describe(node: DiagramNode) {
  return { node: getLabel(node), type: node.nodeType ?? null }
}
