import type { McpTool } from '#rules/ai/outside-tool.ts'

/** A server that an account has connected. Never log it. */
export interface McpServer {
  name: string
  url: string
  token: string | null
}

export interface McpResult {
  text: string
  /** Whether the tool says that it failed. */
  isError: boolean
}

/** Calls to the MCP servers of accounts: 10 s, 512 KiB an answer. Each may throw an McpError. */
export interface McpPort {
  /** List the tools, at most 50. */
  listTools(server: McpServer): Promise<McpTool[]>
  /** Call a tool if the server still describes it as it did in this version; otherwise return its tools. */
  callTool(
    server: McpServer,
    tool: Pick<McpTool, 'name' | 'version'>,
    toolArguments: Record<string, unknown>,
  ): Promise<{ result: McpResult } | { changed: McpTool[] }>
}

/**
 * A server gave no usable answer. The message is a sentence for users, and that of the server, cleaned for a
 * prompt.
 */
export class McpError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'McpError'
  }
}
