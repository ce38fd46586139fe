import { describe, expect, it } from 'vitest'
import { createKey } from '../../support/api-keys.ts'
import { sharedService } from '../../support/app.ts'
import { createFlow } from '../../support/flows.ts'
import { callTool, connectMcp } from '../../support/mcp.ts'
import { createAccount } from '../../support/people.ts'

const service = await sharedService()

describe('with an API key', () => {
  it('MCP-01 lists the tools', async () => {
    const key = await createKey(service, await createAccount(service))
    const client = await connectMcp(service, key.key)
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(20)
    const { text } = await callTool(client, 'search_flows', { search: 'vpn' })
    expect(JSON.parse(text).length).toBeGreaterThan(0)
  })
})
