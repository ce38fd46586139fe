import { describe, expect, it } from 'vitest'
import { normaliseForm, normaliseStructure } from '#rules/flows/normalise.ts'
import { findPlaceholderKeys } from '#rules/flows/placeholders.ts'
import type { FlowNode, IntakeField, StepList, TreeType } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { walkAll, walkNodes } from '#rules/flows/walk.ts'
import { request, sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const platformAccountId = '00000000-0000-7000-8000-000000000001'
const serviceUserId = '00000000-0000-7000-8000-000000000002'

interface StarterFlow {
  id: string
  name: string
  tree_type: TreeType
  tags: string[]
  category: string
  tree_structure: FlowNode | StepList
  intake_form: IntakeField[]
}
// The flows of migrations/content. Their ids are fixed, so that links to them stay valid.
const flows = await service.sql<StarterFlow>(`
  select t.id, t.name, t.tree_type, t.tags, c.name as category, v.tree_structure, v.intake_form
    from trees t join categories c on c.account_id = t.account_id and c.id = t.category_id
    join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
   where t.account_id = app.platform_account() and t.id::text like '00000000-0000-7000-8000-%' order by t.id`)
const treeFlows = flows
  .filter(({ tree_type }) => tree_type === 'troubleshooting')
  .map((flow) => ({ ...flow, root: flow.tree_structure as FlowNode }))
const stepFlows = flows
  .filter(({ tree_type }) => tree_type !== 'troubleshooting')
  .map((flow) => ({ ...flow, ...(flow.tree_structure as StepList) }))

/** Yield every path from a node to a solution. */
function* listPaths(node: FlowNode, parents: FlowNode[] = []): Generator<FlowNode[]> {
  const path = [...parents, node]
  const nextIds =
    node.type === 'decision'
      ? (node.options ?? []).map(({ next_node_id }) => next_node_id)
      : [node.next_node_id]
  if (node.type === 'solution') yield path
  else
    for (const id of nextIds)
      yield* listPaths((node.children ?? []).find((child) => child.id === id) as FlowNode, path)
}

describe('the content of the starter flows', () => {
  it('includes at least 5 troubleshooting, 2 procedural and 2 maintenance flows', () => {
    expect(treeFlows.length).toBeGreaterThanOrEqual(5)
    expect(stepFlows.filter(({ tree_type }) => tree_type === 'procedural').length).toBeGreaterThanOrEqual(2)
    expect(stepFlows.filter(({ tree_type }) => tree_type === 'maintenance').length).toBeGreaterThanOrEqual(2)
  })

  it.each(flows)('$name has no publishing errors or warnings, and is already normalised', (flow) => {
    expect(validateFlow(flow, 'published')).toEqual({ errors: [], warnings: [] })
    expect(normaliseStructure(flow.tree_structure)).toEqual(flow.tree_structure)
    expect(normaliseForm(flow.intake_form)).toEqual(flow.intake_form)
  })

  it.each(flows)(
    '$name has at least 3 tags and 3 intake fields, uses every field, and explains a required one',
    ({ tree_structure, intake_form, tags }) => {
      const usedKeys = new Set(
        [...walkAll(tree_structure)].flatMap(({ node }) =>
          findPlaceholderKeys(`${node.title}\n${node.description}`),
        ),
      )
      expect(intake_form.length).toBeGreaterThanOrEqual(3)
      expect(intake_form.filter(({ key }) => !usedKeys.has(key))).toEqual([])
      expect(intake_form.some(({ required, help_text }) => required && help_text)).toBe(true)
      expect(tags.length).toBeGreaterThanOrEqual(3)
    },
  )

  it.each(flows)(
    '$name has at least two texts with commands, and each ends with an explanation',
    ({ tree_structure }) => {
      const texts = [...walkAll(tree_structure)]
        .map(({ node }) => node.description ?? '')
        .filter((text) => text.includes('```'))
      expect(texts.length).toBeGreaterThanOrEqual(2)
      for (const text of texts) {
        const parts = text.split('```')
        expect(parts.length % 2, `unclosed code block: ${text}`).toBe(1)
        expect(parts.at(-1)?.trim().length, text).toBeGreaterThan(20)
      }
    },
  )

  it.each(treeFlows)('$name has at least 12 nodes and a path with three decisions', ({ root }) => {
    expect([...walkNodes(root)].length).toBeGreaterThanOrEqual(12)
    const decisions = [...listPaths(root)].map(
      (path) => path.filter(({ type }) => type === 'decision').length,
    )
    expect(Math.max(...decisions)).toBeGreaterThanOrEqual(3)
  })

  it.each(treeFlows)(
    '$name reaches each solution by exactly one path, and each solution says what to confirm',
    ({ root }) => {
      const paths = [...listPaths(root)]
      const solutions = [...walkNodes(root)].filter(({ node }) => node.type === 'solution')
      expect(paths.length).toBe(solutions.length)
      for (const path of paths)
        expect(path.at(-1)).toMatchObject({
          type: 'solution',
          description: expect.stringMatching(/\bConfirm\b/),
        })
    },
  )

  it.each(stepFlows)(
    '$name has at least 8 steps and 3 sections, 2 steps with fallbacks, and a confirmation in the last 3 steps',
    ({ steps, tree_type }) => {
      const procedureSteps = steps.filter(({ type }) => type === 'procedure_step')
      expect(procedureSteps.length).toBeGreaterThanOrEqual(8)
      expect(
        procedureSteps.filter(({ fallback_steps }) => fallback_steps?.length).length,
      ).toBeGreaterThanOrEqual(2)
      expect(steps.filter(({ type }) => type === 'section_header').length).toBeGreaterThanOrEqual(3)
      expect(
        procedureSteps
          .slice(-3)
          .some(({ title, description }) => /\bConfirm\b/.test(`${title}\n${description}`)),
      ).toBe(true)
      expect(steps.at(-1)?.type).toBe('procedure_end')
      if (tree_type === 'maintenance') expect(JSON.stringify(steps)).toContain('{{target_label}}')
    },
  )
})

describe('a starter flow', () => {
  it('FLO-06 belongs to the platform account and the service user, and every viewer can read it', async () => {
    for (const account of [await createAccount(service), await createAccount(service)]) {
      const viewer = await account.addColleague({ role: 'viewer' })
      const items = await viewer.client.flows.trees.list({ limit: 100 })
      for (const flow of flows) {
        const { status, body } = await viewer.call('GET', `/trees/${flow.id}`)
        expect([status, body.account_id, body.author_id, body.author_name]).toEqual([
          200,
          platformAccountId,
          serviceUserId,
          'Support Flow',
        ])
        expect(body).toMatchObject({
          status: 'published',
          visibility: 'public',
          version: 1,
          team_id: null,
          category: flow.category,
        })
        expect(body.tree_structure).toEqual(flow.tree_structure)
        expect(items).toContainEqual(
          expect.objectContaining({
            id: flow.id,
            account_id: platformAccountId,
            author_name: 'Support Flow',
          }),
        )
        const check = await viewer.client.flows.trees.validatePublish({ tree_id: flow.id })
        expect(check).toEqual({ can_publish: true, errors: [], warnings: [] })
      }
    }
    const treesWithoutAccount = await service.sql(`select id from trees where account_id is null`)
    expect(treesWithoutAccount).toEqual([])
  })

  it('is in the public gallery with its category', async () => {
    const visit = (path: string) =>
      request(service, 'GET', `/public/templates${path}`, {
        headers: { 'cf-connecting-ip': `2001:db8:77::${crypto.randomUUID().slice(0, 4)}` },
      })
    for (const { id, name, category } of flows)
      expect((await visit(`/flows/${id}`)).body).toMatchObject({
        id,
        name,
        category,
        usage_count: expect.any(Number),
      })
    expect((await visit('/search?q=printer')).body.items.map(({ id }: { id: string }) => id)).toContain(
      treeFlows[0]?.id,
    )
  })

  it('FLO-06 cannot be changed, deleted, shared or restored by an account admin', async () => {
    const { admin } = await createAccount(service)
    for (const { id } of flows) {
      await expectRefusal(admin.client.flows.trees.update({ tree_id: id, name: 'Ours now' }), 403)
      await expectRefusal(admin.client.flows.trees.delete({ tree_id: id }), 403)
      expect(await admin.client.flows.trees.get({ tree_id: id })).toMatchObject({
        version: 1,
        account_id: platformAccountId,
      })
    }
    const [{ id = '' } = {}] = flows
    await expectRefusal(admin.client.flows.sharing.create({ tree_id: id }), 403)
    expectStatus(await admin.call('POST', `/trees/${id}/versions/1/restore`), 403)
  })

  it('can be forked, and the fork can be published unchanged', async () => {
    const account = await createAccount(service)
    const engineer = await account.addColleague()
    for (const { id, name, tree_structure, intake_form, category } of flows) {
      const fork = await engineer.call('POST', `/trees/${id}/fork`, { reason: 'Our way' })
      expectStatus(fork, 201)
      expect(fork.body).toMatchObject({
        account_id: account.id,
        author_id: engineer.id,
        name,
        parent_tree_id: id,
        root_tree_id: id,
        fork_depth: 1,
      })
      expect(fork.body).toMatchObject({ tree_structure, intake_form, status: 'draft', category })
      const { status, body } = await engineer.call('PUT', `/trees/${fork.body.id}`, { status: 'published' })
      expect([status, body.status]).toEqual([200, 'published'])
    }
    expect((await engineer.client.flows.stepLibrary.list({ limit: 100 })).length).toBeGreaterThan(20)
  })

  it('does not count towards the onboarding, step library, pins or categories of an account', async () => {
    const { id, admin } = await createAccount(service)
    expect(await admin.client.accounts.onboarding.getStatus()).toMatchObject({ first_flow_created: false })
    expect(await admin.client.flows.stepLibrary.list()).toEqual([])
    expect(await admin.client.flows.pins.list()).toEqual([])
    const category = await admin.client.flows.categories.create({ name: 'Printing' })
    const categories = (await admin.client.flows.categories.list({ limit: 100 })).filter(
      ({ name }: { name: string }) => name === 'Printing',
    )
    expect(categories.find(({ id }: { id: string }) => id === category.id)).toMatchObject({
      account_id: id,
      flow_count: 0,
    })
    expect(await service.sql('select from trees where account_id = $1', [id])).toEqual([])
  })
})
