import { createImage, encodeFileForm, uploadImage } from '#test/support/images.ts'
import { createPerson } from '#test/support/people.ts'
import type { Fixture } from './fixture-rows.ts'

const smallImage = createImage('png', 12, 8)

const createUpload: Fixture = async (service, { accountId }) => {
  // A viewer may read an upload but not create one, so an engineer uploads the image.
  const engineer = await createPerson(service, {
    accountId,
    teamId: null,
    teamRole: null,
    role: 'engineer',
    superAdmin: false,
  })
  const { body } = await uploadImage(service, engineer, await smallImage)
  return { params: { upload_id: body.id } }
}

const chooseOwnTeam: Fixture = async (_, { teamId }) => ({ params: { team_id: teamId } })

export const uploadFixtures = {
  'uploads.create': async () => ({ content: await encodeFileForm(await smallImage) }),
  'uploads.get': createUpload,
  'accounts.teams.getBranding': chooseOwnTeam,
  'accounts.teams.updateBranding': async (service, owner) => ({
    ...(await chooseOwnTeam(service, owner)),
    body: { company_name: 'Northwind IT', primary_colour: '#1d4ed8' },
  }),
  'accounts.teams.resetBranding': async (service, owner) => {
    await service.sql(`update teams set branding_company_name = 'Northwind IT' where id = $1`, [owner.teamId])
    return chooseOwnTeam(service, owner)
  },
} satisfies Record<string, Fixture>
