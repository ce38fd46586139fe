import { afterAll, expect, it } from 'vitest'
import { insertCompletedSession, insertConversation } from '../../contract/fixtures-authoring.ts'
import { rowsOf } from '../../contract/rows.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { askedOf, conversations, quotaOf, refine, startBuilding } from '../../support/authoring.ts'
import { printerFlow } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = await ownService()
const { fault, lift } = desk(service)
afterAll(() => service.close())

const suggest = (person: Person, instruction: string) =>
  person.call('POST', '/ai/assistant/suggest', { tree_type: 'troubleshooting', tree_structure: printerFlow(), instruction })
/** Each operation that asks the model, with what it stands on. */
const asking: Record<string, (owner: Person) => Promise<() => ReturnType<typeof startBuilding>>> = {
  start: async (owner) => () => startBuilding(owner),
  refine: async (owner) => {
    const id = await insertConversation(service, owner)
    return () => refine(owner, id, 'Rename the root to “Ping?”')
  },
  suggest: async (owner) => () => suggest(owner, 'Rename the root to “Ping?”'),
  convert: async (owner) => {
    const id = await insertCompletedSession(service, owner)
    return () => owner.call('POST', `/sessions/${id}/convert-to-flow`, {})
  },
}

/** All that an account has, but for what the provider was asked and what calls leave of themselves. */
async function kept(accountId: string) {
  const { ai_usage: _usage, ...rows } = await rowsOf(service, accountId)
  return rows
}

const modes = ['down', 'error', 'rate_limit', 'client_error', 'garbage', 'redirect']
it.each(Object.keys(asking).flatMap((name) => modes.map((mode) => [name, mode] as const)))(
  '%s is 502 when the provider is on %s: no build is counted, and nothing is half-made',
  async (name, mode) => {
    const { admin, id } = await newAccount(service)
    const call = await (asking[name] as (typeof asking)[string])(admin)
    const before = await kept(id)
    await fault({ service: 'openai', mode })
    const { status, body } = await call()
    expect([status, body.code, (await quotaOf(admin)).used]).toEqual([502, 'ai_provider_error', 0])
    expect(await kept(id)).toEqual(before)
    await lift()
    expect((await call()).status).toBeLessThan(300)
  },
)

const node = (id: string, leads: string[] = []) => ({
  ...{ id, kind: leads.length > 0 ? 'decision' : 'solution', title: `Node ${id}`, description: '', next: null },
  options: leads.map((leads_to) => ({ label: leads_to, leads_to })),
})
const flow = (nodes: object[]) => ({ reply: 'As demanded.', flow: { name: 'Demanded', description: '', nodes, intake: [] } })
const chain = Array.from({ length: 60 }, (_, n) => ({ ...node(`n${n}`), kind: 'action', next: n < 59 ? `n${n + 1}` : null }))
const unfit: Record<string, [unknown, RegExp]> = {
  'an id twice': [flow([node('a', ['b', 'b']), node('b'), node('b')]), /id b is used twice/],
  'a way to nowhere': [flow([node('a', ['b', 'zz'])]), /leads to zz/],
  'a ring': [flow([node('a', ['b', 'c']), node('b', ['a', 'c']), node('c')]), /reached twice/],
  'a node aside': [flow([node('a'), node('b')]), /Nothing leads to the node b/],
  'steps in a tree': [flow([{ ...node('a'), kind: 'procedure_step' }]), /which a troubleshooting flow does not have/],
  'too deep a way': [flow(chain), /deeper than 50 levels/],
}

it.each(Object.entries(unfit))(
  'asks again with the problems named, twice, and is 502 when a draft has %s still',
  async (_, [answer, problem]) => {
    const { admin, id } = await newAccount(service)
    const before = await kept(id)
    await desk(service).empty('ai')
    await fault({ service: 'openai', mode: 'obey' })
    const { status } = await startBuilding(admin, { goal: `OBEY: ${JSON.stringify(answer)}` })
    expect([status, (await quotaOf(admin)).used]).toEqual([502, 0])
    const problems = (await askedOf(service, 'flow_draft')).map((facts) => (facts.problems as string[]).join('\n')).reverse()
    expect(problems).toEqual(['', expect.stringMatching(problem), expect.stringMatching(problem)])
    expect(await kept(id)).toEqual(before)
  },
)

const patch = (...operations: object[]) => ({
  explanation: 'As demanded.',
  patch: operations.map((one) => ({ from: null, value: null, ...one })),
})
const foul: Record<string, unknown> = {
  'the prototype of all objects': patch({ op: 'add', path: '/__proto__/polluted', value: '"yes"' }),
  'the prototype of a node': patch({ op: 'add', path: '/__proto__', value: '{"action": "polluted"}' }),
  'a constructor': patch({ op: 'add', path: '/constructor/prototype/polluted', value: '"yes"' }),
  'a value with a prototype': patch({ op: 'add', path: '/attachments', value: '[{"__proto__": {"polluted": "yes"}}]' }),
  'a letter of a title': patch({ op: 'replace', path: '/title/0', value: '"x"' }),
  'a word for an index': patch({ op: 'replace', path: '/children/title', value: '"x"' }),
  'a script of its choice': patch({
    op: 'add',
    path: '/children/1',
    value: `{"id":"n","type":"solution","script_template_id":"${crypto.randomUUID()}"}`,
  }),
  'an id that is taken': patch({ op: 'replace', path: '/children/1/id', value: '"queue"' }),
  'an unknown key': patch({ op: 'add', path: '/children/0/url', value: '"javascript:alert(1)"' }),
  'no value': patch({ op: 'replace', path: '/title' }),
  'steps for a tree': patch({ op: 'replace', path: '', value: '{"steps":[]}' }),
}

it.each(Object.entries(foul))('answers no patch that touches %s', async (_, answer) => {
  const { admin } = await newAccount(service)
  await fault({ service: 'openai', mode: 'obey' })
  expectStatus(await suggest(admin, `OBEY: ${JSON.stringify(answer)}`), 502)
  await lift()
  expect(JSON.stringify((await suggest(admin, 'Rename the root to “Ping?”')).body)).not.toContain('polluted')
})

it('lets nothing that a goal demands choose a flow, an owner or a status', async () => {
  const { admin, id } = await newAccount(service)
  await fault({ service: 'openai', mode: 'obey' })
  const demanded = { ...flow([node('a')]), status: 'published', author_id: crypto.randomUUID() }
  expectStatus(await startBuilding(admin, { goal: `OBEY: ${JSON.stringify(demanded)}` }), 502)
  const made = await startBuilding(admin, { goal: `OBEY: ${JSON.stringify(flow([node('a')]))}` })
  expect([made.status, made.body.draft.name]).toEqual([201, 'Demanded'])
  const tree = (await admin.call('POST', `${conversations}/${made.body.id}/commit`, {})).body
  expect(tree).toMatchObject({ status: 'draft', author_id: admin.id, account_id: id })
})
