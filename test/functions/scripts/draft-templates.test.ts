import { expect, it } from 'vitest'
import { insertDraft, insertScriptCategory } from '#test/contract/fixtures-scripts.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const listDrafts = async (person: Person, query = '') =>
  (await person.call('GET', `/draft-templates${query}`)).body.map(
    ({ id, status }: Record<string, string>) => [id, status],
  )

it('SCR-05 lists pending drafts by default, and all drafts with pending_only=false', async () => {
  const { admin } = await createAccount(service)
  const [accepted, rejected, pending] = [
    await insertDraft(service, admin),
    await insertDraft(service, admin),
    await insertDraft(service, admin),
  ]
  await admin.call('POST', `/draft-templates/${accepted}/accept`)
  await admin.call('POST', `/draft-templates/${rejected}/reject`)
  expect(await listDrafts(admin)).toEqual([[pending, 'pending']])
  expect(await listDrafts(admin, '?pending_only=false')).toEqual([
    [pending, 'pending'],
    [rejected, 'rejected'],
    [accepted, 'accepted'],
  ])
})

it('SCR-06 SCR-08 creates a template that records its origin when a draft is accepted', async () => {
  const account = await createAccount(service)
  const [creator, colleague] = [await account.addColleague(), await account.addColleague()]
  const id = await insertDraft(service, creator)
  const draft = (await colleague.call('GET', `/draft-templates/${id}`)).body
  const { status, body } = await colleague.call('POST', `/draft-templates/${id}/accept`)
  expect([status, body]).toMatchObject([
    201,
    {
      name: draft.name,
      script_body: draft.script_body,
      parameters_schema: draft.proposed_parameters,
      language: 'powershell',
      source_session_id: draft.source_session_id,
      source_user_id: creator.id,
      source_ticket_ref: '#4711',
      created_by: colleague.id,
      is_shared: false,
      team_id: account.teamId,
    },
  ])
  const accepted = (await creator.call('GET', `/draft-templates/${id}`)).body
  expect(accepted).toEqual({
    ...draft,
    status: 'accepted',
    promoted_template_id: body.id,
    resolved_at: expect.stringMatching(/Z$/),
  })
})

it('SCR-07 replaces fields of the draft with those of the accept request, and validates the script', async () => {
  const { admin } = await createAccount(service)
  const [id, category_id] = [await insertDraft(service, admin), await insertScriptCategory(service, admin)]
  const changes = { script_body: 'Stop-Service {{ name }}', name: 'Stop it', category_id, description: 'New' }
  const invalid = await admin.call('POST', `/draft-templates/${id}/accept`, changes)
  expect([invalid.status, invalid.body.errors[0].msg]).toEqual([
    422,
    'Line 1: {{ name }} is not a parameter of this script',
  ])
  const parameters_schema = [{ name: 'name', label: 'Name', type: 'string', required: false }]
  const { status, body } = await admin.call('POST', `/draft-templates/${id}/accept`, {
    ...changes,
    parameters_schema,
  })
  expect([status, body]).toMatchObject([201, { ...changes, parameters_schema }])
})

it('SCR-09 rejects a draft and creates no template', async () => {
  const { admin } = await createAccount(service)
  const id = await insertDraft(service, admin)
  const { status, body } = await admin.call('POST', `/draft-templates/${id}/reject`)
  expect([status, body.status, body.promoted_template_id]).toEqual([200, 'rejected', null])
  expect(body.resolved_at).not.toBeNull()
  expect((await admin.call('GET', '/script-templates')).body).toEqual([])
})

it('SCR-10 SCR-11 accepts or rejects a draft once, and returns 409 to 31 of 32 simultaneous requests', async () => {
  const { admin } = await createAccount(service)
  const id = await insertDraft(service, admin)
  const responses = await Promise.all(
    Array.from({ length: 32 }, (_, n) =>
      admin.call('POST', `/draft-templates/${id}/${n % 2 ? 'accept' : 'reject'}`),
    ),
  )
  expect(responses.filter(({ status }) => status < 300)).toHaveLength(1)
  expect(
    responses.filter(({ status, body }) => status === 409 && body.code === 'already_decided'),
  ).toHaveLength(31)
  const isAccepted = responses.some(({ status }) => status === 201)
  expect((await admin.call('GET', '/script-templates')).body).toHaveLength(isAccepted ? 1 : 0)
  for (const action of ['accept', 'reject'])
    expectStatus(await admin.call('POST', `/draft-templates/${id}/${action}`), 409)
})

it('SCR-12 returns 400 for an unknown category and keeps the draft pending', async () => {
  const [ours, theirs] = [await createAccount(service), await createAccount(service)]
  const id = await insertDraft(service, ours.admin)
  for (const category_id of [crypto.randomUUID(), await insertScriptCategory(service, theirs.admin)]) {
    const { status, body } = await ours.admin.call('POST', `/draft-templates/${id}/accept`, { category_id })
    expect([status, body.code]).toEqual([400, 'unknown_category'])
  }
  expect(await listDrafts(ours.admin)).toEqual([[id, 'pending']])
  expect((await ours.admin.call('GET', '/script-templates')).body).toEqual([])
})

it('returns 404 for a draft of another team and omits it from the list', async () => {
  const account = await createAccount(service)
  const [creator, outsider] = [await account.addColleague(), await account.addColleague({ teamId: null })]
  const id = await insertDraft(service, creator)
  expect(await listDrafts(outsider)).toEqual([])
  for (const action of ['accept', 'reject'])
    expectStatus(await outsider.call('POST', `/draft-templates/${id}/${action}`), 404)
})
