import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQMAAADYVuV7AAAABlBMVEX///8Pdm6N8QZsAAAACXBIWXMAAAsTAAALEwEAmpwYAAAAGklEQVQ4y2P4jwQYRjkjmcMABsOHMxqnoxwAjRwcHVjNNBgAAAAASUVORK5CYII='

/** Upload a PNG, which the service stores as a JPEG. Return its id. */
export async function uploadImage(tour: Tour, { client }: Person): Promise<string> {
  const file = new Blob([Buffer.from(png, 'base64')], { type: 'image/png' })
  const returns = z.object({
    id: z.string(),
    content_type: z.literal('image/jpeg'),
    width: z.literal(96),
    height: z.literal(96),
  })
  const { id } = await tour.call(() => client.uploads.create({ file, filename: 'logo.png' }), { returns })
  return id
}

/** Upload an image and set it as the logo of the admin's team. */
export async function uploadLogo(tour: Tour, admin: Person): Promise<void> {
  const { teams } = admin.client.accounts
  const team = listWithItem(z.object({ id: z.string(), name: z.string() }), 'team')
  const { id } = await tour.call(() => teams.list(), { returns: team })
  const logoId = await uploadImage(tour, admin)
  const branding = { company_name: 'Novak IT', logo_upload_id: logoId }
  const returns = z.object({ company_name: z.literal('Novak IT'), logo_upload_id: z.literal(logoId) })
  await tour.call(() => teams.updateBranding({ team_id: id, ...branding }), { returns })
}
