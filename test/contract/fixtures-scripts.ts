import { randomBytes } from 'node:crypto'
import { insertAiSession } from '#test/support/ai.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertColleague } from './fixtures-platform.ts'
import { insertSession } from './fixtures-sessions.ts'

const parameters = [{ name: 'service', label: 'Service', type: 'string', required: true }]
const script_body = 'Restart-Service -Name {{ service }}\n'
const createSuffix = () => randomBytes(4).toString('hex')

export function insertScript(
  service: Service,
  { accountId, teamId, id }: Person,
  shared = true,
): Promise<string> {
  const statement = `insert into script_templates (account_id, team_id, created_by, name, slug, script_body, parameters_schema, language, is_shared)
                     values ($1, $2, $3, 'Restart a service', $4, $5, $6, 'powershell', $7) returning id`
  const slug = `restart-a-service-${createSuffix()}`
  return insertReturningId(service, statement, [
    accountId,
    teamId || null,
    id,
    slug,
    script_body,
    JSON.stringify(parameters),
    shared,
  ])
}
export function insertDraft(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  const statement = `insert into draft_templates (account_id, team_id, created_by, name, language, script_body, proposed_parameters, source_session_id, source_ticket_ref)
                     values ($1, $2, $3, 'Restart a service', 'powershell', $4, $5, uuidv7(), '#4711') returning id`
  return insertReturningId(service, statement, [
    accountId,
    teamId || null,
    id,
    script_body,
    JSON.stringify(parameters),
  ])
}
export function insertScriptCategory(service: Service, { accountId }: Person): Promise<string> {
  return insertReturningId(
    service,
    'insert into script_categories (account_id, name) values ($1, $2) returning id',
    [accountId, `Windows ${createSuffix()}`],
  )
}

const createScript: Fixture = async (service, owner) => ({
  params: { template_id: await insertScript(service, owner) },
})
const createScriptWithVersion: Fixture = async (service, owner) => {
  const template_id = await insertScript(service, owner)
  await service.sql('update script_templates set version = version + 1 where id = $1', [template_id])
  return { params: { template_id, version: '1' } }
}
const createDraft: Fixture = async (service, owner) => ({
  params: { draft_id: await insertDraft(service, owner) },
})

/**
 * Insert a builder session that belongs to an AI session. Unlike standalone ones, such builder sessions are
 * not limited per user.
 */
export async function insertBuilder(service: Service, owner: Person): Promise<string> {
  const statement = `with s as (
      insert into script_builder_sessions (account_id, user_id, origin, ai_session_id, language, title, script_body)
      values ($1, $2, 'pilot_inline', $3, 'powershell', 'Restart', 'Restart-Service Spooler') returning *),
    m as (insert into script_builder_messages (account_id, session_id, role, content) select account_id, id, 'user', 'Restart it' from s)
    select id from s`
  return insertReturningId(service, statement, [
    owner.accountId,
    owner.id,
    await insertAiSession(service, owner),
  ])
}
const createBuilder: Fixture = async (service, owner) => ({
  params: { session_id: await insertBuilder(service, owner) },
})

/** Insert a script of medium risk, a session for it, and a colleague who may approve it. */
export const createRiskyRun = async (service: Service, owner: Person) => {
  const template_id = await insertScript(service, owner)
  await service.sql(`update script_templates set risk = 'medium' where id = $1`, [template_id])
  await insertColleague(service, owner)
  const session_id = await insertSession(service, owner)
  return {
    params: { template_id },
    body: { session_id, parameters: { service: 'Spooler' }, comment: 'Agreed by phone.' },
  }
}

export const scriptFixtures = {
  'scripts.list': async (service, owner) => {
    await insertScript(service, owner)
    return {
      query: {
        skip: '0',
        limit: '20',
        mine: 'true',
        shared: 'true',
        language: 'powershell',
        search: 'restart',
      },
    }
  },
  'scripts.create': async () => ({
    body: {
      name: 'Restart a service',
      language: 'powershell',
      script_body,
      parameters_schema: parameters,
      requires_elevation: true,
    },
  }),
  'scripts.listCategories': async (service, owner) => {
    await insertScriptCategory(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'scripts.createCategory': async () => ({ body: { name: `Windows ${createSuffix()}` } }),
  'scripts.get': createScript,
  'scripts.update': async (service, owner) => ({
    ...(await createScript(service, owner)),
    body: { description: 'Waits until it runs.', requires_elevation: true },
  }),
  'scripts.approvals.request': createRiskyRun,
  'scripts.delete': createScript,
  'scripts.render': async (service, owner) => ({
    ...(await createScript(service, owner)),
    body: { parameters: { service: 'Spooler' } },
  }),
  'scripts.share': async (service, owner) => ({
    params: { template_id: await insertScript(service, owner, false) },
    body: { is_shared: true },
  }),

  'scripts.versions.list': async (service, owner) => ({
    ...(await createScript(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'scripts.versions.get': createScriptWithVersion,
  'scripts.versions.compare': async (service, owner) => ({
    ...(await createScriptWithVersion(service, owner)),
    query: { base: '0', format: 'json' },
  }),
  'scripts.versions.restore': createScriptWithVersion,

  'scripts.builder.create': async () => ({
    body: { origin: 'standalone', language: 'bash', title: 'Restart nginx' },
  }),
  'scripts.builder.list': async (service, owner) => {
    await createBuilder(service, owner)
    return { query: { skip: '0', limit: '20', origin: 'all' } }
  },
  'scripts.builder.get': createBuilder,
  'scripts.builder.sendMessage': async (service, owner) => ({
    ...(await createBuilder(service, owner)),
    body: { message: 'Restart Spooler' },
  }),
  'scripts.builder.saveToLibrary': async (service, owner) => ({
    ...(await createBuilder(service, owner)),
    body: { name: 'Restart it' },
  }),
  'scripts.builder.delete': createBuilder,

  'scripts.drafts.list': async (service, owner) => {
    await insertDraft(service, owner)
    return { query: { skip: '0', limit: '20', pending_only: 'true' } }
  },
  'scripts.drafts.get': createDraft,
  'scripts.drafts.accept': async (service, owner) => ({
    ...(await createDraft(service, owner)),
    body: { name: 'Restart it', description: 'x' },
  }),
  'scripts.drafts.reject': createDraft,

  'flows.gallery.getScript': async (service, owner) => {
    const id = await insertScript(service, owner)
    const [row] = await service.sql<{ slug: string }>(
      'update script_templates set is_gallery_featured = true where id = $1 returning slug',
      [id],
    )
    return { params: { slug: row?.slug ?? '' } }
  },
  'admin.gallery.putScript': async (service, owner) => ({
    ...(await createScript(service, owner)),
    body: { is_featured: true, sort_order: 10 },
  }),
} satisfies Record<string, Fixture>
