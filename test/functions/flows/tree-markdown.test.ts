import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentFields } from '#rules/flows/rfflow.ts'
import { replaceSubflowIds } from '#rules/flows/subflow-ids.ts'
import { authorizationHeader, sendHeadersOnly, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { publishableFlow } from '#test/support/flow-arbitraries.ts'
import { createFlow, patchForm, patchProcedure } from '#test/support/flows.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
type Flow = Record<string, unknown>
const contentNames = [...Object.keys(contentFields), 'tree_structure', 'intake_form'] as (keyof Flow)[]
const pickContent = (flow: Flow) => Object.fromEntries(contentNames.map((name) => [name, flow[name]]))

const buildMarkdown = (...lines: string[]) =>
  ['---', 'name: Light', 'type: troubleshooting', '---', '', ...lines].join('\n')
const importMarkdown = (person: Person, markdown: string) =>
  person.call('POST', '/trees/import/markdown', { markdown })
const validateMarkdown = async (person: Person, markdown: string) =>
  (await person.call('POST', '/trees/validate/markdown', { markdown })).body
const listOwnFlows = async ({ id, call }: Person) => (await call('GET', `/trees?author_id=${id}`)).body

describe('the markdown export and import of flows', () => {
  it('FLO-56 exports front matter, an intake table and a heading per step, in a file named after the flow', async () => {
    const { admin } = await createAccount(service)
    const procedural = { tree_type: 'procedural', tree_structure: patchProcedure(), intake_form: patchForm }
    const flow = await createFlow(admin, {
      ...procedural,
      name: 'Patch “servers” / Δ',
      category: 'Servers',
      tags: ['patch', 'a: b'],
    })
    const { status, headers, text } = await admin.call('GET', `/trees/${flow.id}/export/markdown`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="patch-servers.md"; filename*=UTF-8''patch-servers-%CE%B4.md`,
    )
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

  it('FLO-56 FLO-40 imports a flow as a draft with equal content that records its origin', async () => {
    const [ours, theirs] = [await createAccount(service), await createAccount(service)]
    const flow = await createFlow(theirs.admin, { category: 'Printing', tags: ['printer'] })
    const { text } = await theirs.admin.call('GET', `/trees/${flow.id}/export/markdown`)
    const { status, body } = await importMarkdown(ours.admin, text)
    expect([status, body]).toEqual([
      201,
      {
        tree_id: body.tree_id,
        name: flow.name,
        status: 'draft',
        category_created: true,
        tags_created: ['printer'],
        warnings: [],
      },
    ])
    const tree = (await ours.admin.call('GET', `/trees/${body.tree_id}`)).body
    expect(pickContent(tree)).toEqual(pickContent(flow))
    expect([tree.status, tree.import_metadata.source]).toEqual(['draft', 'markdown'])
  })

  it('FLO-56 FLO-36 exports and imports generated flows without changes, as markdown and as .rfflow', async () => {
    const roundTrips = fc.asyncProperty(
      fc.array(publishableFlow, { minLength: 8, maxLength: 8 }),
      async (batch) => {
        const { admin } = await createAccount(service)
        for (const generated of batch) {
          // Only flows that exist can be sub-flows.
          const flow = {
            ...generated,
            tree_structure: replaceSubflowIds(generated.tree_structure, new Map()),
          }
          const { id, ...tree } = await createFlow(admin, flow)
          expect(pickContent(tree)).toEqual({ ...flow, category: tree.category })
          const markdown = (await admin.call('GET', `/trees/${id}/export/markdown`)).text
          const envelope = JSON.parse((await admin.call('GET', `/trees/${id}/export`)).text)
          for (const response of [
            await importMarkdown(admin, markdown),
            await admin.call('POST', '/trees/import', envelope),
          ]) {
            expect([response.status, response.text]).toEqual([201, expect.stringContaining('tree_id')])
            expect(pickContent((await admin.call('GET', `/trees/${response.body.tree_id}`)).body)).toEqual(
              pickContent(tree),
            )
          }
        }
      },
    )
    await fc.assert(roundTrips, { numRuns: 3, endOnFailure: true })
  })

  it('FLO-56 normalises titles to one line and line breaks to \\n when a flow is saved', async () => {
    const { admin } = await createAccount(service)
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
    const leaves = ['x', 'y'].map((id) => ({
      id,
      type: 'solution',
      title: ' ',
      solution: `${id}\n`,
      description: '\r\n',
    }))
    const root = { id: 'd', type: 'decision', title: '\v', action: 'a\tb', options, children: leaves }
    const fields = {
      tree_type: 'procedural',
      tree_structure: { steps: [step, { id: 'e', type: 'procedure_end' }] },
      intake_form: [field],
    }
    const steps = await createFlow(admin, { ...fields, name: 'Two\nlines', description: 'a\rb' })
    expect(steps).toMatchObject({
      name: 'Two lines',
      description: 'a\nb',
      intake_form: [{ label: 'one two', help_text: 'a\nb' }],
    })
    expect(steps.tree_structure.steps[0]).toEqual({
      id: 's',
      type: 'procedure_step',
      title: 'a b',
      description: 'x\ny\nz\n',
      fallback_steps: [{ id: 'f', title: 'f f', description: '\n' }],
    })
    const changes = {
      tree_type: 'troubleshooting',
      tree_structure: root,
      intake_form: [],
      name: 'x\r\ny',
      description: '\r\n',
    }
    const { body: tree } = await admin.call('PUT', `/trees/${steps.id}`, changes)
    expect(tree).toMatchObject({ name: 'x y', description: '\n', tree_structure: { title: 'a b' } })
    expect(tree.tree_structure.options.map(({ label }: Flow) => label)).toEqual(['x x', 'y y'])
    expect(tree.tree_structure.children.map(({ title, description }: Flow) => [title, description])).toEqual([
      ['x', '\n'],
      ['y', '\n'],
    ])
  })

  it('FLO-56 exports and imports a flow with 500 nodes in under 1.5 s', { retry: 2 }, async () => {
    const { admin } = await createAccount(service)
    const buildSolution = (id: string) => ({
      id,
      type: 'solution',
      title: `What to do ${id}`,
      description: 'Do this.\n\n- and that\n'.repeat(10),
    })
    const buildDecision = (id: string, children: { id: string }[]) => ({
      id,
      type: 'decision',
      title: 'Which?',
      description: 'Look at it.',
      children,
      options: children.map((child, index) => ({
        id: `o${index}`,
        label: `Choice ${index}`,
        next_node_id: child.id,
      })),
    })
    const branches = Array.from({ length: 9 }, (_, b) =>
      buildDecision(
        `b${b}`,
        Array.from({ length: 54 }, (_, n) => buildSolution(`b${b}n${n}`)),
      ),
    )
    const flow = await createFlow(admin, {
      tree_structure: buildDecision('root', [...branches, ...['x', 'y', 'z', 'w'].map(buildSolution)]),
    })
    const startedAt = performance.now()
    const { text } = await admin.call('GET', `/trees/${flow.id}/export/markdown`)
    const { body } = await importMarkdown(admin, text)
    expect(performance.now() - startedAt).toBeLessThan(1500)
    expect(text.match(/^## /gm)).toHaveLength(500 + 1)
    expect(pickContent((await admin.call('GET', `/trees/${body.tree_id}`)).body)).toEqual(pickContent(flow))
  })

  it('FLO-57 validates markdown with a line number per publishing problem, and stores nothing', async () => {
    const { admin } = await createAccount(service)
    expect(await validateMarkdown(admin, buildMarkdown('## Solution: Reseat the cable {#cable}'))).toEqual({
      valid: true,
      problems: [],
    })
    const incomplete = buildMarkdown(
      '## Decision: Is it green? {#root}',
      '- Yes -> #a',
      '- No ->',
      '',
      '## Action: {#a}',
    )
    expect(await validateMarkdown(admin, incomplete)).toEqual({
      valid: false,
      problems: [
        { line: 6, message: 'A decision needs at least 2 nodes below it; this one has 1' },
        { line: 8, message: 'The option “No” leads nowhere' },
        { line: 10, message: 'This action has no title' },
        { line: 10, message: 'An action must lead to the next node; this one leads nowhere' },
      ],
    })
    expect(await listOwnFlows(admin)).toEqual([])
    // An import accepts problems that only prevent publishing, and returns them as warnings.
    const { status, body } = await importMarkdown(admin, incomplete)
    expect([status, body.warnings.length]).toEqual([201, 4])
  })

  it('FLO-57 returns the problems of invalid markdown from validation and with 400 from an import, and stores nothing', async () => {
    const { admin } = await createAccount(service)
    const broken = buildMarkdown(
      '## Decision: Is it green? {#root}',
      '- Yes -> #gone',
      '- No -> #a',
      '',
      '## Question: What? {#a}',
    )
    const problems = [
      { line: 7, message: 'This link leads to #gone, which is not in this file' },
      { line: 8, message: 'This link leads to #a, which is not in this file' },
      { line: 10, message: expect.stringMatching(/^A heading must start with Intake, Decision:/) },
    ]
    expect(await validateMarkdown(admin, broken)).toEqual({ valid: false, problems })
    const { status, body } = await importMarkdown(admin, broken)
    expect([status, body]).toEqual([
      400,
      { detail: 'The file cannot be read: 3 problems', code: 'markdown_invalid', problems },
    ])
    expect(await listOwnFlows(admin)).toEqual([])
  })

  it(
    'FLO-57 accepts up to 4 MiB of markdown, and reports deeply nested front matter as a problem',
    night,
    async () => {
      const { admin } = await createAccount(service)
      const maxSize = 4 * 1024 * 1024
      expect(
        (await validateMarkdown(admin, buildMarkdown('## Solution: x {#x}', '{#'.repeat(maxSize / 2 - 50))))
          .problems,
      ).toEqual([{ line: 6, message: 'The description must have at most 20000 characters' }])
      expect((await validateMarkdown(admin, '\n'.repeat(maxSize))).problems[0].line).toBe(1)
      expectStatus(
        await admin.call('POST', '/trees/validate/markdown', { markdown: 'x'.repeat(maxSize + 1) }),
        422,
      )
      const tooLarge = await sendHeadersOnly(
        `${service.api}/api/v1/trees/validate/markdown`,
        'POST',
        2 * maxSize + 2000,
        authorizationHeader(admin.token),
      )
      expectStatus(tooLarge, 413)
      for (const nesting of ['[', '- ', '{', '? ', 'a: ', '"']) {
        const { valid, problems } = await validateMarkdown(
          admin,
          `---\n${nesting.repeat(31_000 / nesting.length)}\n---\n`,
        )
        expect([valid, problems.length > 0]).toEqual([false, true])
      }
    },
  )
})
