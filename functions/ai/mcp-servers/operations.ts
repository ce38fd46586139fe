import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as mcpServers from './service.ts'

const path = '/integrations/mcp-servers'
const feature = 'ai_sessions'

export const mcpServerOperations = [
  operation({
    id: 'ai.mcpServers.list',
    route: `GET ${path}`,
    summary: 'List connected MCP servers',
    description:
      'The MCP servers of my account by name, with their tools as they were last described, without their tokens.',
    access: 'account_admin',
    limit: 'read',
    feature,
    returns: z.array(schemas.McpServer),
    handle: ({ ctx }) => mcpServers.list(ctx),
  }),

  operation({
    id: 'ai.mcpServers.create',
    route: `POST ${path}`,
    summary: 'Connect an MCP server',
    description:
      'Connects a server by its streamable HTTP address, at most 5 per account. It is not asked yet, and none of its tools is allowed: refresh it, then allow tools one by one.',
    access: 'account_admin',
    stepUp: true,
    limit: '10/minute',
    feature,
    body: schemas.McpServerCreate,
    returns: schemas.McpServer,
    errors: ['limit_reached', 'name_taken'],
    handle: ({ ctx, body }) => mcpServers.create(ctx, body),
  }),

  operation({
    id: 'ai.mcpServers.refresh',
    route: `POST ${path}/{server_id}/refresh`,
    summary: 'Ask an MCP server for its tools',
    description:
      'If it does not answer, the response is a 200 with `last_check_error`, and its tools stay as they were.',
    access: 'account_admin',
    limit: '5/minute',
    feature,
    params: schemas.McpServerId,
    success: 200,
    returns: schemas.McpServer,
    idempotent: 'leased',
    handle: ({ ctx, params }) => mcpServers.refresh(ctx, params.server_id),
  }),

  operation({
    id: 'ai.mcpServers.allow',
    route: `PUT ${path}/{server_id}/tools`,
    summary: 'Allow tools of an MCP server',
    description:
      'Replaces the tools that the model may call in a session, at most 5, each in the version that was looked at. Only a tool that says that it only reads can be allowed. A tool that changes is not called until it is allowed again.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    feature,
    params: schemas.McpServerId,
    body: schemas.McpToolsPut,
    returns: schemas.McpServer,
    handle: ({ ctx, params, body }) => mcpServers.allow(ctx, params.server_id, body),
  }),

  operation({
    id: 'ai.mcpServers.delete',
    route: `DELETE ${path}/{server_id}`,
    summary: 'Disconnect an MCP server',
    description: 'Deletes its token too. What the model has looked up with its tools stays in the sessions.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    feature,
    params: schemas.McpServerId,
    handle: ({ ctx, params }) => mcpServers.remove(ctx, params.server_id),
  }),
]
