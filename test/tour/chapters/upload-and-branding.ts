import * as z from 'zod'
import type { Client } from '../client.ts'
import { listWithItem } from '../expectations.ts'
import type { Person } from '../person.ts'

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQMAAADYVuV7AAAABlBMVEX///8Pdm6N8QZsAAAACXBIWXMAAAsTAAALEwEAmpwYAAAAGklEQVQ4y2P4jwQYRjkjmcMABsOHMxqnoxwAjRwcHVjNNBgAAAAASUVORK5CYII='

/** Upload a PNG, which the service stores as a JPEG. Return its id. */
export async function uploadImage(client: Client, { accessToken }: Person): Promise<string> {
  const form = new FormData()
  form.set('file', new Blob([Buffer.from(png, 'base64')], { type: 'image/png' }), 'logo.png')
  const returns = z.object({ id: z.string(), content_type: z.literal('image/jpeg'), width: z.literal(96), height: z.literal(96) })
  const { id } = await client.api('POST', '/uploads', { accessToken, form, status: 201, returns })
  return id
}

/** Upload an image and set it as the logo of the admin's team. */
export async function uploadLogo(client: Client, admin: Person): Promise<void> {
  const { accessToken } = admin
  const team = listWithItem(z.object({ id: z.string(), name: z.string() }), 'team')
  const { id } = await client.api('GET', '/teams', { accessToken, returns: team })
  const logoId = await uploadImage(client, admin)
  const body = { company_name: 'Novak IT', logo_upload_id: logoId }
  const returns = z.object({ company_name: z.literal('Novak IT'), logo_upload_id: z.literal(logoId) })
  await client.api('PUT', `/teams/${id}/branding`, { accessToken, body, returns })
}
