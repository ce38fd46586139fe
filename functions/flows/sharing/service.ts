import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { PlatformDb } from '../../../lib/db/scope.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as trees from '../trees/service.ts'
import * as queries from './queries.ts'

export async function share({ db, config }: Writer, treeId: string, days: number) {
  const token = randomToken()
  const share = await queries.insertShare(db, treeId, await sha256Bytea(token), days)
  if (share) return { ...share, token, url: `${config.FRONTEND_URL}/shared/${token}` }
  await trees.findOwn(db, treeId)
  throw new Problem('conflict', 'Only a published flow can be shared', { code: 'not_published' })
}

export async function list({ db }: Reader, treeId: string, page: PageQuery) {
  await trees.find(db, treeId)
  return toPage(await queries.selectShares(db, treeId, page), page.limit)
}

export async function revoke({ db }: Writer, treeId: string, id: string) {
  await trees.findOwn(db, treeId)
  if (!(await queries.revokeShare(db, treeId, id))) throw new Problem('not_found', 'Share not found')
}

export async function open({ platform }: { platform: PlatformDb }, token: string) {
  const flow = await queries.selectSharedFlow(platform, await sha256Bytea(token))
  if (!flow) throw new Problem('not_found', 'This link does not open a flow, or does so no longer')
  return flow
}
