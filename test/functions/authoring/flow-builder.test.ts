import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { conversations, goal, quotaOf, refine, startBuilding } from '../../support/authoring.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const at = (id: string, rest = '') => `${conversations}/${id}${rest}`
const steps = (body: { draft: { tree_structure: { steps: { title: string }[] } } }) =>
  body.draft.tree_structure.steps.map(({ title }) => title)

it('builds a tree from “if … then …”, which could be published as it is', async () => {
  const { admin } = await newAccount(service)
  const { status, body } = await startBuilding(admin, { environment_tags: ['Windows 11', 'Zorbl printers'] })
  expect(status).toBe(201)
  expect(body.draft).toMatchObject({
    tree_type: 'troubleshooting',
    tree_structure: { type: 'decision', options: [{ label: 'Yes' }, { label: 'No' }] },
  })
  const titles = body.draft.tree_structure.children.map(({ title }: { title: string }) => title)
  expect([titles, body.problems]).toEqual([['Clear the print queue', 'Reseat the network cable'], []])
  expect(body.draft.description).toContain('Zorbl printers')
  expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(24 * 3600_000)
  expect((await admin.call('GET', at(body.id))).body).toEqual(body)
})

it('builds steps and intake from a pasted procedure, each from its own words', async () => {
  const { admin } = await newAccount(service)
  const procedure = (word: string) =>
    `# ${word} day\n1. Take a snapshot of {{server}}: in the hypervisor\n2. Install the ${word} updates\n   Reboot when asked.`
  const [one, two] = [
    (await startBuilding(admin, { goal: procedure('Quuxophone'), tree_type: 'procedural' })).body,
    (await startBuilding(admin, { goal: procedure('Flibber'), tree_type: 'maintenance' })).body,
  ]
  expect(steps(one)).toEqual(['Quuxophone day', 'Take a snapshot of {{server}}', 'Install the Quuxophone updates', 'Done'])
  expect(steps(two)).toContain('Install the Flibber updates')
  expect([one.draft.intake_form, one.draft.name, two.draft.tree_type]).toMatchObject([
    [{ key: 'server', type: 'hostname' }],
    'Quuxophone day',
    'maintenance',
  ])
  expect(one.draft.tree_structure.steps[2].description).toBe('Reboot when asked.')
})

it('AIA-02 refuses more than 20 environment tags, and one over 100 characters', async () => {
  const { admin } = await newAccount(service)
  const status = async (environment_tags: string[]) => (await startBuilding(admin, { environment_tags })).status
  expect(await status(Array.from({ length: 20 }, (_, n) => `${n}`.repeat(50)))).toBe(201)
  expect(await status(Array(21).fill('x'))).toBe(422)
  expect(await status(['x'.repeat(101)])).toBe(422)
  expect((await quotaOf(admin)).used).toBe(1)
})

it('refines the draft turn by turn, for no further build', async () => {
  const { admin } = await newAccount(service)
  const { id } = (await startBuilding(admin)).body
  const renamed = await refine(admin, id, 'Rename the root to “Does it ping at all?”')
  expect([renamed.status, renamed.body.draft.tree_structure.title]).toEqual([200, 'Does it ping at all?'])
  const longer = (await refine(admin, id, 'Add “Look at the light” before “Clear the print queue”')).body
  expect(longer.draft.tree_structure.children[0]).toMatchObject({
    type: 'action',
    title: 'Look at the light',
    children: [{ title: 'Clear the print queue' }],
  })
  const wider = (await refine(admin, id, 'If the light is red, then call the vendor')).body
  expect([wider.draft.tree_structure.children[0].title, wider.problems]).toEqual(['Call the vendor', []])
  const sung = (await refine(admin, id, 'Sing me a wibbly song')).body
  expect([sung.draft, sung.messages.length]).toEqual([wider.draft, 10])
  expect(sung.messages.at(-1).content).toContain('wibbly')
  expect((await quotaOf(admin)).used).toBe(1)
})

it('shows what would stop a draft from being published, and keeps it all the same', async () => {
  const { admin } = await newAccount(service)
  const { id } = (await startBuilding(admin)).body
  const { status, body } = await refine(admin, id, 'Remove “Clear the print queue”')
  expect([status, body.draft.tree_structure.children.length]).toEqual([200, 1])
  expect(body.problems.map(({ message }: { message: string }) => message)).toContain('A decision needs at least 2 options; this one has 1')
})

it('mends what a first answer had wrong before anybody sees it', async () => {
  const { admin } = await newAccount(service)
  const { status, body } = await startBuilding(admin, {
    goal: 'If it pings, then all is well. If the light is red, then go back to pings.',
  })
  expect([status, body.problems]).toEqual([201, []])
  expect(body.draft.tree_structure.children[1].children[0].title).toBe('Go back to pings')
})

it('commits the draft as a flow of the caller’s in status draft, once', async () => {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const { id, draft } = (await startBuilding(owner)).body
  const answers = await Promise.all(Array.from({ length: 8 }, () => owner.call('POST', at(id, '/commit'), { name: 'Printers' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(404)])
  const tree = answers.find(({ status }) => status === 201)?.body
  expect(tree).toMatchObject({ name: 'Printers', status: 'draft', author_id: owner.id, tree_structure: draft.tree_structure, version: 1 })
  expect((await owner.call('GET', `/trees/${tree.id}`)).body.tree_structure).toEqual(draft.tree_structure)
  expectStatus(await owner.call('GET', at(id)), 404)
  expect(await service.sql('select id from trees where account_id = $1', [account.id])).toHaveLength(1)
})

it('keeps the draft’s name where none is given, and has nothing to commit before there is a draft', async () => {
  const { admin } = await newAccount(service)
  const { id, draft } = (await startBuilding(admin)).body
  expect((await admin.call('POST', at(id, '/commit'), {})).body.name).toBe(draft.name)
  const vague = (await startBuilding(admin, { goal: 'help' })).body
  const refused = await admin.call('POST', at(vague.id, '/commit'))
  expect([refused.status, refused.body.code]).toEqual([409, 'no_draft'])
  expectStatus(await admin.call('GET', at(vague.id)), 200)
})

it('is its user’s alone, and goes when it is discarded', async () => {
  const account = await newAccount(service)
  const [owner, colleague] = [await account.colleague(), await account.colleague()]
  const { id } = (await startBuilding(owner)).body
  const others = (person: Person) => [
    person.call('GET', at(id)),
    person.call('DELETE', at(id)),
    person.call('POST', at(id, '/commit'), {}),
    refine(person, id, 'Rename the root to “Mine”'),
  ]
  for (const answer of await Promise.all(others(colleague))) expectStatus(answer, 404)
  expectStatus(await owner.call('DELETE', at(id)), 204)
  for (const answer of await Promise.all(others(owner))) expectStatus(answer, 404)
})

it('AIA-01 lets ten calls a minute through to each of its operations', async () => {
  const { admin } = await newAccount(service)
  const gone = at(crypto.randomUUID())
  const calls: [string, string, object | undefined, number][] = [
    ['POST', conversations, { goal: '' }, 422],
    ['GET', gone, undefined, 404],
    ['POST', `${gone}/messages`, { message: 'Hello' }, 404],
    ['POST', `${gone}/commit`, {}, 404],
    ['DELETE', gone, undefined, 404],
  ]
  for (const [method, path, body, expected] of calls) {
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await admin.call(method, path, body)).status)
    expect([method, path, statuses]).toEqual([method, path, [...Array(10).fill(expected), 429]])
  }
})

it('answers a start again under its Idempotency-Key, without another build', async () => {
  const { admin } = await newAccount(service)
  const start = () => admin.call('POST', conversations, { goal, tree_type: 'troubleshooting' }, { 'idempotency-key': 'one' })
  const [first, second] = [await start(), await start()]
  expect([second.status, second.body]).toEqual([201, first.body])
  expect((await quotaOf(admin)).used).toBe(1)
})
