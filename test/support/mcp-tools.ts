import { type ToolDeclaration, tools } from '#functions/mcp/tools.ts'
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { createKey } from './api-keys.ts'
import type { Service } from './app.ts'
import { callTool, connectMcp } from './mcp.ts'
import { createAccount } from './people.ts'

/** The tools by name, each with its operation. */
export const toolCases = tools.map((tool) => [tool.name, tool, findOperation(tool)] as const)

function findOperation({ operation }: ToolDeclaration): AnyOperation {
  return operations.find(({ id }) => id === operation) as AnyOperation
}

/** Call a tool as a key of a new account, with a valid request of its operation. */
export async function callToolWithFixture(service: Service, tool: ToolDeclaration, op: AnyOperation) {
  const account = await createAccount(service)
  const key = await createKey(service, account, { role: 'admin', team_id: account.teamId })
  const { params, query, body } = await getFixture(op)(service, key)
  const client = await connectMcp(service, key.key)
  const args: Record<string, unknown> = { ...query, ...params, ...body }
  for (const name of Object.keys(tool.fixed ?? {})) delete args[name]
  // The client compares the answer of a tool that it knows with its schema.
  const { tools: listed } = await client.listTools()
  const { outputSchema } = listed.find(({ name }) => name === tool.name) ?? {}
  return { ...(await callTool(client, tool.name, args)), outputSchema }
}
