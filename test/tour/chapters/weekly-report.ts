import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

/** Set the time zone of the team, read its report of last week, and subscribe Robin to the next ones. */
export async function readWeeklyReport(
  tour: Tour,
  { admin, robin }: { admin: Person; robin: Person },
): Promise<void> {
  const { accounts } = admin.client
  const [team] = await tour.call(() => accounts.teams.list(), {
    returns: z.array(z.object({ id: z.string() })).min(1),
  })
  const team_id = team?.id ?? ''
  const inBerlin = z.object({ id: z.literal(team_id), timezone: z.literal('Europe/Berlin') })
  await tour.call(() => accounts.teams.rename({ team_id, timezone: 'Europe/Berlin' }), { returns: inBerlin })
  const { reports } = robin.client.analytics
  const report = z.object({
    week: z.string(),
    timezone: z.literal('Europe/Berlin'),
    by_day: z.array(z.unknown()).length(7),
  })
  const { week } = await tour.call(() => reports.getWeekly({ team_id }), { returns: report })
  await tour.call(() => reports.getWeekly({ team_id, week, format: 'csv' }), {
    returns: z.string().includes('"team","week"'),
  })
  await tour.call(() => reports.getWeekly({ team_id, week, format: 'pdf' }), {
    returns: z.string().startsWith('%PDF-'),
  })
  await tour.call(() => reports.subscribe({ team_id }), {
    returns: z.object({ team_id: z.literal(team_id) }),
  })
  const subscription = z.object({ team_id: z.literal(team_id) })
  await tour.call(() => reports.listSubscriptions(), {
    returns: listWithItem(subscription, 'subscription of the report'),
  })
}
