import type { Content } from '#rules/versions/compare.ts'
import type { DiagramEdge, DiagramNode } from './schema.ts'

/** What a comparison of diagrams reads of a version. */
export interface DiagramContent {
  name: string
  description: string
  client_name: string | null
  asset_name: string | null
  nodes: readonly DiagramNode[]
  edges: readonly DiagramEdge[]
}

/** Return the fields of a diagram, its nodes and its edges for a comparison. */
export function toDiagramContent({ nodes, edges, ...fields }: DiagramContent): Content {
  const { name, description, client_name, asset_name } = fields
  const nodeItems = nodes.map(({ id, parent_id = null, ...node }) => ({
    list: 'nodes',
    id,
    label: typeof node.data.label === 'string' ? node.data.label : '',
    parentId: parent_id,
    fields: node,
  }))
  const edgeItems = edges.map(({ id, ...edge }) => ({
    list: 'edges',
    id,
    label: edge.label ?? '',
    parentId: null,
    fields: edge,
  }))
  return {
    fields: { name, description, client_name, asset_name },
    items: [...nodeItems, ...edgeItems],
    isOrdered: false,
  }
}
