import { expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { getFixture } from '#test/contract/fixtures.ts'
import { send } from '#test/contract/requests.ts'
import { sharedService } from '#test/support/app.ts'
import { createFlow, patchProcedure } from '#test/support/flows.ts'
import { createSchedule } from '#test/support/maintenance.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'
import { createParentFlow } from '#test/support/subflows.ts'

const service = await sharedService()
/** In every text of the flow, and in what only it has. */
const word = 'Zyxquark'

/** Have an engineer run a private flow in each way, and a colleague and an admin who look at everything. */
async function createScene() {
  const account = await createAccount(service)
  const author = await account.addColleague()
  const structure = JSON.parse(JSON.stringify(patchProcedure()).replaceAll('"title":"', `"title":"${word} `))
  Object.assign(structure.steps[1], { timer: { minutes: 1 } })
  const fields = {
    name: `${word} flow`,
    description: `${word} about`,
    category: `${word} category`,
    tags: [word],
    tree_type: 'maintenance',
    tree_structure: structure,
    intake_form: [],
    visibility: 'private',
  }
  const flow = await createFlow(author, fields)
  await createParentFlow(author, flow.id, {}, { name: `${word} parent`, visibility: 'private' })
  const sessions = []
  for (let n = 0; n < 6; n++) sessions.push(await createSession(author, { tree_id: flow.id, variables: {} }))
  const [waiting, ...ended] = sessions
  for (const { id, current_step } of ended) {
    await author.call('POST', `/sessions/${id}/steps/${current_step.id}/feedback`, { helpful: true })
    await author.client.sessions.steps.complete({ session_id: id, outcome: 'resolved' })
  }
  await createSchedule(author, { tree_id: flow.id, name: 'Every night' })
  // Half of the runs are in the week of the last report.
  await service.sql(
    `update sessions set created_at = w.at, started_at = w.at, completed_at = case when completed_at is not null then w.at + interval '9 minutes' end
       from (select starts_at + interval '12 hours' as at from app.team_week($2, null)) w
      where account_id = $1 and id = any ($3::uuid[])`,
    [account.id, account.teamId, ended.map(({ id }) => id).slice(0, 3)],
  )
  return { ...account, author, flow, waiting }
}
const { admin, author, flow, waiting, teamId, addColleague } = await createScene()
const colleague = await addColleague()
const values: Record<string, string> = {
  tree_id: flow.id,
  flow_id: flow.id,
  team_id: teamId,
  user_id: author.id,
  session_id: waiting.id,
  q: word,
}

/** Return a request that could show the flow: by its ids where the path has them, otherwise as the contract has it. */
async function sendRead(op: AnyOperation, person: Person) {
  const names = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const fixture = await getFixture(op)(service, person)
  const params = Object.fromEntries(names.map((name) => [name, values[name] ?? fixture.params?.[name] ?? '']))
  // Without its filters a list has more, unless it needs one.
  const bare = await send(service, op, { params }, { token: person.token })
  if (bare.status !== 422) return bare
  const filters = Object.entries(fixture.query ?? {}).map(([name, value]) => [name, values[name] ?? value])
  return send(
    service,
    op,
    { ...fixture, params, query: Object.fromEntries(filters) },
    { token: person.token },
  )
}

/** Operations that show a session, whose name and steps are those of its flow. */
const showsSession = (id: string) => /^sessions\./.test(id)
const reads = operations.filter(
  ({ id, method, access, produces }) =>
    method === 'get' && access !== 'public' && !produces?.includes('text/event-stream') && !showsSession(id),
)

it.each(reads.map((op) => [op.id, op] as const))(
  'FLO-71 a private flow that has run is shown by %s to nobody else',
  async (_, op) => {
    const shown: string[] = []
    for (const person of [colleague, admin]) {
      const { status, text } = await sendRead(op, person)
      expect([200, 403, 404, 409, 502, 503]).toContain(status)
      // Figures without a name are figures too.
      const parts = op.id.startsWith('analytics.') ? [word, flow.id] : [word]
      for (const part of parts)
        if (text.includes(part))
          shown.push(text.slice(Math.max(0, text.indexOf(part) - 80), text.indexOf(part) + 80))
    }
    expect(shown).toEqual([])
  },
)

it('FLO-71 a session of a private flow is found by its own words, and its author sees the flow everywhere', async () => {
  await author.client.sessions.update({ session_id: waiting.id, client_name: 'Ozonia' })
  const [found] = (await colleague.client.search.find({ q: 'Ozonia' })).results
  expect(found).toMatchObject({
    id: waiting.id,
    title: { text: 'Private flow' },
    tree_id: null,
    tree_name: null,
  })
  expect((await author.client.search.find({ q: word })).results.map(({ type }) => type)).toContain('session')
  expect((await author.client.analytics.getTeam({})).top_flows.map(({ name }) => name)).toContain(
    `${word} flow`,
  )
  expect((await colleague.client.sessions.get({ session_id: waiting.id })).tree_snapshot.name).toBe(
    `${word} flow`,
  )
  const names = (await author.client.flows.categories.list()).map(({ name }) => name)
  expect(names).toContain(`${word} category`)
})
