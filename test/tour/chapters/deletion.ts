import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { waitForLink } from '#test/tour/dashboard.ts'
import type { Person } from '#test/tour/person.ts'

/** Delete the account and restore it. Then Robin deletes their user. */
export async function deleteAndRestore(
  tour: Tour,
  { admin, robin }: { admin: Person; robin: Person },
): Promise<void> {
  const { accounts } = admin.client
  const { name } = await tour.call(() => accounts.get(), {
    returns: z.object({ name: z.string(), deletes_at: z.null() }),
  })
  await tour.call(() => accounts.delete({ name: 'Somebody else' }), { status: 422 })
  await tour.call(() => accounts.delete({ name }), { returns: z.object({ deletes_at: z.string() }) })
  await waitForLink(tour, admin.email, /(\/settings\/account)/)
  await tour.call(() => accounts.restore(), { returns: z.object({ deletes_at: z.null() }) })
  await tour.call(() =>
    robin.client.identity.auth.deleteMe({ email: robin.email, password: 'copper-lantern-27' }),
  )
}
