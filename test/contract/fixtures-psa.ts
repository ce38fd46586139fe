import { parseConfig } from '#config.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { connectwiseBody } from '#test/support/psa.ts'
import { buildConnectWiseCallback } from '#test/support/psa-callbacks.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { encryptSecrets } from '#vendors/psa/connection.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertTree } from './fixtures-flows.ts'
import { insertSession } from './fixtures-sessions.ts'

/**
 * Connect the owner's account to the local ConnectWise emulator, unless the account already has a connection.
 */
export async function connectAccount(service: Service, { accountId }: Person): Promise<void> {
  const { provider, base_url, company_id, client_id, public_key, private_key } = connectwiseBody(service)
  const vault = createVault(parseConfig(service.settings).CREDENTIALS_KEY)
  await service.sql(
    `insert into psa_connections (account_id, provider, base_url, identity, credentials) values ($1, $2, $3, $4, $5)
     on conflict (account_id) do nothing`,
    [
      accountId,
      provider,
      base_url,
      { company_id, client_id },
      await encryptSecrets(vault, accountId, provider, { public_key, private_key }),
    ],
  )
}

export async function insertMapping(service: Service, owner: Person): Promise<void> {
  await connectAccount(service, owner)
  await service.sql(
    `insert into psa_member_mappings (account_id, user_id, connection_id, psa_member_id, psa_identifier, psa_name)
     select account_id, $2, id, '176', 'dreyes', 'Dana Reyes' from psa_connections where account_id = $1
     on conflict (account_id, user_id) do nothing`,
    [owner.accountId, owner.id],
  )
}

export function insertPush(service: Service, owner: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into psa_pushes (account_id, ticket_id, body, source_kind, source_id, requested_by, state, attempts, next_attempt_at, last_error)
     values ($1, '4711', 'Resolved', 'session', $2, $3, 'failed', 4, null, 'The ticketing system returned 503') returning id`,
    [owner.accountId, crypto.randomUUID(), owner.id],
  )
}

const createConnection: Fixture = async (service, owner) => {
  await connectAccount(service, owner)
  return {}
}
const createMappedSearch: Fixture = async (service, owner) => {
  await insertMapping(service, owner)
  return { query: { assigned_to_me: 'true', board_ids: '1,2', page: '1', page_size: '5' } }
}

export async function insertRule(service: Service, owner: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into psa_rules (account_id, name, tree_id, user_id, keywords) values ($1, 'VPN', $2, $3, '{vpn}') returning id`,
    [owner.accountId, await insertTree(service, owner), owner.id],
  )
}

/** Insert an address for callbacks, and build a signed callback to it. */
export const createCallback: Fixture = async (service, owner) => {
  const [token, password] = [randomToken(), randomToken()]
  await connectAccount(service, owner)
  await service.sql(
    `insert into psa_callbacks (account_id, connection_id, token_hash, password_hash)
     select account_id, id, $2::bytea, $3::bytea from psa_connections where account_id = $1
     on conflict (account_id) do update set token_hash = excluded.token_hash, password_hash = excluded.password_hash`,
    [owner.accountId, await sha256Bytea(token), await sha256Bytea(password)],
  )
  const { body, headers } = buildConnectWiseCallback(service, '4711')
  return {
    params: { provider: 'connectwise', token },
    content: { bytes: new TextEncoder().encode(body), headers },
  }
}

const createOwnSession = async (service: Service, owner: Person, columns: string): Promise<string> => {
  await insertMapping(service, owner)
  const id = await insertSession(service, owner)
  await service.sql(`update sessions set ${columns} where id = $1`, [id])
  return id
}

export const psaFixtures = {
  'psa.tickets.listBoards': createConnection,
  'psa.tickets.search': createMappedSearch,
  'psa.tickets.getContext': async (service, owner) => ({
    ...(await createConnection(service, owner)),
    params: { ticket_id: '4711' },
  }),
  'psa.tickets.listStatuses': async (service, owner) => ({
    ...(await createConnection(service, owner)),
    params: { board_id: '1' },
  }),
  'psa.tickets.searchCompanies': async (service, owner) => ({
    ...(await createConnection(service, owner)),
    query: { text: 'contoso' },
  }),
  'psa.tickets.update': async (service, owner) => {
    await insertMapping(service, owner)
    return { params: { ticket_id: '4711' }, body: { board_id: '1', status_id: '11', member_id: 'me' } }
  },
  'psa.pushes.createNote': async (service, owner) => {
    await connectAccount(service, owner)
    return { params: { ticket_id: '4711' }, body: { text: 'Replaced the toner', visibility: 'client' } }
  },
  'psa.pushes.createTimeEntry': async (service, owner) => ({
    params: {
      session_id: await createOwnSession(
        service,
        owner,
        `ticket_number = '4711', state = 'completed', outcome = 'resolved', completed_at = started_at + interval '5 minutes'`,
      ),
    },
    body: { minutes: 12, note: 'Cleared the queue', visibility: 'internal' },
  }),
  'psa.pushes.createTicket': async (service, owner) => ({
    params: { session_id: await createOwnSession(service, owner, 'ticket_number = null') },
    body: { company_id: '21', contact_id: '310', board_id: '1', summary: 'Printer is offline' },
  }),
  'psa.rules.list': async (service, owner) => {
    await insertRule(service, owner)
    return {}
  },
  'psa.rules.create': async (service, owner) => ({
    body: {
      ...{
        name: 'VPN',
        position: 1,
        is_enabled: true,
        board_id: '1',
        ticket_type: 'Network',
        keywords: ['vpn'],
      },
      ...{
        tree_id: await insertTree(service, owner),
        variables: { user_name: 'contact' },
        user_id: owner.id,
      },
    },
  }),
  'psa.rules.update': async (service, owner) => ({
    params: { rule_id: await insertRule(service, owner) },
    body: { is_enabled: false },
  }),
  'psa.rules.delete': async (service, owner) => ({ params: { rule_id: await insertRule(service, owner) } }),
  'psa.callbacks.get': createConnection,
  'psa.callbacks.enable': createConnection,
  'psa.callbacks.disable': async (service, owner) => {
    await createCallback(service, owner)
    return {}
  },
  'psa.callbacks.receive': createCallback,
  'psa.connection.get': createConnection,
  'psa.connection.put': async (service, owner) => ({
    ...(await createConnection(service, owner)),
    body: { is_active: false, client_id: 'demo' },
  }),
  'psa.connection.delete': createConnection,
  'psa.connection.test': createConnection,
  'psa.members.listMappings': createConnection,
  'psa.members.list': createConnection,
  'psa.members.putMapping': async (service, owner) => {
    await connectAccount(service, owner)
    return { params: { user_id: owner.id }, body: { psa_member_id: '177' } }
  },
  'psa.pushes.list': async (service, owner) => {
    await insertPush(service, owner)
    return { query: { state: 'failed', skip: '0', limit: '20' } }
  },
  'psa.pushes.retry': async (service, owner) => ({ params: { push_id: await insertPush(service, owner) } }),
  'psa.pushes.createForSession': async (service, owner) => {
    await connectAccount(service, owner)
    const session_id = await insertSession(service, owner)
    await service.sql(`update sessions set ticket_number = '4711' where id = $1`, [session_id])
    return { params: { session_id }, body: { internal: true, notify: false } }
  },
  'psa.pushes.previewForSession': async (service, owner) => {
    await connectAccount(service, owner)
    const session_id = await insertSession(service, owner)
    await service.sql(`update sessions set ticket_number = '4711' where id = $1`, [session_id])
    return { params: { session_id }, query: { kind: 'note', internal: 'false' } }
  },
} satisfies Record<string, Fixture>
