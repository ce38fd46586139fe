import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const headOffice =
  'The firewall FW-HQ is connected to the core switch SW-CORE. SW-CORE connects 3 access points and the server SRV-DC-01.'
interface Node {
  id: string
  position: { x: number; y: number }
  data: { label: string }
  type: string
}
interface Drawing {
  nodes: Node[]
  edges: { source: string; target: string }[]
}

function listLabels({ nodes, edges }: Drawing) {
  const getLabel = (id: string) => nodes.find((node) => node.id === id)?.data.label
  return {
    devices: nodes.map(({ data }) => data.label),
    links: edges.map(({ source, target }) => `${getLabel(source)} - ${getLabel(target)}`),
  }
}

it('DIA-09 drafts a diagram from a description of a network, and stores nothing', async () => {
  const { admin } = await createAccount(service)
  const { status, body } = await admin.call('POST', '/network-diagrams/generate', {
    description: headOffice,
    mode: 'replace',
  })
  expect(status).toBe(200)
  expect(listLabels(body).devices).toEqual([
    'FW-HQ',
    'SW-CORE',
    'SRV-DC-01',
    'Access point 1',
    'Access point 2',
    'Access point 3',
  ])
  expect(listLabels(body).links).toContain('FW-HQ - SW-CORE')
  expect(body.nodes[0]).toMatchObject({ type: 'security', nodeType: 'Firewall' })
  expect((await admin.call('GET', '/network-diagrams')).body).toEqual([])
  const created = await admin.call('POST', '/network-diagrams', {
    name: 'HQ',
    nodes: body.nodes,
    edges: body.edges,
  })
  expectStatus(created, 201)
})

it('DIA-09 merges new devices into a diagram without moving its nodes and without overlaps', async () => {
  const { admin } = await createAccount(service)
  const first = (
    await admin.call('POST', '/network-diagrams/generate', { description: headOffice, mode: 'replace' })
  ).body as Drawing
  const movedNodes = first.nodes.map((node, n) => ({ ...node, position: { x: n * 37, y: 500 - n * 11 } }))
  const { body: diagram } = await admin.call('POST', '/network-diagrams', {
    name: 'HQ',
    nodes: movedNodes,
    edges: first.edges,
  })
  const additions = 'SW-CORE is connected to the storage NAS-01. NAS-01 is connected to the UPS-01.'
  const { body } = await admin.call('POST', '/network-diagrams/generate', {
    description: additions,
    mode: 'merge',
    diagram_id: diagram.id,
  })
  expect(body.nodes.slice(0, movedNodes.length)).toEqual(movedNodes)
  expect(body.edges.slice(0, first.edges.length)).toEqual(first.edges)
  expect(listLabels(body).devices.slice(movedNodes.length)).toEqual(['NAS-01', 'UPS-01'])
  expect(listLabels(body).links.slice(first.edges.length)).toEqual(['SW-CORE - NAS-01', 'NAS-01 - UPS-01'])
  for (const node of body.nodes.slice(movedNodes.length) as Node[])
    for (const otherNode of body.nodes as Node[])
      if (otherNode.id !== node.id)
        expect(
          Math.abs(node.position.x - otherNode.position.x) >= 180 ||
            Math.abs(node.position.y - otherNode.position.y) >= 100,
        ).toBe(true)
  expect((await admin.call('GET', `/network-diagrams/${diagram.id}`)).body.nodes).toEqual(movedNodes)
})

it('DIA-30 rejects an unknown mode, a merge without a diagram, and an unknown or foreign diagram in both modes', async () => {
  const { admin } = await createAccount(service)
  const generate = async (fields: object) =>
    (await admin.call('POST', '/network-diagrams/generate', { description: headOffice, ...fields })).status
  expect(await generate({ mode: 'merge' })).toBe(422)
  const other = await createAccount(service)
  const foreign = await other.admin.call('POST', '/network-diagrams', {
    name: 'Theirs',
    nodes: [],
    edges: [],
  })
  for (const mode of ['merge', 'replace'])
    for (const diagram_id of [crypto.randomUUID(), expectStatus(foreign, 201).body.id])
      expect(await generate({ mode, diagram_id }), mode).toBe(404)
  expect(await generate({ mode: 'other' })).toBe(422)
})

const createNodes = (count: number, label = 'Device') =>
  Array.from({ length: count }, (_, n) => ({
    id: `d${n}`,
    type: 'network',
    position: { x: n, y: 0 },
    data: { label: `${label} ${n}` },
  }))

it('DIA-09 merges into a diagram of fewer than 1,000 nodes', async () => {
  const { admin } = await createAccount(service)
  const merge = async (nodes: object[]) => {
    const { id } = expectStatus(
      await admin.call('POST', '/network-diagrams', { name: 'Full', nodes, edges: [] }),
      201,
    ).body
    return admin.call('POST', '/network-diagrams/generate', {
      description: 'Add the UPS-01.',
      mode: 'merge',
      diagram_id: id,
    })
  }
  const { status, body } = await merge(createNodes(1000))
  expect([status, body.code, body.resource, body.limit]).toEqual([409, 'limit_reached', 'nodes', 1000])
  expect((await merge(createNodes(999))).body.nodes).toHaveLength(1000)
})

it('DIA-09 refuses a draft that would have more than 1,000 nodes with 502', async () => {
  const { admin } = await createAccount(service)
  const { id } = (
    await admin.call('POST', '/network-diagrams', { name: 'Full', nodes: createNodes(999), edges: [] })
  ).body
  const body = { description: headOffice, mode: 'merge', diagram_id: id }
  expectStatus(await admin.call('POST', '/network-diagrams/generate', body), 502)
})

it('DIA-09 connects a device that the diagram already has by another spelling, and draws no second one', async () => {
  const { admin } = await createAccount(service)
  const nodes = [{ id: 'core', type: 'network', position: { x: 1, y: 2 }, data: { label: 'sw-core' } }]
  const { id } = (await admin.call('POST', '/network-diagrams', { name: 'HQ', nodes, edges: [] })).body
  const generate = {
    description: 'SW-CORE is connected to the storage NAS-01.',
    mode: 'merge',
    diagram_id: id,
  }
  const { body } = await admin.call('POST', '/network-diagrams/generate', generate)
  expect(listLabels(body)).toEqual({ devices: ['sw-core', 'NAS-01'], links: ['sw-core - NAS-01'] })
})
