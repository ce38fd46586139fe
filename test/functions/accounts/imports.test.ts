import { beforeAll, describe, expect, it } from 'vitest'
import { createArchive, manifest } from '#test/contract/fixtures-exports.ts'
import { insertScript, insertScriptCategory } from '#test/contract/fixtures-scripts.ts'
import {
  createExport,
  downloadExport,
  idPattern,
  readArchive,
  readRecords,
  toComparable,
} from '#test/support/account-exports.ts'
import { importArchive } from '#test/support/account-imports.ts'
import { type Service, sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { createFlow, patchForm, patchProcedure, printerFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

type Bytes = Uint8Array<ArrayBuffer>
let service: Service
beforeAll(async () => {
  service = await sharedService()
})

const importFile = importArchive
const startImport = ({ client }: Person, bytes: Bytes) =>
  client.accounts.imports.create({ file: new Blob([bytes]) })
const selectImported = ({ accountId }: Person) =>
  service.sql(`select from audit_logs where account_id = $1 and action = 'account.imported'`, [accountId])
const exportFiles = async (person: Person) =>
  readArchive(await downloadExport(service, person, await createExport(person)))
const toLines = (records: readonly unknown[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
const createAdmin = async () => (await createAccount(service)).admin

/** Fill an account with everything that an import restores. */
async function fillAccount(admin: Person): Promise<void> {
  const { client } = admin
  await client.accounts.update({
    timezone: 'Europe/Berlin',
    settings: { density: 'compact' },
    retention: { session_days: 400 },
  })
  await client.accounts.updatePreferences({ theme: 'dark' })
  await client.accounts.teams.create({ name: 'Field service' })
  const category = await client.scripts.createCategory({ name: 'Windows' })
  const script = await client.scripts.create({
    name: 'Restart a service',
    language: 'powershell',
    script_body: 'Restart-Service -Name {{ service }}\n',
    parameters_schema: [{ name: 'service', label: 'Service', type: 'string', required: true }],
    category_id: category.id,
  })
  await client.diagrams.deviceTypes.create({ name: 'Label printer', category: 'endpoint' })
  await client.diagrams.create({
    name: 'Head office',
    nodes: [{ id: 'fw', type: 'security', position: { x: 1, y: 2 }, data: { label: 'FW' } }],
    edges: [],
  })
  await client.maintenance.targetLists.create({
    name: 'Servers',
    targets: [{ label: 'SRV-1', variables: { server: 'srv-1' } }],
  })
  const procedure = patchProcedure()
  Object.assign(procedure.steps[1] as object, { script_template_id: script.id })
  await createFlow(admin, {
    name: 'Patch',
    tree_type: 'maintenance',
    tree_structure: procedure,
    intake_form: patchForm,
    category: 'Servers',
  })
  const flow = await createFlow(admin, { name: 'Printer', tags: ['printer'], visibility: 'account' })
  await client.flows.trees.update({ tree_id: flow.id, description: 'Second version' })
  await client.flows.trees.update({ tree_id: flow.id, status: 'draft' })
  await client.flows.forks.create({ tree_id: flow.id, reason: 'Our printers differ' } as never)
}

describe('importing an export', () => {
  it('DAT-08 restores what was exported: a second export is equal apart from ids and times', async () => {
    const [admin, other] = [await createAdmin(), await createAdmin()]
    await fillAccount(admin)
    const bytes = await downloadExport(service, admin, await createExport(admin))
    const result = await importFile(other, bytes)
    expect(result).toMatchObject({
      restored: {
        teams: 1,
        categories: 1,
        scripts: 1,
        diagrams: 1,
        target_lists: 1,
        flows: 3,
        flow_versions: 5,
      },
      not_restored: { members: 1 },
      skipped: [],
      skipped_count: 0,
    })
    const [before, after] = [await readArchive(bytes), await exportFiles(other)]
    expect(toComparable(after)).toEqual(toComparable(before))
    const flows = readRecords(after, 'flows')
    const fork = flows.find(({ parent_tree_id }) => parent_tree_id)
    expect(flows.find(({ id }) => id === fork?.parent_tree_id)).toMatchObject({ name: 'Printer', version: 3 })
    const [script] = readRecords(after, 'scripts')
    expect(JSON.stringify(readRecords(after, 'flow_versions'))).toContain(
      `"script_template_id":"${script?.id}"`,
    )
    const oldIds = new Set(Object.values(before).join('\n').match(idPattern))
    const newIds = flows.flatMap((flow) => JSON.stringify(flow).match(idPattern) ?? [])
    expect(newIds.filter((id) => oldIds.has(id))).toEqual([])
  })

  it('DAT-08 the restored flows can be found and run', async () => {
    const [admin, other] = [await createAdmin(), await createAdmin()]
    await fillAccount(admin)
    await importFile(other, await downloadExport(service, admin, await createExport(admin, 'restorable')))
    const flows = await other.client.flows.trees.list({ search: 'patch', author_id: other.id })
    expect(flows).toMatchObject([
      { name: 'Patch', status: 'published', category: 'Servers', author_id: other.id },
    ])
    const session = await createSession(other, { tree_id: flows[0]?.id, variables: { server: 'srv-1' } })
    expect(session).toMatchObject({ state: 'in_progress' })
  })

  it('DAT-09 refuses an account that has flows, scripts, diagrams or target lists', async () => {
    const admin = await createAdmin()
    await insertScriptCategory(service, admin)
    await importFile(admin, await createArchive({ 'manifest.json': manifest }))
    await insertScript(service, admin)
    const error = await expectRefusal(
      startImport(admin, await createArchive({ 'manifest.json': manifest })),
      409,
    )
    expect(error.body).toMatchObject({ code: 'account_not_empty' })
  })

  it('DAT-09 one of several imports at the same time wins, and the audit log has its start and its end', async () => {
    const [admin, other] = [await createAdmin(), await createAdmin()]
    await createFlow(admin, {})
    const bytes = await downloadExport(service, admin, await createExport(admin, 'restorable'))
    const results = await Promise.allSettled([1, 2, 3].map(() => importFile(other, bytes)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await other.client.flows.trees.list({ author_id: other.id })).toHaveLength(1)
    const entries = await service.sql(
      'select action, actor_id from audit_logs where account_id = $1 order by created_at',
      [other.accountId],
    )
    expect(entries).toEqual(
      ['account_import.created', 'account.imported'].map((action) => ({ action, actor_id: other.id })),
    )
  })
})

const flowId = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e01'
const flowRecord = {
  id: flowId,
  tree_type: 'troubleshooting',
  status: 'published',
  visibility: 'account',
  name: 'Printer',
  version: 1,
}
const versionRecord = {
  tree_id: flowId,
  version: 1,
  status: 'published',
  name: 'Printer',
  tree_type: 'troubleshooting',
  tree_structure: printerFlow(),
}
const createFlowArchive = (
  flows: readonly unknown[],
  versions: readonly unknown[],
  files: Record<string, string> = {},
) =>
  createArchive({
    'flows.jsonl': toLines(flows),
    'flow_versions.jsonl': toLines(versions),
    'manifest.json': manifest,
    ...files,
  })

describe('an archive from a stranger', () => {
  it.each([
    ['an unknown visibility', { ...flowRecord, visibility: 'world' }, versionRecord],
    ['a deleted flow', { ...flowRecord, deleted_at: '2026-01-01T00:00:00Z' }, versionRecord],
    ['a flow without its version', { ...flowRecord, version: 2 }, versionRecord],
    ['a flow without a name', { ...flowRecord, name: '' }, versionRecord],
    ['a structure of another type', flowRecord, { ...versionRecord, tree_structure: patchProcedure() }],
    [
      'a published flow that cannot be published',
      flowRecord,
      { ...versionRecord, tree_structure: { id: 'a', type: 'action', title: '' } },
    ],
    [
      'a structure with two nodes of one id',
      flowRecord,
      { ...versionRecord, tree_structure: { ...printerFlow(), id: 'queue' } },
    ],
    ['a structure that is no tree', flowRecord, { ...versionRecord, tree_structure: 'x' }],
  ])('DAT-10 skips %s with its reason, and restores the others', async (_, flow, version) => {
    const good = crypto.randomUUID()
    const archive = await createFlowArchive(
      [flow, { ...flowRecord, id: good }],
      [version, { ...versionRecord, tree_id: good }],
    )
    const admin = await createAdmin()
    const { restored, skipped } = await importFile(admin, archive)
    expect(restored).toMatchObject({ flows: 1, flow_versions: 1 })
    expect(skipped.at(-1)).toMatchObject({ kind: 'flows', reason: expect.stringMatching(/.{5,}/) })
  })

  const invalidVersion = { ...versionRecord, tree_structure: 'x' }

  it.each([
    [
      'restores the version of a flow that is followed by an invalid one',
      [versionRecord, invalidVersion],
      1,
      ['flow_versions'],
    ],
    [
      'restores the version of a flow that is in the archive twice',
      [versionRecord, versionRecord],
      1,
      ['flow_versions'],
    ],
    [
      'skips a flow whose version follows an invalid one',
      [invalidVersion, versionRecord],
      0,
      ['flow_versions', 'flow_versions', 'flows'],
    ],
  ])('DAT-10 %s', async (_, versions, count, skippedKinds) => {
    const { restored, skipped } = await importFile(
      await createAdmin(),
      await createFlowArchive([flowRecord], versions),
    )
    expect(restored).toMatchObject({ flows: count, flow_versions: count })
    expect(skipped.map(({ kind }) => kind)).toEqual(skippedKinds)
  })

  it.each([
    ['a deleted flow', { ...flowRecord, deleted_at: '2026-01-01T00:00:00Z' }, versionRecord, 'was deleted'],
    [
      'a flow whose version is missing',
      { ...flowRecord, version: 2 },
      versionRecord,
      'its current version is missing',
    ],
    ['a flow whose version is invalid', flowRecord, invalidVersion, 'its current version is not valid'],
  ])('DAT-10 says why it skips %s', async (_, flow, version, reason) => {
    const { skipped } = await importFile(await createAdmin(), await createFlowArchive([flow], [version]))
    expect(skipped.at(-1)).toEqual({ kind: 'flows', name: 'Printer', reason })
  })

  it('DAT-10 restores the first of two records that have the same id', async () => {
    const other = { ...flowRecord, name: 'Scanner' }
    const category = { id: flowId, name: 'Printing' }
    const files = { 'categories.jsonl': toLines([category, { ...category, name: 'Scanning' }]) }
    const admin = await createAdmin()
    const { restored, skipped } = await importFile(
      admin,
      await createFlowArchive([flowRecord, other], [versionRecord], files),
    )
    expect(restored).toMatchObject({ flows: 1, categories: 1 })
    const reason = 'has the id of another record'
    expect(skipped).toEqual([
      { kind: 'categories', name: 'Scanning', reason },
      { kind: 'flows', name: 'Scanner', reason },
    ])
    expect(await admin.client.flows.trees.list({ author_id: admin.id })).toMatchObject([{ name: 'Printer' }])
  })

  it('DAT-10 lists the first 200 skipped records, and counts all', async () => {
    const files = { 'categories.jsonl': toLines(Array.from({ length: 201 }, () => ({}))) }
    const { skipped, skipped_count } = await importFile(
      await createAdmin(),
      await createFlowArchive([], [], files),
    )
    expect([skipped.length, skipped_count]).toEqual([200, 201])
    expect(skipped[0]).toMatchObject({
      kind: 'categories',
      name: null,
      reason: expect.stringMatching(/^id: /),
    })
  })

  it('DAT-10 skips a script whose body cannot be rendered, and a diagram with an edge to nothing', async () => {
    const id = flowId
    const script = {
      id,
      name: 'Restart',
      language: 'powershell',
      script_body: 'Restart-Service {{ service }}',
    }
    const nodes = [{ id: 'fw', type: 'security', position: { x: 1, y: 2 }, data: { label: 'FW' } }]
    const diagram = { id, name: 'Head office', nodes, edges: [{ id: 'e', source: 'fw', target: 'switch' }] }
    const files = { 'scripts.jsonl': toLines([script]), 'diagrams.jsonl': toLines([diagram]) }
    const { skipped } = await importFile(await createAdmin(), await createFlowArchive([], [], files))
    expect(skipped).toEqual([
      { kind: 'scripts', name: 'Restart', reason: expect.stringMatching(/^script_body: line 1: /) },
      { kind: 'diagrams', name: 'Head office', reason: expect.stringMatching(/^edges\.0\.target: /) },
    ])
  })

  it('DAT-10 ids of accounts, members and flows in an archive lead nowhere', async () => {
    const [victim, admin] = [await createAdmin(), await createAdmin()]
    const flow = await createFlow(victim, { visibility: 'account' })
    const foreign = {
      account_id: victim.accountId,
      author_id: victim.id,
      team_id: victim.teamId,
      category_id: victim.id,
      parent_account_id: victim.accountId,
      parent_tree_id: flow.id,
      root_account_id: victim.accountId,
      root_tree_id: flow.id,
      fork_depth: 7,
      usage_count: 999_999,
      is_gallery_featured: true,
    }
    await importFile(
      admin,
      await createFlowArchive(
        [{ ...flowRecord, id: flow.id, ...foreign }],
        [{ ...versionRecord, tree_id: flow.id }],
      ),
    )
    const rows = await service.sql('select * from trees where account_id = $1', [admin.accountId])
    expect(rows).toMatchObject([
      {
        author_id: admin.id,
        team_id: admin.teamId,
        category_id: null,
        parent_tree_id: null,
        root_tree_id: null,
        fork_depth: 0,
        is_gallery_featured: false,
        usage_count: '0',
      },
    ])
    expect(rows[0]?.id).not.toBe(flow.id)
    expect(await victim.client.flows.trees.get({ tree_id: flow.id })).toMatchObject({
      account_id: victim.accountId,
      version: 1,
    })
  })

  it('DAT-08 restores the team and the category of a script, or uses the team of the importer and no category', async () => {
    const [team, category, lost] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const createScriptRecord = (name: string, team_id: string, category_id: string) => ({
      ...{ id: crypto.randomUUID(), name, team_id, category_id },
      ...{ language: 'bash', script_body: 'uptime' },
    })
    const files = {
      'teams.jsonl': toLines([{ id: team, name: 'Field service' }]),
      'script_categories.jsonl': toLines([{ id: category, name: 'Linux' }]),
      'scripts.jsonl': toLines([
        createScriptRecord('Known', team, category),
        createScriptRecord('Lost', lost, lost),
      ]),
    }
    const admin = await createAdmin()
    await importFile(admin, await createFlowArchive([], [], files))
    const rows = await service.sql(
      `select s.name, t.name as team, c.name as category from script_templates s left join teams t on t.id = s.team_id
         left join script_categories c on c.id = s.category_id where s.account_id = $1 order by s.name`,
      [admin.accountId],
    )
    expect(rows).toEqual([
      { name: 'Known', team: 'Field service', category: 'Linux' },
      { name: 'Lost', team: 'Test team', category: null },
    ])
  })

  it('DAT-08 counts the records of the kinds that an import does not restore', async () => {
    const counts = { flows: 0, flow_files: 2, sessions: 3, approvals: 0 }
    const archive = await createArchive({
      'manifest.json': JSON.stringify({ ...JSON.parse(manifest), counts }),
    })
    expect((await importFile(await createAdmin(), archive)).not_restored).toEqual({ sessions: 3 })
  })

  it('DAT-10 a circle of forks becomes flows without a parent', async () => {
    const [a, b] = [crypto.randomUUID(), crypto.randomUUID()]
    const flows = [
      { ...flowRecord, id: a, parent_tree_id: b },
      { ...flowRecord, id: b, parent_tree_id: a },
    ]
    const admin = await createAdmin()
    await importFile(
      admin,
      await createFlowArchive(
        flows,
        [a, b].map((tree_id) => ({ ...versionRecord, tree_id })),
      ),
    )
    expect(await admin.client.flows.trees.list({ author_id: admin.id })).toMatchObject([
      { parent_tree_id: null },
      { parent_tree_id: null },
    ])
  })

  it('DAT-10 a fork of a fork keeps its parent and the first flow of its line', async () => {
    const ids = ['A', 'B', 'C'].map((name) => ({ name, id: crypto.randomUUID() }))
    const flows = ids.map(({ name, id }, n) => ({
      ...flowRecord,
      id,
      name,
      parent_tree_id: ids[n - 1]?.id ?? null,
    }))
    const admin = await createAdmin()
    const versions = ids.map(({ id }) => ({ ...versionRecord, tree_id: id }))
    await importFile(admin, await createFlowArchive(flows.toReversed(), versions))
    const rows = await service.sql(
      `select t.name, p.name as parent, r.name as root, t.fork_depth from trees t
         left join trees p on p.id = t.parent_tree_id left join trees r on r.id = t.root_tree_id where t.account_id = $1 order by t.name`,
      [admin.accountId],
    )
    expect(rows).toEqual([
      { name: 'A', parent: null, root: null, fork_depth: 0 },
      { name: 'B', parent: 'A', root: 'A', fork_depth: 1 },
      { name: 'C', parent: 'B', root: 'A', fork_depth: 2 },
    ])
  })

  /** Return an archive whose directory declares another size, after decompression, of every `flows` file. */
  async function declareSize(size: number, names: readonly string[], content: string): Promise<Bytes> {
    const archive = await createArchive({
      ...Object.fromEntries(names.map((name) => [name, content])),
      'manifest.json': manifest,
    })
    const text = Buffer.from(archive).toString('latin1')
    // https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, section 4.3.12
    for (let at = text.indexOf('PK\x01\x02'); at >= 0; at = text.indexOf('PK\x01\x02', at + 1))
      if (text.startsWith('flows', at + 46)) new DataView(archive.buffer).setUint32(at + 24, size, true)
    return archive
  }
  const deep = `{"id":"${flowId}","x":${'['.repeat(200)}${']'.repeat(200)}}\n`
  const hostile: [string, () => Promise<Bytes> | Bytes, RegExp][] = [
    ['no archive', () => new TextEncoder().encode('hello'), /ZIP archive/],
    [
      'a truncated archive',
      async () => (await createArchive({ 'manifest.json': manifest })).slice(0, 60),
      /ZIP archive/,
    ],
    ['an archive without a manifest', () => createArchive({ 'flows.jsonl': '' }), /must be an export/],
    [
      'another program’s manifest',
      () => createArchive({ 'manifest.json': '{"format":"x","version":1,"counts":{}}' }),
      /must be an export/,
    ],
    ['a file of 13 MiB', () => declareSize(13 * 2 ** 20, ['flows.jsonl'], '{}\n'), /ZIP archive/],
    [
      'files of 65 MiB together',
      () =>
        declareSize(
          11 * 2 ** 20,
          [1, 2, 3, 4, 5, 6].map((n) => `flows-${n}.jsonl`),
          '',
        ),
      /at most 64 MiB/,
    ],
  ]
  it.each(hostile)('DAT-11 refuses %s with 422 and stores nothing', async (_, create, message) => {
    const admin = await createAdmin()
    const error = await expectRefusal(startImport(admin, await create()), 422)
    expect(JSON.stringify(error.body)).toMatch(message)
    expect(await service.sql('select from account_imports where account_id = $1', [admin.accountId])).toEqual(
      [],
    )
  })

  it.each([
    [
      'a file that is larger than it declares',
      () => declareSize(10, ['flows.jsonl'], ' '.repeat(2_000_000)),
      /ZIP archive/,
    ],
    [
      'more than 100,000 records',
      () => createArchive({ 'flows.jsonl': '{}\n'.repeat(100_001), 'manifest.json': manifest }),
      /at most 100,000/,
    ],
    [
      'a deep value',
      () => createArchive({ 'flows.jsonl': deep, 'manifest.json': manifest }),
      /one JSON object per line/,
    ],
    [
      'a line that is no JSON',
      () => createArchive({ 'flows.jsonl': '{"a":\n', 'manifest.json': manifest }),
      /line 1 of flows/,
    ],
    [
      'a NUL character',
      () => createArchive({ 'flows.jsonl': '{"name":"\\u0000"}\n', 'manifest.json': manifest }),
      /one JSON object per line/,
    ],
  ] as [string, () => Promise<Bytes>, RegExp][])(
    'DAT-11 fails with %s and stores nothing',
    async (_, create, message) => {
      const admin = await createAdmin()
      const failed = await importFile(admin, await create())
      expect(failed).toMatchObject({ status: 'failed', restored: {} })
      expect(JSON.stringify(failed.problem)).toMatch(message)
      expect(await selectImported(admin)).toEqual([])
    },
  )

  it('DAT-11 refuses a file that occurs twice', async () => {
    const archive = await createArchive({
      'flows.jsonl': toLines([flowRecord]),
      'flowz.jsonl': '',
      'manifest.json': manifest,
    })
    const twice = Uint8Array.from(
      Buffer.from(Buffer.from(archive).toString('latin1').replaceAll('flowz', 'flows'), 'latin1'),
    )
    expect((await expectRefusal(startImport(await createAdmin(), twice), 422)).body).toMatchObject({
      errors: [{ msg: 'must not contain a file twice' }],
    })
  })

  it('DAT-11 ignores files with other names, such as paths to parent folders', async () => {
    const names = [
      '../flows.jsonl',
      '/etc/passwd',
      'flows.jsonl/../x',
      'flows-0.jsonl',
      'FLOWS.jsonl',
      'nested.zip',
      '__proto__.jsonl',
    ]
    const files = Object.fromEntries(names.map((name) => [name, toLines([flowRecord])]))
    expect(await importFile(await createAdmin(), await createFlowArchive([], [], files))).toMatchObject({
      restored: { flows: 0 },
    })
  })

  it('DAT-11 refuses another version of the format with 400', async () => {
    const archive = await createArchive({ 'manifest.json': manifest.replace('"version":1', '"version":2') })
    const error = await expectRefusal(startImport(await createAdmin(), archive), 400)
    expect(error.body).toMatchObject({ code: 'unsupported_version' })
  })

  it('DAT-12 stores nothing when the limit of the plan is reached', async () => {
    const admin = await createAdmin()
    await service.sql(`update accounts set plan = 'free', subscription_status = 'free' where id = $1`, [
      admin.accountId,
    ])
    const [{ max_flows: limit } = { max_flows: 0 }] = await service.sql<{ max_flows: number }>(
      `select max_flows from plan_limits where plan = 'free'`,
    )
    const ids = Array.from({ length: limit + 1 }, () => crypto.randomUUID())
    const archive = await createFlowArchive(
      ids.map((id) => ({ ...flowRecord, id })),
      ids.map((tree_id) => ({ ...versionRecord, tree_id })),
      { 'categories.jsonl': toLines([{ id: flowId, name: 'Printing' }]) },
    )
    expect(await importFile(admin, archive)).toMatchObject({
      status: 'failed',
      problem: { code: 'limit_reached', resource: 'flows' },
    })
    expect(await service.sql('select from categories where account_id = $1', [admin.accountId])).toEqual([])
    expect(await selectImported(admin)).toEqual([])
  })
})
