import { createImage, encodeFileForm, uploadImage } from '../support/images.ts'
import { createPerson } from '../support/people.ts'
import type { Fixture } from './fixture-rows.ts'

const small = createImage('png', 12, 8)

const stored: Fixture = async (service, { accountId }) => {
  // A viewer may read an upload but not store one, so the row is inserted.
  const engineer = await createPerson(service, { accountId, teamId: null, teamRole: null, role: 'engineer', superAdmin: false })
  const { body } = await uploadImage(service, engineer, await small)
  return { params: { upload_id: body.id } }
}

const ownTeam: Fixture = async (_, { teamId }) => ({ params: { team_id: teamId } })

export const uploadFixtures: Record<string, Fixture> = {
  'uploads.create': async () => ({ content: await encodeFileForm(await small) }),
  'uploads.get': stored,
  'accounts.teams.getBranding': ownTeam,
  'accounts.teams.updateBranding': async (...of) => ({
    ...(await ownTeam(...of)),
    body: { company_name: 'Northwind IT', primary_colour: '#1d4ed8' },
  }),
  'accounts.teams.resetBranding': async (service, owner) => {
    await service.sql(`update teams set branding_company_name = 'Northwind IT' where id = $1`, [owner.teamId])
    return ownTeam(service, owner)
  },
}
