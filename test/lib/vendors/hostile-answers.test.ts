import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClock } from '#local/clock.ts'
import { modelName } from '#local/model/model.ts'
import { startLocalServer } from '#local/server.ts'
import { secrets } from '#test/local/test-server.ts'
import { someByDay } from '#test/support/night.ts'
import { type Asked, createVendorCalls } from '#test/support/vendor-calls.ts'
import { startVendorServer, type VendorRequest } from '#test/support/vendor-server.ts'
import { AiFailure, type AiPort } from '#vendors/ai/ai.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { createMcpClient } from '#vendors/mcp/client.ts'
import { McpError, type McpPort } from '#vendors/mcp/mcp.ts'

// A system that an account connects may answer anything. Small texts that take much memory as values are refused
// before they are parsed.

const clock = createClock()
const guard = { findRefusal: async () => null }
const mcpServer = (origin: string) => ({ name: 'docs', url: `${origin}/mcp-docs/mcp`, token: 'demo' })
type Call = Omit<Asked<unknown>, 'required'>
const vendors: Record<string, Call> = {
  ...(createVendorCalls(clock) as unknown as Record<string, Call>),
  mcp: {
    open: (origin) => ({ port: createMcpClient(guard), server: mcpServer(origin) }),
    calls: {
      tools: (opened) => {
        const { port, server } = opened as { port: McpPort; server: ReturnType<typeof mcpServer> }
        return port.listTools(server)
      },
    },
    error: McpError,
  },
  model: {
    open: (origin) => openAi({ key: secrets.openaiKey, baseUrl: `${origin}/openai`, model: modelName }),
    calls: {
      completion: (port) =>
        (port as AiPort).complete({
          name: 'a',
          version: 1,
          instructions: 'a',
          turns: [{ role: 'user', text: 'a' }],
          schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
          maxTokens: 1000,
          effort: 'low',
          timeoutMs: 5000,
        }),
    },
    error: AiFailure,
  },
}

const maxParts = 200_000
const maxLevels = 500
const count = 250_000
const repeat = (part: string) => `[${part.repeat(count)}0]`
const bombs = {
  objects: repeat('{},'),
  'lists in lists': '['.repeat(count) + ']'.repeat(count),
  'objects in a text': JSON.stringify(repeat('{"":0},')),
  'objects in an event': `data: ${repeat('{},')}\n\n`,
}

/** Count the objects and lists of a text, and its levels, outside of strings. */
function measure(text: string): { parts: number; levels: number } {
  let [parts, level, levels, isInString] = [0, 0, 0, false]
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isInString && character === '\\') at++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === '{' || character === '[') {
      parts++
      levels = Math.max(levels, ++level)
    } else if (character === '}' || character === ']') level--
  }
  return { parts, levels }
}

const proxy = await startVendorServer()
const local = { origin: '', close: async () => {} }
let asked: string[] = []
let bomb: { place: number; body: string } | undefined

beforeAll(async () => {
  Object.assign(local, await startLocalServer({ port: 0, redisName: 'hostile', secrets, clock }))
  proxy.answer = async ({ method, path, headers, body }: VendorRequest) => {
    asked.push(path)
    if (bomb?.place === asked.length) return { body: bomb.body }
    const response = await fetch(local.origin + path, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)]],
      ),
      ...(body === '' ? {} : { body }),
    })
    const type = { 'content-type': response.headers.get('content-type') ?? '' }
    return { status: response.status, headers: type, body: await response.text() }
  }
})
afterAll(async () => {
  vi.restoreAllMocks()
  proxy.close()
  await local.close()
})

describe.each(Object.entries(vendors))('%s', (_, { open, calls, error }) => {
  it.each(Object.entries(calls))('WIR-87 %s parses no answer that takes much memory', async (_name, call) => {
    const ask = () => {
      asked = []
      return call(open(proxy.origin)).catch((failure: unknown) => failure)
    }
    bomb = undefined
    expect(await ask()).not.toBeInstanceOf(Error)
    // One of each kind of request.
    const kinds = asked.map((path) => path.replace(/\?.*|\d+/g, ''))
    const places = kinds.flatMap((kind, index) => (kinds.indexOf(kind) === index ? [index + 1] : []))
    const parse = JSON.parse
    const largest = { parts: 0, levels: 0 }
    vi.spyOn(JSON, 'parse').mockImplementation((text, ...others) => {
      const size = measure(String(text))
      largest.parts = Math.max(largest.parts, size.parts)
      largest.levels = Math.max(largest.levels, size.levels)
      return parse(text, ...others)
    })
    const wrong: string[] = []
    for (const place of places)
      for (const [name, body] of someByDay(Object.entries(bombs), 2)) {
        bomb = { place, body }
        Object.assign(largest, { parts: 0, levels: 0 })
        const result = await ask()
        const title = `${name} for ${asked[place - 1]}`
        if (result instanceof Error && !(result instanceof error)) wrong.push(`${title}: ${result}`)
        if (largest.parts > maxParts || largest.levels > maxLevels)
          wrong.push(`${title}: ${largest.parts} parts, ${largest.levels} levels`)
      }
    vi.restoreAllMocks()
    expect(wrong).toEqual([])
  })
})
