import { randomBytes } from 'node:crypto'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'

const nodes = [
  {
    id: 'fw1',
    type: 'security',
    position: { x: 240, y: 40 },
    nodeType: 'Firewall',
    style: { stroke: '#b91c1c' },
    data: { label: 'FW-HQ' },
    parent_id: 'hq',
  },
  { id: 'hq', type: 'group', position: { x: 200, y: 0 }, data: { label: 'Head office' } },
  { id: 'sw1', type: 'network', position: { x: 240, y: 200 }, data: { label: 'SW-CORE' } },
]
const edges = [{ id: 'e1', source: 'fw1', target: 'sw1', label: '10 Gbit/s', routing: 'step' }]

export async function insertDiagram(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  const statement = `insert into network_diagrams (account_id, team_id, created_by, name, client_name, nodes, edges)
                     values ($1, $2, $3, 'Head office', 'Fabrikam', $4, $5) returning id`
  return insertReturningId(service, statement, [
    accountId,
    teamId,
    id,
    JSON.stringify(nodes),
    JSON.stringify(edges),
  ])
}
export function insertDeviceType(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  const statement = `insert into device_types (account_id, team_id, created_by, name, category) values ($1, $2, $3, $4, 'endpoint') returning id`
  return insertReturningId(service, statement, [
    accountId,
    teamId || null,
    id,
    `Label printer ${randomBytes(4).toString('hex')}`,
  ])
}

const createDiagram: Fixture = async (service, owner) => ({
  params: { diagram_id: await insertDiagram(service, owner) },
})
const createDiagramWithVersion: Fixture = async (service, owner) => {
  const diagram_id = await insertDiagram(service, owner)
  await service.sql('update network_diagrams set version = version + 1 where id = $1', [diagram_id])
  return { params: { diagram_id, version: '1' } }
}
const createDeviceType: Fixture = async (service, owner) => ({
  params: { device_type_id: await insertDeviceType(service, owner) },
})

export const diagramFixtures = {
  'diagrams.drafts.generate': async (service, owner) => ({
    body: {
      description: 'FW-HQ is connected to SW-CORE.',
      mode: 'merge',
      diagram_id: await insertDiagram(service, owner),
    },
  }),
  'diagrams.deviceTypes.list': async (service, owner) => {
    await insertDeviceType(service, owner)
    return { query: { skip: '0', limit: '20', category: 'endpoint', search: 'printer' } }
  },
  'diagrams.deviceTypes.create': async () => ({
    body: { name: `Scale ${randomBytes(4).toString('hex')}`, category: 'endpoint', icon: 'scale' },
  }),
  'diagrams.deviceTypes.update': async (service, owner) => ({
    ...(await createDeviceType(service, owner)),
    body: { category: 'infrastructure', icon: null },
  }),
  'diagrams.deviceTypes.delete': createDeviceType,

  'diagrams.list': async (service, owner) => {
    await insertDiagram(service, owner)
    return { query: { skip: '0', limit: '20', search: 'office', client: 'fabrikam', archived: 'false' } }
  },
  'diagrams.create': async () => ({ body: { name: 'Head office', client_name: 'Fabrikam', nodes, edges } }),
  'diagrams.listClients': async (service, owner) => {
    await insertDiagram(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'diagrams.import': async () => ({
    body: { format: 'network-diagram', version: '1.0', name: 'Head office', nodes, edges },
  }),
  'diagrams.get': createDiagram,
  'diagrams.update': async (service, owner) => ({
    ...(await createDiagram(service, owner)),
    body: { name: 'Head office, after the move', nodes, edges },
  }),
  'diagrams.archive': async (service, owner) => ({
    ...(await createDiagram(service, owner)),
    body: { archived: true },
  }),
  'diagrams.duplicate': createDiagram,
  'diagrams.versions.list': async (service, owner) => ({
    ...(await createDiagram(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'diagrams.versions.get': createDiagramWithVersion,
  'diagrams.versions.compare': async (service, owner) => ({
    ...(await createDiagramWithVersion(service, owner)),
    query: { base: '0', format: 'json' },
  }),
  'diagrams.versions.restore': createDiagramWithVersion,
  'diagrams.export': async (service, owner) => ({
    ...(await createDiagram(service, owner)),
    query: { format: 'png' },
  }),
} satisfies Record<string, Fixture>
