import type { Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import type { Person } from './people.ts'

/** Return the body that connects an account to the local MCP server of documentation. */
export function mcpServerBody({ localOrigin }: Pick<Service, 'localOrigin'>) {
  return { name: 'docs', url: `${localOrigin}/mcp-docs/mcp`, token: 'demo' }
}

interface ListedTool {
  name: string
  version: string
  state: string
  refusal: string | null
}

/** Connect the local MCP server, ask it for its tools, and allow some of them. Return the server. */
export async function connectMcpServer(
  service: Pick<Service, 'localOrigin'>,
  admin: Person,
  names: readonly string[] = [],
  fields: object = {},
) {
  const { id } = expectStatus(
    await admin.call('POST', '/integrations/mcp-servers', { ...mcpServerBody(service), ...fields }),
    201,
  ).body
  const { tools } = expectStatus(
    await admin.call('POST', `/integrations/mcp-servers/${id}/refresh`),
    200,
  ).body
  const allowed = tools.flatMap(({ name, version }: ListedTool) =>
    names.includes(name) ? [{ name, version }] : [],
  )
  return expectStatus(await admin.call('PUT', `/integrations/mcp-servers/${id}/tools`, { allowed }), 200)
    .body as {
    id: string
    tools: ListedTool[]
  }
}
