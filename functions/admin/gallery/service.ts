import type { Context } from '#http/operation.ts'
import { throwNotFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { GalleryFlowUpdate, GalleryScriptUpdate } from './schemas.ts'

type StaffContext = Context<'put', 'super_admin', string>

export async function putFlow({ platform }: StaffContext, id: string, changes: GalleryFlowUpdate) {
  return (await queries.updateFlow(platform, id, changes)) ?? throwNotFound('Flow')
}

export async function putScript({ platform }: StaffContext, id: string, changes: GalleryScriptUpdate) {
  return (await queries.updateScript(platform, id, changes)) ?? throwNotFound('Script template')
}
