import { parseConfig } from '#config.ts'
import type { Service } from '#test/support/app.ts'
import { mcpServerBody } from '#test/support/mcp-servers.ts'
import type { Person } from '#test/support/people.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { sealMcpToken } from '#vendors/mcp/sealed-token.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'

const tool = {
  name: 'search_docs',
  description: 'Search the documentation.',
  input_schema: { type: 'object', properties: { query: { type: 'string' } } },
  version: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  refusal: null,
}

/**
 * Connect the owner's account to the local MCP server, with one allowed tool. An account has at most five.
 */
export async function insertMcpServer(
  service: Service,
  { accountId }: Pick<Person, 'accountId'>,
): Promise<string> {
  await service.sql('delete from mcp_servers where account_id = $1', [accountId])
  const id = crypto.randomUUID()
  const { url, token } = mcpServerBody(service)
  const sealed = await sealMcpToken(
    createVault(parseConfig(service.settings).CREDENTIALS_KEY),
    accountId,
    id,
    token,
  )
  return insertReturningId(
    service,
    `insert into mcp_servers (id, account_id, name, url, token, tools, allowed) values ($1, $2, 'docs', $3, $4, $5, $6) returning id`,
    [id, accountId, url, sealed, JSON.stringify([tool]), JSON.stringify({ [tool.name]: tool.version })],
  )
}

const onServer: Fixture = async (service, owner) => ({
  params: { server_id: await insertMcpServer(service, owner) },
})

export const mcpFixtures = {
  'ai.mcpServers.list': async (service, owner) => {
    await insertMcpServer(service, owner)
    return {}
  },
  'ai.mcpServers.create': async (service, owner) => {
    await service.sql('delete from mcp_servers where account_id = $1', [owner.accountId])
    return { body: mcpServerBody(service) }
  },
  'ai.mcpServers.refresh': onServer,
  'ai.mcpServers.allow': async (service, owner) => ({
    ...(await onServer(service, owner)),
    body: { allowed: [] },
  }),
  'ai.mcpServers.delete': onServer,
} satisfies Record<string, Fixture>
