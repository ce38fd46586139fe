import { randomBytes } from 'node:crypto'
import type { Service } from '../support/app.ts'
import { flowBody, patchSteps, printerFlow, printerForm } from '../support/flows.ts'
import type { Person } from '../support/people.ts'
import { type Fixture, idOf, sha256 } from './fixture-rows.ts'

/** A published flow of the owner's, shared with the account. */
export function insertTree(service: Service, { accountId, teamId, id }: Person, status = 'published'): Promise<string> {
  return idOf(
    service,
    `with t as (insert into trees (account_id, team_id, author_id, tree_type, status, visibility, name, tags)
                values ($1, $2, $3, 'troubleshooting', $4, 'account', 'Printer offline', '{printer}') returning *),
          v as (insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, intake_form, saved_by)
                select account_id, id, 1, status, name, tree_type, $5, $6, author_id from t)
     select id from t`,
    [accountId, teamId || null, id, status, JSON.stringify(printerFlow()), JSON.stringify(printerForm)],
  )
}

const flow: Fixture = async (service, owner) => ({ params: { tree_id: await insertTree(service, owner) } })

const markdown: Fixture = async () => ({
  body: { markdown: '---\nname: Printer offline\ntype: troubleshooting\n---\n\n## Solution: Reseat the network cable {#cable}\n' },
})

const version: Fixture = async (...of) => ({ params: { ...(await flow(...of)).params, version: '1' } })

export async function insertPin(service: Service, owner: Person): Promise<string> {
  const tree = await insertTree(service, owner)
  const statement = `insert into tree_pins (account_id, user_id, tree_account_id, tree_id, position) values ($1, $2, $1, $3, 0)`
  await service.sql(statement, [owner.accountId, owner.id, tree])
  return tree
}

export async function insertShare(service: Service, owner: Person): Promise<{ tree_id: string; share_id: string; token: string }> {
  const tree_id = await insertTree(service, owner)
  const token = randomBytes(32).toString('base64url')
  const statement = `insert into tree_shares (account_id, tree_id, hash, expires_at) values ($1, $2, $3, now() + interval '1 day') returning id`
  return { tree_id, token, share_id: await idOf(service, statement, [owner.accountId, tree_id, sha256(token)]) }
}

export function insertCategory(service: Service, { accountId, id }: Person): Promise<string> {
  const statement = 'insert into categories (account_id, name, created_by) values ($1, $2, $3) returning id'
  return idOf(service, statement, [accountId, `Printing ${randomBytes(4).toString('hex')}`, id])
}
const category: Fixture = async (service, owner) => ({ params: { category_id: await insertCategory(service, owner) } })

export function insertStep(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  const statement = `insert into library_steps (account_id, team_id, created_by, visibility, title, step_type)
                     values ($1, $2, $3, 'account', 'Restart the print spooler', 'action') returning id`
  return idOf(service, statement, [accountId, teamId || null, id])
}
const step: Fixture = async (service, owner) => ({ params: { step_id: await insertStep(service, owner) } })

export const flowFixtures: Record<string, Fixture> = {
  'trees.list': async (service, owner) => {
    await insertTree(service, owner)
    return { query: { skip: '0', limit: '20', sort_by: 'name', search: 'printer', tag: 'Printer' } }
  },
  'trees.create': async () => ({ body: flowBody({ category: 'Printing', tags: ['printer', 'windows'] }) }),
  'trees.get': flow,
  'trees.update': async (...of) => ({
    ...(await flow(...of)),
    body: { name: 'Server patching', tree_type: 'procedural', tree_structure: patchSteps(), expected_version: 1 },
  }),
  'trees.remove': flow,
  'trees.canPublish': flow,

  'treePins.list': async (service, owner) => {
    await insertPin(service, owner)
    return {}
  },
  'treePins.reorder': async (service, owner) => ({ body: { tree_ids: [await insertPin(service, owner)] } }),
  'treePins.pin': flow,
  'treePins.unpin': async (service, owner) => ({ params: { tree_id: await insertPin(service, owner) } }),

  'treeVersions.list': async (...of) => ({ ...(await flow(...of)), query: { skip: '0', limit: '20' } }),
  'treeVersions.get': version,
  'treeVersions.restore': version,

  'treeTransfer.export': flow,
  'treeTransfer.import': async () => ({
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

  'treeMarkdown.export': flow,
  'treeMarkdown.import': markdown,
  'treeMarkdown.validate': markdown,

  'gallery.list': async () => ({ query: { sort: 'popular', type: 'procedural', category: 'Printing', page: '1', page_size: '10' } }),
  'gallery.categories': async () => ({}),
  'gallery.search': async () => ({ query: { q: 'printer', page: '1', page_size: '10' } }),
  'gallery.flow': async (service, owner) => {
    const tree_id = await insertTree(service, owner)
    await service.sql(`update trees set visibility = 'public' where id = $1`, [tree_id])
    return { params: { tree_id } }
  },

  'admin.putGalleryFlow': async (...of) => ({ ...(await flow(...of)), body: { is_featured: true, sort_order: 10 } }),

  'categories.list': async (service, owner) => {
    await insertCategory(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'categories.create': async () => ({ body: { name: `Printing ${randomBytes(4).toString('hex')}` } }),
  'categories.rename': async (...of) => ({ ...(await category(...of)), body: { name: `Scanners ${randomBytes(4).toString('hex')}` } }),
  'categories.remove': category,
  'categories.listTags': async (service, owner) => {
    await insertTree(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },

  'stepLibrary.list': async (service, owner) => {
    await insertStep(service, owner)
    return { query: { skip: '0', limit: '20', search: 'spooler', synced: 'false', active: 'true' } }
  },
  'stepLibrary.create': async () => ({
    body: { title: 'Restart the print spooler', description: 'As an administrator.', step_type: 'action' },
  }),
  'stepLibrary.get': step,
  'stepLibrary.update': async (...of) => ({ ...(await step(...of)), body: { title: 'Restart the spooler', visibility: 'account' } }),
  'stepLibrary.remove': step,

  'treeForks.fork': async (...of) => ({ ...(await flow(...of)), body: { name: 'Printer offline, north', reason: 'Another print server' } }),
  'treeForks.list': async (...of) => ({ ...(await flow(...of)), query: { skip: '0', limit: '20' } }),

  'treeSharing.share': async (...of) => ({ ...(await flow(...of)), body: { expires_in_days: 7 } }),
  'treeSharing.list': async (service, owner) => ({
    params: { tree_id: (await insertShare(service, owner)).tree_id },
    query: { skip: '0', limit: '20' },
  }),
  'treeSharing.revoke': async (service, owner) => {
    const { tree_id, share_id } = await insertShare(service, owner)
    return { params: { tree_id, share_id } }
  },
  'treeSharing.open': async (service, owner) => ({ params: { token: (await insertShare(service, owner)).token } }),
}
