import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import {
  connectOrganisation,
  createIssuer,
  createOrganisation,
  type Organisation,
  obtainSsoCode,
  postSsoCallback,
  signInThroughSso,
} from '#test/support/sso.ts'
import { register } from '#test/support/two-factor.ts'

const service = await startOwnService()
afterAll(() => service.close())

const selectUser = async (id: string) =>
  (await service.sql('select account_id, role, team_id, email from users where id = $1', [id]))[0]
const refusal = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** Add a member with an address of the proved domain. */
async function addMember(organisation: Organisation, role: 'viewer' | 'engineer' | 'admin' = 'engineer') {
  const member = await organisation.account.addColleague({ role })
  const email = organisation.createEmail()
  await service.sql('update users set email = $2 where id = $1', [member.id, email])
  return { ...member, email }
}

it('AUT-89 how an address signs in depends on its domain alone, and names no account and no person', async () => {
  for (const mode of ['optional', 'enforced']) {
    const organisation = await createOrganisation(service, { mode })
    const member = await addMember(organisation)
    for (const email of [member.email, member.email.toUpperCase(), `nobody@${organisation.domain}`])
      expect((await postWithoutToken(service, '/auth/sso/lookup', { email })).body).toEqual({ sso: mode })
  }
  const unproved = await createOrganisation(service)
  await service.sql('update sso_domains set verified_at = null where domain = $1', [unproved.domain])
  for (const email of [
    (await register(service)).email,
    unproved.createEmail(),
    `a@sub.${(await createOrganisation(service)).domain}`,
    'nonsense',
    '@',
  ]) {
    expect((await postWithoutToken(service, '/auth/sso/lookup', { email })).body).toEqual({ sso: 'none' })
    expect(refusal(await postWithoutToken(service, '/auth/sso/authorize', { email }))).toEqual([
      409,
      'sso_not_connected',
    ])
  }
})

it('AUT-85 links the member who has a vouched address, and knows them by issuer and sub from then on', async () => {
  const organisation = await createOrganisation(service)
  const member = await addMember(organisation)
  const first = expectStatus(await signInThroughSso(service, member.email, { sub: 'one' }), 200)
  expect(first.body.user.id).toBe(member.id)
  // Another address at the provider is the same member, and one with the address of the member is not.
  const renamed = { sub: 'one', email: organisation.createEmail() }
  expect((await signInThroughSso(service, member.email, renamed)).body.user).toMatchObject({
    id: member.id,
    email: member.email,
  })
  expect(refusal(await signInThroughSso(service, member.email, { sub: 'two' }))).toEqual([
    409,
    'provider_linked',
  ])
  const path = `/accounts/me/members/${member.id}/sso-identity`
  expectStatus(await organisation.account.admin.call('DELETE', path), 204)
  expectStatus(await organisation.account.admin.call('DELETE', path), 404)
  expect((await signInThroughSso(service, member.email, { sub: 'two' })).body.user.id).toBe(member.id)
})

it.each([
  ['no address', { email: null, email_verified: null }, 'oauth_email_missing'],
  ['an unverified address', { email_verified: false }, 'oauth_email_unverified'],
  ['an address of which it does not speak', { email_verified: null }, 'oauth_email_unverified'],
  [
    'an address that Entra does not vouch for',
    { email_verified: null, xms_edov: 0 },
    'oauth_email_unverified',
  ],
  ['an address of another domain', { email: 'someone@elsewhere.example' }, 'oauth_email_unverified'],
  ['an address of a subdomain', { email: 'someone@SUB' }, 'oauth_email_unverified'],
  ['what is no address', { email: 'no address' }, 'oauth_email_missing'],
  ['an address that is a list', { email: ['a@b.example'] }, 'oauth_email_missing'],
])('AUT-85 adds and links nobody for %s, but signs in who is linked', async (_, claims, code) => {
  const organisation = await createOrganisation(service)
  const { createEmail, domain, behave } = organisation
  const claim = Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace('SUB', `sub.${domain}`) : value,
    ]),
  )
  const member = await addMember(organisation)
  await behave({ claims: claim })
  const countMembers = () =>
    service.sql('select id from users where account_id = $1', [organisation.account.id])
  const before = await countMembers()
  expect(refusal(await signInThroughSso(service, createEmail()))).toEqual([400, code])
  expect(refusal(await signInThroughSso(service, member.email))).toEqual([400, code])
  expect(await countMembers()).toEqual(before)
  await behave()
  expectStatus(await signInThroughSso(service, member.email), 200)
  await behave({ claims: claim })
  expect((await signInThroughSso(service, member.email)).body.user.id).toBe(member.id)
})

it.each([true, 1, '1', 'true'])(
  'AUT-85 accepts the address that Entra vouches for with %o',
  async (xms_edov) => {
    const organisation = await createOrganisation(service)
    await organisation.behave({ claims: { email_verified: null, xms_edov } })
    expectStatus(await signInThroughSso(service, organisation.createEmail()), 200)
  },
)

it('AUT-85 the provider of an account signs in nobody of another, whatever it says', async () => {
  const [ours, theirs] = [await createOrganisation(service), await createOrganisation(service)]
  const victim = await addMember(theirs)
  expectStatus(await signInThroughSso(service, victim.email, { sub: 'victim' }), 200)
  // Their subject, their address, and their issuer as the claim of our provider.
  const email = ours.createEmail()
  expect(refusal(await signInThroughSso(service, email, { sub: 'victim', email: victim.email }))).toEqual([
    400,
    'oauth_email_unverified',
  ])
  await ours.behave({ claims: { iss: theirs.issuer } })
  expect(refusal(await signInThroughSso(service, email, { sub: 'victim' }))).toEqual([400, 'oauth_refused'])
  // Two accounts may have one issuer: its subjects are people of either, but not the same users.
  const shared = createIssuer(service)
  const [first, second] = [
    await connectOrganisation(service, await createAccount(service), shared),
    await connectOrganisation(service, await createAccount(service), shared),
  ]
  const a = expectStatus(await signInThroughSso(service, first.createEmail(), { sub: 'same' }), 200).body.user
  const b = expectStatus(await signInThroughSso(service, second.createEmail(), { sub: 'same' }), 200).body
    .user
  expect([a.account_id, b.account_id]).toEqual([first.account.id, second.account.id])
})

it('AUT-85 a domain that is not proved takes over nobody, and an address of another account stays there', async () => {
  const organisation = await createOrganisation(service)
  const elsewhere = await register(service)
  const email = organisation.createEmail()
  await service.sql('update users set email = $2, email_verified_at = now() where id = $1', [
    elsewhere.id,
    email,
  ])
  expect(refusal(await signInThroughSso(service, organisation.createEmail(), { email }))).toEqual([
    409,
    'email_taken',
  ])
  expect((await elsewhere.call('GET', '/auth/me')).status).toBe(200)
})

it('AUT-85 adds a new person within the seats, by the open invite of the address, and who was removed not again', async () => {
  const organisation = await createOrganisation(service)
  const { account } = organisation
  const { body } = expectStatus(
    await signInThroughSso(service, organisation.createEmail(), { name: 'Noa ‮ L' }),
    200,
  )
  expect(body.user).toMatchObject({
    account_id: account.id,
    role: 'viewer',
    team_id: account.teamId,
    email_verified: true,
  })
  const invited = organisation.createEmail()
  expectStatus(
    await account.admin.call('POST', '/accounts/me/invites', { email: invited, role: 'engineer' }),
    201,
  )
  expect((await signInThroughSso(service, invited)).body.user.role).toBe('engineer')
  expect(
    await service.sql('select accepted_by is not null as joined from invites where account_id = $1', [
      account.id,
    ]),
  ).toEqual([{ joined: true }])
  expectStatus(await account.admin.call('DELETE', `/accounts/me/members/${body.user.id}`), 204)
  expect(refusal(await signInThroughSso(service, body.user.email))).toEqual([401, 'user_deactivated'])
  expect(refusal(await signInThroughSso(service, body.user.email, { sub: 'again' }))).toEqual([
    401,
    'user_deactivated',
  ])
  await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [
    account.id,
  ])
  const late = organisation.createEmail()
  const [{ seats }] = (await service.sql<{ seats: number }>(
    `select app.seats_of(a) as seats from accounts a where id = $1`,
    [account.id],
  )) as [{ seats: number }]
  while ((await countActive(account.id)) < seats) await account.addColleague()
  expect(refusal(await signInThroughSso(service, late))).toEqual([409, 'seat_limit_reached'])
  expect(await service.sql('select from users where email = $1', [late])).toEqual([])
})
const countActive = async (accountId: string) =>
  (await service.sql('select from users where account_id = $1 and is_active', [accountId])).length

it('AUT-85 of 32 first sign-ins of a person at the same moment each is the same member', async () => {
  const organisation = await createOrganisation(service)
  const email = organisation.createEmail()
  const codes = await Promise.all(Array.from({ length: 32 }, () => obtainSsoCode(service, email)))
  const answers = await runConcurrently((n) => postSsoCallback(service, codes[n] as (typeof codes)[0]))
  expect(countByStatus(answers)).toEqual({ 200: 32 })
  expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1)
})

it('AUT-84 a state is used once, for its own connection, and ends with it', async () => {
  const [ours, theirs] = [await createOrganisation(service), await createOrganisation(service)]
  const flow = await obtainSsoCode(service, ours.createEmail())
  const answers = [
    await postSsoCallback(service, { ...flow, connectionId: theirs.connectionId }),
    await postSsoCallback(service, { ...flow, connectionId: crypto.randomUUID() }),
    await postWithoutToken(service, '/auth/oauth/google/callback', { code: flow.code, state: flow.state }),
    await postSsoCallback(service, flow),
    await postSsoCallback(service, flow),
  ]
  expect(answers.map(({ status, body }) => body.code ?? status)).toEqual([
    'oauth_state_invalid',
    404,
    'oauth_state_invalid',
    200,
    'oauth_state_invalid',
  ])
  const ended = await obtainSsoCode(service, theirs.createEmail())
  expectStatus(await theirs.account.admin.call('DELETE', '/accounts/me/sso'), 204)
  expectStatus(await postSsoCallback(service, ended), 404)
})

it('AUT-86 role and team follow the groups at each sign-in, and groups that are left out change nothing', async () => {
  const account = await createAccount(service)
  const second = (await account.admin.call('POST', '/teams', { name: 'Second' })).body.id
  const organisation = await connectOrganisation(service, account, {
    group_roles: [
      { group: 'desk', role: 'engineer', team_id: null },
      { group: 'leads', role: 'admin', team_id: second },
      { group: 'gone', role: 'viewer', team_id: crypto.randomUUID() },
    ],
  })
  const email = organisation.createEmail()
  const signIn = async (groups: string, claims: object = {}) => {
    await organisation.behave({ claims })
    const { user } = expectStatus(await signInThroughSso(service, email, { groups }), 200).body
    return [user.role, user.team_id]
  }
  const steps = [
    await signIn('desk, other'),
    await signIn('desk,leads'),
    await signIn('leads', { groups: null, _claim_names: { groups: 'src1' } }),
    await signIn('', { hasgroups: true }),
    await signIn('', { groups: 'desk' }),
    await signIn('gone'),
    await signIn('leads'),
    await signIn('', { groups: ['desk', 7, null, { a: 1 }] }),
    await signIn(''),
  ]
  expect(steps).toEqual([
    ['engineer', account.teamId],
    ['admin', second],
    ['admin', second],
    ['admin', second],
    ['engineer', second],
    ['viewer', second],
    ['admin', second],
    ['engineer', second],
    ['viewer', second],
  ])
  const { body } = await account.admin.call('POST', '/accounts/me/sso/test')
  expect(body.warnings.join()).toMatch(/left the groups out, because they were too many/)
  expect(
    await service.sql(
      `select count(*)::integer as changes from audit_logs where account_id = $1 and action = 'member.updated' and actor_id is null`,
      [account.id],
    ),
  ).toEqual([{ changes: 6 }])
})

it('AUT-86 groups and an address that only the userinfo endpoint tells count', async () => {
  const organisation = await createOrganisation(service, {
    group_roles: [{ group: 'leads', role: 'admin', team_id: null }],
  })
  const email = organisation.createEmail()
  const signIn = async (behaviour: object, groups = 'leads') => {
    await organisation.behave(behaviour)
    return signInThroughSso(service, email, { groups, sub: 'one' })
  }
  const hidden = { user_info: ['groups', 'email', 'email_verified'] }
  const answers = (userinfo: object) => ({ ...hidden, answers: { userinfo } })
  expect((await signIn(hidden)).body.user).toMatchObject({ email, role: 'admin' })
  expect((await signIn(hidden, '')).body.user.role).toBe('viewer')
  expect((await signIn(hidden)).body.user.role).toBe('admin')
  for (const failing of [{ status: 500 }, { body: '[]' }, { bytes: 600_000, body: '{' }, { status: 302 }])
    expect((await signIn(answers(failing))).body.user.role).toBe('admin')
  const other = JSON.stringify({ sub: 'two', groups: ['leads'] })
  expect(refusal(await signIn(answers({ body: other })))).toEqual([400, 'oauth_refused'])
})

it('AUT-85 the userinfo endpoint vouches for its own address alone', async () => {
  const organisation = await createOrganisation(service)
  const vouched = { sub: 'one', email: organisation.createEmail(), email_verified: true }
  await organisation.behave({
    claims: { email_verified: null },
    answers: { userinfo: { body: JSON.stringify(vouched) } },
  })
  const answer = await signInThroughSso(service, organisation.createEmail(), { sub: 'one' })
  expect(refusal(answer)).toEqual([400, 'oauth_email_unverified'])
})

it('AUT-86 the last admin stays one, and without roles by group the provider changes none', async () => {
  const organisation = await createOrganisation(service, {
    group_roles: [{ group: 'desk', role: 'engineer', team_id: null }],
  })
  const { account } = organisation
  const admin = await addMember(organisation, 'admin')
  expect((await signInThroughSso(service, admin.email, { groups: 'desk' })).body.user.role).toBe('engineer')
  await service.sql('update users set email = $2 where id = $1', [
    account.admin.id,
    organisation.createEmail(),
  ])
  const { email } = (await selectUser(account.admin.id)) as { email: string }
  expect((await signInThroughSso(service, email, { groups: 'desk' })).body.user.role).toBe('admin')
  const without = await createOrganisation(service)
  const engineer = await addMember(without)
  expect((await signInThroughSso(service, engineer.email, { groups: 'admins' })).body.user.role).toBe(
    'engineer',
  )
})

it('AUT-84 asks for the second factor of a member who has one here', async () => {
  const organisation = await createOrganisation(service)
  const member = await addMember(organisation)
  await service.sql(
    `insert into passkeys (user_id, name, credential_id, public_key, counter) values ($1, 'mine', $2, 'x', 0)`,
    [member.id, crypto.randomUUID()],
  )
  expect((await signInThroughSso(service, member.email)).body).toMatchObject({
    mfa_required: true,
    methods: ['passkey'],
  })
})
