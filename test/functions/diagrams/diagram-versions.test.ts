import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const node = (id: string, label: string) => ({
  id,
  type: 'network',
  position: { x: 0, y: 0 },
  data: { label },
})
const edge = (id: string, source: string, target: string) => ({ id, source, target })
const drawing = { nodes: [node('fw1', 'FW'), node('sw1', 'SW')], edges: [edge('e1', 'fw1', 'sw1')] }

it('VER-01 VER-02 VER-03 keeps each version of a diagram, compares them by the ids of nodes and edges, and restores one', async () => {
  const account = await createAccount(service)
  const outsider = await account.addColleague({ teamId: null })
  const { id } = expectStatus(
    await account.admin.call('POST', '/network-diagrams', { name: 'Head office', ...drawing }),
    201,
  ).body
  const nodes = [node('ap1', 'AP'), node('fw1', 'FW-HQ')]
  expectStatus(
    await account.admin.call('PUT', `/network-diagrams/${id}`, { nodes, edges: [edge('e1', 'ap1', 'fw1')] }),
    200,
  )
  const { body } = await account.admin.call('GET', `/network-diagrams/${id}/versions/2/diff`)
  expect(body.fields).toEqual([])
  expect(
    body.items.map((item: Record<string, unknown>) => [
      item.list,
      item.id,
      item.change,
      item.moved,
      item.label,
    ]),
  ).toEqual([
    ['nodes', 'ap1', 'added', false, 'AP'],
    ['nodes', 'fw1', 'changed', false, 'FW-HQ'],
    ['edges', 'e1', 'changed', false, ''],
    ['nodes', 'sw1', 'removed', false, 'SW'],
  ])
  const restored = expectStatus(
    await account.admin.call('POST', `/network-diagrams/${id}/versions/1/restore`),
    200,
  ).body
  expect([restored.version, restored.nodes, restored.edges]).toEqual([3, drawing.nodes, drawing.edges])
  const { body: versions } = await account.admin.call('GET', `/network-diagrams/${id}/versions`)
  expect(
    versions.map((item: Record<string, unknown>) => [item.version, item.restored_from, item.saved_by]),
  ).toEqual([
    [3, 1, account.admin.id],
    [2, null, account.admin.id],
    [1, null, account.admin.id],
  ])
  for (const path of ['versions', 'versions/1', 'versions/2/diff'])
    expectStatus(await outsider.call('GET', `/network-diagrams/${id}/${path}`), 404)
})

it('VER-04 refuses a save whose earlier version would exceed the stored bytes of the plan, and writes nothing', async () => {
  const account = await createAccount(service)
  const { id } = expectStatus(
    await account.admin.call('POST', '/network-diagrams', { name: 'Head office', ...drawing }),
    201,
  ).body
  await service.sql(
    `update usage_counters set used = 1e15 where account_id = $1 and quota = 'stored_bytes'`,
    [account.id],
  )
  const response = await account.admin.call('PUT', `/network-diagrams/${id}`, { name: 'Second' })
  expect([response.status, response.body.code]).toEqual([409, 'limit_reached'])
  expect((await account.admin.call('GET', `/network-diagrams/${id}`)).body.version).toBe(1)
})
