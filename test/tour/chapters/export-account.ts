import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import type { Person } from '#test/tour/person.ts'

/** Export the account, and download the archive with a link. */
export async function exportAccount(tour: Tour, { client }: Person): Promise<void> {
  const { exports } = client.accounts
  const { id } = await tour.call(() => exports.create({ contents: 'all' }), {
    returns: z.object({ id: z.string() }),
  })
  const ready = z.object({
    status: z.literal('ready'),
    counts: z.object({ members: z.int().min(3), sessions: z.int().min(1) }),
  })
  await tour.call(() => exports.get({ export_id: id }), { returns: ready, poll: true })
  const { url } = await tour.call(() => exports.createLink({ export_id: id }), {
    returns: z.object({ url: z.url(), expires_at: z.string() }),
  })
  const token = url.split('/').at(-1) ?? ''
  // The archive is binary, so only its size is printed.
  const download = async () => ({ size: (await exports.download({ token })).size })
  await tour.call(download, { returns: z.object({ size: z.int().min(1000) }) })
}
