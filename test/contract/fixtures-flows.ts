import { randomBytes } from 'node:crypto'
import { parseConfig } from '#config.ts'
import { createFinding as createFlowFinding } from '#rules/flows/health/finding.ts'
import { identifyFindings } from '#rules/flows/health/finding-ids.ts'
import type { Service } from '#test/support/app.ts'
import { flowBody, patchProcedure, printerFlow, printerForm } from '#test/support/flows.ts'
import type { Person } from '#test/support/people.ts'
import { sha256Hex } from '#vendors/auth/hash.ts'
import { createReviewTokens } from '#vendors/auth/review-tokens.ts'
import { type Fixture, insertReturningId, sha256 } from './fixture-rows.ts'

/** Insert the owner's published flow, visible to the account. */
export function insertTree(
  service: Service,
  { accountId, teamId, id }: Person,
  status = 'published',
): Promise<string> {
  return insertReturningId(
    service,
    `with t as (insert into trees (account_id, team_id, author_id, tree_type, status, visibility, name, tags)
                values ($1, $2, $3, 'troubleshooting', $4, 'account', 'Printer offline', '{printer}') returning *),
          v as (insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, intake_form, saved_by)
                select account_id, id, 1, status, name, tree_type, $5, $6, author_id from t)
     select id from t`,
    [accountId, teamId || null, id, status, JSON.stringify(printerFlow()), JSON.stringify(printerForm)],
  )
}

const createFlow: Fixture = async (service, owner) => ({
  params: { tree_id: await insertTree(service, owner) },
})

const createFinding: Fixture = async (service, owner) => {
  const fewSessions = createFlowFinding('not_enough_sessions', '')
  const [finding] = await identifyFindings([fewSessions])
  return { params: { tree_id: await insertTree(service, owner), finding_id: finding?.id ?? '' } }
}

/** Insert the owner's flow, whose review is overdue. */
export async function insertOverdueFlow(service: Service, owner: Person): Promise<string> {
  const id = await insertTree(service, owner)
  await service.sql(
    `update trees set owner_id = author_id, review_months = 6, published_at = app.now() - interval '7 months' where id = $1`,
    [id],
  )
  return id
}

const createOverdueFlow: Fixture = async (service, owner) => ({
  params: { tree_id: await insertOverdueFlow(service, owner) },
})

/** Sign the link of the review of an overdue flow for its owner. */
const createReviewLink: Fixture = async (service, owner) => {
  const treeId = await insertOverdueFlow(service, owner)
  const addressHash = await sha256Hex(owner.email)
  const link = { treeId, accountId: owner.accountId, userId: owner.id, addressHash, reviewedAt: null }
  const tokens = createReviewTokens(parseConfig(service.settings))
  return { params: { token: await tokens.sign(link, new Date()) } }
}

const createMarkdownSample: Fixture = async () => ({
  body: {
    markdown:
      '---\nname: Printer offline\ntype: troubleshooting\n---\n\n## Solution: Reseat the network cable {#cable}\n',
  },
})

const createFlowWithVersionParam: Fixture = async (service, owner) => ({
  params: { ...(await createFlow(service, owner)).params, version: '1' },
})

export async function insertPin(service: Service, owner: Person): Promise<string> {
  const tree = await insertTree(service, owner)
  const statement = `insert into tree_pins (account_id, user_id, tree_account_id, tree_id, position) values ($1, $2, $1, $3, 0)`
  await service.sql(statement, [owner.accountId, owner.id, tree])
  return tree
}

export async function insertShare(
  service: Service,
  owner: Person,
): Promise<{ tree_id: string; share_id: string; token: string }> {
  const tree_id = await insertTree(service, owner)
  const token = randomBytes(32).toString('base64url')
  const statement = `insert into tree_shares (account_id, tree_id, hash, created_by, expires_at) values ($1, $2, $3, $4, now() + interval '1 day') returning id`
  return {
    tree_id,
    token,
    share_id: await insertReturningId(service, statement, [
      owner.accountId,
      tree_id,
      sha256(token),
      owner.id,
    ]),
  }
}

export function insertCategory(service: Service, { accountId, id }: Person): Promise<string> {
  const statement = 'insert into categories (account_id, name, created_by) values ($1, $2, $3) returning id'
  return insertReturningId(service, statement, [accountId, `Printing ${randomBytes(4).toString('hex')}`, id])
}
const createCategory: Fixture = async (service, owner) => ({
  params: { category_id: await insertCategory(service, owner) },
})

export function insertStep(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  const statement = `insert into library_steps (account_id, team_id, created_by, visibility, title, step_type)
                     values ($1, $2, $3, 'account', 'Restart the print spooler', 'action') returning id`
  return insertReturningId(service, statement, [accountId, teamId || null, id])
}
const createStep: Fixture = async (service, owner) => ({
  params: { step_id: await insertStep(service, owner) },
})

export const flowFixtures = {
  'flows.trees.list': async (service, owner) => {
    await insertTree(service, owner)
    return { query: { skip: '0', limit: '20', sort_by: 'name', search: 'printer', tag: 'Printer' } }
  },
  'flows.trees.create': async () => ({
    body: flowBody({ category: 'Printing', tags: ['printer', 'windows'] }),
  }),
  'flows.health.list': async (service, owner) => {
    await insertTree(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'flows.health.get': async (service, owner) => ({ params: { tree_id: await insertTree(service, owner) } }),
  'flows.health.dismiss': createFinding,
  'flows.health.undismiss': createFinding,
  'flows.reviews.get': createOverdueFlow,
  'flows.reviews.update': async (service, owner) => ({
    ...(await createOverdueFlow(service, owner)),
    body: { owner_id: owner.id, months: 12, is_evergreen: false },
  }),
  'flows.reviews.confirm': createOverdueFlow,
  'flows.reviewLinks.showPage': createReviewLink,
  'flows.reviewLinks.confirm': createReviewLink,
  'flows.trees.get': createFlow,
  'flows.trees.update': async (service, owner) => ({
    ...(await createFlow(service, owner)),
    body: {
      name: 'Server patching',
      tree_type: 'procedural',
      tree_structure: patchProcedure(),
      expected_version: 1,
    },
  }),
  'flows.trees.delete': createFlow,
  'flows.trees.validatePublish': createFlow,

  'flows.pins.list': async (service, owner) => {
    await insertPin(service, owner)
    return {}
  },
  'flows.pins.reorder': async (service, owner) => ({ body: { tree_ids: [await insertPin(service, owner)] } }),
  'flows.pins.pin': createFlow,
  'flows.pins.unpin': async (service, owner) => ({ params: { tree_id: await insertPin(service, owner) } }),

  'flows.versions.list': async (service, owner) => ({
    ...(await createFlow(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'flows.versions.get': createFlowWithVersionParam,
  'flows.versions.compare': async (service, owner) => ({
    ...(await createFlowWithVersionParam(service, owner)),
    query: { base: '0', format: 'json' },
  }),
  'flows.versions.restore': createFlowWithVersionParam,

  'flows.transfer.export': createFlow,
  'flows.transfer.import': async () => ({
    body: {
      rfflow_version: '1.0',
      exported_at: '2026-11-21T09:30:00.000Z',
      flow: {
        tree_type: 'troubleshooting',
        name: 'Printer offline',
        category: 'Printing',
        tags: ['printer'],
        tree_structure: printerFlow(),
      },
    },
  }),

  'flows.markdown.export': createFlow,
  'flows.markdown.import': createMarkdownSample,
  'flows.markdown.validate': createMarkdownSample,

  'flows.gallery.list': async () => ({
    query: { sort: 'popular', type: 'procedural', category: 'Printing', page: '1', page_size: '10' },
  }),
  'flows.gallery.listCategories': async () => ({}),
  'flows.gallery.search': async () => ({ query: { q: 'printer', page: '1', page_size: '10' } }),
  'flows.gallery.getFlow': async (service, owner) => {
    const tree_id = await insertTree(service, owner)
    await service.sql(`update trees set visibility = 'public' where id = $1`, [tree_id])
    return { params: { tree_id } }
  },

  'admin.gallery.putFlow': async (service, owner) => ({
    ...(await createFlow(service, owner)),
    body: { is_featured: true, sort_order: 10 },
  }),

  'flows.categories.list': async (service, owner) => {
    await insertCategory(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'flows.categories.create': async () => ({ body: { name: `Printing ${randomBytes(4).toString('hex')}` } }),
  'flows.categories.rename': async (service, owner) => ({
    ...(await createCategory(service, owner)),
    body: { name: `Scanners ${randomBytes(4).toString('hex')}` },
  }),
  'flows.categories.delete': createCategory,
  'flows.categories.listTags': async (service, owner) => {
    await insertTree(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },

  'flows.stepLibrary.list': async (service, owner) => {
    await insertStep(service, owner)
    return { query: { skip: '0', limit: '20', search: 'spooler', synced: 'false', active: 'true' } }
  },
  'flows.stepLibrary.create': async () => ({
    body: { title: 'Restart the print spooler', description: 'As an administrator.', step_type: 'action' },
  }),
  'flows.stepLibrary.get': createStep,
  'flows.stepLibrary.update': async (service, owner) => ({
    ...(await createStep(service, owner)),
    body: { title: 'Restart the spooler', visibility: 'account' },
  }),
  'flows.stepLibrary.delete': createStep,

  'flows.replays.run': async (service, owner) => {
    const { params } = await createFlow(service, owner)
    return { params, body: { tree_structure: printerFlow() } }
  },

  'flows.forks.create': async (service, owner) => ({
    ...(await createFlow(service, owner)),
    body: { name: 'Printer offline, north', reason: 'Another print server' },
  }),
  'flows.forks.list': async (service, owner) => ({
    ...(await createFlow(service, owner)),
    query: { skip: '0', limit: '20' },
  }),

  'flows.sharing.create': async (service, owner) => ({
    ...(await createFlow(service, owner)),
    body: { expires_in_days: 7 },
  }),
  'flows.sharing.list': async (service, owner) => ({
    params: { tree_id: (await insertShare(service, owner)).tree_id },
    query: { skip: '0', limit: '20' },
  }),
  'flows.sharing.revoke': async (service, owner) => {
    const { tree_id, share_id } = await insertShare(service, owner)
    return { params: { tree_id, share_id } }
  },
  'flows.sharing.openLink': async (service, owner) => ({
    params: { token: (await insertShare(service, owner)).token },
  }),
} satisfies Record<string, Fixture>

/** Insert a row into each table that a trigger fills when a flow is published. */
export async function insertPublishedFlowRows(service: Service, owner: Person): Promise<void> {
  const [treeId, childId] = [await insertTree(service, owner), await insertTree(service, owner)]
  await service.sql(
    `insert into tree_subflows (account_id, tree_id, child_account_id, child_tree_id) values ($1, $2, $1, $3)`,
    [owner.accountId, treeId, childId],
  )
  await service.sql(
    `insert into flow_link_checks (account_id, tree_id, due_at) values ($1, $2, now() + interval '1 year')`,
    [owner.accountId, treeId],
  )
}
