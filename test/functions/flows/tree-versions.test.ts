import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newFlow, patchForm, patchSteps, printerFlow } from '../../support/flows.ts'
import { newAccount } from '../../support/people.ts'

const service = shared()

it('keeps every former version with who saved it, and shows one as it was', async () => {
  const account = await newAccount(service)
  const lead = await account.colleague({ teamRole: 'admin' })
  const flow = await newFlow(account.admin, { category: 'Printing' })
  await lead.call('PUT', `/trees/${flow.id}`, { name: 'Second', category: null })
  const { body } = await account.admin.call('GET', `/trees/${flow.id}/versions`)
  expect(
    body.map(({ version, name, saved_by_name, is_current }: Record<string, unknown>) => [version, name, saved_by_name, is_current]),
  ).toEqual([
    [2, 'Second', lead.fullName, true],
    [1, flow.name, account.admin.fullName, false],
  ])
  const { body: first } = await account.admin.call('GET', `/trees/${flow.id}/versions/1`)
  expect([first.name, first.category, first.tree_structure]).toEqual([flow.name, 'Printing', printerFlow()])
  expectStatus(await account.admin.call('GET', `/trees/${flow.id}/versions/3`), 404)
  expectStatus(await account.admin.call('GET', `/trees/${flow.id}/versions/x`), 404)
})

it('restores an old version as a new one, whatever type the flow has become', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin)
  await admin.call('PUT', `/trees/${flow.id}`, { tree_type: 'procedural', tree_structure: patchSteps(), intake_form: patchForm })
  const { status, body } = await admin.call('POST', `/trees/${flow.id}/versions/1/restore`)
  expect([status, body.version, body.tree_type, body.tree_structure]).toEqual([200, 3, 'troubleshooting', printerFlow()])
  expect((await admin.call('GET', `/trees/${flow.id}/versions`)).body[0]).toMatchObject({ version: 3, restored_from: 1, is_current: true })
})

it('refuses to restore into a published flow what would not publish', async () => {
  const { admin } = await newAccount(service)
  const flow = await newFlow(admin, { status: 'draft', tree_structure: null })
  await admin.call('PUT', `/trees/${flow.id}`, { status: 'published', tree_structure: printerFlow() })
  const { status, body } = await admin.call('POST', `/trees/${flow.id}/versions/1/restore`)
  expect([status, body.code]).toEqual([400, 'flow_invalid'])
  expect((await admin.call('GET', `/trees/${flow.id}`)).body.version).toBe(2)
})

it('shows the history of a flow to those alone who see the flow', async () => {
  const account = await newAccount(service)
  const flow = await newFlow(account.admin, { visibility: 'private' })
  const colleague = await account.colleague()
  for (const path of ['versions', 'versions/1']) expectStatus(await colleague.call('GET', `/trees/${flow.id}/${path}`), 404)
})
