import type { Facts, Turn } from './facts.ts'
import { truncate } from './text.ts'

/** What a message asks for, the tool that looks it up, and its arguments. */
const wishes: readonly { sign: RegExp; name: string; toArguments(found: string): object }[] = [
  { sign: /\blook up the domain ([\w.-]*\w)/i, name: 'check_domain', toArguments: (domain) => ({ domain }) },
  {
    sign: /\bsearch (?:the )?flows (?:for|about) ([^.?!\n]{1,200})/i,
    name: 'search_flows',
    toArguments: (text) => ({ text }),
  },
  {
    sign: /\bread (?:the )?flow ([0-9a-f-]{36})/i,
    name: 'read_flow',
    toArguments: (flow_id) => ({ flow_id }),
  },
  {
    sign: /\bother (?:open )?tickets of this client\b/i,
    name: 'list_client_tickets',
    toArguments: () => ({}),
  },
  { sign: /\b(?:all|older) notes of the ticket\b/i, name: 'read_ticket_notes', toArguments: () => ({}) },
  { sign: /\bdiagram around ([\w.-]*\w)/i, name: 'show_diagram', toArguments: (asset) => ({ asset }) },
]

/** `ask docs__search_docs query=printer`: a tool of an MCP server, and one of its arguments. */
const mcpWish = /\bask ([a-z0-9-]+__[\w-]+) (\w+)=([^\n]{1,500})/

/** Return the calls of tools that the newest message asks for. None if they were carried out before. */
export function chooseLookups(
  facts: Facts,
  turns: readonly Turn[],
  tools: readonly string[],
): { name: string; arguments: string }[] {
  if (facts.looked_up) return []
  const text = turns.findLast(({ role }) => role === 'user')?.text ?? facts.session?.problem_summary ?? ''
  const [, mcpTool = '', key = '', value] = mcpWish.exec(text) ?? []
  if (tools.includes(mcpTool)) return [{ name: mcpTool, arguments: JSON.stringify({ [key]: value }) }]
  return wishes.flatMap(({ sign, name, toArguments }) => {
    const match = tools.includes(name) ? sign.exec(text) : null
    return match ? [{ name, arguments: JSON.stringify(toArguments(match[1] ?? '')) }] : []
  })
}

/** Return a paragraph about what was looked up, or an empty text. */
export function describeLookups({ looked_up = [] }: Facts): string {
  return looked_up
    .map(
      ({ source, result, error }) =>
        `- ${source ?? 'Not found'}: ${truncate(error ?? JSON.stringify(result), 1000)}`,
    )
    .join('\n')
}
