// @module-tag behaviour
import { applyPatch } from 'rfc6902'
import { expect, it } from 'vitest'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { sharedService } from '#test/support/app.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const treeFlow = { tree_type: 'troubleshooting', tree_structure: printerFlow() as object }
const procedureFlow = { tree_type: 'procedural', tree_structure: patchProcedure() as object }
const suggest = (person: Person, request: object) => person.call('POST', '/ai/assistant/suggest', request)

it.each([
  [
    'Rename the root to “Does it ping at all?”',
    treeFlow,
    [{ op: 'replace', path: '/title', value: 'Does it ping at all?' }],
  ],
  [
    'Describe “Reseat the network cable” as “Both ends”',
    treeFlow,
    [{ op: 'replace', path: '/children/1/description', value: 'Both ends' }],
  ],
  [
    'Rename step 2 to “Patch {{server}}”',
    procedureFlow,
    [{ op: 'replace', path: '/steps/2/title', value: 'Patch {{server}}' }],
  ],
  ['Remove “Install the updates”', procedureFlow, undefined],
  ['Move “Install the updates” before “Take a snapshot”', procedureFlow, undefined],
  ['Add “Tell the client” after “Take a snapshot of {{server}}”', procedureFlow, undefined],
  ['Add “Look at the light” before “Clear the print queue”', treeFlow, undefined],
  ['If the light is red, then call the vendor', treeFlow, undefined],
])('returns a patch with a publishable result for “%s”', async (instruction, flow, patch) => {
  const { admin, id } = await createAccount(service)
  const before = await readChecksums(service, id)
  const { status, body } = await suggest(admin, { ...flow, instruction })
  expect([status, body.problems]).toEqual([200, []])
  if (patch) expect(body.patch).toEqual(patch)
  expect(body.patch.length).toBeGreaterThan(0)
  expect(body.explanation).toContain(instruction)
  // A standard JSON Patch implementation must produce the same result.
  const patchedTree = structuredClone(flow.tree_structure)
  expect(applyPatch(patchedTree, body.patch).filter(Boolean)).toEqual([])
  expect(patchedTree).toEqual(body.result)
  const ledger = { ai_calls: undefined, ai_budgets: undefined }
  expect({ ...(await readChecksums(service, id)), ...ledger }).toEqual({ ...before, ...ledger })
})

it('changes only the node that the request names, and returns 422 for an unknown node', async () => {
  const { admin } = await createAccount(service)
  const { body } = await suggest(admin, {
    ...procedureFlow,
    instruction: 'Rename this step to “Snapshot”',
    node_id: 'snapshot',
  })
  const original = patchProcedure()
  expect(body.result.steps[1]).toEqual({ ...original.steps[1], title: 'Snapshot' })
  expect(
    (await suggest(admin, { ...procedureFlow, instruction: 'Rename it', node_id: 'gone' })).body.errors[0]
      .loc,
  ).toEqual(['body', 'node_id'])
})

it('returns an empty patch with an explanation for an impossible instruction', async () => {
  const { admin } = await createAccount(service)
  const { status, body } = await suggest(admin, { ...treeFlow, instruction: 'Sing me a wibbly song' })
  expect([status, body.patch, body.result]).toEqual([200, [], treeFlow.tree_structure])
  expect(body.explanation).toContain('wibbly')
})

it('lists the problems that prevent publishing the result', async () => {
  const { admin } = await createAccount(service)
  const { body } = await suggest(admin, { ...treeFlow, instruction: 'Remove “Reseat the network cable”' })
  expect(body.problems.map(({ path }: { path: string }) => path)).toContain('tree_structure.options')
})

it('edits a draft whose links lead nowhere, and keeps them', async () => {
  const { admin } = await createAccount(service)
  const draft = {
    id: 'call',
    type: 'solution',
    title: 'Call',
    description: '',
    next_node_id: 'nowhere',
    children: null,
  }
  const { status, body } = await suggest(admin, {
    ...treeFlow,
    tree_structure: draft,
    instruction: 'Rename “Call” to “Call the vendor”',
  })
  expect([status, body.patch]).toEqual([200, [{ op: 'replace', path: '/title', value: 'Call the vendor' }]])
})

it('returns 422 for a flow of the wrong type, and 400 for an invalid draft', async () => {
  const { admin } = await createAccount(service)
  const wrongType = await suggest(admin, {
    tree_type: 'procedural',
    tree_structure: printerFlow(),
    instruction: 'Rename the root to “X”',
  })
  expect([wrongType.status, wrongType.body.errors[0].loc]).toEqual([422, ['body', 'tree_structure']])
  const duplicateId = { ...printerFlow(), id: 'cable' }
  const invalidDraft = await suggest(admin, {
    ...treeFlow,
    tree_structure: duplicateId,
    instruction: 'Rename the root to “X”',
  })
  expect([invalidDraft.status, invalidDraft.body.code, invalidDraft.body.errors[0].node_id]).toEqual([
    400,
    'flow_invalid',
    'cable',
  ])
})
