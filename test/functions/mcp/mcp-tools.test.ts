import { describe, expect, it } from 'vitest'
import { createToolCaller } from '#functions/mcp/call-operation.ts'
import { bindTools, type Tool } from '#functions/mcp/tool-schemas.ts'
import { tools } from '#functions/mcp/tools.ts'
import { operations } from '#functions/operations.ts'
import type { C } from '#http/app.ts'
import { createStubServices } from '#test/support/stub-services.ts'

const bound = bindTools(tools, operations)

/** Call a tool, and return the requests that it sends to the app. */
async function listRequests(tool: Tool, input: Record<string, unknown>): Promise<Request[]> {
  const requests: Request[] = []
  const dispatch = (request: Request) => {
    requests.push(request)
    return new Response('{}')
  }
  const headers = {
    authorization: 'Bearer x',
    cookie: 'a=b',
    'idempotency-key': 'k',
    'mcp-protocol-version': '1',
    'user-agent': 'test',
  }
  const c = {
    req: { raw: new Request('https://api.example/mcp', { headers }) },
    env: {},
    executionCtx: {},
  } as unknown as C
  const services = createStubServices({ dispatch, config: { PUBLIC_BASE_URL: 'https://api.example' } })
  await createToolCaller(c, services, null)(tool, input)
  return requests
}

it.each(
  bound.filter(({ operation }) => operation.params).map((tool) => [tool.declaration.name, tool] as const),
)('MCP-03 %s sends no request for an id that would lead to another path', async (_, tool) => {
  const names = Object.keys(tool.operation.params?.shape ?? {})
  for (const id of ['.', '..', '%2e%2e', '../x', 'x/y', 'x?y', 'x#y', '', null, undefined, {}, ['..']])
    expect(await listRequests(tool, Object.fromEntries(names.map((name) => [name, id]))), String(id)).toEqual(
      [],
    )
})

it('MCP-08 sends on who calls, and nothing that concerns the MCP request alone', async () => {
  const tool = bound.find(({ declaration }) => declaration.name === 'search_flows') as Tool
  const [request] = await listRequests(tool, { search: 'a&b=c', limit: 5 })
  expect(request?.url).toBe('https://api.example/api/v1/trees?limit=5&search=a%26b%3Dc')
  expect(Object.keys(Object.fromEntries(request?.headers ?? [])).toSorted()).toEqual([
    'accept',
    'authorization',
    'cookie',
    'user-agent',
  ])
})

describe('the MCP server', () => {
  it.each<[() => Response, object]>([
    [() => new Response('{"a":1}'), { text: '{"a":1}', isError: false }],
    [
      () => Response.json({ detail: 'Gone', code: 'wrong_state' }, { status: 409 }),
      { text: '409 wrong_state: Gone', isError: true },
    ],
    [
      () => Response.json({ error: 'invalid_signature' }, { status: 400 }),
      { text: '400 invalid_signature: ', isError: true },
    ],
    [() => new Response('no JSON', { status: 502 }), { text: '502: ', isError: true }],
    [
      () =>
        Response.json(
          { detail: 'No', errors: [{ loc: ['body', 'a', 0], msg: 'must be' }, { loc: ['query'] }, {}] },
          { status: 422 },
        ),
      { text: '422: No\n- a.0 must be\n-  \n-  ', isError: true },
    ],
  ])('describes an answer for a model: %#', async (respond, expected) => {
    const c = { req: { raw: new Request('https://api.example/mcp') }, env: {}, executionCtx: {} } as never
    const services = createStubServices({
      dispatch: respond,
      config: { PUBLIC_BASE_URL: 'https://api.example' },
    })
    const tool = { declaration: {}, operation: { method: 'get', path: '/a' } } as never
    expect(await createToolCaller(c, services, null)(tool, {})).toEqual(expected)
    expect(() => createToolCaller(c, { ...services, dispatch: undefined }, null)).toThrow('not assembled')
  })

  it('refuses an answer of more than 4 MiB', async () => {
    const call = (bytes: number) => {
      const c = { req: { raw: new Request('https://api.example/mcp') }, env: {}, executionCtx: {} } as never
      const services = createStubServices({
        dispatch: () => new Response('x'.repeat(bytes)),
        config: { PUBLIC_BASE_URL: 'https://api.example' },
      })
      return createToolCaller(
        c,
        services,
        null,
      )({ declaration: {}, operation: { method: 'get', path: '/a' } } as never, {})
    }
    const limit = 4 * 1024 * 1024
    expect((await call(limit)).text).toHaveLength(limit)
    await expect(call(limit + 1)).rejects.toMatchObject({ kind: 'too_large', status: 413 })
  })
})
