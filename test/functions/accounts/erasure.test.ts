import { beforeAll, describe, expect, it } from 'vitest'
import { erasure, type PersonFate } from '#db/erasure.ts'
import type { Services } from '#http/app.ts'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { authorizationHeader, dashboard, type Service, sharedService } from '#test/support/app.ts'
import { createStripeCustomer } from '#test/support/billing.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import {
  createErasure,
  endGracePeriod,
  fillAccount,
  findTraces,
  listEmptyTables,
} from '#test/support/erasure.ts'
import { createImage, downloadUpload, uploadImage } from '#test/support/images.ts'
import { createAccount, createPerson, type TestAccount } from '#test/support/people.ts'

let service: Service
beforeAll(async () => {
  service = await sharedService()
})

const requestDeletion = ({ admin }: Pick<TestAccount, 'admin'>, name = 'Test account') =>
  admin.call('DELETE', '/accounts/me', { name })

it('ERA-12 the declaration names columns of its tables that hold texts or times', async () => {
  const columns = await service.sql<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' and data_type <> 'uuid'`,
  )
  const names = new Set(columns.map(({ name }) => name))
  const declared = Object.entries(erasure).flatMap(([table, { person }]: [string, { person: PersonFate }]) =>
    [...(person.anonymised ?? []), ...(person.kept?.columns ?? [])].map((column) => `${table}.${column}`),
  )
  expect(declared.filter((name) => !names.has(name))).toEqual([])
})

describe('an account that an admin deletes', () => {
  it('ERA-01 is erased 14 days later, works until then, and tells its admins by e-mail', async () => {
    const account = await createAccount(service)
    const colleague = await account.addColleague({ role: 'admin' })
    const { status, body } = await requestDeletion(account)
    expect(status).toBe(202)
    expect(Date.parse(body.deletes_at) - Date.now()).toBeGreaterThan(13.9 * 86_400_000)
    await expect
      .poll(() => listMails(colleague.email))
      .toContain('The account “Test account” will be deleted')
    expect(
      (await colleague.call('PATCH', '/accounts/me', { timezone: 'Europe/Berlin' })).body.deletes_at,
    ).toBe(body.deletes_at)
    expect((await requestDeletion({ admin: colleague })).body.deletes_at).toBe(body.deletes_at)
    const [entry] = (await colleague.call('GET', '/accounts/me/audit-logs?limit=10')).body.filter(
      ({ changes }: { changes: object }) => 'deletes_at' in changes,
    )
    expect(entry).toMatchObject({
      action: 'account.updated',
      actor_id: account.admin.id,
      changes: { deletes_at: { from: null } },
    })
  })

  it('ERA-01 sends no e-mail to an address that was never verified, which may be a stranger’s', async () => {
    const account = await createAccount(service)
    await service.sql('update users set email_verified_at = null where id = $1', [account.admin.id])
    expect((await requestDeletion(account)).status).toBe(202)
    expect(await service.sql('select from deliveries where account_id = $1', [account.id])).toEqual([])
  })

  it.each(['test account', 'Test account ', ''])('ERA-02 is not deleted with the name “%s”', async (name) => {
    const account = await createAccount(service)
    const before = await readChecksums(service, account.id)
    const { status, body } = await requestDeletion(account, name)
    expect([status, body.errors?.[0]?.loc]).toEqual([422, ['body', 'name']])
    expect(await readChecksums(service, account.id)).toEqual(before)
  })

  it('ERA-02 is not deleted by an engineer, and the account of the platform by nobody', async () => {
    const account = await createAccount(service)
    const engineer = await account.addColleague()
    expect((await requestDeletion({ admin: engineer })).status).toBe(403)
    const platform = `where id = app.platform_account()`
    await service.sql(`update accounts set deletes_at = app.now() - interval '1 day' ${platform}`)
    await service.sql('select app.start_erasures(10)')
    await service.sql(`update accounts set deletes_at = null ${platform}`)
    expect(await service.sql(`select id from account_erasures ${platform}`)).toEqual([])
  })

  it('ERA-02 is not deleted by an admin of the platform’s account', async () => {
    const [platform] = await service.sql<{ id: string; name: string }>(
      'select id, name from accounts where id = app.platform_account()',
    )
    const { id = '', name = '' } = platform ?? {}
    const admin = await createPerson(service, {
      accountId: id,
      teamId: null,
      teamRole: null,
      role: 'admin',
      superAdmin: false,
    })
    const { status, body } = await requestDeletion({ admin }, name)
    await service.sql('delete from users where id = $1', [admin.id])
    expect([status, body]).toEqual([403, { detail: 'This account cannot be deleted' }])
  })

  it('ERA-03 is restored by any admin, who are told so, and a second restore changes nothing', async () => {
    const account = await createAccount(service)
    const colleague = await account.addColleague({ role: 'admin' })
    await requestDeletion(account)
    const { status, body } = await colleague.call('POST', '/accounts/me/restore')
    expect([status, body.deletes_at]).toEqual([200, null])
    await expect
      .poll(() => listMails(account.admin.email))
      .toContain('Re: The account “Test account” will be deleted')
    const before = await readChecksums(service, account.id)
    expect((await colleague.call('POST', '/accounts/me/restore')).status).toBe(200)
    expect(await readChecksums(service, account.id)).toEqual(before)
  })

  it('ERA-03 keeps the addresses of its members taken until it is erased', async () => {
    const account = await createAccount(service)
    await requestDeletion(account)
    const register = () => registerAddress(account.admin.email)
    expect((await register()).body.code).toBe('email_taken')
    await endGracePeriod(service, account)
    await createErasure(service).erase()
    expect((await register()).status).toBe(201)
  })

  const listMails = async (email: string): Promise<string[]> =>
    (await dashboard(service).listRecords('mail'))
      .filter(({ to }) => to.includes(email))
      .map(({ subject }) => subject)

  const registerAddress = (email: string) =>
    service
      .fetch?.(
        new Request(`${service.api}/api/v1/auth/register`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'cf-connecting-ip': `198.51.100.${Math.floor(Math.random() * 250)}`,
          },
          body: JSON.stringify({ email, password: 'violet-tractor-81', full_name: 'Dana Reyes' }),
        }),
      )
      .then(async (response) => ({ status: response.status, body: JSON.parse(await response.text()) })) ??
    Promise.reject()
})

describe('the erasure of an account', () => {
  it('ERA-05 ERA-08 leaves nothing but a record without names, and everything of another account', async () => {
    const [account, neighbour] = [await createAccount(service), await createAccount(service)]
    for (const each of [account, neighbour]) await fillAccount(service, each)
    expect(await listEmptyTables(service, account.id)).toEqual([])
    const upload = await uploadImage(service, account.admin, await createImage('png', 8, 8))
    const kept = await uploadImage(service, neighbour.admin, await createImage('png', 8, 8))
    await service.services?.ports.uploads.put(`accounts/${account.id}/orphan.jpg`, new Uint8Array([1]))
    await service.sql('update accounts set billing_customer_id = $2 where id = $1', [
      account.id,
      await createStripeCustomer(service),
    ])
    const users = await service.sql<{ id: string; email: string }>(
      'select id, email from users where account_id = $1',
      [account.id],
    )
    const before = await readChecksums(service, neighbour.id)
    await endGracePeriod(service, account)
    await createErasure(service).erase()

    const ids = [account.id, ...users.flatMap(({ id, email }) => [id, email])]
    const record = ['account_erasures.id', 'account_erasures.requested_by']
    const entry = ['audit_logs.actor_id', 'audit_logs.resource_id']
    expect(await findTraces(service, ids)).toEqual([...record, ...entry])
    const [erased] = await service.sql<{ counts: Record<string, unknown> }>(
      'select counts from account_erasures where id = $1 and finished_at is not null',
      [account.id],
    )
    expect(erased?.counts).toMatchObject({
      billing_customer: 'deleted',
      objects: 3,
      trees: expect.any(Number),
    })
    expect(
      await service.services?.ports.uploads.get(`accounts/${account.id}/${upload.body.id}.jpg`),
    ).toBeNull()
    expect(await service.services?.ports.uploads.removeFolder(`accounts/${account.id}`)).toBe(0)
    expect(await readChecksums(service, neighbour.id)).toEqual(before)
    expect((await downloadUpload(service, neighbour.admin, kept.body.id)).status).toBe(200)
  })

  it('ERA-04 refuses everybody from its start on, keys included', async () => {
    const account = await createAccount(service)
    const { body: key } = await account.admin.call('POST', '/api-keys', {
      name: 'Sync',
      role: 'engineer',
      scopes: ['flows:read'],
    })
    const callWithKey = () => account.admin.call('GET', '/trees', undefined, authorizationHeader(key.key))
    expect((await callWithKey()).status).toBe(200)
    await endGracePeriod(service, account)
    // No time: the erasure starts and does nothing else.
    await createErasure(service).erase({}, { budgetMs: 0 })
    expect((await callWithKey()).status).toBe(401)
    expect((await account.admin.call('GET', '/accounts/me')).status).toBe(401)
    expect((await account.admin.call('POST', '/accounts/me/restore')).status).toBe(401)
    await createErasure(service).erase()
    expect(await service.sql('select from accounts where id = $1', [account.id])).toEqual([])
  })

  it('ERA-06 continues after a crash between any two of its steps, and counts each row once', async () => {
    const account = await createAccount(service)
    await service.sql(
      `insert into events (account_id, key, title, body) select $1, 'x', 'x', 'x' from generate_series(1, 1200)`,
      [account.id],
    )
    await endGracePeriod(service, account)
    const erasure = createErasure(service)
    let runs = 0
    const isErased = async () =>
      (
        await service.sql('select from account_erasures where id = $1 and finished_at is not null', [
          account.id,
        ])
      ).length > 0
    for (; !(await isErased()); runs++) {
      let steps = 0
      // Each run ends after one step more than the run before: the clock jumps past the end of its time.
      await erasure.erase({}, { budgetMs: 1, now: () => (steps++ > runs ? 2 : 0) })
    }
    expect(runs).toBeGreaterThan(5)
    const [{ counts } = { counts: {} }] = await service.sql<{ counts: object }>(
      'select counts from account_erasures where id = $1',
      [account.id],
    )
    expect(counts).toMatchObject({ events: 1200, audit_logs: expect.any(Number) })
    expect(
      await service.sql(`select from audit_logs where action = 'account.erased' and resource_id = $1`, [
        account.id,
      ]),
    ).toHaveLength(1)
  })

  it('ERA-06 is tried again after the object store, the hub or the billing provider has failed', async () => {
    const account = await createAccount(service)
    await service.sql('update accounts set billing_customer_id = $2 where id = $1', [
      account.id,
      await createStripeCustomer(service),
    ])
    await endGracePeriod(service, account)
    const erasure = createErasure(service)
    const ports = service.services?.ports
    if (!ports) throw new Error('The service runs on Node')
    const fail = () => Promise.reject(new Error('away'))
    const billing = {
      ...ports.billing,
      deleteCustomer: async () => ({ ok: false, reason: 'failed' }) as const,
    }
    await expect(erasure.erase({ billing })).rejects.toThrow('billing provider')
    await expect(erasure.erase({ realtime: { ...ports.realtime, forget: fail } })).rejects.toThrow('away')
    await expect(erasure.erase({ uploads: { ...ports.uploads, removeFolder: fail } })).rejects.toThrow('away')
    await erasure.erase()
    expect(erasure.log.map((line) => Object.keys(line)[0])).toEqual([
      ...Array(3).fill('erasure_failed'),
      'account_erased',
    ])
    expect(await findTraces(service, [account.id])).toEqual(['account_erasures.id', 'audit_logs.resource_id'])
  })

  it('ERA-05 deletes every customer of the account at the billing provider', async () => {
    const account = await createAccount(service)
    const customers = [await createStripeCustomer(service), await createStripeCustomer(service)]
    for (const customer of customers)
      await service.sql('insert into billing_customers (id, account_id) values ($2, $1)', [
        account.id,
        customer,
      ])
    await service.sql('update accounts set billing_customer_id = $2 where id = $1', [
      account.id,
      customers[0],
    ])
    await endGracePeriod(service, account)
    const { billing } = (service.services as Services).ports
    const deleted: string[] = []
    const deleteCustomer = (id: string) => {
      deleted.push(id)
      return billing.deleteCustomer(id)
    }
    await createErasure(service).erase({ billing: { ...billing, deleteCustomer } })
    expect(deleted.sort()).toEqual(customers.sort())
    expect(await service.sql('select from billing_customers where account_id = $1', [account.id])).toEqual([])
  })

  it.each(['unknown', 'not_configured'] as const)(
    'ERA-08 records that the billing customer was %s',
    async (reason) => {
      const account = await createAccount(service)
      await service.sql('update accounts set billing_customer_id = $2 where id = $1', [
        account.id,
        `cus_${account.id}`,
      ])
      await endGracePeriod(service, account)
      const { billing } = (service.services as Services).ports
      await createErasure(service).erase({
        billing: { ...billing, deleteCustomer: async () => ({ ok: false, reason }) },
      })
      expect(
        await service.sql(
          `select counts ->> 'billing_customer' as customer from account_erasures where id = $1`,
          [account.id],
        ),
      ).toEqual([{ customer: reason }])
    },
  )

  it('empties the hub of an account before its rows are deleted, and again after that', async () => {
    const account = await createAccount(service)
    await endGracePeriod(service, account)
    const rows: number[] = []
    const forget = async (id: string) => {
      if (id === account.id) rows.push((await service.sql('select from accounts where id = $1', [id])).length)
    }
    await createErasure(service).erase({
      realtime: { ...(service.services as Services).ports.realtime, forget },
    })
    expect(rows).toEqual([1, 0])
  })

  it('ERA-06 runs in several processes at the same time', async () => {
    const account = await createAccount(service)
    await endGracePeriod(service, account)
    await runConcurrently(() => createErasure(service).erase(), 4)
    expect(
      await service.sql(`select from audit_logs where action = 'account.erased' and resource_id = $1`, [
        account.id,
      ]),
    ).toHaveLength(1)
  })

  it('ERA-07 and a restore at the same time leave the account whole or erased', async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => createAccount(service)))
    for (const account of accounts) await endGracePeriod(service, account)
    const erasure = createErasure(service)
    const restores = accounts.flatMap(({ admin }) =>
      Array.from({ length: 4 }, () => admin.call('POST', '/accounts/me/restore')),
    )
    const [answers] = await Promise.all([Promise.all(restores), erasure.erase()])
    await erasure.erase()
    for (const [index, { id, admin }] of accounts.entries()) {
      const [row] = await service.sql<{ deletes_at: Date | null }>(
        'select deletes_at from accounts where id = $1',
        [id],
      )
      const statuses = answers.slice(index * 4, index * 4 + 4).map(({ status }) => status)
      if (row)
        expect([
          row.deletes_at,
          (await admin.call('GET', '/auth/me')).status,
          statuses.includes(200),
        ]).toEqual([null, 200, true])
      else expect(statuses.every((status) => status === 401)).toBe(true)
    }
  })

  it('deletes no row of an account that is not being erased', async () => {
    const account = await createAccount(service)
    const before = await readChecksums(service, account.id)
    const [row] = await service.sql<{ n: number }>(
      `select app.erase_rows($1, 'users', 10) as n, app.erase_account($1) as e`,
      [account.id],
    )
    expect(row).toEqual({ n: 0, e: false })
    expect(await readChecksums(service, account.id)).toEqual(before)
  })
})
