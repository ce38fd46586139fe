import { parseConfig } from '#config.ts'
import { insertAiSession } from '#test/support/ai.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { agentIds, runnerBody } from '#test/support/runner.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { sealRunnerKey } from '#vendors/runner/sealed-key.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { createRiskyRun, insertScript } from './fixtures-scripts.ts'
import { insertFullSession, insertSession } from './fixtures-sessions.ts'

/** Connect the owner's account to the local runner, unless the account already has a connection. */
export async function insertRunner(service: Service, { accountId }: Person): Promise<void> {
  const { provider, base_url, api_key } = runnerBody(service)
  const vault = createVault(parseConfig(service.settings).CREDENTIALS_KEY)
  await service.sql(
    'insert into runner_connections (account_id, provider, base_url, credentials) values ($1, $2, $3, $4) on conflict (account_id) do nothing',
    [accountId, provider, base_url, await sealRunnerKey(vault, accountId, provider, api_key)],
  )
}

const connect: Fixture = async (service, owner) => {
  await insertRunner(service, owner)
  return {}
}

/** Insert a run that waits, in a session or an AI session. */
export function insertRun(
  service: Service,
  owner: Person,
  parent: 'session_id' | 'ai_session_id',
  sessionId: string,
): Promise<string> {
  return insertReturningId(
    service,
    `insert into runner_runs (account_id, ${parent}, title, script_template_id, script_version, agent_id, time_limit_seconds, requested_by, next_attempt_at)
     values ($1, $2, 'Restart a service', $3, 1, $4, 120, $5, app.now() + interval '1 hour') returning id`,
    [owner.accountId, sessionId, crypto.randomUUID(), agentIds.online, owner.id],
  )
}

const createRun =
  (parent: 'session_id' | 'ai_session_id'): Fixture =>
  async (service, owner) => {
    const session_id = await (parent === 'session_id' ? insertSession : insertAiSession)(service, owner)
    const run_id = await insertRun(service, owner, parent, session_id)
    return { params: { session_id, run_id } }
  }

const requestApproval: Fixture = async (service, owner) => {
  await insertRunner(service, owner)
  const {
    params: { template_id: script_template_id },
    body: { session_id, ...body },
  } = await createRiskyRun(service, owner)
  return {
    params: { session_id },
    body: { ...body, script_template_id, agent_id: agentIds.online, client_name: 'Northwind' },
  }
}

/** As `requestApproval`, in an AI session of the owner. */
const requestApprovalInAiSession: Fixture = async (service, owner) => {
  const { body } = await requestApproval(service, owner)
  return { params: { session_id: await insertAiSession(service, owner) }, body }
}

const start =
  (parent: 'session_id' | 'ai_session_id'): Fixture =>
  async (service, owner) => {
    await insertRunner(service, owner)
    const session_id = await (parent === 'session_id' ? insertSession : insertAiSession)(service, owner)
    const script_template_id = await insertScript(service, owner)
    return {
      params: { session_id },
      body: {
        script_template_id,
        parameters: { service: 'Spooler' },
        agent_id: agentIds.online,
        client_name: 'Northwind',
        time_limit_seconds: 60,
      },
    }
  }

export const runnerFixtures = {
  'runner.runs.startInSession': start('session_id'),
  'runner.runs.startInAiSession': start('ai_session_id'),
  'runner.runs.requestApproval': requestApproval,
  'runner.runs.requestApprovalInAiSession': requestApprovalInAiSession,
  'runner.runs.listOfSession': createRun('session_id'),
  'runner.runs.listOfAiSession': createRun('ai_session_id'),
  'runner.runs.cancel': createRun('session_id'),
  'runner.connection.get': connect,
  'runner.connection.put': async (service, owner) => ({
    ...(await connect(service, owner)),
    body: runnerBody(service),
  }),
  'runner.connection.delete': connect,
  'runner.connection.test': connect,
  'runner.agents.list': async (service, owner) => ({
    ...(await connect(service, owner)),
    query: { client: 'Northwind', search: 'srv' },
  }),
  'runner.agents.listClientRuns': async (service, owner) => {
    await insertFullSession(service, owner)
    await service.sql(`update script_runs set client_name = 'Northwind' where account_id = $1`, [
      owner.accountId,
    ])
    return { query: { client: 'Northwind', skip: '0', limit: '20' } }
  },
  'runner.agents.listRuns': async (service, owner) => {
    await insertFullSession(service, owner)
    await service.sql(`update script_runs set agent_id = $2 where account_id = $1`, [
      owner.accountId,
      agentIds.online,
    ])
    return { params: { agent_id: agentIds.online }, query: { skip: '0', limit: '20' } }
  },
} satisfies Record<string, Fixture>
