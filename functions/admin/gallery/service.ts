import type { Context } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { GalleryFlowUpdate, GalleryScriptUpdate } from './schemas.ts'

type Staff = Context<'put', 'super_admin', string>

export async function putFlow({ platform }: Staff, id: string, change: GalleryFlowUpdate) {
  const state = await queries.updateFlow(platform, id, change)
  if (!state) throw new Problem('not_found', 'Flow not found')
  return state
}

export async function putScript({ platform }: Staff, id: string, change: GalleryScriptUpdate) {
  const state = await queries.updateScript(platform, id, change)
  if (!state) throw new Problem('not_found', 'Script template not found')
  return state
}
