import { expect, it } from 'vitest'
import * as z from 'zod'
import { operations } from '#functions/operations.ts'
import { toNameKey } from '#rules/text/fold.ts'
import { startOwnService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'

/** Lists that may repeat what they name, with the reason. */
const mayRepeat: Record<string, string> = {
  attachments: 'links, which a reader opens',
  children: 'the ids of nodes are compared by the checks of a flow, which name the node',
  steps: 'the ids of steps are compared by the checks of a flow, which name the step',
  fallback_steps: 'the ids of steps are compared by the checks of a flow, which name the step',
  options: 'compared by the checks of a flow, which name the position; a draft may be incomplete',
  evidence: 'compared by the checks of a flow, which name the position; a draft may be incomplete',
  roles: 'a set of whom a step admits',
  user_ids: 'a set of whom a step admits',
  default: 'an answer, which is compared with the options',
  choices: 'values of a script, where case matters',
  intake_form: 'variables, where case matters',
  parameters: 'variables, where case matters',
  parameters_schema: 'variables, where case matters',
  nodes: 'the ids of shapes, which are compared by the checks of a diagram',
  edges: 'the ids of lines, which are compared by the checks of a diagram',
  actions: 'texts of people, which may say the same twice',
  questions: 'texts of people, which may say the same twice',
  responses: 'texts of people, which may say the same twice',
  evidence_items: 'texts of people, which may say the same twice',
  outcomes: 'the service compares the ids',
  upload_ids: 'the service compares the ids',
  allowed: 'a set of tools in the version that was read',
  resolved_statuses: 'the service compares the boards',
  rotations: 'compared by the checks of a schedule',
  hours: 'ranges of time',
  data: 'any JSON',
  settings: 'any JSON',
  variables: 'any JSON',
  body: 'any JSON',
  tags: 'one is stored, by the service',
}
const nameKeys = ['label', 'name', 'title', 'text', 'key', 'id', 'fix_id', 'board_id'] as const
const samples = [
  ...['ops@x.example', '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d1a', '203.0.113.0/24', 'srv01'],
  ...['2026-01-01T00:00:00Z', 'https://x.example/', '4711', '+49', 1, true],
]

/** Return a value of a schema whose name is `name`, if it takes that. */
function sample(schema: z.ZodType): unknown {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    required?: string[]
  }
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape as Record<string, z.ZodType>)
        .filter(([key]) => json.required?.includes(key) || nameKeys.includes(key as 'label'))
        .map(([key, value]) => [key, sample(value)]),
    )
  const options = schema instanceof z.ZodEnum ? schema.options : []
  return [...options, ...samples, [], {}].find((value) => schema.safeParse(value).success)
}
const respell = (text: string) => ` ${text.toUpperCase().replace(/[A-Z0-9]/g, toWide)} `
const toWide = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)

/** Return other spellings of a value, the farthest first. */
function listSpellings(value: unknown): unknown[] {
  if (typeof value === 'string')
    return [respell(value), ` ${value.toUpperCase()} `, value.toUpperCase(), value]
  if (typeof value !== 'object' || value === null) return [value]
  const record = value as Record<string, unknown>
  const key = nameKeys.find((name) => typeof record[name] === 'string')
  return key ? listSpellings(record[key]).map((name) => ({ ...record, [key]: name })) : [value]
}

type Found = { path: string; list: z.ZodType; element: z.ZodType }
/** List the lists of a schema, each once. */
function findLists(schema: z.ZodType, path: string, seen: Set<z.ZodType>): Found[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { def } = schema as unknown as { def: Record<string, unknown> & { type: string } }
  const go = (next: unknown, name = path) => findLists(next as z.ZodType, name, seen)
  switch (def.type) {
    case 'object':
      return Object.entries((schema as z.ZodObject).shape).flatMap(([key, value]) => go(value, key))
    case 'array':
      return [{ path, list: schema, element: def.element as z.ZodType }, ...go(def.element)]
    case 'pipe': {
      const [first, ...others] = go(def.in)
      return first ? [{ ...first, list: schema }, ...others] : []
    }
    case 'union':
      return (def.options as unknown[]).flatMap((option) => go(option))
    case 'record':
      return go(def.valueType)
    case 'lazy':
      return go((def.getter as () => unknown)())
    default:
      return def.innerType ? go(def.innerType) : []
  }
}

const lists = operations.flatMap(({ id, body }) =>
  body instanceof z.ZodType
    ? findLists(body, 'body', new Set()).map((found) => [`${id} ${found.path}`, found] as const)
    : [],
)

it('WIR-83 finds the lists of requests', () => expect(lists.length).toBeGreaterThan(50))

it.each(
  lists.filter(
    ([name, { path }]) => !(path in mayRepeat) || (path === 'tags' && !name.startsWith('flows.transfer')),
  ),
)('WIR-83 %s names a thing once, in any spelling', (_, { list, element }) => {
  const value = sample(element)
  expect(value, 'a sample of its items').toBeDefined()
  const other = listSpellings(value).find((spelling) => element.safeParse(spelling).success)
  const { data, error } = list.safeParse([value, other])
  const refused = error?.issues.filter(({ path }) => path[0] === 1) ?? []
  expect(data ? (data as unknown[]).length : refused.length, JSON.stringify([value, other, data])).toBe(1)
})

it('WIR-83 knows no list that is gone', () => {
  const paths = new Set(lists.map(([, { path }]) => path))
  expect(Object.keys(mayRepeat).filter((path) => !paths.has(path))).toEqual([])
})

it('WIR-83 compares names in SQL as at the door, and refuses a team in another spelling', async () => {
  const service = await startOwnService()
  const names = ['Alpha', ' alpha ', 'ＡＬＰＨＡ', 'al\tpha', 'Al  Pha', 'Zürich', 'ZÜRICH', 'Ⅷ']
  const rows = await service.sql<{ key: string }>(
    'select app.name_key(n) as key from unnest($1::text[]) with ordinality t (n, place) order by place',
    [names],
  )
  expect(rows.map(({ key }) => key)).toEqual(names.map(toNameKey))
  const { admin } = await createAccount(service)
  for (const [name, status] of [
    ['Alpha', 201],
    ['ａｌｐｈａ ', 409],
    ['ALPHA', 409],
    ['Al pha', 201],
  ] as const)
    expect([name, (await admin.call('POST', '/teams', { name })).status]).toEqual([name, status])
  const path = '/script-templates/categories'
  for (const [name, status] of [
    ['VPN', 201],
    ['ｖｐｎ', 409],
  ] as const)
    expect([name, (await admin.call('POST', path, { name })).status]).toEqual([name, status])
  await service.close()
})
