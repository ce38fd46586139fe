import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { Service } from './app.ts'

/** Connect the official client to the service's MCP server. */
export async function connectMcp(service: Pick<Service, 'api'>, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.api}/mcp`), { requestInit: { headers } }),
  )
  onTestFinished(() => client.close())
  return client
}

/** Call a tool, and return its text, and its structured content if it has some. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<{ text: string; isError: boolean; structured?: unknown }> {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args })
  const [first] = content as { text: string }[]
  return {
    text: first?.text ?? '',
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
  }
}
