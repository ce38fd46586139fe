import { Diagram, DiagramId } from '#functions/diagrams/diagrams/schemas.ts'
import { declareVersions } from '#http/versions.ts'
import * as schemas from './schemas.ts'
import * as versions from './service.ts'

export const diagramVersionOperations = declareVersions({
  group: 'diagrams.versions',
  name: 'a network diagram',
  path: '/network-diagrams/{diagram_id}',
  params: DiagramId,
  feature: 'network_diagrams',
  listDescription: 'Newest first. The newest 100 earlier versions are kept.',
  restoreDescription: 'Saves the content of the old version as the newest version.',
  restoreErrors: ['limit_reached', 'stale_version'],
  schemas: { item: schemas.DiagramVersionItem, version: schemas.DiagramVersion, resource: Diagram },
  service: versions,
})
