import { afterAll, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectionBody, connectPsa, psaProviders } from '#test/support/psa.ts'

const service = await startOwnService()
const { listRecords, clearRecords, setFault } = dashboard(service)
afterAll(() => service.close())

const psaPath = '/integrations/psa'
const putConnection = (person: Person, body: object) => person.call('PUT', `${psaPath}/connection`, body)
const listInvalidFields = ({ body }: { body: { errors?: { loc: string[] }[] } }) =>
  body.errors?.map(({ loc }) => loc.at(-1)).sort()

it.each(psaProviders)(
  'PSA-13 shows no secret of %s in responses, log lines or audit rows, and stores none in plain text',
  async (provider) => {
    const { admin, id } = await createAccount(service)
    const secrets =
      provider === 'halopsa'
        ? { client_secret: 'sesame-9f8e7d6c' }
        : { public_key: 'pub-1a2b3c4d5e', private_key: 'priv-9f8e7d6c5b' }
    const responses = [
      await putConnection(admin, { ...connectionBody(service, provider), ...secrets }),
      await admin.call('GET', `${psaPath}/connection`),
      await admin.call('POST', `${psaPath}/connection/test`),
      await putConnection(admin, { is_active: true }),
      await admin.call('GET', `${psaPath}/boards`),
      await putConnection(admin, { ...connectionBody(service, provider), ...secrets, zz: 1 }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 502, 422])
    const rows = await service.sql('select to_jsonb(c) as row from psa_connections c where account_id = $1', [
      id,
    ])
    const audit = await service.sql('select changes from audit_logs where account_id = $1', [id])
    expect(audit.length).toBeGreaterThanOrEqual(2)
    const allText = JSON.stringify([
      responses.map(({ text, headers }) => [text, [...headers]]),
      rows,
      audit,
      service.log,
      await listRecords('psa'),
    ])
    for (const secret of Object.values(secrets))
      for (let n = 0; n + 6 <= secret.length; n++) expect(allText).not.toContain(secret.slice(n, n + 6))
    const [{ credentials } = { credentials: '' }] = await service.sql<{ credentials: string }>(
      'select credentials from psa_connections where account_id = $1',
      [id],
    )
    expect(JSON.stringify([responses.map(({ text }) => text), audit])).not.toContain(credentials)
  },
)

it.each(psaProviders.flatMap((provider) => ['whole', 'secret', 'other'].map((part) => ({ provider, part }))))(
  'PSA-70 a connection of $provider forgets its check when access is saved, not else: $part',
  async ({ provider, part }) => {
    const { admin, id } = await createAccount(service)
    const body: Record<string, unknown> = connectionBody(service, provider)
    expectStatus(await putConnection(admin, body), 200)
    await service.sql(
      `update psa_connections set last_checked_at = now(), last_check_error = 'Refused' where account_id = $1`,
      [id],
    )
    const secret = provider === 'halopsa' ? 'client_secret' : 'private_key'
    const updates: Record<string, object> = {
      whole: body,
      secret: { [secret]: 'another-1a2b3c' },
      other: { time_rounding_minutes: 15, is_active: true },
    }
    const { last_check_error, last_checked_at } = expectStatus(
      await putConnection(admin, updates[part] ?? {}),
      200,
    ).body
    expect([last_check_error, last_checked_at === null]).toEqual(
      part === 'other' ? ['Refused', false] : [null, true],
    )
  },
)

it('stores a connection without calling the provider, and reports missing and unknown fields', async () => {
  const { admin } = await createAccount(service)
  await clearRecords('psa')
  expect(listInvalidFields(await putConnection(admin, { is_active: true }))).toEqual(['provider'])
  expect(listInvalidFields(await putConnection(admin, { provider: 'connectwise' }))).toEqual([
    'base_url',
    'client_id',
    'company_id',
    'private_key',
    'public_key',
  ])
  expect(
    listInvalidFields(await putConnection(admin, { ...connectionBody(service), client_secret: 'x' })),
  ).toEqual(['client_secret'])
  expect((await putConnection(admin, connectionBody(service))).body).toMatchObject({
    provider: 'connectwise',
    company_id: 'demo',
    is_active: true,
    last_checked_at: null,
  })
  expect(await listRecords('psa')).toEqual([])
  const tested = await admin.call('POST', `${psaPath}/connection/test`)
  expect(tested.body.success).toBe(true)
  expect((await admin.call('GET', `${psaPath}/connection`)).body).toMatchObject({
    last_checked_at: expect.any(String),
    last_check_error: null,
  })
})

it('updates only the fields in the body, and requires the secrets again when the site or provider changes', async () => {
  const { admin } = await createAccount(service)
  const connection = await connectPsa(service, admin)
  expect((await putConnection(admin, {})).body).toEqual(connection)
  const { status, body } = await putConnection(admin, { client_id: 'demo', company_id: 'other' })
  expect([status, body.company_id, body.base_url]).toEqual([200, 'other', connection.base_url])
  expect(listInvalidFields(await putConnection(admin, { base_url: 'https://collector.example' }))).toEqual([
    'private_key',
    'public_key',
  ])
  expect(listInvalidFields(await putConnection(admin, { provider: 'halopsa' }))).toEqual([
    'base_url',
    'client_id',
    'client_secret',
  ])
  expectStatus(await putConnection(admin, { company_id: 'demo' }), 200)
  expect((await admin.call('POST', `${psaPath}/connection/test`)).body.success).toBe(true)
})

it.each([
  ...[
    'http://psa.example',
    'https://127.0.0.1',
    'https://[::1]/',
    'https://169.254.169.254/latest',
    'https://localhost',
    'https://u:p@psa.example',
  ],
  ...[
    'https://10.0.0.8',
    'ftp://psa.example',
    'psa.example',
    'https://psa.example/?a=1',
    'https://psa.example/#a',
  ],
])('refuses the base URL %s', async (base_url) => {
  const { admin } = await createAccount(service)
  expect(listInvalidFields(await putConnection(admin, { ...connectionBody(service), base_url }))).toEqual([
    'base_url',
  ])
})

it('returns 500 for credentials that were copied from another account', async () => {
  const [ours, theirs] = [await createAccount(service), await createAccount(service)]
  await connectPsa(service, ours.admin)
  await connectPsa(service, theirs.admin)
  await service.sql(
    'update psa_connections set credentials = (select credentials from psa_connections where account_id = $1) where account_id = $2',
    [ours.id, theirs.id],
  )
  expectStatus(await theirs.admin.call('GET', `${psaPath}/boards`), 500)
  expectStatus(await ours.admin.call('GET', `${psaPath}/boards`), 200)
})

it('deletes the member mappings when the provider changes, and disconnects when the connection is deleted', async () => {
  const { admin } = await createAccount(service)
  const isConnected = async () => (await admin.call('GET', '/users/onboarding-status')).body.psa_connected
  const readMappedMemberId = async () =>
    (await admin.call('GET', `${psaPath}/member-mappings`)).body[0].psa_member_id
  expect(await isConnected()).toBe(false)
  await connectPsa(service, admin)
  expect(await isConnected()).toBe(true)
  await admin.call('PUT', `${psaPath}/member-mappings/${admin.id}`, { psa_member_id: '176' })
  await putConnection(admin, { private_key: 'demo' })
  expect(await readMappedMemberId()).toBe('176')
  await connectPsa(service, admin, 'halopsa')
  expect(await readMappedMemberId()).toBeNull()
  expectStatus(await admin.call('DELETE', `${psaPath}/connection`), 204)
  expect([await isConnected(), (await admin.call('DELETE', `${psaPath}/connection`)).status]).toEqual([
    false,
    409,
  ])
  expect((await admin.call('GET', `${psaPath}/connection`)).body.code).toBe('psa_not_connected')
})

it.each(psaProviders)(
  'PSA-10 lists every active user with their %s member or null, and suggests a member by e-mail address',
  async (provider) => {
    const account = await createAccount(service)
    const [dana, deactivated, viewer] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague({ role: 'viewer' }),
    ]
    const listMappings = async () => (await account.admin.call('GET', `${psaPath}/member-mappings`)).body
    const unmapped = { psa_member_id: null, psa_identifier: null, psa_name: null, suggested_member_id: null }
    await service.sql('update users set is_active = false where id = $1', [deactivated.id])
    expect(new Set((await listMappings()).map((row: { user_id: string }) => row.user_id))).toEqual(
      new Set([account.admin.id, dana.id, viewer.id]),
    )
    for (const row of await listMappings()) expect(row).toMatchObject(unmapped)
    await connectPsa(service, account.admin, provider)
    await service.sql(`delete from users where email = 'Engineer@Northwind.example'`)
    await service.sql(`update users set email = 'Engineer@Northwind.example' where id = $1`, [dana.id])
    const findMapping = async (person: Person) =>
      (await listMappings()).find((row: { user_id: string }) => row.user_id === person.id)
    expect(await findMapping(dana)).toMatchObject({ ...unmapped, suggested_member_id: '176' })
    const putMapping = (user: Person, psa_member_id: string | null) =>
      account.admin.call('PUT', `${psaPath}/member-mappings/${user.id}`, { psa_member_id })
    expect((await putMapping(dana, '176')).body).toMatchObject({
      psa_member_id: '176',
      psa_name: 'Dana Reyes',
      suggested_member_id: null,
    })
    for (const id of ['182', '1', 'nobody', '176 '])
      expectStatus(await putMapping(viewer, id), id === '176 ' ? 200 : 422)
    expectStatus(await putMapping(deactivated, '176'), 404)
    await setFault({ service: 'psa', mode: 'error' })
    expect(await findMapping(dana)).toMatchObject({ psa_member_id: '176', psa_name: 'Dana Reyes' })
    expect([(await putMapping(dana, '177')).status, (await putMapping(dana, null)).body]).toMatchObject([
      502,
      unmapped,
    ])
  },
)

it.each(['', '/', '/api', '/auth', '/auth/token', '/portal/', '/API'])(
  'PSA-42 stores the HaloPSA address with %j as its site',
  async (path) => {
    const { admin } = await createAccount(service)
    const body = connectionBody(service, 'halopsa')
    const saved = await putConnection(admin, { ...body, base_url: body.base_url + path })
    expect([saved.status, saved.body.base_url]).toEqual([200, body.base_url])
    expect((await admin.call('POST', `${psaPath}/connection/test`)).body.success).toBe(true)
  },
)

it('PSA-43 gets the tokens of HaloPSA from its authorisation server', async () => {
  const { admin } = await createAccount(service)
  const connection = await connectPsa(service, admin, 'halopsa')
  expect([connection.auth_url, connection.private_note_outcome, connection.public_note_outcome]).toEqual([
    null,
    null,
    null,
  ])
  await admin.call('PUT', `${psaPath}/member-mappings/${admin.id}`, { psa_member_id: '176' })
  const auth_url = `${connection.base_url}/authorisation-server/token`
  expect((await putConnection(admin, { auth_url, private_note_outcome: 'Internal' })).body).toMatchObject({
    auth_url: auth_url.replace('/token', ''),
    private_note_outcome: 'Internal',
  })
  await clearRecords('psa')
  expect((await admin.call('POST', `${psaPath}/connection/test`)).body.success).toBe(true)
  const tokenCall = { path: '/halo/authorisation-server/token', request: '(credentials)' }
  expect(await listRecords('psa')).toContainEqual(expect.objectContaining(tokenCall))
  expect((await admin.call('GET', `${psaPath}/member-mappings`)).body[0].psa_member_id).toBe('176')
  expect((await putConnection(admin, { auth_url: null })).body.auth_url).toBeNull()
})

it('PSA-43 checks the address of the authorisation server, and sends it no secret that was entered for another one', async () => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin, 'halopsa')
  for (const auth_url of ['https://127.0.0.1/auth', 'http://auth.example', 'https://auth.example/?a=1'])
    expect(listInvalidFields(await putConnection(admin, { auth_url, client_secret: 'x' }))).toEqual([
      'auth_url',
    ])
  const auth_url = 'https://auth.example'
  expect(listInvalidFields(await putConnection(admin, { auth_url }))).toEqual(['client_secret'])
  expectStatus(await putConnection(admin, { auth_url, client_secret: 'x' }), 200)
  expect(listInvalidFields(await putConnection(admin, { auth_url: null }))).toEqual(['client_secret'])
  expect(listInvalidFields(await putConnection(admin, { ...connectionBody(service), auth_url }))).toEqual([
    'auth_url',
  ])
})
