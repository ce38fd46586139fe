import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

/**
 * Put Robin on call, and remind whoever is on call of an escalation that nobody takes. Robin sets quiet
 * hours.
 */
export async function planOnCall(
  tour: Tour,
  { admin, robin }: { admin: Person; robin: Person },
): Promise<void> {
  const { schedules, policies } = admin.client.oncall
  const handoff = { handoff_day: 'monday', handoff_time: '09:00', starts_on: '2026-01-05' } as const
  const rotation = { kind: 'weekly' as const, members: [admin.id, robin.id], ...handoff }
  const schedule = { name: 'Service desk, nights', timezone: 'Europe/Berlin', rotations: [rotation] }
  const { id } = await tour.call(() => schedules.create(schedule), { returns: z.object({ id: z.string() }) })
  const [now, later] = [Date.now(), Date.now() + 12 * 3_600_000].map((time) => new Date(time).toISOString())
  const override = { schedule_id: id, member_id: robin.id, starts_at: now ?? '', ends_at: later ?? '' }
  await tour.call(() => schedules.createOverride(override), {
    returns: z.object({ user: z.object({ id: z.literal(robin.id) }) }),
  })
  const onCall = z.object({
    schedule_id: z.literal(id),
    user: z.object({ id: z.literal(robin.id) }),
    until: z.literal(later),
  })
  await tour.call(() => robin.client.oncall.schedules.listOnCall(), {
    returns: listWithItem(onCall, 'schedule by which Robin is on call'),
  })
  const steps = [{ delay_minutes: 10, targets: [{ type: 'schedule', id } as const] }]
  const policy = z.object({ is_default: z.literal(true), rounds: z.literal(2) })
  await tour.call(() => policies.create({ name: 'Nobody waits', is_default: true, rounds: 2, steps }), {
    returns: policy,
  })
  const nights = { days: ['monday' as const, 'thursday' as const], from: '22:00', to: '06:30' }
  const { preferences } = robin.client.notifications
  const quiet = z.object({ quiet_hours: z.object({ from: z.literal('22:00') }), held_emails: z.literal(0) })
  await tour.call(() => preferences.replace({ quiet_hours: nights }), { returns: quiet })
}
