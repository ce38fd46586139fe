import type { JobContext } from '#http/job.ts'
import { writeDigestContent } from '#vendors/mail/digest.ts'
import type { EmailContent } from '#vendors/mail/layout.ts'
import { enqueueDeliveries } from '#work/deliveries.ts'
import { selectDigestItems, writeDigests } from './queries.ts'

const usersAtOnce = 100
const maxItems = 50

/**
 * Store and enqueue the digests that are due, until the time is over. One statement stores a digest and marks
 * its e-mails, so a crash neither loses nor repeats one.
 */
export async function sendDue(
  { platform }: Pick<JobContext, 'platform'>,
  { budgetMs, now }: { budgetMs: number; now: () => number },
) {
  const end = now() + budgetMs
  for (let count = usersAtOnce; count === usersAtOnce && now() < end; ) {
    const digests = await writeDigests.all(platform, usersAtOnce)
    count = digests.length
    enqueueDeliveries(
      platform,
      digests.map(({ id }) => id),
    )
  }
}

/** Return the content of a digest, or undefined when its events were deleted. */
export async function writeContent(
  { platform, config }: Pick<JobContext, 'platform' | 'config'>,
  digest: { account_id: string; id: string },
): Promise<EmailContent | undefined> {
  const items = await selectDigestItems.all(
    platform,
    { accountId: digest.account_id, id: digest.id },
    maxItems,
  )
  return items.length > 0 ? writeDigestContent(items, config.FRONTEND_URL) : undefined
}
