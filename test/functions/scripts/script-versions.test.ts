import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const parameter = (name: string) => ({ name, label: name, type: 'string', required: true })

async function createScript(person: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const script = {
    name: 'Restart a service',
    language: 'bash',
    script_body: 'systemctl restart {{ service }}\n',
    ...fields,
  }
  return expectStatus(
    await person.call('POST', '/script-templates', { parameters_schema: [parameter('service')], ...script }),
    201,
  ).body.id
}

it('VER-01 keeps the content of each version, and who saved it', async () => {
  const account = await createAccount(service)
  const lead = await account.addColleague({ teamRole: 'admin' })
  const id = await createScript(account.admin)
  await lead.call('PUT', `/script-templates/${id}`, {
    name: 'Second',
    script_body: 'service {{ service }} restart\n',
  })
  const { body } = await account.admin.call('GET', `/script-templates/${id}/versions`)
  expect(
    body.map((item: Record<string, unknown>) => [
      item.version,
      item.name,
      item.saved_by_name,
      item.is_current,
    ]),
  ).toEqual([
    [2, 'Second', lead.fullName, true],
    [1, 'Restart a service', account.admin.fullName, false],
  ])
  const { body: first } = await account.admin.call('GET', `/script-templates/${id}/versions/1`)
  expect([first.name, first.script_body, first.parameters_schema]).toEqual([
    'Restart a service',
    'systemctl restart {{ service }}\n',
    [expect.objectContaining({ name: 'service' })],
  ])
  expectStatus(await account.admin.call('GET', `/script-templates/${id}/versions/3`), 404)
})

it('VER-01 does not make a version of a change that saves no content', async () => {
  const { admin } = await createAccount(service)
  const id = await createScript(admin)
  await admin.call('POST', `/script-templates/${id}/share`, { is_shared: true })
  await admin.call('POST', `/script-templates/${id}/generate`, { parameters: { service: 'nginx' } })
  expect((await admin.call('GET', `/script-templates/${id}/versions`)).body).toHaveLength(1)
})

it('VER-02 returns 404 for the versions of a script that the caller cannot see, and 403 to restore a shared one', async () => {
  const account = await createAccount(service)
  const outsider = await account.addColleague({ teamId: null })
  const stranger = (await createAccount(service)).admin
  const id = await createScript(account.admin)
  await account.admin.call('PUT', `/script-templates/${id}`, { name: 'Second' })
  for (const person of [outsider, stranger])
    for (const path of ['versions', 'versions/1', 'versions/2/diff'])
      expectStatus(await person.call('GET', `/script-templates/${id}/${path}`), 404)
  await account.admin.call('POST', `/script-templates/${id}/share`, { is_shared: true })
  expectStatus(await outsider.call('GET', `/script-templates/${id}/versions/1`), 200)
  expectStatus(await outsider.call('POST', `/script-templates/${id}/versions/1/restore`), 403)
  expectStatus(await stranger.call('POST', `/script-templates/${id}/versions/1/restore`), 404)
})

it('VER-03 restores an old version as the newest, and a later save is no longer marked as restored', async () => {
  const { admin } = await createAccount(service)
  const id = await createScript(admin)
  await admin.call('PUT', `/script-templates/${id}`, { script_body: 'reboot\n', parameters_schema: [] })
  const restored = expectStatus(
    await admin.call('POST', `/script-templates/${id}/versions/1/restore`),
    200,
  ).body
  expect([restored.version, restored.script_body]).toEqual([3, 'systemctl restart {{ service }}\n'])
  await admin.call('PUT', `/script-templates/${id}`, { name: 'Fourth' })
  const { body } = await admin.call('GET', `/script-templates/${id}/versions`)
  expect(body.map((item: Record<string, unknown>) => [item.version, item.restored_from])).toEqual([
    [4, null],
    [3, 1],
    [2, null],
    [1, null],
  ])
})

it('VER-03 loses no version when 32 callers save and restore at once', async () => {
  const { admin } = await createAccount(service)
  const id = await createScript(admin)
  const responses = await Promise.all(
    Array.from({ length: 32 }, (_, n) =>
      n % 2 === 0
        ? admin.call('PUT', `/script-templates/${id}`, { description: `Change ${n}` })
        : admin.call('POST', `/script-templates/${id}/versions/1/restore`),
    ),
  )
  const saved = responses.filter(({ status }) => status === 200)
  expect(responses.filter(({ status }) => status !== 200).every(({ status }) => status === 409)).toBe(true)
  const { body } = await admin.call('GET', `/script-templates/${id}/versions?limit=100`)
  const versions = [...Array(saved.length + 1).keys()].map((n) => saved.length + 1 - n)
  expect(body.map(({ version }: { version: number }) => version)).toEqual(versions)
})

it('VER-04 keeps the newest 100 earlier versions, and counts their bytes until they are deleted', async () => {
  const account = await createAccount(service)
  const id = await createScript(account.admin, { script_body: 'x'.repeat(1000), parameters_schema: [] })
  const readBytes = async () =>
    Number((await service.sql(`select app.sum_usage($1, 'stored_bytes') as bytes`, [account.id]))[0]?.bytes)
  const before = await readBytes()
  await service.sql(`update script_templates set version = version + 1 where id = $1`, [id])
  const oneVersion = (await readBytes()) - before
  expect(oneVersion).toBeGreaterThan(1000)
  await service.sql(
    `do $$ begin for n in 1..110 loop update script_templates set version = version + 1 where id = '${id}'; end loop; end $$`,
    [],
  )
  expect(await readBytes()).toBe(before + 100 * oneVersion)
  expect((await account.admin.call('GET', `/script-templates/${id}/versions/11`)).status).toBe(404)
  const [counter] = await service.sql(
    `select used from usage_counters where account_id = $1 and quota = 'stored_bytes'`,
    [account.id],
  )
  expect(Number(counter?.used)).toBe(await readBytes())
})

it('VER-05 compares with the version before, with any other one, and with an empty one', async () => {
  const { admin } = await createAccount(service)
  const id = await createScript(admin)
  await admin.call('PUT', `/script-templates/${id}`, {
    script_body: 'systemctl restart {{ service }}\nsystemctl status {{ service }}\n',
    parameters_schema: [parameter('service'), parameter('host')],
  })
  await admin.call('PUT', `/script-templates/${id}`, { name: 'Third' })
  const compare = async (path: string) =>
    (await admin.call('GET', `/script-templates/${id}/versions/${path}`)).body
  expect(await compare('3/diff')).toEqual({
    base: 2,
    version: 3,
    fields: [{ field: 'name', before: 'Restart a service', after: 'Third', parts: null }],
    items: [],
  })
  const both = await compare('3/diff?base=1')
  expect(both.fields[1].parts).toEqual([
    { op: 'equal', text: 'systemctl restart {{ service }}\n' },
    { op: 'insert', text: 'systemctl status {{ service }}\n' },
  ])
  expect(both.items.map(({ id: name, change }: Record<string, unknown>) => [name, change])).toEqual([
    ['host', 'added'],
  ])
  const all = await compare('1/diff')
  expect([all.base, all.items[0].change, all.fields.map(({ field }: { field: string }) => field)]).toEqual([
    0,
    'added',
    ['name', 'language', 'requires_elevation', 'script_body'],
  ])
  expectStatus(await admin.call('GET', `/script-templates/${id}/versions/3/diff?base=9`), 404)
})

it('VER-06 shows a comparison as a page in which a text of a user stays a text', async () => {
  const { admin } = await createAccount(service)
  const id = await createScript(admin)
  await admin.call('PUT', `/script-templates/${id}`, { name: '<script>alert(1)</script>' })
  const { status, headers, text } = await admin.call(
    'GET',
    `/script-templates/${id}/versions/2/diff?format=html`,
  )
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(text).toContain('<del>Restart a service</del> <ins>&lt;script&gt;alert(1)&lt;/script&gt;</ins>')
  expect(text).not.toContain('<script>')
})
