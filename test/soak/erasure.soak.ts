import { afterAll, expect, it } from 'vitest'
import { openPlatformDb } from '#db/scope.ts'
import { deleteExpiredRows } from '#functions/jobs/service.ts'
import type { Services } from '#http/app.ts'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createErasure, endGracePeriod, fillAccount, findTraces } from '#test/support/erasure.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())

const thousands = Number(process.env.SOAK_THOUSANDS ?? 100)

/** Insert what an account of 20 people leaves in two years. `actor` has caused a third of it. */
async function insertHistory({ id }: TestAccount, actor: Person): Promise<void> {
  const insert = (text: string, count: number) =>
    service.sql(text, [id, actor.id, Math.round(thousands * count)])
  const isActor = 'case when n % 3 = 0 then $2::uuid end'
  await insert(
    `insert into events (account_id, key, actor_id, title, body) select $1::uuid, 'session.escalated', ${isActor}, 'A escalated: x', 'x'
       from generate_series(1, $3::integer) n`,
    500,
  )
  await insert(
    `insert into notifications (account_id, user_id, event_id, event_key, title, body)
     select e.account_id, u.id, e.id, e.key, e.title, e.body from events e cross join lateral
       (select id from users where account_id = e.account_id and (id = $2 or $3::integer > 0) limit 2) u where e.account_id = $1 and e.title = 'A escalated: x'`,
    1,
  )
  await insert(
    `insert into audit_logs (account_id, actor_id, action, resource_type, ip) select $1::uuid, ${isActor}, 'x', 'invite', '198.51.100.7'
       from generate_series(1, $3::integer) n`,
    1000,
  )
  await insert(
    `insert into ai_messages (account_id, session_id, branch_id, role, content)
     select s.account_id, s.id, s.active_branch_id, 'assistant', repeat('soak ', 120) from
       (select * from ai_sessions where account_id = $1 and $2::uuid is not null limit 20) s, generate_series(1, $3::integer / 20)`,
    300,
  )
  await insert(
    `insert into webhook_deliveries (account_id, webhook_id, message_id, type, subject, payload, state, next_attempt_at)
     select w.account_id, w.id, 'msg', 'session.escalated', 'x', json_build_object('type', 'session.escalated', 'data',
            json_build_object('engineer_id', ${isActor}, 'engineer_name', 'A', 'problem', repeat('x', 500)))::text, 'delivered', null
       from (select * from webhooks where account_id = $1 limit 1) w, generate_series(1, $3::integer) n`,
    100,
  )
}

const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const start = Date.now()
  return [await work(), Date.now() - start]
}

it('anonymises a person with two years of history within the time of one statement', async () => {
  const account = await createAccount(service)
  await fillAccount(service, account)
  const person = await account.addColleague({ role: 'admin' })
  await insertHistory(account, person)
  const [{ status }, ms] = await timed(() => person.call('DELETE', '/auth/me', { email: person.email }))
  console.log(`a person was anonymised in ${ms} ms, with status ${status}`)
  expect(status).toBe(204)
  expect(await findTraces(service, [person.email, person.fullName])).toEqual([])
  const { uploads } = (service.services as Services).ports
  const platform = openPlatformDb(openTestDatabase(service.settings.DATABASE_PLATFORM_URL), 'test', () => {})
  const isOpen = async () =>
    (await service.sql('select from users where id = $1 and traces_erased_at is null', [person.id])).length >
    0
  for (let minute = 1; await isOpen(); minute++) {
    const [, rest] = await timed(() => deleteExpiredRows({ platform, uploads, log: () => {} }))
    console.log(`minute ${minute}: the clean-up took ${rest} ms`)
  }
  expect(
    await service.sql(
      `select 'event' from events where actor_id = $1 and title like 'A %' union all select 'notification' from notifications where user_id = $1
       union all select 'address' from audit_logs where actor_id = $1 and ip is not null
       union all select 'webhook' from webhook_deliveries where payload like '%' || $1 || '%' and payload like '%"engineer_name": "A"%'`,
      [person.id],
    ),
  ).toEqual([])
})

it('erases an account with two years of history in runs that are cut off, and keeps every row of another', async () => {
  const [account, neighbour] = [await createAccount(service), await createAccount(service)]
  for (const each of [account, neighbour]) {
    await fillAccount(service, each)
    await insertHistory(each, each.admin)
  }
  const before = await readChecksums(service, neighbour.id)
  const users = await service.sql<{ id: string }>('select id from users where account_id = $1', [account.id])
  await endGracePeriod(service, account)
  const erasure = createErasure(service)
  const isOpen = async () =>
    (await service.sql('select from accounts where id = $1', [account.id])).length > 0
  let [runs, total, longest] = [0, 0, 0]
  for (; await isOpen(); runs++) {
    const [, ms] = await timed(() => erasure.erase({}, { budgetMs: 200 }))
    total += ms
    longest = Math.max(longest, ms)
  }
  await erasure.erase()
  console.log(`${runs} runs of at most ${longest} ms, ${total} ms together`)
  const [record] = await service.sql<{ counts: object }>(
    'select counts from account_erasures where id = $1',
    [account.id],
  )
  console.log(record?.counts)
  const traces = await findTraces(service, [account.id, ...users.map(({ id }) => id)])
  expect(traces).toEqual([
    'account_erasures.id',
    'account_erasures.requested_by',
    'audit_logs.actor_id',
    'audit_logs.resource_id',
  ])
  expect(await readChecksums(service, neighbour.id)).toEqual(before)
})

const wait = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 60))

it('leaves each account whole or erased when 32 callers restore it while four processes erase it', async () => {
  const outcomes = { whole: 0, erased: 0 }
  for (let round = 0; round < 40; round++) {
    const account = await createAccount(service)
    await endGracePeriod(service, account)
    const restores = runConcurrently(
      () => wait().then(() => account.admin.call('POST', '/accounts/me/restore')),
      32,
    )
    const erasures = runConcurrently(() => wait().then(() => createErasure(service).erase()), 4)
    const [answers] = await Promise.all([restores, erasures])
    await createErasure(service).erase()
    expect(answers.filter(({ status }) => ![200, 401, 429].includes(status))).toEqual([])
    const [row] = await service.sql<{ erasing_at: Date | null; deletes_at: Date | null }>(
      'select erasing_at, deletes_at from accounts where id = $1',
      [account.id],
    )
    expect(row ?? { erasing_at: null, deletes_at: null }).toEqual({ erasing_at: null, deletes_at: null })
    outcomes[row ? 'whole' : 'erased']++
  }
  console.log(outcomes)
})
