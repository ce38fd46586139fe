import { beforeAll, describe, expect, it } from 'vitest'
import { erasure } from '#db/erasure.ts'
import { insertPassword, password } from '#test/contract/fixture-rows.ts'
import { insertMapping } from '#test/contract/fixtures-psa.ts'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { authorizationHeader, dashboard, type Service, sharedService } from '#test/support/app.ts'
import { createGatedSession } from '#test/support/approvals.ts'
import { findTraces, insertCredentials } from '#test/support/erasure.ts'
import { claimHandoff, createEscalation } from '#test/support/escalations.ts'
import { postSignedJob } from '#test/support/jobs.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

let service: Service
beforeAll(async () => {
  service = await sharedService()
})

const name = 'Zoë Quillfeather'
const deleteMe = ({ call, email }: Pick<Person, 'call' | 'email'>, fields: object = {}) =>
  call('DELETE', '/auth/me', { email, ...fields })

/** Invite somebody to an account, and register them as `name` with a password. */
async function register(account: TestAccount) {
  const email = `quillfeather-${crypto.randomUUID()}@people.example`
  await account.admin.call('POST', '/accounts/me/invites', { email, role: 'engineer' })
  const account_invite_code = await dashboard(service).waitForLink(email, /register\?code=([\w-]+)/)
  const { body } = await postWithoutToken(service, '/auth/register', {
    email,
    password,
    full_name: name,
    account_invite_code,
  })
  const headers = authorizationHeader(body.access_token)
  const call: Person['call'] = (method, path, input, more) =>
    account.admin.call(method, path, input, { ...headers, ...more })
  const signIn = await service.sql<{ id: string }>('select id from sign_ins where user_id = $1', [
    body.user.id,
  ])
  return {
    ...account.admin,
    id: body.user.id as string,
    email,
    fullName: name,
    call,
    signInId: signIn[0]?.id ?? '',
    refreshToken: body.refresh_token,
  }
}

/** Let a person do what makes the service store their name or address. Return the escalated session. */
async function leaveTraces(account: TestAccount, person: Awaited<ReturnType<typeof register>>) {
  const config = {
    channel: 'email',
    email_addresses: [person.email, 'oncall@people.example'],
    events_enabled: ['session.escalated'],
  }
  await account.admin.call('POST', '/notifications/configs', config)
  await account.admin.call('POST', '/notifications/configs', {
    ...config,
    email_addresses: [person.email.toUpperCase()],
  })
  await service.sql(
    `insert into webhooks (account_id, url, events, secret) values ($1, 'https://hooks.example/x', '{session.escalated,handoff.claimed,member.joined,approval.requested,approval.decided}', '')`,
    [account.id],
  )
  const escalation = await createEscalation(person)
  const other = await createEscalation(account.admin, { target_user_id: person.id })
  await claimHandoff(person, other.id, other.handoffId)
  await sendHandover(account)
  await exchangeApprovals(account.admin, person)
  await person.call('PUT', '/notifications/preferences', { digest: 'hourly' })
  await person.call(
    'POST',
    '/feedback',
    { subject: 'Hello', message: `This is ${name}` },
    { 'idempotency-key': 'feedback-1' },
  )
  await person.call('PATCH', '/accounts/me/onboarding', {
    step: 2,
    action: 'complete',
    data: { shop_name: name },
  })
  await insertMapping(service, account.admin)
  await service.sql(
    `insert into psa_member_mappings (account_id, user_id, connection_id, psa_member_id, psa_identifier, psa_name)
     select account_id, $2, id, '9', $3, $4 from psa_connections where account_id = $1`,
    [account.id, person.id, person.email, name],
  )
  await service.sql(
    `insert into sales_leads (email, name, company, source) values ($1, $2, 'x', 'referral')`,
    [person.email, name],
  )
  await insertCredentials(service, person)
  return escalation
}

/** Send the handover of a team to its admin, who is on call. */
async function sendHandover({ admin, teamId }: TestAccount): Promise<void> {
  const rotation = {
    kind: 'daily' as const,
    members: [admin.id],
    handoff_time: '00:00',
    starts_on: '2020-01-01',
  }
  await admin.client.oncall.schedules.create({ name: 'Network', timezone: 'UTC', rotations: [rotation] })
  await admin.client.accounts.teams.rename({ team_id: teamId, handover_time: '07:30' })
  await service.sql(`update teams set handover_at = app.now() - interval '1 minute' where id = $1`, [teamId])
  await postSignedJob(service, '/jobs/notifications/sweep')
}

/** Let two people ask each other for an approval, and let the second one decide. */
async function exchangeApprovals(first: Person, second: Person): Promise<void> {
  const request = async (runner: Person) => {
    const { id } = await createGatedSession(runner, { roles: ['engineer'] })
    return `/sessions/${id}/approvals/${(await runner.call('POST', `/sessions/${id}/approvals`)).body.id}`
  }
  await request(second)
  await second.call('POST', `${await request(first)}/approve`, {})
  await second.call('POST', `${await request(first)}/reject`, { comment: 'Not now' })
}

describe('a person who deletes their user', () => {
  it('ERA-10 is named nowhere afterwards, and their work stays with their colleagues', async () => {
    const account = await createAccount(service)
    const person = await register(account)
    const [neighbour] = [await createAccount(service)]
    const neighbours = await readChecksums(service, neighbour.id)
    const escalation = await leaveTraces(account, person)
    const texts = [name, person.email, person.email.toUpperCase(), person.signInId]
    const before = await findTraces(service, texts)
    expect(before).toEqual(
      expect.arrayContaining([
        'audit_logs.changes',
        'events.body',
        'events.title',
        'invites.email',
        'notifications.body',
        'notifications.title',
        'users.email',
        'users.full_name',
        'webhook_deliveries.payload',
      ]),
    )
    expect((await deleteMe(person, { password })).status).toBe(204)
    expect(await findTraces(service, texts)).toEqual([])
    expect(await readChecksums(service, neighbour.id)).toEqual(neighbours)
    const { body } = await account.admin.call('GET', '/notifications?limit=20')
    const titles = body.map(({ title }: { title: string }) => title)
    expect(titles).toContain('Deleted user escalated: Reception cannot print since this morning.')
    expect(titles).toContain(
      'Deleted user picked up the escalation: Reception cannot print since this morning.',
    )
    for (const words of ['asks for your approval:', 'approved:', 'rejected:'])
      expect(titles).toContain(`Deleted user ${words} Take a snapshot of srv-dc-01`)
    const handover = body.find(({ event_key }: { event_key: string }) => event_key === 'handover.due')
    expect(handover.body).toContain('escalated by Deleted user')
    expect(await service.sql('select from mail_preferences where user_id = $1', [person.id])).toEqual([])
    expect((await account.admin.call('GET', `/ai-sessions/${escalation.id}`)).body.user_name).toBe(
      'Deleted user',
    )
  })

  it('ERA-10 leaves no row in the tables whose rows of a person are declared as deleted', async () => {
    const account = await createAccount(service)
    const person = await register(account)
    await leaveTraces(account, person)
    for (const [method, path, body] of [
      ['PUT', '/notifications/preferences', { digest: 'daily' }],
      ['PUT', '/presence', { type: 'ai_session', id: (await createEscalation(person)).id, mode: 'viewing' }],
      ['PUT', `/reports/weekly/subscriptions/${account.teamId}`],
    ] as const)
      expect((await person.call(method, path, body)).status, path).toBe(200)
    expect((await deleteMe(person, { password })).status).toBe(204)
    const declared = Object.entries(erasure).flatMap(([table, fate]) =>
      'rows' in fate.person ? [table] : [],
    )
    const columns = await service.sql<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'user_id' where c.relname = any ($1)`,
      [declared],
    )
    const left = await service.sql(
      columns
        .map(({ name: table }) => `select '${table}' as name from ${table} where user_id = $1`)
        .join(' union all '),
      [person.id],
    )
    expect(left).toEqual([])
  })

  it('ERA-09 is signed out at once, with every token, and their address is free', async () => {
    const account = await createAccount(service)
    const person = await register(account)
    expect((await deleteMe(person, { password })).status).toBe(204)
    expect((await person.call('GET', '/auth/me')).status).toBe(401)
    expect(
      (await postWithoutToken(service, '/auth/refresh', { refresh_token: person.refreshToken })).status,
    ).toBe(401)
    expect((await postWithoutToken(service, '/auth/login', { email: person.email, password })).status).toBe(
      401,
    )
    const again = await postWithoutToken(service, '/auth/register', {
      email: person.email,
      password,
      full_name: 'Somebody Else',
    })
    expect([again.status, again.body.user.id]).not.toContain(person.id)
    expect(again.status).toBe(201)
  })

  it.each([
    ['another address', { email: 'x@people.example', password }, 422],
    ['no password', {}, 422],
    ['a wrong password', { password: 'wrong' }, 400],
  ])('ERA-09 is not deleted with %s', async (_, fields, status) => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    await insertPassword(service, person)
    const before = await readChecksums(service, account.id)
    expect((await deleteMe(person, fields)).status).toBe(status)
    expect(await readChecksums(service, account.id)).toEqual(before)
  })

  it('ERA-11 cannot be the last admin, and is told what to do', async () => {
    const account = await createAccount(service)
    const before = await readChecksums(service, account.id)
    const { status, body } = await deleteMe(account.admin)
    expect([status, body]).toEqual([
      409,
      {
        code: 'last_admin',
        detail: 'You are the last admin. Make a colleague an admin first, or delete the account',
      },
    ])
    expect(await readChecksums(service, account.id)).toEqual(before)
  })

  it('ERA-11 leaves one of two admins who delete themselves at the same time', async () => {
    const account = await createAccount(service)
    const admins = [account.admin, await account.addColleague({ role: 'admin' })]
    const statuses = (await Promise.all(admins.map((admin) => deleteMe(admin)))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([204, 409])
  })

  it('ERA-10 is no member any more, and no admin can bring them back', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague({ role: 'admin' })
    const { body: key } = await person.call('POST', '/api-keys', {
      name: 'Sync',
      role: 'engineer',
      scopes: ['flows:read'],
    })
    await deleteMe(person)
    expect(
      (await account.admin.call('GET', '/accounts/me/members')).body.map(({ id }: { id: string }) => id),
    ).toEqual([account.admin.id])
    expect(
      (await account.admin.call('PATCH', `/accounts/me/members/${person.id}`, { is_active: true })).status,
    ).toBe(404)
    expect((await account.admin.call('GET', '/trees', undefined, authorizationHeader(key.key))).status).toBe(
      401,
    )
    const [entry] = (await account.admin.call('GET', '/accounts/me/audit-logs')).body
    expect(entry).toMatchObject({
      action: 'member.erased',
      actor_name: 'Deleted user',
      resource_id: person.id,
      ip: null,
    })
  })

  it('ERA-10 leaves an open escalation, which a colleague can claim', async () => {
    const account = await createAccount(service)
    const [person, colleague] = [await account.addColleague(), await account.addColleague()]
    const { id, handoffId } = await createEscalation(person)
    await deleteMe(person)
    expect((await claimHandoff(colleague, id, handoffId)).status).toBe(200)
  })

  it('ERA-10 deletes nothing that others sent with an address that was never verified', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    await service.sql('update users set email_verified_at = null where id = $1', [person.id])
    await service.sql(
      `insert into sales_leads (email, name, company, source) values ($1, 'x', 'x', 'referral')`,
      [person.email],
    )
    await deleteMe(person)
    expect(await service.sql('select from sales_leads where email = $1', [person.email])).toHaveLength(1)
  })

  it('ERA-10 is removed in batches from what they have caused, and the clean-up has nothing left to do', async () => {
    const account = await createAccount(service)
    const person = await account.addColleague()
    await service.sql(
      `with e as (insert into events (account_id, key, actor_id, title, body)
                  select $1, 'handoff.claimed', $2, 'Robin picked up the escalation: VPN', 'x' from generate_series(1, 5) returning *)
       insert into notifications (account_id, user_id, event_id, event_key, title, body) select account_id, $2, id, key, title, body from e`,
      [account.id, person.id],
    )
    const eraseBatch = async () =>
      (await service.sql<{ more: boolean }>('select app.erase_traces($1, 8) as more', [person.id]))[0]?.more
    expect([await eraseBatch(), await eraseBatch(), await eraseBatch()]).toEqual([true, true, false])
    expect(await service.sql('select from notifications where user_id = $1', [person.id])).toEqual([])
    const titles = await service.sql('select distinct title from events where account_id = $1', [account.id])
    expect(titles).toEqual([{ title: 'Deleted user picked up the escalation: VPN' }])
    await deleteMe(person)
    const [row] = await service.sql<{ more: boolean }>('select app.continue_user_erasure(100) as more')
    expect(row).toEqual({ more: false })
  })
})
