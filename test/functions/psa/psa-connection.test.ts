import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'
import { connect, connectionBody, providers } from '../../support/psa.ts'

const service = await ownService()
const { read, empty, fault } = desk(service)
afterAll(() => service.close())

const at = '/integrations/psa'
const put = (person: Person, body: object) => person.call('PUT', `${at}/connection`, body)
const fieldsOf = ({ body }: { body: { errors?: { loc: string[] }[] } }) => body.errors?.map(({ loc }) => loc.at(-1)).sort()

it.each(providers)(
  'PSA-13 shows no secret of %s, in no answer, no log line and no audit row, and keeps none in the clear',
  async (provider) => {
    const { admin, id } = await newAccount(service)
    const secrets =
      provider === 'halopsa' ? { client_secret: 'sesame-9f8e7d6c' } : { public_key: 'pub-1a2b3c4d5e', private_key: 'priv-9f8e7d6c5b' }
    const answers = [
      await put(admin, { ...connectionBody(service, provider), ...secrets }),
      await admin.call('GET', `${at}/connection`),
      await admin.call('POST', `${at}/connection/test`),
      await put(admin, { is_active: true }),
      await admin.call('GET', `${at}/boards`),
      await put(admin, { ...connectionBody(service, provider), ...secrets, zz: 1 }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 502, 422])
    const rows = await service.sql('select to_jsonb(c) as row from psa_connections c where account_id = $1', [id])
    const audit = await service.sql('select changes from audit_logs where account_id = $1', [id])
    expect(audit.length).toBeGreaterThanOrEqual(2)
    const everything = JSON.stringify([
      answers.map(({ text, headers }) => [text, [...headers]]),
      rows,
      audit,
      service.log,
      await read('psa'),
    ])
    for (const secret of Object.values(secrets))
      for (let n = 0; n + 6 <= secret.length; n++) expect(everything).not.toContain(secret.slice(n, n + 6))
    const [{ credentials } = { credentials: '' }] = await service.sql<{ credentials: string }>(
      'select credentials from psa_connections where account_id = $1',
      [id],
    )
    expect(JSON.stringify([answers.map(({ text }) => text), audit])).not.toContain(credentials)
  },
)

it('asks the provider nothing when it is stored, and says what is missing or strange', async () => {
  const { admin } = await newAccount(service)
  await empty('psa')
  expect(fieldsOf(await put(admin, { is_active: true }))).toEqual(['provider'])
  expect(fieldsOf(await put(admin, { provider: 'connectwise' }))).toEqual([
    'base_url',
    'client_id',
    'company_id',
    'private_key',
    'public_key',
  ])
  expect(fieldsOf(await put(admin, { ...connectionBody(service), client_secret: 'x' }))).toEqual(['client_secret'])
  expect((await put(admin, connectionBody(service))).body).toMatchObject({
    provider: 'connectwise',
    company_id: 'demo',
    is_active: true,
    last_checked_at: null,
  })
  expect(await read('psa')).toEqual([])
  const tested = await admin.call('POST', `${at}/connection/test`)
  expect(tested.body.success).toBe(true)
  expect((await admin.call('GET', `${at}/connection`)).body).toMatchObject({ last_checked_at: expect.any(String), last_check_error: null })
})

it('changes what it is given, and sends a secret to no other site than it was given for', async () => {
  const { admin } = await newAccount(service)
  const made = await connect(service, admin)
  expect((await put(admin, {})).body).toEqual(made)
  const { status, body } = await put(admin, { client_id: 'demo', company_id: 'other' })
  expect([status, body.company_id, body.base_url]).toEqual([200, 'other', made.base_url])
  expect(fieldsOf(await put(admin, { base_url: 'https://collector.example' }))).toEqual(['private_key', 'public_key'])
  expect(fieldsOf(await put(admin, { provider: 'halopsa' }))).toEqual(['base_url', 'client_id', 'client_secret'])
  expectStatus(await put(admin, { company_id: 'demo' }), 200)
  expect((await admin.call('POST', `${at}/connection/test`)).body.success).toBe(true)
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
  ...['https://10.0.0.8', 'ftp://psa.example', 'psa.example', 'https://psa.example/?a=1', 'https://psa.example/#a'],
])('refuses to be led to %s', async (base_url) => {
  const { admin } = await newAccount(service)
  expect(fieldsOf(await put(admin, { ...connectionBody(service), base_url }))).toEqual(['base_url'])
})

it('opens credentials for their own account and provider alone', async () => {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  await connect(service, ours.admin)
  await connect(service, theirs.admin)
  await service.sql(
    'update psa_connections set credentials = (select credentials from psa_connections where account_id = $1) where account_id = $2',
    [ours.id, theirs.id],
  )
  expectStatus(await theirs.admin.call('GET', `${at}/boards`), 500)
  expectStatus(await ours.admin.call('GET', `${at}/boards`), 200)
})

it('forgets everything when it is disconnected, and who is who when it becomes another system', async () => {
  const { admin } = await newAccount(service)
  const status = async () => (await admin.call('GET', '/users/onboarding-status')).body.psa_connected
  const mapped = async () => (await admin.call('GET', `${at}/member-mappings`)).body[0].psa_member_id
  expect(await status()).toBe(false)
  await connect(service, admin)
  expect(await status()).toBe(true)
  await admin.call('PUT', `${at}/member-mappings/${admin.id}`, { psa_member_id: '176' })
  await put(admin, { private_key: 'demo' })
  expect(await mapped()).toBe('176')
  await connect(service, admin, 'halopsa')
  expect(await mapped()).toBeNull()
  expectStatus(await admin.call('DELETE', `${at}/connection`), 204)
  expect([await status(), (await admin.call('DELETE', `${at}/connection`)).status]).toEqual([false, 409])
  expect((await admin.call('GET', `${at}/connection`)).body.code).toBe('psa_not_connected')
})

it.each(providers)('PSA-10 lists every active user with %s, null when unmapped, and suggests by address', async (provider) => {
  const account = await newAccount(service)
  const [dana, gone, same] = [await account.colleague(), await account.colleague(), await account.colleague({ role: 'viewer' })]
  const list = async () => (await account.admin.call('GET', `${at}/member-mappings`)).body
  const none = { psa_member_id: null, psa_identifier: null, psa_name: null, suggested_member_id: null }
  await service.sql('update users set is_active = false where id = $1', [gone.id])
  expect(new Set((await list()).map((row: { user_id: string }) => row.user_id))).toEqual(new Set([account.admin.id, dana.id, same.id]))
  for (const row of await list()) expect(row).toMatchObject(none)
  await connect(service, account.admin, provider)
  await service.sql(`delete from users where email = 'Engineer@Northwind.example'`)
  await service.sql(`update users set email = 'Engineer@Northwind.example' where id = $1`, [dana.id])
  const of = async (person: Person) => (await list()).find((row: { user_id: string }) => row.user_id === person.id)
  expect(await of(dana)).toMatchObject({ ...none, suggested_member_id: '176' })
  const set = (user: Person, psa_member_id: string | null) =>
    account.admin.call('PUT', `${at}/member-mappings/${user.id}`, { psa_member_id })
  expect((await set(dana, '176')).body).toMatchObject({ psa_member_id: '176', psa_name: 'Dana Reyes', suggested_member_id: null })
  for (const id of ['182', '1', 'nobody', '176 ']) expectStatus(await set(same, id), id === '176 ' ? 200 : 422)
  expectStatus(await set(gone, '176'), 404)
  await fault({ service: 'psa', mode: 'error' })
  expect(await of(dana)).toMatchObject({ psa_member_id: '176', psa_name: 'Dana Reyes' })
  expect([(await set(dana, '177')).status, (await set(dana, null)).body]).toMatchObject([502, none])
})
