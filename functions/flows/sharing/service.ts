import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import type { PlatformDb } from '#db/scope.ts'
import * as trees from '#functions/flows/trees/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { buildPublicStructure } from '#rules/flows/preview.ts'
import { forPublic } from '#rules/release.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import * as queries from './queries.ts'

export async function createLink({ db, config }: WriteContext, treeId: string, days: number) {
  const token = randomToken()
  const share = await queries.insertShare(db, treeId, await sha256Bytea(token), days)
  if (share) return { ...share, token, url: `${config.FRONTEND_URL}/shared/${token}` }
  await trees.requireEditable(db, treeId)
  throw new Problem('wrong_state', 'Only a published flow can be shared; publish it first')
}

export async function list({ db }: ReadContext, treeId: string, page: PageQuery) {
  await trees.find(db, treeId)
  return toPage(await queries.selectShares(db, treeId, page), page, newestFirst)
}

export async function revoke({ db }: WriteContext, treeId: string, id: string) {
  await trees.requireEditable(db, treeId)
  if (!(await queries.revokeShare(db, treeId, id))) throw notFound('Share')
}

export async function openLink({ platform }: { platform: PlatformDb }, token: string) {
  const flow = await queries.selectSharedFlow(platform, await sha256Bytea(token))
  if (!flow)
    throw new Problem(
      'not_found',
      'The link is unknown, expired or revoked, or has ended with its creator or its flow',
    )
  return forPublic({ ...flow, tree_structure: buildPublicStructure(flow.tree_structure) })
}
