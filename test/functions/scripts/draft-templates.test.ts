import { expect, it } from 'vitest'
import { insertDraft, insertScriptCategory } from '../../contract/fixtures-scripts.ts'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const list = async (person: Person, query = '') =>
  (await person.call('GET', `/draft-templates${query}`)).body.map(({ id, status }: Record<string, string>) => [id, status])

it('SCR-05 lists what is pending, and the rest when asked', async () => {
  const { admin } = await newAccount(service)
  const [one, two, three] = [await insertDraft(service, admin), await insertDraft(service, admin), await insertDraft(service, admin)]
  await admin.call('POST', `/draft-templates/${one}/accept`)
  await admin.call('POST', `/draft-templates/${two}/reject`)
  expect(await list(admin)).toEqual([[three, 'pending']])
  expect(await list(admin, '?pending_only=false')).toEqual([
    [three, 'pending'],
    [two, 'rejected'],
    [one, 'accepted'],
  ])
})

it('SCR-06 SCR-08 makes a template of a draft, with where it came from', async () => {
  const account = await newAccount(service)
  const [maker, colleague] = [await account.colleague(), await account.colleague()]
  const id = await insertDraft(service, maker)
  const before = (await colleague.call('GET', `/draft-templates/${id}`)).body
  const { status, body } = await colleague.call('POST', `/draft-templates/${id}/accept`)
  expect([status, body]).toMatchObject([
    201,
    {
      name: before.name,
      script_body: before.script_body,
      parameters_schema: before.proposed_parameters,
      language: 'powershell',
      source_session_id: before.source_session_id,
      source_user_id: maker.id,
      source_ticket_ref: '#4711',
      created_by: colleague.id,
      is_shared: false,
      team_id: account.teamId,
    },
  ])
  const after = (await maker.call('GET', `/draft-templates/${id}`)).body
  expect(after).toEqual({ ...before, status: 'accepted', promoted_template_id: body.id, resolved_at: expect.stringMatching(/Z$/) })
})

it('SCR-07 takes the edited body, name, category and description', async () => {
  const { admin } = await newAccount(service)
  const [id, category_id] = [await insertDraft(service, admin), await insertScriptCategory(service, admin)]
  const edited = { script_body: 'Stop-Service {{ name }}', name: 'Stop it', category_id, description: 'New' }
  const refused = await admin.call('POST', `/draft-templates/${id}/accept`, edited)
  expect([refused.status, refused.body.errors[0].msg]).toEqual([422, 'Line 1: {{ name }} is no parameter of this script'])
  const parameters_schema = [{ name: 'name', label: 'Name', type: 'string', required: false }]
  const { status, body } = await admin.call('POST', `/draft-templates/${id}/accept`, { ...edited, parameters_schema })
  expect([status, body]).toMatchObject([201, { ...edited, parameters_schema }])
})

it('SCR-09 rejects a draft and makes no template', async () => {
  const { admin } = await newAccount(service)
  const id = await insertDraft(service, admin)
  const { status, body } = await admin.call('POST', `/draft-templates/${id}/reject`)
  expect([status, body.status, body.promoted_template_id]).toEqual([200, 'rejected', null])
  expect(body.resolved_at).not.toBeNull()
  expect((await admin.call('GET', '/script-templates')).body).toEqual([])
})

it('SCR-10 SCR-11 is resolved once, whoever of 32 is first', async () => {
  const { admin } = await newAccount(service)
  const id = await insertDraft(service, admin)
  const answers = await Promise.all(
    Array.from({ length: 32 }, (_, n) => admin.call('POST', `/draft-templates/${id}/${n % 2 ? 'accept' : 'reject'}`)),
  )
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
  expect(answers.filter(({ status, body }) => status === 409 && body.code === 'draft_resolved')).toHaveLength(31)
  const accepted = answers.some(({ status }) => status === 201)
  expect((await admin.call('GET', '/script-templates')).body).toHaveLength(accepted ? 1 : 0)
  for (const verb of ['accept', 'reject']) expectStatus(await admin.call('POST', `/draft-templates/${id}/${verb}`), 409)
})

it('SCR-12 leaves the draft pending when the category is not there', async () => {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  const id = await insertDraft(service, ours.admin)
  for (const category_id of [crypto.randomUUID(), await insertScriptCategory(service, theirs.admin)]) {
    const { status, body } = await ours.admin.call('POST', `/draft-templates/${id}/accept`, { category_id })
    expect([status, body.code]).toEqual([400, 'unknown_category'])
  }
  expect(await list(ours.admin)).toEqual([[id, 'pending']])
  expect((await ours.admin.call('GET', '/script-templates')).body).toEqual([])
})

it('shows a draft to its team alone', async () => {
  const account = await newAccount(service)
  const [maker, stranger] = [await account.colleague(), await account.colleague({ teamId: null })]
  const id = await insertDraft(service, maker)
  expect(await list(stranger)).toEqual([])
  for (const verb of ['accept', 'reject']) expectStatus(await stranger.call('POST', `/draft-templates/${id}/${verb}`), 404)
})
