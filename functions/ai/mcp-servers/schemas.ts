import * as z from 'zod'
import { ApiAddress, Id, idParams, Time } from '#http/fields.ts'

export const McpServerId = idParams('server_id', 'MCP server')

const Name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,19}$/, 'must have up to 20 small letters, digits and hyphens')
  .describe('Stands before the names of its tools, with two underscores. Unique in the account.')
const ToolName = z.string().describe('The name of the tool at its server.')
const ToolVersion = z.string().describe('Changes with anything that the server says of the tool.')

const ToolState = z
  .enum(['allowed', 'changed', 'not_allowed'])
  .meta({ id: 'McpToolState' })
  .describe(
    '`allowed`: the model may call it. `changed`: it was allowed in another version, and is not called. `not_allowed`: nobody has allowed it.',
  )
export type ToolState = z.infer<typeof ToolState>

const McpTool = z
  .strictObject({
    name: ToolName.meta({ example: 'search_docs' }),
    description: z
      .string()
      .describe(
        'What the model reads of it, at most 600 characters. It is the server’s text, without characters that could mislead.',
      )
      .meta({ example: 'Search the documentation of our products.' }),
    input_schema: z
      .record(z.string(), z.unknown())
      .describe('The part of the JSON schema of its arguments that the model reads.')
      .meta({ example: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } }),
    version: ToolVersion.meta({ example: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' }),
    state: ToolState,
    refusal: z
      .string()
      .nullable()
      .describe('Why it cannot be allowed, as the end of the sentence “The tool …”; null if it can.'),
  })
  .meta({ id: 'McpTool' })

export const McpServer = z
  .strictObject({
    id: Id,
    name: Name.meta({ example: 'docs' }),
    url: z
      .string()
      .describe('Address of its streamable HTTP endpoint.')
      .meta({ example: 'https://mcp.docs.example/mcp' }),
    has_token: z.boolean().describe('Whether a token is sent to it.'),
    tools: z
      .array(McpTool)
      .describe('Its tools as it described them when it was last asked, at most 50. Empty before that.'),
    last_checked_at: Time.nullable().describe('When it was last asked.'),
    last_check_error: z.string().nullable().describe('Why that failed; null when it succeeded.'),
    created_at: Time,
    updated_at: Time.describe('When its allowed tools last changed.'),
  })
  .meta({ id: 'McpServer' })
export type McpServer = z.infer<typeof McpServer>

export const McpServerCreate = z
  .strictObject({
    name: Name.meta({ example: 'docs' }),
    url: ApiAddress.describe('Address of its streamable HTTP endpoint: https, on a public host.').meta({
      example: 'https://mcp.docs.example/mcp',
    }),
    token: z
      .string()
      .min(1)
      .max(4000)
      .regex(/^[\x21-\x7e]+$/, 'must be a bearer token')
      .optional()
      .describe('A bearer token that the server expects. It is never returned.'),
  })
  .meta({ id: 'McpServerCreate' })
export type McpServerCreate = z.infer<typeof McpServerCreate>

export const maxAllowed = 5

export const McpToolsPut = z
  .strictObject({
    allowed: z
      .array(
        z.strictObject({
          name: ToolName.max(128).meta({ example: 'search_docs' }),
          version: ToolVersion.max(100).meta({ example: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' }),
        }),
      )
      .max(maxAllowed)
      .describe(
        'The tools that the model may call, each in the version that was looked at. Every other tool is not allowed any more.',
      ),
  })
  .meta({ id: 'McpToolsPut' })
export type McpToolsPut = z.infer<typeof McpToolsPut>
