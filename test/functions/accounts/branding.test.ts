import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const defaultBranding = { company_name: null, primary_colour: null, footer_text: null, logo_upload_id: null }
const getBranding = (person: Person, team: string) => person.call('GET', `/teams/${team}/branding`)
const putBranding = (person: Person, team: string, body: object) =>
  person.call('PUT', `/teams/${team}/branding`, body)

async function uploadLogo(person: Person): Promise<string> {
  return (await uploadImage(service, person, await createImage('png', 40, 40))).body.id
}

it('returns the default branding until an update, and an update keeps absent fields and resets fields that are null', async () => {
  const { admin, teamId: team_id, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  expect((await getBranding(viewer, team_id)).body).toEqual({ team_id, ...defaultBranding })
  const logo = await uploadLogo(admin)
  const first = await putBranding(admin, team_id, {
    company_name: '  Northwind IT ',
    primary_colour: '#1D4ED8',
    logo_upload_id: logo,
  })
  const expected = {
    team_id,
    ...defaultBranding,
    company_name: 'Northwind IT',
    primary_colour: '#1d4ed8',
    logo_upload_id: logo,
  }
  expect([first.status, first.body]).toEqual([200, expected])
  expect((await putBranding(admin, team_id, { footer_text: '12 Harbour Street' })).body).toEqual({
    ...expected,
    footer_text: '12 Harbour Street',
  })
  expect((await putBranding(admin, team_id, {})).body).toEqual((await getBranding(viewer, team_id)).body)
  expect((await putBranding(admin, team_id, { company_name: null, logo_upload_id: null })).body).toEqual({
    ...defaultBranding,
    team_id,
    primary_colour: '#1d4ed8',
    footer_text: '12 Harbour Street',
  })
  for (let attempt = 0; attempt < 2; attempt++)
    expectStatus(await admin.call('DELETE', `/teams/${team_id}/branding`), 204)
  expect((await getBranding(viewer, team_id)).body).toEqual({ team_id, ...defaultBranding })
})

it('WIR-04 lets only team admins and account admins update the branding of a team, and returns 403 to other members', async () => {
  const { id, admin, teamId, addColleague } = await createAccount(service)
  const [otherTeam] = await service.sql<{ id: string }>(
    `insert into teams (account_id, name) values ($1, 'South') returning id`,
    [id],
  )
  const otherTeamId = otherTeam?.id ?? ''
  const lead = await addColleague({ teamRole: 'admin' })
  const member = await addColleague()
  expectStatus(await putBranding(lead, teamId, { company_name: 'North' }), 200)
  for (const response of [
    await putBranding(lead, otherTeamId, { company_name: 'North' }),
    await lead.call('DELETE', `/teams/${otherTeamId}/branding`),
    await putBranding(member, teamId, { company_name: 'Member' }),
  ]) {
    expect([response.status, response.body]).toEqual([403, { detail: 'Not allowed' }])
  }
  expect((await getBranding(lead, otherTeamId)).body.company_name).toBeNull()
  expectStatus(await putBranding(admin, otherTeamId, { company_name: 'South' }), 200)
})

it('WIR-03 WIR-08 treats teams and logos of another account as unknown', async () => {
  const { admin, teamId } = await createAccount(service)
  const otherAccount = await createAccount(service)
  const logo = await uploadLogo(otherAccount.admin)
  const otherAccountsLogo = await putBranding(admin, teamId, { logo_upload_id: logo })
  expect([otherAccountsLogo.status, otherAccountsLogo.body.errors[0].loc]).toEqual([
    422,
    ['body', 'logo_upload_id'],
  ])
  const unknownLogo = await putBranding(admin, teamId, { logo_upload_id: crypto.randomUUID() })
  expect(unknownLogo.text).toBe(otherAccountsLogo.text)
  for (const response of [
    await getBranding(admin, otherAccount.teamId),
    await putBranding(admin, otherAccount.teamId, { company_name: 'x' }),
  ]) {
    expect([response.status, response.body]).toEqual([404, { detail: 'Team not found' }])
  }
})

it('refuses an invalid colour, an empty company name, texts that are too long and an invalid logo id', async () => {
  const { admin, teamId } = await createAccount(service)
  for (const invalid of [
    ...['red', '#fff', '1d4ed8', '#1d4ed8ff', '#1d4ed8;x'].map((primary_colour) => ({ primary_colour })),
    { company_name: '' },
    { company_name: 'x'.repeat(201) },
    { footer_text: 'x'.repeat(501) },
    { logo_upload_id: 'logo.png' },
  ]) {
    expectStatus(await putBranding(admin, teamId, invalid), 422)
  }
  expect((await getBranding(admin, teamId)).body).toEqual({ team_id: teamId, ...defaultBranding })
})

it('writes an audit row for a change of the branding, and none for an update without a change', async () => {
  const { admin, teamId } = await createAccount(service)
  for (let attempt = 0; attempt < 2; attempt++)
    await putBranding(admin, teamId, { company_name: 'Northwind IT' })
  const { body } = await admin.call('GET', '/accounts/me/audit-logs')
  expect(body).toHaveLength(1)
  expect(body[0]).toMatchObject({
    actor_id: admin.id,
    action: 'team.updated',
    resource_id: teamId,
    changes: { branding_company_name: { from: null, to: 'Northwind IT' } },
  })
})
