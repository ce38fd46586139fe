import { Client } from '@upstash/qstash'
import { expect, test } from 'vitest'
import { createClock } from '#local/clock.ts'
import { computeNextRun } from '#local/vendors/qstash/qstash-schedules.ts'
import { secrets, startDestination, startTestServer } from './test-server.ts'

async function startWithSchedules() {
  const clock = createClock()
  clock.setOffset(Date.parse('2031-03-10T08:59:30Z') - Date.now())
  const { origin, qstash, call } = await startTestServer({ clock })
  const { schedules } = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken, retry: false })
  const advance = async (advance_seconds: number) =>
    void (await call('POST', '/desk/clock', { advance_seconds }))
  return { schedules, qstash, advance, call }
}

test('a schedule runs when the clock passes its time, and runs once when the clock skips several of its times', async () => {
  const { schedules: api, advance } = await startWithSchedules()
  const { requests, url } = await startDestination()
  const { scheduleId } = await api.create({
    destination: url,
    cron: '*/5 * * * *',
    body: '{"sweep":true}',
    scheduleId: 'sweep',
  })
  expect(scheduleId).toBe('sweep')
  await advance(20)
  expect(requests).toHaveLength(0)
  await advance(15)
  expect(requests).toMatchObject([
    {
      body: '{"sweep":true}',
      headers: { 'upstash-schedule-id': 'sweep', 'content-type': 'application/json' },
    },
  ])
  await advance(3600)
  expect(requests).toHaveLength(2)
  await advance(300)
  expect(requests).toHaveLength(3)
})

test('creating with the same id replaces a schedule, and a deleted or paused schedule does not run', async () => {
  const { schedules: api, advance } = await startWithSchedules()
  const { requests, url } = await startDestination()
  for (const body of ['1', '2'])
    await api.create({ destination: url, cron: '0 * * * *', body, scheduleId: 's' })
  expect(await api.list()).toMatchObject([
    { scheduleId: 's', cron: '0 * * * *', body: '2', destination: url, retries: 3, isPaused: false },
  ])
  await api.pause({ schedule: 's' })
  await advance(60)
  expect(requests).toHaveLength(0)
  await api.resume({ schedule: 's' })
  await advance(3600)
  expect(requests.map(({ body }) => body)).toEqual(['2'])
  await api.delete('s')
  await expect(api.get('s')).rejects.toMatchObject({ status: 404 })
  await advance(3600)
  expect(requests).toHaveLength(1)
})

test('setting the clock back recomputes the next run of a schedule', async () => {
  const { schedules: api, call } = await startWithSchedules()
  const { url } = await startDestination()
  await api.create({ destination: url, cron: '*/5 * * * *', scheduleId: 's' })
  await call('DELETE', '/desk/clock')
  const { nextScheduleTime } = (await api.get('s')) as unknown as { nextScheduleTime: number }
  expect(nextScheduleTime - Date.now()).toBeLessThanOrEqual(300_000)
})

test.each([
  ['0 9 * * *', '2031-03-10T09:00:00.000Z'],
  ['CRON_TZ=America/New_York 0 9 * * *', '2031-03-10T13:00:00.000Z'],
  ['CRON_TZ=Asia/Kolkata 30 9 1 * *', '2031-04-01T04:00:00.000Z'],
])('%s runs next at %s', (cron, expected) => {
  expect(new Date(computeNextRun(cron, Date.parse('2031-03-10T08:59:30Z'))).toISOString()).toBe(expected)
})
