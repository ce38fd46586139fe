import { applyPatch } from 'rfc6902'
import { expect, it } from 'vitest'
import { rowsOf } from '../../contract/rows.ts'
import { shared } from '../../support/app.ts'
import { patchSteps, printerFlow } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const tree = { tree_type: 'troubleshooting', tree_structure: printerFlow() as object }
const steps = { tree_type: 'procedural', tree_structure: patchSteps() as object }
const suggest = (person: Person, about: object) => person.call('POST', '/ai/assistant/suggest', about)

it.each([
  ['Rename the root to “Does it ping at all?”', tree, [{ op: 'replace', path: '/title', value: 'Does it ping at all?' }]],
  ['Describe “Reseat the network cable” as “Both ends”', tree, [{ op: 'add', path: '/children/1/description', value: 'Both ends' }]],
  ['Rename step 2 to “Patch {{server}}”', steps, [{ op: 'replace', path: '/steps/2/title', value: 'Patch {{server}}' }]],
  ['Remove “Install the updates”', steps, undefined],
  ['Move “Install the updates” before “Take a snapshot”', steps, undefined],
  ['Add “Tell the client” after “Take a snapshot of {{server}}”', steps, undefined],
  ['Add “Look at the light” before “Clear the print queue”', tree, undefined],
  ['If the light is red, then call the vendor', tree, undefined],
])('proposes “%s” as a patch whose result could be published', async (instruction, flow, patch) => {
  const { admin, id } = await newAccount(service)
  const before = await rowsOf(service, id)
  const { status, body } = await suggest(admin, { ...flow, instruction })
  expect([status, body.problems]).toEqual([200, []])
  if (patch) expect(body.patch).toEqual(patch)
  expect(body.patch.length).toBeGreaterThan(0)
  expect(body.explanation).toContain(instruction)
  // By the standard, the patch gives the result.
  const own = structuredClone(flow.tree_structure)
  expect(applyPatch(own, body.patch).filter(Boolean)).toEqual([])
  expect(own).toEqual(body.result)
  expect({ ...(await rowsOf(service, id)), ai_usage: undefined }).toEqual({ ...before, ai_usage: undefined })
})

it('is about the node that is named, and keeps what the instruction does not speak of', async () => {
  const { admin } = await newAccount(service)
  const { body } = await suggest(admin, { ...steps, instruction: 'Rename this step to “Snapshot”', node_id: 'snapshot' })
  const expected = patchSteps()
  expect(body.result.steps[1]).toEqual({ ...expected.steps[1], title: 'Snapshot' })
  expect((await suggest(admin, { ...steps, instruction: 'Rename it', node_id: 'gone' })).body.errors[0].loc).toEqual(['body', 'node_id'])
})

it('answers an empty patch where nothing can be done, in words of its own', async () => {
  const { admin } = await newAccount(service)
  const { status, body } = await suggest(admin, { ...tree, instruction: 'Sing me a wibbly song' })
  expect([status, body.patch, body.result]).toEqual([200, [], tree.tree_structure])
  expect(body.explanation).toContain('wibbly')
})

it('tells what the result still lacks', async () => {
  const { admin } = await newAccount(service)
  const { body } = await suggest(admin, { ...tree, instruction: 'Remove “Reseat the network cable”' })
  expect(body.problems.map(({ path }: { path: string }) => path)).toContain('tree_structure.options')
})

it('refuses a flow of the wrong kind with 422, and one that could not even be a draft with 400', async () => {
  const { admin } = await newAccount(service)
  const wrong = await suggest(admin, { tree_type: 'procedural', tree_structure: printerFlow(), instruction: 'Rename the root to “X”' })
  expect([wrong.status, wrong.body.errors[0].loc]).toEqual([422, ['body', 'tree_structure']])
  const twice = { ...printerFlow(), id: 'cable' }
  const unfit = await suggest(admin, { ...tree, tree_structure: twice, instruction: 'Rename the root to “X”' })
  expect([unfit.status, unfit.body.code, unfit.body.errors[0].node_id]).toEqual([400, 'flow_invalid', 'cable'])
})
