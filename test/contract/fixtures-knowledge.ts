import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'

const content = '# Restart the print spooler\n\n1. Open the services console.\n2. Restart *Print Spooler*.\n'
const blocks = [
  { kind: 'heading', level: 1, text: 'Restart the print spooler' },
  { kind: 'item', level: 0, text: '1. Open the services console.' },
]

/** Insert the owner's import, converted to a section with one step. */
export async function insertKbImport(
  service: Service,
  { accountId, teamId, id }: Person,
): Promise<Record<'import_id' | 'node_id', string>> {
  const import_id = await insertReturningId(
    service,
    `insert into kb_imports (account_id, team_id, created_by, title, format, blocks, status)
     values ($1, $2, $3, 'Restart the print spooler', 'markdown', $4, 'converted') returning id`,
    [accountId, teamId || null, id, JSON.stringify(blocks)],
  )
  const node = (parent: string | null, position: number, kind: string, title: string, text: string) =>
    insertReturningId(
      service,
      `insert into kb_import_nodes (account_id, import_id, parent_id, position, kind, title, content)
       values ($1, $2, $3, $4, $5, $6, $7) returning id`,
      [accountId, import_id, parent, position, kind, title, text],
    )
  const section = await node(null, 0, 'section', 'Restart the print spooler', '')
  return {
    import_id,
    node_id: await node(section, 1, 'step', 'Open the services console.', '1. Open the services console.'),
  }
}

const createKbImport: Fixture = async (service, owner) => {
  const { import_id } = await insertKbImport(service, owner)
  return { params: { import_id } }
}

/** Insert a batch of the owner that waits for its first slice, and no queue knows. */
export async function insertBatch(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  await endBatches(service, accountId)
  return insertReturningId(
    service,
    `insert into kb_batches (account_id, team_id, created_by, source, object_key, total, next_attempt_at)
     values ($1, $2, $3, 'zip', 'k', 1, app.now() + interval '1 hour') returning id`,
    [accountId, teamId || null, id],
  )
}

const endBatches = (service: Service, accountId: string) =>
  service.sql(
    `update kb_batches set state = 'canceled' where account_id = $1 and state in ('queued', 'retrying')`,
    [accountId],
  )

const onBatch: Fixture = async (service, owner) => ({
  params: { batch_id: await insertBatch(service, owner) },
})

export const knowledgeFixtures = {
  'authoring.kbBatches.create': async (service, { accountId }) => {
    await endBatches(service, accountId)
    return { body: { source: 'url' as const, url: 'https://kb.example.com/print-spooler' } }
  },
  'authoring.kbBatches.list': async (service, owner) => {
    await insertBatch(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'authoring.kbBatches.get': onBatch,
  'authoring.kbBatches.cancel': onBatch,
  'authoring.kbImports.getQuota': async () => ({}),
  'authoring.kbImports.create': async () => ({
    body: { title: 'Restart the print spooler', content, format: 'markdown' },
  }),
  'authoring.kbImports.list': async (service, owner) => {
    await insertKbImport(service, owner)
    return { query: { skip: '0', limit: '20', status: 'converted' } }
  },
  'authoring.kbImports.get': createKbImport,
  'authoring.kbImports.convert': createKbImport,
  'authoring.kbImports.updateNode': async (service, owner) => ({
    params: await insertKbImport(service, owner),
    body: { title: 'Open services.msc', kind: 'note', parent_id: null, position: 0 },
  }),
  'authoring.kbImports.commit': async (service, owner) => ({
    ...(await createKbImport(service, owner)),
    body: { name: 'Restart the print spooler', tree_type: 'procedural', category: 'Printing' },
  }),
  'authoring.kbImports.delete': createKbImport,
} satisfies Record<string, Fixture>
