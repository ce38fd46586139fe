import { expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { picture, upload } from '../../support/images.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const none = { company_name: null, primary_colour: null, footer_text: null, logo_upload_id: null }
const get = (person: Person, team: string) => person.call('GET', `/teams/${team}/branding`)
const put = (person: Person, team: string, body: object) => person.call('PUT', `/teams/${team}/branding`, body)

async function logoOf(person: Person): Promise<string> {
  return (await upload(service, person, await picture('png', 40, 40))).body.id
}

it('is the house’s own look until somebody changes it, only what is given changes, and null takes it back', async () => {
  const { admin, teamId: team_id, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  expect((await get(viewer, team_id)).body).toEqual({ team_id, ...none })
  const logo = await logoOf(admin)
  const first = await put(admin, team_id, { company_name: '  Northwind IT ', primary_colour: '#1D4ED8', logo_upload_id: logo })
  const expected = { team_id, ...none, company_name: 'Northwind IT', primary_colour: '#1d4ed8', logo_upload_id: logo }
  expect([first.status, first.body]).toEqual([200, expected])
  expect((await put(admin, team_id, { footer_text: '12 Harbour Street' })).body).toEqual({ ...expected, footer_text: '12 Harbour Street' })
  expect((await put(admin, team_id, {})).body).toEqual((await get(viewer, team_id)).body)
  expect((await put(admin, team_id, { company_name: null, logo_upload_id: null })).body).toEqual({
    ...none,
    team_id,
    primary_colour: '#1d4ed8',
    footer_text: '12 Harbour Street',
  })
  for (let times = 0; times < 2; times++) expectStatus(await admin.call('DELETE', `/teams/${team_id}/branding`), 204)
  expect((await get(viewer, team_id)).body).toEqual({ team_id, ...none })
})

it('WIR-04 is changed by admins of that very team and of the account: 403 for the others who see it', async () => {
  const { id, admin, teamId, colleague } = await newAccount(service)
  const [other] = await service.sql<{ id: string }>(`insert into teams (account_id, name) values ($1, 'South') returning id`, [id])
  const otherId = other?.id ?? ''
  const lead = await colleague({ teamRole: 'admin' })
  const member = await colleague()
  expectStatus(await put(lead, teamId, { company_name: 'North' }), 200)
  for (const answer of [
    await put(lead, otherId, { company_name: 'North' }),
    await lead.call('DELETE', `/teams/${otherId}/branding`),
    await put(member, teamId, { company_name: 'Mine' }),
  ]) {
    expect([answer.status, answer.body]).toEqual([403, { detail: 'Not allowed' }])
  }
  expect((await get(lead, otherId)).body.company_name).toBeNull()
  expectStatus(await put(admin, otherId, { company_name: 'South' }), 200)
})

it('WIR-03 WIR-08 knows neither teams nor logos of another account', async () => {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  const logo = await logoOf(theirs.admin)
  const foreign = await put(ours.admin, ours.teamId, { logo_upload_id: logo })
  expect([foreign.status, foreign.body.errors[0].loc]).toEqual([422, ['body', 'logo_upload_id']])
  const nobodys = await put(ours.admin, ours.teamId, { logo_upload_id: crypto.randomUUID() })
  expect(nobodys.text).toBe(foreign.text)
  for (const answer of [await get(ours.admin, theirs.teamId), await put(ours.admin, theirs.teamId, { company_name: 'x' })]) {
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Team not found' }])
  }
})

it('refuses what is no colour, empty or too long', async () => {
  const { admin, teamId } = await newAccount(service)
  for (const wrong of [
    ...['red', '#fff', '1d4ed8', '#1d4ed8ff', '#1d4ed8;x'].map((primary_colour) => ({ primary_colour })),
    { company_name: '' },
    { company_name: 'x'.repeat(201) },
    { footer_text: 'x'.repeat(501) },
    { logo_upload_id: 'logo.png' },
  ]) {
    expectStatus(await put(admin, teamId, wrong), 422)
  }
  expect((await get(admin, teamId)).body).toEqual({ team_id: teamId, ...none })
})

it('leaves a row in the audit log for each change, and none for what changes nothing', async () => {
  const { admin, teamId } = await newAccount(service)
  for (let times = 0; times < 2; times++) await put(admin, teamId, { company_name: 'Northwind IT' })
  const { body } = await admin.call('GET', '/accounts/me/audit-logs')
  expect(body).toHaveLength(1)
  expect(body[0]).toMatchObject({
    actor_id: admin.id,
    action: 'team.updated',
    resource_id: teamId,
    changes: { branding_company_name: { from: null, to: 'Northwind IT' } },
  })
})
