import { describe, expect, it } from 'vitest'
import { normaliseForm, normaliseStructure } from '../../../lib/flows/normalise.ts'
import { placeholdersIn } from '../../../lib/flows/placeholders.ts'
import type { FlowNode, IntakeField, StepList, TreeType } from '../../../lib/flows/structure.ts'
import { validateFlow } from '../../../lib/flows/validate.ts'
import { walkAll, walkNodes } from '../../../lib/flows/walk.ts'
import { expectStatus } from '../../support/answers.ts'
import { request, shared } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()
const platform = '00000000-0000-7000-8000-000000000001'
const serviceUser = '00000000-0000-7000-8000-000000000002'

interface Starter {
  id: string
  name: string
  tree_type: TreeType
  tags: string[]
  category: string
  tree_structure: FlowNode | StepList
  intake_form: IntakeField[]
}
// Those of the migrations: their ids are fixed, so that links to them hold.
const flows = await service.sql<Starter>(`
  select t.id, t.name, t.tree_type, t.tags, c.name as category, v.tree_structure, v.intake_form
    from trees t join categories c on c.account_id = t.account_id and c.id = t.category_id
    join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
   where t.account_id = app.platform_account() and t.id::text like '00000000-0000-7000-8000-%' order by t.id`)
const trees = flows
  .filter(({ tree_type }) => tree_type === 'troubleshooting')
  .map((flow) => ({ ...flow, root: flow.tree_structure as FlowNode }))
const lists = flows
  .filter(({ tree_type }) => tree_type !== 'troubleshooting')
  .map((flow) => ({ ...flow, ...(flow.tree_structure as StepList) }))

/** Every way through a tree, by what is chosen at each decision and followed after each action. */
function* waysThrough(node: FlowNode, before: FlowNode[] = []): Generator<FlowNode[]> {
  const way = [...before, node]
  const next = node.type === 'decision' ? (node.options ?? []).map(({ next_node_id }) => next_node_id) : [node.next_node_id]
  if (node.type === 'solution') yield way
  else for (const id of next) yield* waysThrough((node.children ?? []).find((child) => child.id === id) as FlowNode, way)
}

describe('the content of a starter flow', () => {
  it('is there for every type', () => {
    expect(trees.length).toBeGreaterThanOrEqual(5)
    expect(lists.filter(({ tree_type }) => tree_type === 'procedural').length).toBeGreaterThanOrEqual(2)
    expect(lists.filter(({ tree_type }) => tree_type === 'maintenance').length).toBeGreaterThanOrEqual(2)
  })

  it.each(flows)('$name publishes without a warning, in normal form', (flow) => {
    expect(validateFlow(flow, 'published')).toEqual({ errors: [], warnings: [] })
    expect(normaliseStructure(flow.tree_structure)).toEqual(flow.tree_structure)
    expect(normaliseForm(flow.intake_form)).toEqual(flow.intake_form)
  })

  it.each(flows)('$name asks nothing that it does not use, and helps with what it asks', ({ tree_structure, intake_form, tags }) => {
    const used = new Set([...walkAll(tree_structure)].flatMap(({ node }) => placeholdersIn(`${node.title}\n${node.description}`)))
    expect(intake_form.length).toBeGreaterThanOrEqual(3)
    expect(intake_form.filter(({ key }) => !used.has(key))).toEqual([])
    expect(intake_form.some(({ required, help_text }) => required && help_text)).toBe(true)
    expect(tags.length).toBeGreaterThanOrEqual(3)
  })

  it.each(flows)('$name says after its commands what they print', ({ tree_structure }) => {
    const texts = [...walkAll(tree_structure)].map(({ node }) => node.description ?? '').filter((text) => text.includes('```'))
    expect(texts.length).toBeGreaterThanOrEqual(2)
    for (const text of texts) {
      const parts = text.split('```')
      expect(parts.length % 2, `A code block that does not end: ${text}`).toBe(1)
      expect(parts.at(-1)?.trim().length, text).toBeGreaterThan(20)
    }
  })

  it.each(trees)('$name has at least 12 nodes and is three decisions deep', ({ root }) => {
    expect([...walkNodes(root)].length).toBeGreaterThanOrEqual(12)
    const decisions = [...waysThrough(root)].map((way) => way.filter(({ type }) => type === 'decision').length)
    expect(Math.max(...decisions)).toBeGreaterThanOrEqual(3)
  })

  it.each(trees)('$name leads every choice to an end that confirms it', ({ root }) => {
    const ways = [...waysThrough(root)]
    const ends = [...walkNodes(root)].filter(({ node }) => node.type === 'solution')
    expect(ways.length).toBe(ends.length)
    for (const way of ways) expect(way.at(-1)).toMatchObject({ type: 'solution', description: expect.stringMatching(/\bConfirm\b/) })
  })

  it.each(lists)('$name has at least 8 steps in sections, 2 with fallbacks, and confirms its work', ({ steps, tree_type }) => {
    const done = steps.filter(({ type }) => type === 'procedure_step')
    expect(done.length).toBeGreaterThanOrEqual(8)
    expect(done.filter(({ fallback_steps }) => fallback_steps?.length).length).toBeGreaterThanOrEqual(2)
    expect(steps.filter(({ type }) => type === 'section_header').length).toBeGreaterThanOrEqual(3)
    expect(done.slice(-3).some(({ title, description }) => /\bConfirm\b/.test(`${title}\n${description}`))).toBe(true)
    expect(steps.at(-1)?.type).toBe('procedure_end')
    if (tree_type === 'maintenance') expect(JSON.stringify(steps)).toContain('{{target_label}}')
  })
})

describe('a starter flow', () => {
  it('FLO-06 belongs to the platform, is by the service account, and opens for every viewer', async () => {
    for (const account of [await newAccount(service), await newAccount(service)]) {
      const viewer = await account.colleague({ role: 'viewer' })
      const listed = (await viewer.call('GET', '/trees?limit=100')).body
      for (const flow of flows) {
        const { status, body } = await viewer.call('GET', `/trees/${flow.id}`)
        expect([status, body.account_id, body.author_id, body.author_name]).toEqual([200, platform, serviceUser, 'Support Flow'])
        expect(body).toMatchObject({ status: 'published', visibility: 'public', version: 1, team_id: null, category: flow.category })
        expect(body.tree_structure).toEqual(flow.tree_structure)
        expect(listed).toContainEqual(expect.objectContaining({ id: flow.id, account_id: platform, author_name: 'Support Flow' }))
        const check = await viewer.call('POST', `/trees/${flow.id}/can-publish`)
        expect(check.body).toEqual({ can_publish: true, errors: [], warnings: [] })
      }
    }
    const orphans = await service.sql(`select id from trees where account_id is null`)
    expect(orphans).toEqual([])
  })

  it('is in the public gallery, under its category', async () => {
    const visit = (path: string) =>
      request(service, 'GET', `/public/templates${path}`, {
        headers: { 'cf-connecting-ip': `2001:db8:77::${crypto.randomUUID().slice(0, 4)}` },
      })
    for (const { id, name, category } of flows)
      expect((await visit(`/flows/${id}`)).body).toMatchObject({ id, name, category, usage_count: expect.any(Number) })
    expect((await visit('/search?q=printer')).body.items.map(({ id }: { id: string }) => id)).toContain(trees[0]?.id)
  })

  it('FLO-06 is changed, deleted, shared and restored by no account', async () => {
    const { admin } = await newAccount(service)
    for (const { id } of flows) {
      expectStatus(await admin.call('PUT', `/trees/${id}`, { name: 'Ours now' }), 403)
      expectStatus(await admin.call('DELETE', `/trees/${id}`), 403)
      expect((await admin.call('GET', `/trees/${id}`)).body).toMatchObject({ version: 1, account_id: platform })
    }
    const [{ id = '' } = {}] = flows
    expectStatus(await admin.call('POST', `/trees/${id}/share`, {}), 403)
    expectStatus(await admin.call('POST', `/trees/${id}/versions/1/restore`), 403)
  })

  it('is forked into a flow of one’s own that publishes as it is', async () => {
    const account = await newAccount(service)
    const engineer = await account.colleague()
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
    expect((await engineer.call('GET', '/step-library?limit=100')).body.length).toBeGreaterThan(20)
  })

  it('counts in no number of an account', async () => {
    const { id, admin } = await newAccount(service)
    expect((await admin.call('GET', '/users/onboarding-status')).body).toMatchObject({ first_flow_created: false })
    expect((await admin.call('GET', '/step-library')).body).toEqual([])
    expect((await admin.call('GET', '/trees/pinned')).body).toEqual([])
    const mine = (await admin.call('POST', '/categories', { name: 'Printing' })).body
    const categories = (await admin.call('GET', '/categories?limit=100')).body.filter(({ name }: { name: string }) => name === 'Printing')
    expect(categories.find((one: { id: string }) => one.id === mine.id)).toMatchObject({ account_id: id, flow_count: 0 })
    expect(await service.sql('select from trees where account_id = $1', [id])).toEqual([])
  })
})
