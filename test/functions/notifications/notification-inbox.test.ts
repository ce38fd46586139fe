import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()

/**
 * Insert notifications for a person. `createdAt` returns the SQL expression for the time of row `n`. Return
 * the ids in insertion order.
 */
async function insertNotifications(
  person: Person,
  count: number,
  createdAt: (n: number) => string = (n) => `now() - interval '1 hour' + interval '${n} seconds'`,
): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const [row] = await service.sql<{ id: string }>(
      `with inserted_event as (insert into events (account_id, key, title, body) values ($1, 'member.joined', 'T', 'B') returning id)
       insert into notifications (account_id, user_id, event_id, event_key, title, body, link, created_at)
       select $1, $2, inserted_event.id, 'member.joined', 'Title ${n}', 'Body', '/x', ${createdAt(n)} from inserted_event returning id`,
      [person.accountId, person.id],
    )
    ids.push((row as { id: string }).id)
  }
  return ids
}

const getIds = (rows: { id: string }[]) => rows.map(({ id }) => id)

it('NOT-12 lists only my own notifications, unread before read and newest first within each', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague()
  const [a, b, c, d] = (await insertNotifications(admin, 4)) as [string, string, string, string]
  await insertNotifications(colleague, 2)
  await admin.client.notifications.markRead({ notification_id: d })
  await admin.client.notifications.markRead({ notification_id: b })
  const list = await admin.client.notifications.list()
  expect(getIds(list)).toEqual([c, a, d, b])
})

it('NOT-13 accepts skip from 0 and limit from 1 to 100, with defaults 0 and 50', async () => {
  const { admin } = await createAccount(service)
  await insertNotifications(admin, 52)
  expect(await admin.client.notifications.list()).toHaveLength(50)
  expect(await admin.client.notifications.list({ skip: 50, limit: 100 })).toHaveLength(2)
  for (const query of [
    'skip=-1',
    'limit=0',
    'limit=101',
    'limit=x',
    'skip=1.5',
    'skip=1e99',
    'page=2',
    'limit=',
  ]) {
    const response = await admin.call('GET', `/notifications?${query}`)
    expect(response.status, query).toBe(422)
    expect(response.body.errors[0].loc[0]).toBe('query')
  }
})

it('NOT-14 NOT-15 counts unread notifications and marks one as read, keeping the first read time', async () => {
  const { admin } = await createAccount(service)
  const [first = ''] = await insertNotifications(admin, 3)
  expect(await admin.client.notifications.countUnread()).toEqual({ count: 3 })
  const before = (await admin.client.notifications.list()).find(({ id }) => id === first)
  expect(before).toMatchObject({ is_read: false, read_at: null, user_id: admin.id })
  const read = await admin.call('PATCH', `/notifications/${first}/read`)
  expectStatus(read, 200)
  expect(read.body).toEqual({ ...before, is_read: true, read_at: expect.stringMatching(/Z$/) })
  expect(await admin.client.notifications.markRead({ notification_id: first })).toEqual(read.body)
  expect(await admin.client.notifications.countUnread()).toEqual({ count: 2 })
})

it('NOT-15 writes no new version of a notification that is already read', async () => {
  const { admin } = await createAccount(service)
  const [id = ''] = await insertNotifications(admin, 1)
  const selectVersion = () => service.sql('select ctid, xmin from notifications where id = $1', [id])
  const unreadVersion = await selectVersion()
  const read = await admin.client.notifications.markRead({ notification_id: id })
  const readVersion = await selectVersion()
  expect(readVersion).not.toEqual(unreadVersion)
  expect(await admin.client.notifications.markRead({ notification_id: id })).toEqual(read)
  expect(await selectVersion()).toEqual(readVersion)
})

it('NOT-16 returns 404 for a colleague’s notification, and leaves it unread', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague({ role: 'viewer' })
  const [colleagueNotificationId = ''] = await insertNotifications(colleague, 1)
  const response = await admin.call('PATCH', `/notifications/${colleagueNotificationId}/read`)
  expect([response.status, response.body]).toEqual([404, { detail: 'Notification not found' }])
  expect(await colleague.client.notifications.countUnread()).toEqual({ count: 1 })
})

it('NOT-17 marks all my notifications as read, and returns an unread count of 0', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague()
  await insertNotifications(admin, 3)
  await insertNotifications(colleague, 1)
  const response = await admin.call('POST', '/notifications/mark-all-read')
  expect([response.status, response.body]).toEqual([200, { count: 0 }])
  expect(await admin.client.notifications.countUnread()).toEqual({ count: 0 })
  expect(await colleague.client.notifications.countUnread()).toEqual({ count: 1 })
})

it('WIR-67 repeats and hides no notification while others come, and while earlier ones are read', async () => {
  const { admin } = await createAccount(service)
  await insertNotifications(admin, 6)
  const expected = (await admin.client.notifications.list()).map(({ id }) => id)
  const unread: string[] = []
  for await (const { id, is_read } of admin.client.notifications.list({ limit: 2 })) {
    if (is_read || !expected.includes(id)) continue
    unread.push(id)
    if (unread.length !== 2) continue
    await admin.client.notifications.markRead({ notification_id: id })
    await insertNotifications(admin, 1)
  }
  expect(unread).toEqual(expected)
})

it('WIR-20 WIR-21 pages along Link without losing or repeating a row, even with equal times', async () => {
  const { admin } = await createAccount(service)
  const ids = await insertNotifications(
    admin,
    23,
    (n) => `timestamptz '2026-01-01' + interval '${n % 3} seconds'`,
  )
  const seenIds: string[] = []
  let path: string | undefined = '/notifications?limit=5'
  for (let pages = 0; path && pages < 10; pages++) {
    const page: Awaited<ReturnType<Person['call']>> = await admin.call('GET', path)
    seenIds.push(...getIds(page.body))
    const link: string | undefined = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    path = link?.slice(`${service.api}/api/v1`.length)
  }
  expect(seenIds).toHaveLength(23)
  expect(new Set(seenIds)).toEqual(new Set(ids))
  const lastPage = await admin.call('GET', '/notifications?skip=18&limit=5')
  expect([lastPage.body.length, lastPage.headers.get('link')]).toEqual([5, null])
})
