// @module-tag behaviour
import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, patchForm, patchProcedure, printerFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

it('stores every version with its content and the user who saved it', async () => {
  const account = await createAccount(service)
  const lead = await account.addColleague({ teamRole: 'admin' })
  const flow = await createFlow(account.admin, { category: 'Printing' })
  await lead.call('PUT', `/trees/${flow.id}`, { name: 'Second', category: null })
  const { body } = await account.admin.call('GET', `/trees/${flow.id}/versions`)
  expect(
    body.map(({ version, name, saved_by_name, is_current }: Record<string, unknown>) => [
      version,
      name,
      saved_by_name,
      is_current,
    ]),
  ).toEqual([
    [2, 'Second', lead.fullName, true],
    [1, flow.name, account.admin.fullName, false],
  ])
  const { body: first } = await account.admin.call('GET', `/trees/${flow.id}/versions/1`)
  expect([first.name, first.category, first.tree_structure]).toEqual([flow.name, 'Printing', printerFlow()])
  expectStatus(await account.admin.call('GET', `/trees/${flow.id}/versions/3`), 404)
  expectStatus(await account.admin.call('GET', `/trees/${flow.id}/versions/x`), 404)
})

it('restores an old version as a new version, even one of another flow type', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin)
  await admin.call('PUT', `/trees/${flow.id}`, {
    tree_type: 'procedural',
    tree_structure: patchProcedure(),
    intake_form: patchForm,
  })
  const { status, body } = await admin.call('POST', `/trees/${flow.id}/versions/1/restore`)
  expect([status, body.version, body.tree_type, body.tree_structure]).toEqual([
    200,
    3,
    'troubleshooting',
    printerFlow(),
  ])
  expect((await admin.call('GET', `/trees/${flow.id}/versions`)).body[0]).toMatchObject({
    version: 3,
    restored_from: 1,
    is_current: true,
  })
})

it('returns 400 when a published flow is restored to a version that cannot be published', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin, { status: 'draft', tree_structure: null })
  await admin.call('PUT', `/trees/${flow.id}`, { status: 'published', tree_structure: printerFlow() })
  const { status, body } = await admin.call('POST', `/trees/${flow.id}/versions/1/restore`)
  expect([status, body.code]).toEqual([400, 'flow_invalid'])
  expect((await admin.call('GET', `/trees/${flow.id}`)).body.version).toBe(2)
})

it('returns 404 for the versions of a flow that the caller cannot see', async () => {
  const account = await createAccount(service)
  const flow = await createFlow(account.admin, { visibility: 'private' })
  const colleague = await account.addColleague()
  for (const path of ['versions', 'versions/1'])
    expectStatus(await colleague.call('GET', `/trees/${flow.id}/${path}`), 404)
})
