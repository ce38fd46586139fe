import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import {
  conversationsPath,
  flowGoal,
  getQuota,
  refineFlow,
  startFlowConversation,
} from '#test/support/authoring.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const conversationPath = (id: string, rest = '') => `${conversationsPath}/${id}${rest}`
const listStepTitles = (body: { draft: { tree_structure: { steps: { title: string }[] } } }) =>
  body.draft.tree_structure.steps.map(({ title }) => title)

it('builds a publishable tree from “if … then …”', async () => {
  const { admin } = await createAccount(service)
  const { status, body } = await startFlowConversation(admin, {
    environment_tags: ['Windows 11', 'Zorbl printers'],
  })
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
  expect((await admin.call('GET', conversationPath(body.id))).body).toEqual(body)
})

it('builds steps and an intake form from a pasted procedure, and keeps its wording', async () => {
  const { admin } = await createAccount(service)
  const procedure = (word: string) =>
    `# ${word} day\n1. Take a snapshot of {{server}}: in the hypervisor\n2. Install the ${word} updates\n   Reboot when asked.`
  const [procedural, maintenance] = [
    (await startFlowConversation(admin, { goal: procedure('Quuxophone'), tree_type: 'procedural' })).body,
    (await startFlowConversation(admin, { goal: procedure('Flibber'), tree_type: 'maintenance' })).body,
  ]
  expect(listStepTitles(procedural)).toEqual([
    'Quuxophone day',
    'Take a snapshot of {{server}}',
    'Install the Quuxophone updates',
    'Done',
  ])
  expect(listStepTitles(maintenance)).toContain('Install the Flibber updates')
  expect([procedural.draft.intake_form, procedural.draft.name, maintenance.draft.tree_type]).toMatchObject([
    [{ key: 'server', type: 'hostname' }],
    'Quuxophone day',
    'maintenance',
  ])
  expect(procedural.draft.tree_structure.steps[2].description).toBe('Reboot when asked.')
})

it('AIA-02 refuses more than 20 environment tags, and a tag of more than 100 characters', async () => {
  const { admin } = await createAccount(service)
  const startWithTags = async (environment_tags: string[]) =>
    (await startFlowConversation(admin, { environment_tags })).status
  expect(await startWithTags(Array.from({ length: 20 }, (_, n) => `${n}`.repeat(50)))).toBe(201)
  expect(await startWithTags(Array(21).fill('x'))).toBe(422)
  expect(await startWithTags(['x'.repeat(101)])).toBe(422)
  expect((await getQuota(admin)).used).toBe(1)
})

it('refines the draft turn by turn without counting a build', async () => {
  const { admin } = await createAccount(service)
  const { id } = (await startFlowConversation(admin)).body
  const renamed = await refineFlow(admin, id, 'Rename the root to “Does it ping at all?”')
  expect([renamed.status, renamed.body.draft.tree_structure.title]).toEqual([200, 'Does it ping at all?'])
  const withStep = (await refineFlow(admin, id, 'Add “Look at the light” before “Clear the print queue”'))
    .body
  expect(withStep.draft.tree_structure.children[0]).toMatchObject({
    type: 'action',
    title: 'Look at the light',
    children: [{ title: 'Clear the print queue' }],
  })
  const withBranch = (await refineFlow(admin, id, 'If the light is red, then call the vendor')).body
  expect([withBranch.draft.tree_structure.children[0].title, withBranch.problems]).toEqual([
    'Call the vendor',
    [],
  ])
  const notUnderstood = (await refineFlow(admin, id, 'Sing me a wibbly song')).body
  expect([notUnderstood.draft, notUnderstood.messages.length]).toEqual([withBranch.draft, 10])
  expect(notUnderstood.messages.at(-1).content).toContain('wibbly')
  expect((await getQuota(admin)).used).toBe(1)
})

it('stores a draft that cannot be published, with its problems', async () => {
  const { admin } = await createAccount(service)
  const { id } = (await startFlowConversation(admin)).body
  const { status, body } = await refineFlow(admin, id, 'Remove “Clear the print queue”')
  expect([status, body.draft.tree_structure.children.length]).toEqual([200, 1])
  expect(body.problems.map(({ message }: { message: string }) => message)).toContain(
    'A decision needs at least 2 options; this one has 1',
  )
})

it('corrects an invalid first answer of the model before returning it', async () => {
  const { admin } = await createAccount(service)
  const { status, body } = await startFlowConversation(admin, {
    goal: 'If it pings, then all is well. If the light is red, then go back to pings.',
  })
  expect([status, body.problems]).toEqual([201, []])
  expect(body.draft.tree_structure.children[1].children[0].title).toBe('Go back to pings')
})

it('commits the draft once as a flow of the caller with status draft', async () => {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const { id, draft } = (await startFlowConversation(owner)).body
  const responses = await Promise.all(
    Array.from({ length: 8 }, () =>
      owner.call('POST', conversationPath(id, '/commit'), { name: 'Printers' }),
    ),
  )
  expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(404)])
  const tree = responses.find(({ status }) => status === 201)?.body
  expect(tree).toMatchObject({
    name: 'Printers',
    status: 'draft',
    author_id: owner.id,
    tree_structure: draft.tree_structure,
    version: 1,
  })
  expect((await owner.call('GET', `/trees/${tree.id}`)).body.tree_structure).toEqual(draft.tree_structure)
  expectStatus(await owner.call('GET', conversationPath(id)), 404)
  expect(await service.sql('select id from trees where account_id = $1', [account.id])).toHaveLength(1)
})

it('uses the draft’s name for a commit without a name, and returns 409 for a commit without a draft', async () => {
  const { admin } = await createAccount(service)
  const { id, draft } = (await startFlowConversation(admin)).body
  expect((await admin.call('POST', conversationPath(id, '/commit'), {})).body.name).toBe(draft.name)
  const vague = (await startFlowConversation(admin, { goal: 'help' })).body
  const refused = await admin.call('POST', conversationPath(vague.id, '/commit'))
  expect([refused.status, refused.body.code]).toEqual([409, 'no_draft'])
  expectStatus(await admin.call('GET', conversationPath(vague.id)), 200)
})

it('counts a build with the first draft of a conversation', async () => {
  const { admin } = await createAccount(service)
  const { id } = (await startFlowConversation(admin, { goal: 'help' })).body
  expect((await getQuota(admin)).used).toBe(0)
  expect((await refineFlow(admin, id, flowGoal)).body.draft).toMatchObject({ tree_type: 'troubleshooting' })
  expect((await getQuota(admin)).used).toBe(1)
})

it('accepts 100 turns of a conversation', async () => {
  const { admin } = await createAccount(service)
  const { id } = (await startFlowConversation(admin)).body
  await service.sql('update flow_conversations set turns = 99 where id = $1', [id])
  expectStatus(await refineFlow(admin, id, 'Add a step: call the client.'), 200)
  const { status, body } = await refineFlow(admin, id, 'Add a step: close the ticket.')
  expect([status, body.code, body.resource, body.limit]).toEqual([409, 'limit_reached', 'turns', 100])
})

it('returns 404 for a conversation to everyone but its user, and to its user after it is deleted', async () => {
  const account = await createAccount(service)
  const [owner, colleague] = [await account.addColleague(), await account.addColleague()]
  const { id } = (await startFlowConversation(owner)).body
  const tryAll = (person: Person) => [
    person.call('GET', conversationPath(id)),
    person.call('DELETE', conversationPath(id)),
    person.call('POST', conversationPath(id, '/commit'), {}),
    refineFlow(person, id, 'Rename the root to “Mine”'),
  ]
  for (const response of await Promise.all(tryAll(colleague))) expectStatus(response, 404)
  expectStatus(await owner.call('DELETE', conversationPath(id)), 204)
  for (const response of await Promise.all(tryAll(owner))) expectStatus(response, 404)
})

it('AIA-01 limits the calls of each operation to ten per minute', async () => {
  const { admin } = await createAccount(service)
  const unknownPath = conversationPath(crypto.randomUUID())
  const calls: [string, string, object | undefined, number][] = [
    ['POST', conversationsPath, { goal: '' }, 422],
    ['GET', unknownPath, undefined, 404],
    ['POST', `${unknownPath}/messages`, { message: 'Hello' }, 404],
    ['POST', `${unknownPath}/commit`, {}, 404],
    ['DELETE', unknownPath, undefined, 404],
  ]
  for (const [method, path, body, expected] of calls) {
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await admin.call(method, path, body)).status)
    expect([method, path, statuses]).toEqual([method, path, [...Array(10).fill(expected), 429]])
  }
})

it('returns the first response for a repeated Idempotency-Key, and counts no second build', async () => {
  const { admin } = await createAccount(service)
  const start = () =>
    admin.call(
      'POST',
      conversationsPath,
      { goal: flowGoal, tree_type: 'troubleshooting' },
      { 'idempotency-key': 'one' },
    )
  const [first, second] = [await start(), await start()]
  expect([second.status, second.body]).toEqual([201, first.body])
  expect((await getQuota(admin)).used).toBe(1)
})
