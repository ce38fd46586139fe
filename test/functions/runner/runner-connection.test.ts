import { afterAll, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { connectRunner, runnerBody } from '#test/support/runner.ts'

const service = await startOwnService()
const { setFault } = dashboard(service)
afterAll(() => service.close())

const path = '/integrations/runner'
const apiKey = 'K7Q2XW9ZV4T8R1'

it('RUN-01 shows no key of a runner in responses, log lines or audit rows, and stores none in plain text', async () => {
  const { admin, id } = await createAccount(service)
  const body = { ...runnerBody(service), api_key: apiKey }
  const responses = [
    await admin.call('PUT', path, body),
    await admin.call('GET', path),
    await admin.call('POST', `${path}/test`),
    await admin.call('GET', '/runner/agents'),
    await admin.call('PUT', path, { ...body, zz: 1 }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 502, 422])
  const rows = await service.sql(
    'select to_jsonb(c) as row from runner_connections c where account_id = $1',
    [id],
  )
  const audit = await service.sql('select changes from audit_logs where account_id = $1', [id])
  const allText = JSON.stringify([
    responses.map(({ text, headers }) => [text, [...headers]]),
    rows,
    audit,
    service.log,
  ])
  for (let n = 0; n + 6 <= apiKey.length; n++) expect(allText).not.toContain(apiKey.slice(n, n + 6))
})

it('RUN-01 keeps the stored key for the same origin only', async () => {
  const { admin } = await createAccount(service)
  const { api_key: _, ...withoutKey } = runnerBody(service)
  expect(expectStatus(await admin.call('PUT', path, withoutKey), 422).body.errors).toMatchObject([
    { loc: ['body', 'api_key'] },
  ])
  await connectRunner(service, admin)
  expectStatus(await admin.call('PUT', path, withoutKey), 200)
  expect((await admin.call('POST', `${path}/test`)).body).toMatchObject({ success: true })
  const moved = await admin.call('PUT', path, { ...withoutKey, base_url: 'https://api.rmm.example.com' })
  expect(expectStatus(moved, 422).body.errors).toMatchObject([{ loc: ['body', 'api_key'] }])
})

it('RUN-02 lets only admins change the connection, refuses an internal address, and says why a test fails', async () => {
  const account = await createAccount(service)
  const [engineer, viewer] = [await account.addColleague(), await account.addColleague({ role: 'viewer' })]
  const body = runnerBody(service)
  expectStatus(await account.admin.call('GET', path), 409)
  expectStatus(await account.admin.call('GET', '/runner/agents'), 409)
  expectStatus(await engineer.call('PUT', path, body), 403)
  expectStatus(await account.admin.call('PUT', path, { ...body, base_url: 'http://169.254.169.254/' }), 422)
  await connectRunner(service, account.admin)
  expectStatus(await engineer.call('GET', path), 403)
  expectStatus(await viewer.call('GET', '/runner/agents'), 403)
  expectStatus(await (await createAccount(service)).admin.call('GET', '/runner/agents'), 409)
  expectStatus(await account.admin.call('PUT', path, { ...body, api_key: 'wrong-key-1' }), 200)
  const { body: tested } = await account.admin.call('POST', `${path}/test`)
  expect(tested).toEqual({ success: false, message: expect.stringContaining('refused the API key') })
  expect((await account.admin.call('GET', path)).body).toMatchObject({ last_check_error: tested.message })
  expectStatus(await account.admin.call('DELETE', path), 204)
  expectStatus(await account.admin.call('DELETE', path), 409)
})

it('RUN-03 lists the machines of a client by name, with their state', async () => {
  const account = await createAccount(service)
  await connectRunner(service, account.admin)
  const engineer = await account.addColleague()
  const list = async (query: string) => (await engineer.call('GET', `/runner/agents${query}`)).body
  const { agents, total } = await list('?client=northwind')
  expect(total).toBe(2)
  expect(agents).toMatchObject([
    { name: 'LAPTOP-17', is_online: false, client: 'Northwind' },
    {
      name: 'SRV-PRINT-01',
      is_online: true,
      client: 'Northwind',
      platform: 'windows',
      last_seen: expect.any(String),
    },
  ])
  expect(await list('?search=WEB')).toMatchObject({
    total: 1,
    agents: [{ name: 'web-02', client: 'Contoso & Sons' }],
  })
  expect(await list('?client=nobody')).toEqual({ total: 0, agents: [], warnings: [] })
})

it.each(['down', 'error', 'rate_limit', 'garbage', 'redirect', 'client_error'] as const)(
  'RUN-03 answers 502 when the runner fails: %s',
  async (mode) => {
    const { admin } = await createAccount(service)
    await connectRunner(service, admin)
    await setFault({ service: 'runner', mode, times: 1 })
    expect(expectStatus(await admin.call('GET', '/runner/agents'), 502).body.code).toBe('runner_error')
  },
)
