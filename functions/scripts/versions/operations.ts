import { ScriptTemplate, TemplateId } from '#functions/scripts/scripts/schemas.ts'
import { declareVersions } from '#http/versions.ts'
import * as schemas from './schemas.ts'
import * as versions from './service.ts'

export const scriptVersionOperations = declareVersions({
  group: 'scripts.versions',
  name: 'a script template',
  path: '/script-templates/{template_id}',
  params: TemplateId,
  listDescription: 'Newest first. The newest 100 earlier versions are kept.',
  restoreDescription: 'Saves the content of the old version as the newest version.',
  restoreErrors: ['stale_version'],
  schemas: { item: schemas.ScriptVersionItem, version: schemas.ScriptVersion, resource: ScriptTemplate },
  service: versions,
})
