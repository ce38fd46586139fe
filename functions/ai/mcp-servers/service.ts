import { throwNameTaken } from '#db/sqlstate.ts'
import { uuidv7 } from '#db/uuid.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import { listPropertyNames, type McpTool } from '#rules/ai/outside-tool.ts'
import { spend } from '#rules/budget.ts'
import { maskAll } from '#rules/release.ts'
import { findUnstorableText } from '#rules/text/json.ts'
import type { Finding, LookupTool } from '#vendors/ai/lookups.ts'
import { McpError, type McpServer as ServerAddress } from '#vendors/mcp/mcp.ts'
import { openMcpToken, sealMcpToken } from '#vendors/mcp/sealed-token.ts'
import * as queries from './queries.ts'
import type { McpServer, McpServerCreate, McpToolsPut, ToolState } from './schemas.ts'

/** What the tools of a turn need. */
export type McpContext = Pick<WriteContext, 'db' | 'vault' | 'mcp' | 'config'>

export async function list({ db }: Pick<ReadContext, 'db'>): Promise<McpServer[]> {
  return (await queries.selectServers(db)).map(toResponse)
}

/** Connect a server. It is not asked yet. */
export async function create(ctx: WriteContext, { name, url, token }: McpServerCreate): Promise<McpServer> {
  await requireAllowedAddress(ctx, 'url', url)
  const id = uuidv7()
  const sealed = token === undefined ? null : await sealMcpToken(ctx.vault, ctx.caller.accountId, id, token)
  return toResponse(
    await queries
      .insertServer(ctx.db, { id, name, url, token: sealed })
      .catch(throwNameTaken('An MCP server')),
  )
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteServer(db, id))) throwNotFound('MCP server')
}

/** Ask the server for its tools, and store them or why it did not answer. */
export async function refresh(ctx: WriteContext, id: string): Promise<McpServer> {
  const server = await find(ctx, id)
  const listing = await ctx.mcp.listTools(await toAddress(ctx, server)).then(
    (tools) => ({ tools }),
    (error: unknown) => (error instanceof McpError ? { error: error.message } : Promise.reject(error)),
  )
  return toResponse((await queries.recordCheck(ctx.db, id, listing)) ?? throwNotFound('MCP server'))
}

/**
 * Replace the allowed tools. Throw 422 for one that may not be allowed, or that is not the version that the
 * server described last.
 */
export async function allow(ctx: WriteContext, id: string, { allowed }: McpToolsPut): Promise<McpServer> {
  const { tools } = await find(ctx, id)
  for (const [index, { name, version }] of allowed.entries()) {
    const tool = tools.find((each) => each.name === name)
    const problem =
      tool?.version === version
        ? tool.refusal && `names a tool that ${tool.refusal}`
        : 'must name a tool in its last version'
    if (problem) throw invalidField(['body', 'allowed', index], problem, 'tool')
  }
  const versions = Object.fromEntries(allowed.map(({ name, version }) => [name, version]))
  return toResponse((await queries.updateAllowed(ctx.db, id, versions)) ?? throwNotFound('MCP server'))
}

/** List the allowed tools of all servers of the account, for a turn. */
export async function listTurnTools(ctx: McpContext): Promise<LookupTool[]> {
  const servers = await queries.selectAllowedServers(ctx.db)
  return servers.flatMap((server) =>
    server.tools
      .filter((tool) => toState(server, tool) === 'allowed')
      .map((tool) => createTool(ctx, server, tool)),
  )
}

function createTool(ctx: McpContext, server: queries.McpServerRow, tool: McpTool): LookupTool {
  return {
    // No name of a server has an underscore, so no two tools have one name, nor that of a tool of ours.
    name: `${server.name}__${tool.name}`,
    description: `Tool of the MCP server ${server.name}, which says of it: “${tool.description}”`,
    parameters: tool.input_schema,
    isOutside: true,
    async run(callArguments) {
      if (typeof callArguments !== 'object' || callArguments === null || Array.isArray(callArguments))
        return undefined
      if (findUnstorableText(callArguments, []).length > 0) return undefined
      // They leave for a third party. A model that reads unmasked texts must not pass a password on.
      const level = ctx.config.AI_REDACTION === 'none' ? 'secrets' : ctx.config.AI_REDACTION
      const names = listPropertyNames(callArguments)
      if (maskAll(names, level).some((name, index) => name !== names[index])) return undefined
      const parsed = maskAll(callArguments as Record<string, unknown>, level)
      return { parsed, finding: call(ctx, server.id, tool, parsed) }
    },
  }
}

async function call(
  ctx: McpContext,
  serverId: string,
  tool: McpTool,
  callArguments: Record<string, unknown>,
): Promise<Finding> {
  // An admin may have withdrawn it since the turn began.
  const server = await queries.selectServer(ctx.db, serverId)
  if (!server || toState(server, tool) !== 'allowed')
    throw new Problem('unavailable', 'The tool is not allowed any more')
  const answer = await ctx.mcp
    .callTool(await toAddress(ctx, server), tool, callArguments)
    .catch((error: unknown) => {
      throw error instanceof McpError ? new Problem('unavailable', error.message, { cause: error }) : error
    })
  if ('changed' in answer) {
    await queries.recordCheck(ctx.db, server.id, { tools: answer.changed })
    throw new Problem(
      'unavailable',
      'The tool has changed since it was allowed. An admin of the account can allow it again',
    )
  }
  const { text, isError } = answer.result
  spend(text.length)
  const summary = isError ? 'The tool reported an error' : `${text.length} characters`
  return { source: `MCP server ${server.name}`, summary, result: isError ? { error: text } : text }
}

async function toAddress(
  { vault }: Pick<McpContext, 'vault'>,
  { id, account_id, name, url, token }: queries.McpServerRow,
): Promise<ServerAddress> {
  return { name, url, token: token === null ? null : await openMcpToken(vault, account_id, id, token) }
}

async function find({ db }: Pick<ReadContext, 'db'>, id: string): Promise<queries.McpServerRow> {
  return (await queries.selectServer(db, id)) ?? throwNotFound('MCP server')
}

function toState({ allowed }: queries.McpServerRow, { name, version, refusal }: McpTool): ToolState {
  if (!Object.hasOwn(allowed, name)) return 'not_allowed'
  return allowed[name] === version && refusal === null ? 'allowed' : 'changed'
}

function toResponse(row: queries.McpServerRow): McpServer {
  const { account_id: _, token, allowed: __, ...rest } = row
  return {
    ...rest,
    has_token: token !== null,
    tools: row.tools.map((tool) => ({ ...tool, state: toState(row, tool) })),
  }
}
