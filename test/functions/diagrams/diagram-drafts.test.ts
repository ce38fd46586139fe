import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const hq = 'The firewall FW-HQ is connected to the core switch SW-CORE. SW-CORE connects 3 access points and the server SRV-DC-01.'
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

function labels({ nodes, edges }: Drawing) {
  const name = (id: string) => nodes.find((node) => node.id === id)?.data.label
  return { devices: nodes.map(({ data }) => data.label), links: edges.map(({ source, target }) => `${name(source)} - ${name(target)}`) }
}

it('DIA-09 draws a described network anew, and stores nothing', async () => {
  const { admin } = await newAccount(service)
  const { status, body } = await admin.call('POST', '/network-diagrams/generate', { description: hq, mode: 'replace' })
  expect(status).toBe(200)
  expect(labels(body).devices).toEqual(['FW-HQ', 'SW-CORE', 'SRV-DC-01', 'access point 1', 'access point 2', 'access point 3'])
  expect(labels(body).links).toContain('FW-HQ - SW-CORE')
  expect(body.nodes[0]).toMatchObject({ type: 'security', nodeType: 'Firewall' })
  expect((await admin.call('GET', '/network-diagrams')).body).toEqual([])
  const saved = await admin.call('POST', '/network-diagrams', { name: 'HQ', nodes: body.nodes, edges: body.edges })
  expectStatus(saved, 201)
})

it('DIA-09 merges into a diagram: what is there stays where it is, and nothing stands on another', async () => {
  const { admin } = await newAccount(service)
  const first = (await admin.call('POST', '/network-diagrams/generate', { description: hq, mode: 'replace' })).body as Drawing
  const moved = first.nodes.map((node, n) => ({ ...node, position: { x: n * 37, y: 500 - n * 11 } }))
  const { body: diagram } = await admin.call('POST', '/network-diagrams', { name: 'HQ', nodes: moved, edges: first.edges })
  const more = 'SW-CORE is connected to the storage NAS-01. NAS-01 is connected to the UPS-01.'
  const { body } = await admin.call('POST', '/network-diagrams/generate', { description: more, mode: 'merge', diagram_id: diagram.id })
  expect(body.nodes.slice(0, moved.length)).toEqual(moved)
  expect(body.edges.slice(0, first.edges.length)).toEqual(first.edges)
  expect(labels(body).devices.slice(moved.length)).toEqual(['NAS-01', 'UPS-01'])
  expect(labels(body).links.slice(first.edges.length)).toEqual(['SW-CORE - NAS-01', 'NAS-01 - UPS-01'])
  for (const one of body.nodes.slice(moved.length) as Node[])
    for (const other of body.nodes as Node[])
      if (other.id !== one.id)
        expect(Math.abs(one.position.x - other.position.x) >= 180 || Math.abs(one.position.y - other.position.y) >= 100).toBe(true)
  expect((await admin.call('GET', `/network-diagrams/${diagram.id}`)).body.nodes).toEqual(moved)
})

it('refuses a merge without its diagram, or into one that is not there', async () => {
  const { admin } = await newAccount(service)
  const generate = async (about: object) => (await admin.call('POST', '/network-diagrams/generate', { description: hq, ...about })).status
  expect(await generate({ mode: 'merge' })).toBe(422)
  expect(await generate({ mode: 'merge', diagram_id: crypto.randomUUID() })).toBe(404)
  expect(await generate({ mode: 'other' })).toBe(422)
})
