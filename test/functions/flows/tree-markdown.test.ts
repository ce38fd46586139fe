import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { announce, bearer, shared } from '../../support/app.ts'
import { flows } from '../../support/flow-arbitraries.ts'
import { newFlow, patchForm, patchSteps } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
type Flow = Record<string, unknown>
const content = ({ tree_type, name, description, category, tags, tree_structure, intake_form }: Flow) => ({
  tree_type,
  name,
  description,
  category,
  tags,
  tree_structure,
  intake_form,
})

const file = (...lines: string[]) => ['---', 'name: Light', 'type: troubleshooting', '---', '', ...lines].join('\n')
const imported = (person: Person, markdown: string) => person.call('POST', '/trees/import/markdown', { markdown })
const checked = async (person: Person, markdown: string) => (await person.call('POST', '/trees/validate/markdown', { markdown })).body
const own = async ({ id, call }: Person) => (await call('GET', `/trees?author_id=${id}`)).body

describe('a flow in markdown', () => {
  it('FLO-56 is a file named after the flow, with front matter, the intake table and a heading per step', async () => {
    const { admin } = await newAccount(service)
    const procedural = { tree_type: 'procedural', tree_structure: patchSteps(), intake_form: patchForm }
    const flow = await newFlow(admin, { ...procedural, name: 'Patch “servers” / Δ', category: 'Servers', tags: ['patch', 'a: b'] })
    const { status, headers, text } = await admin.call('GET', `/trees/${flow.id}/export/markdown`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''patch-servers.md")
    expect(text.split('\n').filter(Boolean)).toEqual([
      '---',
      'name: "Patch “servers” / Δ"',
      'type: procedural',
      'category: Servers',
      'tags: [patch, "a: b"]',
      '---',
      '## Intake',
      '| key | label | type | required |',
      '|---|---|---|---|',
      '| server | Server | hostname | yes |',
      '## Section: Before {#before}',
      '## Step: Take a snapshot of {{server}} {#snapshot library=account group=Safety}',
      'In the hypervisor.',
      '### Fallback: Take a backup instead {#backup}',
      '### Fallback: Ask the client to accept the risk {#ask}',
      '## Step: Install the updates {#patch}',
      'Reboot when asked.',
      '## End: Done {#end}',
    ])
  })

  it('FLO-56 FLO-40 becomes a draft with an equal flow, which says where it came from', async () => {
    const [ours, theirs] = [await newAccount(service), await newAccount(service)]
    const flow = await newFlow(theirs.admin, { category: 'Printing', tags: ['printer'] })
    const { text } = await theirs.admin.call('GET', `/trees/${flow.id}/export/markdown`)
    const { status, body } = await imported(ours.admin, text)
    expect([status, body]).toEqual([
      201,
      { tree_id: body.tree_id, name: flow.name, status: 'draft', category_created: true, tags_created: ['printer'], warnings: [] },
    ])
    const tree = (await ours.admin.call('GET', `/trees/${body.tree_id}`)).body
    expect(content(tree)).toEqual(content(flow))
    expect([tree.status, tree.import_metadata.source]).toEqual(['draft', 'markdown'])
  })

  it('FLO-56 FLO-36 of any valid flow comes back equal, as the file of the envelope does', async () => {
    const both = fc.asyncProperty(fc.array(flows, { minLength: 8, maxLength: 8 }), async (batch) => {
      const { admin } = await newAccount(service)
      for (const flow of batch) {
        const { id, ...tree } = await newFlow(admin, flow)
        expect(content(tree)).toEqual({ ...flow, category: tree.category })
        const markdown = (await admin.call('GET', `/trees/${id}/export/markdown`)).text
        const envelope = JSON.parse((await admin.call('GET', `/trees/${id}/export`)).text)
        for (const answer of [await imported(admin, markdown), await admin.call('POST', '/trees/import', envelope)]) {
          expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('tree_id')])
          expect(content((await admin.call('GET', `/trees/${answer.body.tree_id}`)).body)).toEqual(content(tree))
        }
      }
    })
    await fc.assert(both, { numRuns: 3, endOnFailure: true })
  }, 120_000)

  it('FLO-56 has titles, labels and names of one line and texts with one kind of break, because the flow has', async () => {
    const { admin } = await newAccount(service)
    const fallback = { id: 'f', title: 'f\tf', description: '\r' }
    const step = {
      id: 's',
      type: 'procedure_step',
      title: ' a\r\nb\u2028',
      description: 'x\r\ny\rz\n',
      group_label: '\t',
      fallback_steps: [fallback],
    }
    const field = { key: 'k', label: 'one\ntwo', type: 'text', required: false, help_text: 'a\r\nb' }
    const options = ['x', 'y'].map((id) => ({ id, label: `${id}\n${id}`, next_node_id: id }))
    const leaves = ['x', 'y'].map((id) => ({ id, type: 'solution', title: ' ', solution: `${id}\n`, description: '\r\n' }))
    const root = { id: 'd', type: 'decision', title: '\v', action: 'a\tb', options, children: leaves }
    const given = { tree_type: 'procedural', tree_structure: { steps: [step, { id: 'e', type: 'procedure_end' }] }, intake_form: [field] }
    const steps = await newFlow(admin, { ...given, name: 'Two\nlines', description: 'a\rb' })
    expect(steps).toMatchObject({ name: 'Two lines', description: 'a\nb', intake_form: [{ label: 'one two', help_text: 'a\nb' }] })
    expect(steps.tree_structure.steps[0]).toEqual({
      ...{ id: 's', type: 'procedure_step', title: 'a b', description: 'x\ny\nz\n' },
      fallback_steps: [{ id: 'f', title: 'f f', description: '\n' }],
    })
    const changed = { tree_type: 'troubleshooting', tree_structure: root, intake_form: [], name: 'x\r\ny', description: '\r\n' }
    const { body: tree } = await admin.call('PUT', `/trees/${steps.id}`, changed)
    expect(tree).toMatchObject({ name: 'x y', description: '\n', tree_structure: { title: 'a b' } })
    expect(tree.tree_structure.options.map(({ label }: Flow) => label)).toEqual(['x x', 'y y'])
    expect(tree.tree_structure.children.map(({ title, description }: Flow) => [title, description])).toEqual([
      ['x', '\n'],
      ['y', '\n'],
    ])
  })

  it('FLO-56 of 500 nodes is written and read in well under a second', async () => {
    const { admin } = await newAccount(service)
    const leaf = (id: string) => ({ id, type: 'solution', title: `What to do ${id}`, description: 'Do this.\n\n- and that\n'.repeat(10) })
    const fork = (id: string, children: { id: string }[]) => ({
      ...{ id, type: 'decision', title: 'Which?', description: 'Look at it.', children },
      options: children.map((child, index) => ({ id: `o${index}`, label: `Choice ${index}`, next_node_id: child.id })),
    })
    const branches = Array.from({ length: 9 }, (_, b) =>
      fork(
        `b${b}`,
        Array.from({ length: 54 }, (_, n) => leaf(`b${b}n${n}`)),
      ),
    )
    const flow = await newFlow(admin, { tree_structure: fork('root', [...branches, ...['x', 'y', 'z', 'w'].map(leaf)]) })
    const begun = performance.now()
    const { text } = await admin.call('GET', `/trees/${flow.id}/export/markdown`)
    const { body } = await imported(admin, text)
    expect(performance.now() - begun).toBeLessThan(1500)
    expect(text.match(/^## /gm)).toHaveLength(500 + 1)
    expect(content((await admin.call('GET', `/trees/${body.tree_id}`)).body)).toEqual(content(flow))
  })

  it('FLO-57 is validated by line, in the words of publishing when it can be read, and nothing is stored', async () => {
    const { admin } = await newAccount(service)
    expect(await checked(admin, file('## Solution: Reseat the cable {#cable}'))).toEqual({ valid: true, problems: [] })
    const halfway = file('## Decision: Is it green? {#root}', '- Yes -> #a', '- No ->', '', '## Action: {#a}')
    expect(await checked(admin, halfway)).toEqual({
      valid: false,
      problems: [
        { line: 6, message: 'A decision leads to at least 2 nodes; this one to 1' },
        { line: 8, message: 'The option “No” leads nowhere' },
        { line: 10, message: 'This action has no title' },
        { line: 10, message: 'An action leads on to the next node; this one leads nowhere' },
      ],
    })
    expect(await own(admin)).toEqual([])
    // What only stops publishing is a draft's business.
    const { status, body } = await imported(admin, halfway)
    expect([status, body.warnings.length]).toEqual([201, 4])
  })

  it('FLO-57 that cannot be read is the same problems and, imported, 400; nothing is stored', async () => {
    const { admin } = await newAccount(service)
    const broken = file('## Decision: Is it green? {#root}', '- Yes -> #gone', '- No -> #a', '', '## Question: What? {#a}')
    const problems = [
      { line: 7, message: 'It leads to #gone, which is no node of this file' },
      { line: 8, message: 'It leads to #a, which is no node of this file' },
      { line: 10, message: expect.stringMatching(/^A heading begins with Intake, Decision:/) },
    ]
    expect(await checked(admin, broken)).toEqual({ valid: false, problems })
    const { status, body } = await imported(admin, broken)
    expect([status, body]).toEqual([400, { detail: 'The file cannot be read: 3 problems', code: 'markdown_invalid', problems }])
    expect(await own(admin)).toEqual([])
  })

  it('FLO-57 of 4 MiB is read, of more refused, and no nesting of its front matter is too much', async () => {
    const { admin } = await newAccount(service)
    const most = 4 * 1024 * 1024
    expect((await checked(admin, file('## Solution: x {#x}', '{#'.repeat(most / 2 - 50)))).problems).toEqual([
      { line: 6, message: 'The description is longer than 20000 characters' },
    ])
    expect((await checked(admin, '\n'.repeat(most))).problems[0].line).toBe(1)
    expectStatus(await admin.call('POST', '/trees/validate/markdown', { markdown: 'x'.repeat(most + 1) }), 422)
    const over = await announce(`${service.api}/api/v1/trees/validate/markdown`, 'POST', 2 * most + 2000, bearer(admin.token))
    expectStatus(over, 413)
    for (const deep of ['[', '- ', '{', '? ', 'a: ', '"']) {
      const { valid, problems } = await checked(admin, `---\n${deep.repeat(31_000 / deep.length)}\n---\n`)
      expect([valid, problems.length > 0]).toEqual([false, true])
    }
  })
})
