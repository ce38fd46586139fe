import { afterAll, describe, expect, it } from 'vitest'
import { organisationClientId } from '#local/vendors/identity/organisation.ts'
import { insertPassword } from '#test/contract/fixture-rows.ts'
import { startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { entries, isNight } from '#test/support/night.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'
import {
  clientSecretOf,
  connectOrganisation,
  createIssuer,
  createOrganisation,
  signInThroughSso,
} from '#test/support/sso.ts'

const service = await startOwnService()
afterAll(() => service.close())

const buildInput = (changes: object = {}) => ({
  issuer: createIssuer(service).issuer,
  client_id: organisationClientId,
  client_secret: clientSecretOf(service),
  ...changes,
})
const put = ({ admin }: TestAccount, body: object) => admin.call('PUT', '/accounts/me/sso', body)
const addDomain = async ({ admin }: TestAccount, domain: string) =>
  expectStatus(await admin.call('POST', '/accounts/me/sso/domains', { domain }), 201).body
const verify = ({ admin }: TestAccount, id: string) =>
  admin.call('POST', `/accounts/me/sso/domains/${id}/verify`)
const putRecord = async (name: string, text: string) =>
  expect(
    (await fetch(`${service.localOrigin}/dns-query/${name}`, { method: 'PUT', body: text })).status,
  ).toBe(204)
const refusal = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

it('AUT-82 an admin connects a provider and proves a domain, and then a person of it signs in', async () => {
  const account = await createAccount(service)
  expect(refusal(await account.admin.call('GET', '/accounts/me/sso'))).toEqual([409, 'sso_not_connected'])
  const input = buildInput()
  const stored = expectStatus(await put(account, input), 200)
  expect(stored.text).not.toContain(input.client_secret)
  expect(stored.body).toMatchObject({
    issuer: input.issuer,
    redirect_uri: `${service.localOrigin}/oauth/sso/${stored.body.id}/callback`,
    scopes: ['openid', 'email', 'profile'],
    mode: 'optional',
    default_role: 'viewer',
    domains: [],
  })
  const domain = `${crypto.randomUUID()}.example`
  const added = await addDomain(account, ` ${domain.toUpperCase()} `)
  expect(added).toMatchObject({ domain, record_name: `_support-flow.${domain}`, verified_at: null })
  expect((await account.admin.call('POST', '/accounts/me/sso/domains', { domain })).body).toEqual(added)
  await putRecord(added.record_name, 'something else')
  expect(refusal(await verify(account, added.id))).toEqual([409, 'domain_not_proved'])
  await putRecord(added.record_name, added.record_value)
  expect(expectStatus(await verify(account, added.id), 200).body.verified_at).toEqual(expect.any(String))
  expect((await account.admin.call('POST', '/accounts/me/sso/test')).body).toEqual({
    success: true,
    problems: [],
    warnings: [],
  })
  expectStatus(await signInThroughSso(service, `noa@${domain}`), 200)
  const actions = await service.sql(
    `select distinct action from audit_logs where account_id = $1 and action like 'sso%' order by 1`,
    [account.id],
  )
  expect(actions.map(({ action }) => action)).toEqual([
    'sso_connection.created',
    'sso_connection.updated',
    'sso_domain.created',
    'sso_domain.updated',
    'sso_identity.created',
  ])
  const [{ dump }] = (await service.sql<{ dump: string }>(
    `select coalesce(string_agg(to_jsonb(l)::text, ''), '') || (select to_jsonb(c)::text from sso_connections c where account_id = $1) as dump
       from audit_logs l where account_id = $1`,
    [account.id],
  )) as [{ dump: string }]
  expect(dump).not.toContain(input.client_secret)
  expect(dump).not.toContain(added.record_value.split('=')[1])
})

it('AUT-82 of 16 accounts that prove one domain at the same moment one gets it, until it removes it', async () => {
  const domain = `${crypto.randomUUID()}.example`
  const accounts = await Promise.all(Array.from({ length: 16 }, () => createAccount(service)))
  const added = await Promise.all(accounts.map((account) => addDomain(account, domain)))
  const prove = async (n: number) => {
    const { record_name, record_value, id } = added[n]
    await putRecord(record_name, record_value)
    return verify(accounts[n] as TestAccount, id)
  }
  expectStatus(await prove(0), 200)
  expect(refusal(await prove(1))).toEqual([409, 'domain_taken'])
  expectStatus(
    await (accounts[0] as TestAccount).admin.call('DELETE', `/accounts/me/sso/domains/${added[0].id}`),
    204,
  )
  // All records are there at once, as with several TXT records of a name.
  await service.sql('update sso_domains set token = $2 where domain = $1', [domain, 't'.repeat(43)])
  await putRecord(`_support-flow.${domain}`, `support-flow-verification=${'t'.repeat(43)}`)
  const answers = await runConcurrently((n) =>
    verify(accounts[1 + (n % 15)] as TestAccount, added[1 + (n % 15)].id),
  )
  const proved = await service.sql(
    'select id from sso_domains where domain = $1 and verified_at is not null',
    [domain],
  )
  expect(proved).toHaveLength(1)
  // On a busy machine the name server may answer some of them too late.
  const outcomes = new Set(
    answers.map(({ status, body }) => (status === 200 ? 200 : (body.code ?? body.detail))),
  )
  outcomes.delete('The name servers do not answer; try again')
  expect(outcomes).toEqual(new Set([200, 'domain_taken']))
})

it('AUT-82 a stored secret stays for its issuer, and goes to no other', async () => {
  const account = await createAccount(service)
  const { client_secret: _, ...withoutSecret } = buildInput()
  const isMissing = async (input: object) =>
    expect(expectStatus(await put(account, input), 422).body.errors).toEqual([
      { loc: ['body', 'client_secret'], msg: 'is required for this issuer', type: 'missing' },
    ])
  await isMissing(withoutSecret)
  expectStatus(await put(account, { ...withoutSecret, client_secret: clientSecretOf(service) }), 200)
  expectStatus(await put(account, { ...withoutSecret, default_role: 'engineer' }), 200)
  await isMissing({ ...withoutSecret, issuer: createIssuer(service).issuer })
})

it.each([
  ['http', { issuer: 'http://idp.example' }],
  ['a private address', { issuer: 'https://10.0.0.7' }],
  ['the metadata address', { issuer: 'https://169.254.169.254' }],
  ['credentials', { issuer: 'https://a:b@idp.example' }],
  ['a query', { issuer: 'https://idp.example?a=b' }],
  ['no openid', { scopes: ['email'] }],
  ['a scope with a blank', { scopes: ['openid', 'a b'] }],
  ['an admin as the default role', { default_role: 'admin' }],
  ['a team of nobody', { group_roles: [{ group: 'a', role: 'viewer', team_id: crypto.randomUUID() }] }],
  [
    '101 groups',
    {
      group_roles: Array.from({ length: 101 }, (_, n) => ({ group: `${n}`, role: 'viewer', team_id: null })),
    },
  ],
  ['another mode', { mode: 'required' }],
])('AUT-82 refuses a connection with %s', async (_, changes) => {
  const account = await createAccount(service)
  expectStatus(await put(account, buildInput(changes)), 422)
  expect(await service.sql('select from sso_connections where account_id = $1', [account.id])).toEqual([])
})

it.each([
  'localhost',
  'example',
  'a..example',
  'http://a.example',
  '-a.example',
  '@a.example',
  '*.example.com',
])('AUT-82 refuses the domain %s', async (domain) => {
  const { admin } = await createAccount(service)
  expectStatus(await admin.call('POST', '/accounts/me/sso/domains', { domain }), 422)
})

it('AUT-82 a team of another account is refused, and the 21st domain is 409', async () => {
  const [account, other] = [await createAccount(service), await createAccount(service)]
  const group_roles = [{ group: 'a', role: 'viewer', team_id: other.teamId }]
  expectStatus(await put(account, buildInput({ group_roles })), 422)
  for (let n = 0; n < 20; n++) await addDomain(account, `d${n}-${crypto.randomUUID()}.example`)
  const last = await account.admin.call('POST', '/accounts/me/sso/domains', { domain: 'last.example' })
  expect(refusal(last)).toEqual([409, 'limit_reached'])
})

it('AUT-88 enforcing needs a proved domain, and an admin with a password and a second factor', async () => {
  const account = await createAccount(service)
  const input = buildInput({ mode: 'enforced' })
  expect(refusal(await put(account, input))).toEqual([409, 'wrong_state'])
  await service.sql(
    `insert into sso_domains (account_id, domain, token, verified_at) values ($1, gen_random_uuid() || '.example', 'token-of-the-domain-0', now())`,
    [account.id],
  )
  const refused = await put(account, input)
  expect([...refusal(refused), refused.body.detail]).toEqual([
    409,
    'wrong_state',
    'An admin needs a password and a second factor first, to sign in while the provider is away',
  ])
  await insertPassword(service, account.admin)
  await service.sql('update sign_ins set second_factor_at = app.now() where user_id = $1', [account.admin.id])
  await service.sql(
    `insert into passkeys (user_id, name, credential_id, public_key, counter) values ($1, 'mine', $2, 'x', 0)`,
    [account.admin.id, crypto.randomUUID()],
  )
  expect(expectStatus(await put(account, input), 200).body.mode).toBe('enforced')
})

/** What the test of a provider says. */
const tests: Record<string, [object, string[]]> = {
  nothing: [{}, []],
  'another issuer': [
    { discovery: { issuer: 'https://issuer.example' } },
    [
      'The document is of the issuer https://issuer.example, not ISSUER; both must be the same, also a slash at the end',
    ],
  ],
  'a slash at the end of the issuer': [
    { discovery: { issuer: 'ISSUER/' } },
    ['The document is of the issuer ISSUER/, not ISSUER; both must be the same, also a slash at the end'],
  ],
  'no authorization_endpoint': [
    { discovery: { authorization_endpoint: null } },
    ['The document has no authorization_endpoint'],
  ],
  'a script as the authorization_endpoint': [
    { discovery: { authorization_endpoint: 'javascript:alert(1)' } },
    ['The authorization_endpoint must be an https address'],
  ],
  'no keys': [
    { discovery: { jwks_uri: null, token_endpoint: 7 } },
    ['The token_endpoint must be an https address', 'The document has no jwks_uri'],
  ],
  'signatures with a secret': [
    { discovery: { id_token_signing_alg_values_supported: ['HS256', 'none'] } },
    ['The provider signs with HS256, none only; it must sign with a public key, such as RS256'],
  ],
  'no client secret': [
    { discovery: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } },
    ['The provider takes no client secret, only private_key_jwt; allow client_secret_post'],
  ],
  'a clock that is late': [
    { answers: { discovery: { body: 'DOCUMENT', date: 'Mon, 01 Jan 2024 00:00:00 GMT' } } },
    [
      expect.stringMatching(
        /^The clock of the provider is \d+ seconds behind ours, so that its tokens are refused$/,
      ),
    ],
  ],
  'a redirect': [
    { answers: { discovery: { status: 301, location: 'https://idp.example' } } },
    ['The discovery document redirects; enter the issuer that it redirects to'],
  ],
  'an error': [
    { answers: { discovery: { status: 404 } } },
    ['The discovery document answered 404 at ISSUER/.well-known/openid-configuration'],
  ],
  'a huge document': [
    { answers: { discovery: { bytes: 600_000 } } },
    ['The discovery document is too large'],
  ],
  'a late document': [
    { answers: { discovery: { delay_ms: 9000 } } },
    ['The discovery document did not arrive within 8 seconds'],
  ],
  'a page': [{ answers: { discovery: { body: '<html>' } } }, ['The discovery document is no JSON']],
  'a list': [{ answers: { discovery: { body: '[]' } } }, ['The discovery document is no JSON object']],
  'keys that are none': [
    { answers: { keys: { body: '{"keys":[{"kty":"oct"}]}' } } },
    ['The list of keys has no public key'],
  ],
  'keys inside': [
    { discovery: { jwks_uri: 'https://10.0.0.7/keys' } },
    [
      'The list of keys cannot be called. The address must not lead to a loopback, private, link-local, multicast or metadata address',
    ],
  ],
  'a token endpoint that is no JSON': [{ answers: { token: { body: 'no' } } }, []],
}

for (const platform of entries)
  describe.concurrent(`on ${platform}`, async () => {
    const own = await startOwnService({}, { platform })
    afterAll(() => own.close())

    const tried = Object.entries(tests).filter(([name]) => isNight || name !== 'a late document')
    it.each(tried)('AUT-83 says what is wrong: %s', async (_, [behaviour, problems]) => {
      const { account, behave, issuer } = await createOrganisation(own)
      const document = await (await fetch(`${issuer}/.well-known/openid-configuration`)).text()
      const text = JSON.stringify(behaviour).replaceAll('ISSUER', issuer)
      await behave(JSON.parse(text.replace('"DOCUMENT"', JSON.stringify(document))))
      const { body } = expectStatus(await account.admin.call('POST', '/accounts/me/sso/test'), 200)
      expect(body.problems).toEqual(
        problems.map((problem) =>
          typeof problem === 'string' ? problem.replaceAll('ISSUER', issuer) : problem,
        ),
      )
      expect(body.success).toBe(problems.length === 0)
    })

    it('AUT-83 says that the provider is unreachable, refuses the client, or has no domain', async () => {
      const account = await createAccount(own)
      const test = async () => (await account.admin.call('POST', '/accounts/me/sso/test')).body
      const save = (changes: object) =>
        account.admin.call('PUT', '/accounts/me/sso', {
          issuer: createIssuer(own).issuer,
          client_id: organisationClientId,
          client_secret: clientSecretOf(own),
          ...changes,
        })
      expectStatus(await save({ client_secret: 'wrong' }), 200)
      expect(await test()).toEqual({
        success: false,
        problems: ['The provider refuses the client id or its secret'],
        warnings: ['No domain is proved yet, so that nobody can sign in'],
      })
      expectStatus(await save({ issuer: 'https://missing.test' }), 200)
      expect((await test()).problems).toEqual([
        'The discovery document cannot be called. The address has a name that cannot be resolved',
      ])
      expectStatus(await save({ scopes: ['openid', 'email', 'offline_access'] }), 200)
      expect((await test()).warnings[0]).toBe('The provider does not list the scopes offline_access')
    })
  })

it('AUT-82 the connection of an account is not seen by another, and an engineer changes nothing', async () => {
  const { account } = await createOrganisation(service)
  const other = await connectOrganisation(service, await createAccount(service))
  const { body } = await account.admin.call('GET', '/accounts/me/sso')
  expectStatus(
    await other.account.admin.call('DELETE', `/accounts/me/sso/domains/${body.domains[0].id}`),
    404,
  )
  const engineer = await account.addColleague()
  expectStatus(await engineer.call('GET', '/accounts/me/sso'), 403)
})
