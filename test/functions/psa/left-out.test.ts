// @module-tag behaviour
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { agentIds } from '#test/support/runner.ts'
import { type Answers, answerBy, startVendorServer } from '#test/support/vendor-server.ts'

// What another system answers and we do not use is told to who asks, not only to a trace.

const vendor = await startVendorServer()
const service = await startOwnService({ OUTBOUND_ALLOWED_ORIGIN: vendor.origin })
afterAll(async () => {
  await service.close()
  vendor.close()
})
const { admin } = await createAccount(service)
await service.sql(`update accounts set plan = 'pro' where id = $1`, [admin.accountId])
beforeEach(() => {
  vendor.answer = () => ({ status: 404 })
})
const answer = (answers: Answers) => {
  vendor.answer = answerBy(answers)
}
const root = 'GET /v4_6_release/apis/3.0'
const connect = async (path: string, body: object) =>
  expectStatus(await admin.call('PUT', path, { base_url: vendor.origin, ...body }), 200)
const connectwise = {
  ...{ provider: 'connectwise', company_id: 'c', client_id: 'i' },
  ...{ public_key: 'public', private_key: 'private' },
}

it('PSA-56 the check of a ticketing system names the board whose statuses it does not show', async () => {
  await connect('/integrations/psa/connection', connectwise)
  const boards = Array.from({ length: 60 }, (_, n) => ({ id: n + 1, name: `Board ${n + 1}` }))
  answer({
    [`${root}/system/info`]: { body: {} },
    [`${root}/service/boards`]: { body: [null, { name: 'no id' }, ...boards] },
    [`${root}/service/boards/2/statuses`]: { status: 403, body: { message: 'You may not see this board.' } },
    [`${root}/service/boards/*/statuses`]: { body: [{ id: 5, name: 'New' }] },
  })
  const { body } = await admin.call('POST', '/integrations/psa/connection/test')
  expect(body).toMatchObject({ success: true })
  expect(body.boards).toHaveLength(50)
  expect(body.boards.filter(({ statuses }: { statuses: unknown[] }) => statuses.length === 0)).toMatchObject([
    { id: '2' },
  ])
  expect(body.message).toMatch(
    /accepted the credentials; Only the first 50 of 60 boards are listed; The statuses of Board 2 could not be read: .*You may not see this board; .*left out/,
  )
})

it('RUN-02 RUN-03 the check of a runner and its list of machines say what they leave out', async () => {
  await connect('/integrations/runner', { provider: 'tactical_rmm', api_key: 'key-12345' })
  const agent = { hostname: 'SRV', client_name: 'A', site_name: 'B', plat: 'linux', status: 'online' }
  answer({
    'GET /clients/': { body: [{ name: 'no id' }, { id: 1, name: 'A' }] },
    'GET /agents/': { body: [agent, { ...agent, agent_id: agentIds.online }] },
  })
  expect((await admin.call('POST', '/integrations/runner/test')).body).toEqual({
    success: true,
    message: 'The runner accepted the key; 1 record was left out: “id” could not be read',
  })
  expect((await admin.call('GET', '/runner/agents')).body).toMatchObject({
    total: 1,
    warnings: ['1 record was left out: “agent_id” could not be read'],
  })
})

it('KBI-24 a document or an organization that is refused costs no other, and is named', async () => {
  const organizations = [1, 2].map((id) => ({ id, attributes: { name: `Org ${id}` } }))
  const text = (content: string) => ({ attributes: { 'resource-type': 'Document::Text', content } })
  answer({
    'GET /organizations': ({ path }) => ({
      body: { data: path.includes('number%5D=1') ? organizations : [] },
    }),
    'GET /organizations/1/relationships/documents': { status: 403, body: { message: 'Forbidden' } },
    'GET /organizations/2/relationships/documents': {
      body: { data: [1, 2, 3].map((id) => ({ id, attributes: { name: `Doc ${id}` } })) },
    },
    'GET /documents/2/relationships/sections': {
      status: 403,
      body: { message: 'This document is restricted.' },
    },
    'GET /documents/*/relationships/sections': {
      body: { data: [text('<p>Press start, then wait.</p>'), { attributes: 7 }] },
    },
  })
  const { id } = await admin.client.authoring.kbBatches.create({
    source: 'it_glue',
    base_url: vendor.origin,
    api_key: 'key',
  })
  const batch = await vi.waitFor(
    async () => {
      const read = await admin.client.authoring.kbBatches.get({ batch_id: id })
      expect(read.finished_at).not.toBeNull()
      return read
    },
    { timeout: 30_000 },
  )
  expect(batch).toMatchObject({
    status: 'succeeded',
    problem: expect.stringContaining('“documents of an organization” could not be read'),
  })
  expect(batch.articles.map(({ problem }) => problem)).toEqual([
    null,
    expect.stringMatching(/^IT Glue answered 403: This document is restricted/),
    null,
  ])
  const import_id = batch.articles[0]?.import_id ?? ''
  expect((await admin.client.authoring.kbImports.get({ import_id })).warnings).toEqual([
    '1 record was left out: “attributes” could not be read',
  ])
})
