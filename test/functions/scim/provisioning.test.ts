import { afterAll, describe, expect, it } from 'vitest'
import { insertPassword } from '#test/contract/fixture-rows.ts'
import { createKey } from '#test/support/api-keys.ts'
import { dashboard, type OwnService, startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { entries, night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectMember, connectScim, createScimCaller, patchOf, type ScimClient } from '#test/support/scim.ts'
import { connectOrganisation, signInThroughSso } from '#test/support/sso.ts'
import { createApiKey, provisioningPrefix } from '#vendors/auth/api-keys.ts'

const deactivation = patchOf({ op: 'Replace', path: 'active', value: 'False' })

for (const platform of entries)
  describe(`on ${platform}`, async () => {
    const service = await startOwnService({}, { platform })
    afterAll(() => service.close())
    testTokens(service)
    testTenancy(service)
    testLeaving(service)
    testRoles(service)
    testRaces(service)
    testBoundedWork(service)
    if (platform === 'node') testHostileValues(service)
  })

function testTokens(service: OwnService): void {
  it('PRV-02 an admin creates, replaces and revokes the token, of which the hash alone is stored', async () => {
    const client = await connectScim(service)
    const { admin, id } = client.account
    const call = async (token: string) => (await createScimCaller(service, token)('GET', '/Users')).status
    expect((await admin.call('GET', '/accounts/me/sso')).body.scim_created_at).toEqual(expect.any(String))
    const [stored] = await service.sql<{ text: string }>(
      `select (select jsonb_agg(to_jsonb(l)) from audit_logs l where account_id = $1)::text || to_jsonb(c)::text as text
         from sso_connections c where account_id = $1`,
      [id],
    )
    expect(stored?.text).toContain('sso_connection.updated')
    expect(stored?.text).not.toContain(client.token)
    expect(service.log.join()).not.toContain(client.token)
    const second = expectStatus(await admin.call('POST', '/accounts/me/sso/scim-token'), 201).body
    expect([second.base_url, await call(client.token), await call(second.token)]).toEqual([
      expect.stringMatching(/\/scim\/v2$/),
      401,
      200,
    ])
    expectStatus(await admin.call('DELETE', '/accounts/me/sso/scim-token'), 204)
    expect(await call(second.token)).toBe(401)
    const engineer = await client.account.addColleague()
    expectStatus(await engineer.call('POST', '/accounts/me/sso/scim-token'), 403)
    const other = await createAccount(service)
    expectStatus(await other.admin.call('POST', '/accounts/me/sso/scim-token'), 409)
    expectStatus(await other.admin.call('DELETE', '/accounts/me/sso/scim-token'), 409)
  })

  it('PRV-02 the token ends with the connection and its issuer, and while the subscription has lapsed', async () => {
    const [gone, moved, lapsed] = [
      await connectScim(service),
      await connectScim(service),
      await connectScim(service),
    ]
    expectStatus(await gone.account.admin.call('DELETE', '/accounts/me/sso'), 204)
    const update = { client_id: 'x', client_secret: 'y' }
    const put = (issuer: string) => moved.account.admin.call('PUT', '/accounts/me/sso', { issuer, ...update })
    expectStatus(await put(moved.issuer), 200)
    expect((await moved.scim('GET', '/Users')).status).toBe(200)
    expectStatus(await put(`${moved.issuer}-2`), 200)
    await service.sql(`update accounts set subscription_status = 'unpaid' where id = $1`, [lapsed.account.id])
    const answers = await Promise.all([gone, moved, lapsed].map(({ scim }) => scim('GET', '/Users')))
    expect(answers.map(({ status, body }) => [status, body.status])).toEqual([
      [401, '401'],
      [401, '401'],
      [403, '403'],
    ])
    expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('PRV-02 the token opens nothing but SCIM, and nothing else opens SCIM', async () => {
    const { scim, token, account, connectionId } = await connectScim(service)
    const asToken = { authorization: `Bearer ${token}` }
    expectStatus(await account.admin.call('GET', '/accounts/me', undefined, asToken), 401)
    const key = await createKey(service, account)
    const forged = createApiKey({ accountId: account.id, keyId: connectionId }, provisioningPrefix)
    const others = [account.admin.token, key.token, forged, `${token}x`, token.slice(0, -1), '', 'a.b.c']
    for (const other of others)
      expect((await scim('GET', '/Users', undefined, { authorization: `Bearer ${other}` })).status).toBe(401)
    expect((await scim('GET', '/Users', undefined, { authorization: undefined })).status).toBe(401)
  })
}

function testTenancy(service: OwnService): void {
  it('PRV-03 the provider of an account sees and changes nobody of another', async () => {
    const [ours, theirs] = [await connectScim(service), await connectScim(service)]
    const [user, group] = [await theirs.addUser(), await theirs.addGroup('Theirs')]
    const own = await ours.addGroup('Ours')
    const before = await dump(service, theirs)
    const email = theirs.createEmail()
    const calls: [string, string, unknown, number][] = [
      ['GET', `/Users/${user}`, undefined, 404],
      ['PUT', `/Users/${user}`, { userName: ours.createEmail() }, 404],
      ['PATCH', `/Users/${user}`, deactivation, 404],
      ['DELETE', `/Users/${user}`, undefined, 404],
      ['GET', `/Groups/${group}`, undefined, 404],
      ['PUT', `/Groups/${group}`, { displayName: 'x' }, 404],
      ['PATCH', `/Groups/${group}`, patchOf({ op: 'add', path: 'displayName', value: 'x' }), 404],
      ['DELETE', `/Groups/${group}`, undefined, 404],
      ['PATCH', `/Groups/${own}`, patchOf({ op: 'add', path: 'members', value: [{ value: user }] }), 400],
      ['POST', '/Users', { userName: email }, 403],
    ]
    for (const [method, path, body, status] of calls)
      expect([method, path, (await ours.scim(method, path, body)).status]).toEqual([method, path, status])
    const lists = [
      await ours.scim('GET', '/Users'),
      await ours.scim('GET', `/Groups?filter=id eq "${group}"`),
    ]
    expect(lists.map(({ body }) => body.totalResults)).toEqual([0, 0])
    expect(await dump(service, theirs)).toEqual(before)
  })

  it('PRV-03 of several users who had an address, the active or else the provisioned or latest one is seen', async () => {
    const { account, scim, createEmail, addUser } = await connectScim(service)
    const addInactive = async (email: string) => {
      const [row] = await service.sql<{ id: string }>(
        `insert into users (account_id, email, full_name, role, is_active) values ($1, $2, 'Lee', 'viewer', false) returning id`,
        [account.id, email],
      )
      return row?.id
    }
    const emails = [createEmail(), createEmail(), createEmail()] as const
    await addInactive(emails[0])
    const latest = await addInactive(emails[0].toUpperCase())
    const active = await addInactive(emails[1])
    await addInactive(emails[1])
    await service.sql('update users set is_active = true where id = $1', [active])
    const provisioned = await addUser(emails[2], { active: false })
    await addInactive(emails[2])
    const { body } = await scim('GET', '/Users')
    const ids = body.Resources.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([latest, active, provisioned])
  })

  it('PRV-03 members of other domains and users of keys are not seen, and an address of another account stays there', async () => {
    const client = await connectScim(service)
    await createKey(service, client.account)
    const [outsider, insider] = [await client.account.addColleague(), await client.account.addColleague()]
    await service.sql('update users set email = $2 where id = $1', [insider.id, client.createEmail()])
    expect((await client.scim('GET', '/Users')).body.Resources).toEqual([
      expect.objectContaining({ id: insider.id }),
    ])
    for (const id of [outsider.id, client.account.admin.id])
      expect((await client.scim('DELETE', `/Users/${id}`)).status).toBe(404)
    const stranger = (await createAccount(service)).admin
    const email = client.createEmail()
    await service.sql('update users set email = $2 where id = $1', [stranger.id, email])
    const answer = await client.scim('POST', '/Users', { userName: email })
    expect([answer.status, answer.body.scimType]).toEqual([409, 'uniqueness'])
    expect(await service.sql('select from scim_users where account_id = $1', [client.account.id])).toEqual([])
    expectStatus(await stranger.call('GET', '/auth/me'), 200)
    // Who was provisioned is still removed when the domain is not the account's any more.
    const id = await client.addUser()
    await service.sql('delete from sso_domains where account_id = $1', [client.account.id])
    expect((await client.scim('PATCH', `/Users/${id}`, deactivation)).status).toBe(200)
    expect((await client.scim('DELETE', `/Users/${id}`)).status).toBe(204)
  })
}

function testLeaving(service: OwnService): void {
  it.each(['PATCH', 'DELETE'])('PRV-04 %s ends the sign-ins of a member at once', async (method) => {
    const account = await createAccount(service)
    const leaver = await account.addColleague()
    const { scim } = await connectMember(service, account, leaver)
    expectStatus(await leaver.call('GET', '/auth/me'), 200)
    const answer = await scim(method, `/Users/${leaver.id}`, method === 'PATCH' ? deactivation : undefined)
    expect(answer.status, answer.text).toBe(method === 'PATCH' ? 200 : 204)
    expectStatus(await leaver.call('GET', '/auth/me'), 401)
    const rows = await service.sql(
      'select u.is_active, s.ended_at is not null as has_ended from users u join sign_ins s on s.user_id = u.id where u.id = $1',
      [leaver.id],
    )
    expect(rows).toEqual([{ is_active: false, has_ended: true }])
  })

  it('PRV-05 the last admin stays, whichever way the provider takes', async () => {
    const account = await createAccount(service)
    const { admin } = account
    const { scim, addGroup } = await connectMember(service, account, admin)
    await service.sql(
      `update sso_connections set group_roles = '[{"group": "desk", "role": "engineer", "team_id": null}]' where account_id = $1`,
      [account.id],
    )
    const calls: [string, string, unknown][] = [
      ['PATCH', `/Users/${admin.id}`, deactivation],
      ['DELETE', `/Users/${admin.id}`, undefined],
      ['POST', '/Groups', { displayName: 'desk', members: [{ value: admin.id }] }],
    ]
    for (const [method, path, body] of calls) {
      const answer = await scim(method, path, body)
      expect([answer.status, answer.body.detail]).toEqual([403, 'An account keeps at least one active admin'])
    }
    expectStatus(await admin.call('GET', '/accounts/me/sso'), 200)
    expect(await service.sql('select from scim_groups where account_id = $1', [account.id])).toEqual([])
    const other = await account.addColleague({ role: 'admin' })
    await addGroup('desk', [admin.id])
    expectStatus(await admin.call('GET', '/accounts/me/sso'), 403)
    expectStatus(await other.call('GET', '/accounts/me/sso'), 200)
  })

  it('PRV-05 where the provider is enforced, the last admin who can sign in past it stays', async () => {
    const account = await createAccount(service)
    const recovery = await account.addColleague({ role: 'admin' })
    const { scim } = await connectMember(service, account, recovery)
    await makeRecoverable(service, recovery)
    await service.sql(`update sso_connections set mode = 'enforced' where account_id = $1`, [account.id])
    const refused = await scim('PATCH', `/Users/${recovery.id}`, deactivation)
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringMatching(/^This is the last admin with a password and a second factor/),
    ])
    await makeRecoverable(service, account.admin)
    expect((await scim('PATCH', `/Users/${recovery.id}`, deactivation)).status).toBe(200)
  })

  it('PRV-05 a person who has no seat is neither added nor activated', async () => {
    const client = await connectScim(service)
    const id = await client.addUser(client.createEmail(), { active: false })
    await client.account.addColleague()
    await client.account.addColleague()
    await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [
      client.account.id,
    ])
    const active = patchOf({ op: 'replace', path: 'active', value: true })
    for (const [method, path, body] of [
      ['POST', '/Users', { userName: client.createEmail() }],
      ['PATCH', `/Users/${id}`, active],
    ] as const) {
      const answer = await client.scim(method, path, body)
      expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining('seat')])
    }
    expect(
      await service.sql('select from scim_users where account_id = $1', [client.account.id]),
    ).toHaveLength(1)
  })

  it('PRV-09 a changed address is told to the old one, and left to staff themselves', async () => {
    const client = await connectScim(service)
    const [email, newEmail] = [client.createEmail(), client.createEmail()]
    const id = await client.addUser(email)
    const change = patchOf({ op: 'replace', path: 'userName', value: newEmail })
    expect((await client.scim('PATCH', `/Users/${id}`, change)).body.emails[0].value).toBe(newEmail)
    const audit = await service.sql(
      `select actor_id from audit_logs where account_id = $1 and action = 'email_change.provisioned' and resource_id = $2`,
      [client.account.id, id],
    )
    expect(audit).toEqual([{ actor_id: null }])
    const findMails = async () =>
      (await dashboard(service).listRecords('mail')).filter(({ to }) => [to].flat().includes(email))
    await expect
      .poll(async () => (await findMails()).map(({ subject }) => subject), { timeout: 30_000 })
      .toEqual(['Your e-mail address was changed'])
    await service.sql('update users set is_super_admin = true where id = $1', [id])
    const again = patchOf({ op: 'replace', path: 'userName', value: client.createEmail() })
    expect((await client.scim('PATCH', `/Users/${id}`, again)).status).toBe(403)
  })
}

function testRoles(service: OwnService): void {
  it('PRV-06 role and team follow the groups at each change of them, by name or id, and at a sign-in without groups', async () => {
    const account = await createAccount(service)
    const second = (await account.admin.call('POST', '/teams', { name: 'Second' })).body.id
    const client = await connectScim(
      service,
      await connectOrganisation(service, account, {
        group_roles: [
          { group: 'desk', role: 'engineer', team_id: null },
          { group: 'g-lead', role: 'admin', team_id: second },
        ],
      }),
    )
    const email = client.createEmail()
    const id = await client.addUser(email)
    const read = async () => {
      const [row] = await service.sql<{ role: string; team_id: string }>(
        'select role, team_id from users where id = $1',
        [id],
      )
      return [row?.role, row?.team_id]
    }
    const change = async (method: string, path: string, body?: unknown) => {
      const answer = await client.scim(method, path, body)
      expect(answer.status, answer.text).toBeOneOf([200, 201, 204])
      return [answer.body?.id, ...(await read())]
    }
    const steps = [await read()]
    const desk = await client.addGroup('desk', [id])
    steps.push(await read())
    const [leads, ...asLead] = await change('POST', '/Groups', {
      displayName: 'Leads',
      externalId: 'g-lead',
      members: [{ value: id }],
    })
    steps.push(asLead)
    // The token of the sign-in has no groups.
    expectStatus(await signInThroughSso(service, email), 200)
    steps.push(await read())
    const rename = patchOf({ op: 'replace', path: 'externalId', value: 'other' })
    steps.push((await change('PATCH', `/Groups/${leads}`, rename)).slice(1))
    steps.push((await change('PATCH', `/Users/${id}`, deactivation)).slice(1))
    steps.push((await change('DELETE', `/Groups/${desk}`)).slice(1))
    const activation = patchOf({ op: 'replace', path: 'active', value: 'true' })
    steps.push((await change('PATCH', `/Users/${id}`, activation)).slice(1))
    expect(steps).toEqual([
      ['viewer', account.teamId],
      ['engineer', account.teamId],
      ['admin', second],
      ['admin', second],
      ['engineer', second],
      ['engineer', second],
      ['engineer', second],
      ['viewer', second],
    ])
  })

  it('PRV-07 who was provisioned signs in as the same member, also after a deletion and with another sub', async () => {
    const client = await connectScim(service)
    const email = client.createEmail()
    expectStatus(
      await client.account.admin.call('POST', '/accounts/me/invites', { email, role: 'engineer' }),
      201,
    )
    const id = await client.addUser(`upn-${email}`, {
      emails: [{ value: email, type: 'work' }],
      externalId: 'object-1',
      displayName: 'Noa ‮ L',
    })
    const first = expectStatus(await signInThroughSso(service, email, { sub: 'one' }), 200).body.user
    expect([first.id, first.role, first.full_name, first.email_verified]).toEqual([
      id,
      'engineer',
      'Noa  L',
      true,
    ])
    expect((await client.scim('DELETE', `/Users/${id}`)).status).toBe(204)
    expectStatus(await signInThroughSso(service, email, { sub: 'one' }), 401)
    const again = await client.addUser(`upn-${email}`, { emails: [{ value: email }] })
    const second = expectStatus(await signInThroughSso(service, email, { sub: 'two' }), 200).body.user
    expect([again, second.id]).toEqual([id, id])
    // Who joined by signing in is found by the address.
    const joined = client.createEmail()
    const { user } = expectStatus(await signInThroughSso(service, joined), 200).body
    const found = await client.scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${joined}"`)}`)
    expect(found.body.Resources).toEqual([expect.objectContaining({ id: user.id, active: true })])
  })

  it.each([
    ['the same externalId', 'E1', 'admin'],
    ['no externalId', undefined, 'admin'],
    ['another externalId', 'E2', 'viewer'],
  ])('PRV-12 a deleted admin who is added again with %s', async (_, externalId, role) => {
    const client = await connectScim(service)
    const email = client.createEmail()
    const id = await client.addUser(email, { externalId: 'E1' })
    await service.sql(`update users set role = 'admin', team_id = $2, team_role = 'admin' where id = $1`, [
      id,
      client.account.teamId,
    ])
    await insertPassword(service, { id } as Person)
    expect((await client.scim('DELETE', `/Users/${id}`)).status).toBe(204)
    const added = await client.addUser(email, { externalId })
    expect(added === id).toBe(role === 'admin')
    expect(
      await service.sql(
        `select u.role, exists (select from passwords where user_id = u.id) as has_password from users u where id = $1 and is_active`,
        [added],
      ),
    ).toEqual([{ role, has_password: role === 'admin' }])
    // The one before is the same again, also after another one had the address.
    expect((await client.scim('DELETE', `/Users/${added}`)).status).toBe(204)
    expect(await client.addUser(email, { externalId: 'E1' })).toBe(id)
  })
}

function testRaces(service: OwnService): void {
  it('PRV-08 of 32 callers who create one person or one group, one does', async () => {
    const client = await connectScim(service)
    const userName = client.createEmail()
    const users = await runConcurrently(() => client.scim('POST', '/Users', { userName }))
    const groups = await runConcurrently(() => client.scim('POST', '/Groups', { displayName: 'One' }))
    expect([countByStatus(users), countByStatus(groups)]).toEqual([
      { 201: 1, 409: 31 },
      { 201: 1, 409: 31 },
    ])
    expect(await service.sql('select from users where email = $1', [userName])).toHaveLength(1)
  })

  it('PRV-08 of 32 callers who change one group or person, each change stays', async () => {
    const client = await connectScim(service)
    const ids: string[] = []
    for (let n = 0; n < 32; n++) ids.push(await client.addUser())
    const group = await client.addGroup('All')
    const add = (n: number) => patchOf({ op: 'Add', path: 'members', value: [{ value: ids[n] }] })
    const answers = await runConcurrently((n) => client.scim('PATCH', `/Groups/${group}`, add(n)))
    expect(countByStatus(answers)).toEqual({ 204: 32 })
    const { body } = await client.scim('GET', `/Groups/${group}`)
    expect(body.members.map(({ value }: { value: string }) => value)).toEqual(ids.toSorted())
    const flip = (n: number) => patchOf({ op: 'replace', path: 'active', value: n % 2 === 0 })
    const flips = await runConcurrently((n) => client.scim('PATCH', `/Users/${ids[0]}`, flip(n)))
    expect(countByStatus(flips)).toEqual({ 200: 32 })
    const removals = await runConcurrently(() => client.scim('DELETE', `/Users/${ids[1]}`))
    expect(countByStatus(removals)).toEqual({ 204: 1, 404: 31 })
  })

  it('PRV-08 a provider and an admin who change one person do not wait for each other', async () => {
    const client = await connectScim(service)
    const id = await client.addUser()
    const change = (body: object) => client.account.admin.call('PATCH', `/accounts/me/members/${id}`, body)
    expect((await change({ role: 'admin' })).status).toBe(200)
    const answers = await runConcurrently((n) => {
      const active = n % 4 < 2
      return n % 2 === 0
        ? client.scim('PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: active }))
        : change({ is_active: active })
    })
    expect(countByStatus(answers)).toEqual({ 200: 32 })
  })
}

const attributes = [
  'userName',
  'name',
  'name.givenName',
  'emails',
  'emails[type eq "work"]',
  'emails.value',
  'active',
]
const others = [
  'displayName',
  'externalId',
  'members',
  'members[value eq "x"]',
  'schemas',
  'Operations',
  'meta',
  '__proto__',
]
const hostile = [
  null,
  7,
  -1e300,
  true,
  '',
  ' ',
  'x',
  '\u202e',
  'x'.repeat(3000),
  [],
  [[]],
  [null],
  [7, {}],
  {},
]
const deep = [
  { value: {} },
  { value: null },
  [{ value: [] }],
  { type: 'work', primary: 'x' },
  { givenName: { a: 1 } },
]

function testHostileValues(service: OwnService): void {
  it.each(['Users', 'Groups'])(
    'PRV-10 no value of any attribute of %s is a 500, or half a change',
    night,
    async (name) => {
      const client = await connectScim(service)
      const id = name === 'Users' ? await client.addUser() : await client.addGroup('Group')
      const required = () =>
        name === 'Users' ? { userName: client.createEmail() } : { displayName: crypto.randomUUID() }
      const failures: unknown[] = []
      for (const attribute of [...attributes, ...others])
        for (const value of [...hostile, ...deep]) {
          const body = { ...required(), [attribute]: value }
          const calls: [string, string, unknown][] = [
            ['POST', `/${name}`, body],
            ['PUT', `/${name}/${id}`, body],
            ...['add', 'replace', 'remove'].flatMap((op): [string, string, unknown][] => [
              ['PATCH', `/${name}/${id}`, patchOf({ op, path: attribute, value })],
              ['PATCH', `/${name}/${id}`, patchOf({ op, value: { [attribute]: value } })],
            ]),
            ['PATCH', `/${name}/${id}`, { Operations: value, [attribute]: value }],
          ]
          const before = await dump(service, client)
          for (const call of calls) {
            const { status, text } = await client.scim(...call)
            if (status >= 500) failures.push([...call, status, text])
            if (
              status >= 400 &&
              call[0] === 'POST' &&
              JSON.stringify(await dump(service, client)) !== JSON.stringify(before)
            )
              failures.push([...call, 'changed something'])
          }
        }
      expect(failures).toEqual([])
    },
  )
}

function testBoundedWork(service: OwnService): void {
  it('PRV-10 addresses of nothing take no place from the calls of an account', async () => {
    const client = await connectScim(service)
    const paths = ['/Users/x/y', '/Users/x/', '/Groups/x/y/z']
    const call = (caller: number) => client.scim('GET', paths[caller % paths.length] ?? '')
    // Each place that is lost is free after two seconds, so the last of 32 in two places would get 503 after 20 s.
    const statuses = [await runConcurrently(call), await runConcurrently(call)]
      .flat()
      .map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([404]))
  })

  it('PRV-10 a change that would compare millions of members is too complex', async () => {
    const client = await connectScim(service)
    const id = await client.addGroup('Everybody')
    await service.sql(
      `with added as (
         insert into users (account_id, email, full_name, role) select $1::uuid, 'many-' || n || '-' || $1::uuid || '@people.example', 'Many', 'viewer' from generate_series(1, 2000) n
         returning id)
       insert into scim_group_members (account_id, group_id, user_id) select $1::uuid, $2::uuid, id from added`,
      [client.account.id, id],
    )
    const path = `members[${Array.from({ length: 50 }, () => 'value co "zz"').join(' or ')}]`
    const many = await client.scim(
      'PATCH',
      `/Groups/${id}`,
      patchOf(...Array(1000).fill({ op: 'remove', path })),
    )
    expect([many.status, many.body.scimType]).toEqual([400, 'invalidValue'])
    expect((await client.scim('PATCH', `/Groups/${id}`, patchOf({ op: 'remove', path }))).status).toBe(204)
  })
}

/** Everything that the provider of an account could change of it. */
const dump = (service: OwnService, { account: { id } }: ScimClient) =>
  service.sql(
    `select (select jsonb_agg(to_jsonb(u) order by u.id) from users u where account_id = $1) as users,
            (select jsonb_agg(to_jsonb(u) order by u.id) from scim_users u where account_id = $1) as scim_users,
            (select jsonb_agg(to_jsonb(g) order by g.id) from scim_groups g where account_id = $1) as groups,
            (select jsonb_agg(to_jsonb(m) order by m) from scim_group_members m where account_id = $1) as members`,
    [id],
  )

/** Give an admin a password and a second factor. */
async function makeRecoverable(service: OwnService, admin: Person): Promise<void> {
  await insertPassword(service, admin)
  await service.sql('update sign_ins set second_factor_at = app.now() where user_id = $1', [admin.id])
  await service.sql(
    `insert into passkeys (user_id, name, credential_id, public_key, counter) values ($1, 'mine', $2, 'x', 0)`,
    [admin.id, crypto.randomUUID()],
  )
}
