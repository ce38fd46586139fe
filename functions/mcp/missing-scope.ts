import * as z from 'zod'
import { includesScope } from '#http/granted-scopes.ts'
import { getKeyScope } from '#http/key-scopes.ts'
import type { Tool } from './tool-schemas.ts'

/** A program needs a scope to which its person has not agreed. It may ask them again, for these scopes together. */
export class MissingScope extends Error {
  readonly required: string
  readonly scopes: readonly string[]
  constructor(required: string, scopes: readonly string[]) {
    super(`This needs the scope ${required}`)
    this.required = required
    this.scopes = scopes
  }
}

const Message = z.looseObject({
  method: z.string(),
  params: z.looseObject({ name: z.unknown() }).optional().catch(undefined),
})

/** The tools by which the other requests are answered. */
const toolsByMethod: Readonly<Record<string, string>> = {
  'resources/list': 'search_flows',
  'resources/read': 'read_flow',
}

/**
 * Throw before any message is answered if one of them needs a scope that was not granted: a challenge instead of
 * the error of a tool, which no program reads:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling
 */
export function requireScopes(messages: unknown, tools: readonly Tool[], granted: readonly string[]): void {
  const names = [messages].flat().map((message) => {
    const { data } = Message.safeParse(message)
    return data?.method === 'tools/call' ? data.params?.name : toolsByMethod[data?.method ?? '']
  })
  const operations = names.flatMap(
    (name) => tools.find(({ declaration }) => declaration.name === name)?.operation ?? [],
  )
  const needed = operations.flatMap((op) => [getKeyScope(op) ?? [], ...(op.alsoNeeds ?? [])].flat())
  const missing = needed.filter((scope) => !includesScope(granted, scope))
  const [first] = missing
  if (first !== undefined) throw new MissingScope(first, [...new Set([...granted, ...missing])])
}
