import { expect, it } from 'vitest'
import { rundeckJob, typebotFlow, xsoarPlaybook } from '#test/lib/rules/flows/imports/foreign-samples.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

it.each([
  ['rundeck', rundeckJob, 'procedural'],
  ['xsoar', xsoarPlaybook, 'troubleshooting'],
  ['typebot', JSON.stringify(typebotFlow), 'troubleshooting'],
])(
  'FLO-71 FLO-73 makes a draft of a file of %s that can be published, with warnings',
  async (source, content, tree_type) => {
    const { client } = (await createAccount(service)).admin
    const { tree_id, warnings, status } = await client.flows.foreign.import({ content })
    expect(status).toBe('draft')
    expect(warnings.length).toBeGreaterThan(2)
    expect(await client.flows.trees.get({ tree_id })).toMatchObject({
      status: 'draft',
      tree_type,
      import_metadata: { source },
    })
    expect(await client.flows.trees.validatePublish({ tree_id })).toMatchObject({
      can_publish: true,
      errors: [],
    })
  },
)

it('FLO-71 FLO-72 runs an imported job with the values of its options', async () => {
  const { client } = (await createAccount(service)).admin
  const { tree_id } = await client.flows.foreign.import({ content: rundeckJob })
  await client.flows.trees.update({ tree_id, status: 'published' })
  const session = await client.sessions.start({ tree_id, variables: { service_name: 'apache' } })
  expect(session.current_step?.description).toContain('systemctl restart apache')
})

it('FLO-74 refuses a file of no known tool and stores nothing', async () => {
  const { admin } = await createAccount(service)
  for (const content of [
    'hello',
    '{"a":1}',
    '- &a [x]\n- *b',
    `a: ${'b '.repeat(200_000)}`,
    '['.repeat(50_000),
  ]) {
    const { status, body } = await admin.call('POST', '/trees/import/foreign', { content })
    expect([status, body.errors?.length]).toEqual([422, 1])
  }
  expect(await admin.client.flows.trees.list({ author_id: admin.id })).toEqual([])
})
