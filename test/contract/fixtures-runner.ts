import { parseConfig } from '#config.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { runnerBody } from '#test/support/runner.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { sealRunnerKey } from '#vendors/runner/sealed-key.ts'
import type { Fixture } from './fixture-rows.ts'

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

export const runnerFixtures = {
  'runner.connection.get': connect,
  'runner.connection.put': async (service, owner) => ({ ...(await connect(service, owner)), body: runnerBody(service) }),
  'runner.connection.delete': connect,
  'runner.connection.test': connect,
  'runner.agents.list': async (service, owner) => ({ ...(await connect(service, owner)), query: { client: 'Northwind', search: 'srv' } }),
} satisfies Record<string, Fixture>
