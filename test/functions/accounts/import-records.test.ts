import { describe, expect, it } from 'vitest'
import { FlowRecord, FlowVersionRecord, Manifest, recordSchemas } from '#functions/accounts/import-records/schemas.ts'
import { openArchive, planImport, readPlanned, readVersions } from '#functions/accounts/import-records/service.ts'
import { type FieldError, Problem } from '#problem.ts'
import { createBudget, stepsPerSecond } from '#rules/budget.ts'
import { createArchive, manifest } from '#test/contract/fixtures-exports.ts'
import { listLimits } from '#test/lib/rules/flows/schema-limits.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'

const toLines = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const toId = (n: number) => `01934b6e-7d1a-7c3e-9f20-${String(n).padStart(12, '0')}`
const openFiles = async (files: Record<string, string>) => openArchive(await createArchive({ ...files, 'manifest.json': manifest }))
const planFiles = async (files: Record<string, string>) => planImport(await openFiles(files), createBudget())

const flow = { id: toId(1), tree_type: 'troubleshooting', status: 'published', visibility: 'account', name: 'Printer', version: 1 }
const version = {
  ...{ tree_id: toId(1), version: 1, status: 'published', name: 'Printer', tree_type: 'troubleshooting' },
  tree_structure: printerFlow(),
}
const step = { id: toId(1), title: 'Restart', step_type: 'action', visibility: 'team' }

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const value of values) collected.push(value)
  return collected
}

/** Return the messages with which a promise is refused, or undefined if it is not. */
const findMessages = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Problem ? (error.body.errors as FieldError[]).map(({ msg }) => msg) : error),
  )

describe('a file of records', () => {
  it.each([
    ['with a line break at its end', '{"id":1}\n', undefined],
    ['without a line break at its end', '{"id":1}', undefined],
    ['that is empty', '', undefined],
    ['that starts with an empty line', '\n{"id":1}\n', 'line 1 of teams'],
    ['with an empty line', '{"id":1}\n\n{"id":2}\n', 'line 2 of teams'],
    ['with a number', '{"id":1}\n7\n', 'line 2 of teams'],
    ['with null', 'null\n', 'line 1 of teams'],
    ['of 128 levels', `{"a":${'['.repeat(127)}${']'.repeat(127)}}`, undefined],
    ['of 129 levels', `{"a":${'['.repeat(128)}${']'.repeat(128)}}`, 'line 1 of teams'],
  ])('DAT-11 %s is read or refused', async (_, text, place) => {
    const messages = await findMessages(planFiles({ 'teams.jsonl': text }))
    expect(messages).toEqual(place && [`must have one JSON object per line; ${place} is something else`])
  })

  const tooMany = 'must have at most 100,000 records of a kind'
  const noRecord = (line: number) => `must have one JSON object per line; line ${line} of teams is something else`

  // A file that is read fails at its first line, which takes less time than to check its records.
  it.each([
    ['100,000 lines', ['\n'.repeat(100_000)], noRecord(1)],
    ['100,001 lines', ['\n'.repeat(100_001)], tooMany],
    ['100,000 lines in two files', ['{}\n', '\n'.repeat(99_999)], noRecord(2)],
    ['100,001 lines in two files', ['{}\n', '\n'.repeat(100_000)], tooMany],
  ])('DAT-11 of %s is read or refused', async (_, texts, message) => {
    const files = Object.fromEntries(texts.map((text, n) => [`teams-${n + 1}.jsonl`, text]))
    expect(await findMessages(planFiles(files))).toEqual([message])
  })

  it.each([
    ['teams.jsonl', 1],
    ['teams-1.jsonl', 1],
    ['teams-999999.jsonl', 1],
    ['teams-1000000.jsonl', 0],
    ['teams-0.jsonl', 0],
    ['teams-01.jsonl', 0],
    ['teams.json', 0],
    ['teams-.jsonl', 0],
  ])('%s contains %i kind of records', async (name, expected) => {
    expect((await openFiles({ [name]: '' })).entries).toHaveLength(expected)
  })
})

describe('the size of an archive', () => {
  /** Return an archive whose directory declares a size of each `flows` file. */
  async function declareSizes(sizes: readonly number[]) {
    const archive = await createArchive({
      ...Object.fromEntries(sizes.map((_, n) => [`flows-${n + 1}.jsonl`, ''])),
      'manifest.json': manifest,
    })
    const text = Buffer.from(archive).toString('latin1')
    const view = new DataView(archive.buffer)
    for (const [n, size] of sizes.entries()) view.setUint32(text.lastIndexOf(`flows-${n + 1}.jsonl`) - 46 + 24, size, true)
    return archive
  }
  const mebibytes = (count: number) => count * 2 ** 20

  it.each([
    [[32, 32].map(mebibytes), undefined],
    [[mebibytes(32), mebibytes(32) + 1], ['must have at most 64 MiB of records that can be restored, after decompression']],
  ])('DAT-11 may be 64 MiB of records: %j', async (sizes, expected) => {
    expect(await findMessages(openArchive(await declareSizes(sizes)))).toEqual(expected)
  })
})

describe('what a plan leaves out', () => {
  it.each([
    ['categories', { id: toId(1) }, null, /^name: /],
    ['categories', { id: 'x', name: 7 }, null, /^id: /],
    ['library_steps', { ...step, source_tree_id: toId(2) }, 'Restart', /^must name its flow and node, or neither$/],
    ['library_steps', { ...step, source_tree_id: toId(2), source_node_id: 'a' }, 'Restart', /^must name its flow and node, or neither$/],
    [
      'library_steps',
      { ...step, source_tree_id: toId(2), source_tree_name: 'Printer' },
      'Restart',
      /^must name its flow and node, or neither$/,
    ],
    [
      'library_steps',
      { ...step, source_node_id: 'a', source_tree_name: 'Printer' },
      'Restart',
      /^must name its flow and node, or neither$/,
    ],
    ['teams', { id: toId(1), name: 'x'.repeat(300) }, 'x'.repeat(200), /^name: /],
  ])('DAT-10 names a record of %s: %j', async (kind, record, name, reason) => {
    const { ids, skipped } = await planFiles({ [`${kind}.jsonl`]: toLines([record]) })
    expect(skipped).toEqual({ count: 1, records: [{ kind, name, reason: expect.stringMatching(reason) }] })
    expect(ids[kind as keyof typeof ids].size).toBe(0)
  })

  it.each([
    ['no flow and no node', {}],
    ['a flow and a node', { source_tree_id: toId(2), source_node_id: 'a', source_tree_name: 'Printer' }],
  ])('DAT-10 keeps a library step with %s', async (_, source) => {
    const { ids, skipped } = await planFiles({ 'library_steps.jsonl': toLines([{ ...step, ...source }]) })
    expect([skipped.count, ids.library_steps.size]).toEqual([0, 1])
  })

  it('DAT-10 names the version whose structure has another type, and its flow', async () => {
    const wrong = { ...version, tree_structure: patchProcedure() }
    const { skipped } = await planFiles({ 'flows.jsonl': toLines([flow]), 'flow_versions.jsonl': toLines([wrong]) })
    expect(skipped.records).toEqual([
      { kind: 'flow_versions', name: 'Printer', reason: expect.stringMatching(/^tree_structure: /) },
      { kind: 'flows', name: 'Printer', reason: 'its current version is not valid' },
    ])
  })

  it('DAT-10 keeps a draft without a structure', async () => {
    const draft = { ...version, status: 'draft', tree_structure: null }
    const { skipped, ids } = await planFiles({
      'flows.jsonl': toLines([{ ...flow, status: 'draft' }]),
      'flow_versions.jsonl': toLines([draft]),
    })
    expect([skipped.records, ids.flows.size]).toEqual([[], 1])
  })
})

describe('the records that a plan restores', () => {
  it('are each read once, and the account without an id', async () => {
    const category = { id: toId(1), name: 'Printing' }
    const archive = await openFiles({
      'categories.jsonl': toLines([category, category, { id: toId(2) }, { id: toId(3), name: 'Network' }]),
      'account.jsonl': toLines([{ timezone: 'no zone' }]),
    })
    const plan = await planImport(archive, createBudget())
    expect(await collect(readPlanned(archive, 'categories', plan))).toEqual([category, { id: toId(3), name: 'Network' }])
    expect(await collect(readPlanned(archive, 'account', plan))).toEqual([])
  })

  it('contain the versions of the planned flows, each once, but no invalid one', async () => {
    const old = { ...version, version: 2, name: 'Second' }
    const archive = await openFiles({
      'flows.jsonl': toLines([flow]),
      'flow_versions.jsonl': toLines([
        version,
        { ...version, name: 'Again' },
        old,
        { ...version, version: 3, name: '' },
        { ...version, version: 3, name: 'After an invalid one' },
        { ...version, tree_id: toId(2), name: 'Of no flow' },
      ]),
    })
    const plan = await planImport(archive, createBudget())
    expect((await collect(readVersions(archive, plan))).map(({ name }) => name)).toEqual(['Printer', 'Second'])
  })
})

it.each([
  [1001, 0, 1000],
  [1002, 0, 1000],
])('DAT-10 a line of %i forks starts with a flow without a parent', async (count, first, last) => {
  const ids = Array.from({ length: count }, (_, n) => toId(n + 1))
  const { flows } = await planFiles({
    'flows.jsonl': toLines(ids.map((id, n) => ({ ...flow, id, parent_tree_id: n === 0 ? null : ids[n - 1] }))),
    'flow_versions.jsonl': toLines(ids.map((tree_id) => ({ ...version, tree_id, status: 'draft', tree_structure: null }))),
  })
  expect([flows.length, flows.at(0)?.depth, flows.at(-1)?.depth]).toEqual([count, first, last])
  expect(flows.filter(({ parent_tree_id }) => parent_tree_id === null)).toHaveLength(count - 1000)
})

it('DAT-10 the records of an archive have these limits', async () => {
  const schemas = { ...recordSchemas, flows: FlowRecord, flow_versions: FlowVersionRecord, manifest: Manifest }
  const lines = Object.entries(schemas).flatMap(([kind, schema]) => listLimits(schema, kind))
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('import-records.txt')
})

describe('DAT-13 an import', () => {
  const createScripts = (count: number, script_body: string) =>
    toLines(Array.from({ length: count }, (_, index) => ({ id: toId(index), name: 'A', language: 'bash', script_body })))
  const variables = '{{a}}\n'.repeat(30_000)

  it('DAT-13 counts the check of each script, and checks none of them again when it stores them', async () => {
    const budget = createBudget({ steps: 10 * stepsPerSecond })
    const archive = await openFiles({ 'scripts.jsonl': createScripts(3, 'echo 1\n'.repeat(1000)) })
    const plan = await planImport(archive, budget)
    const { steps } = budget.getSpent()
    expect(steps).toBeGreaterThan(3 * 7000 * 5)
    expect(await collect(readPlanned(archive, 'scripts', plan))).toHaveLength(3)
    expect(budget.getSpent().steps).toBe(steps)
  })

  it('DAT-13 leaves out a script that takes too much work to check', async () => {
    const parameters_schema = [{ name: 'p', label: 'P', type: 'string' }]
    const script = {
      id: toId(1),
      name: 'A',
      language: 'python',
      script_body: `print({{ p }})\n${'a = '.repeat(40_000)}a`,
      parameters_schema,
    }
    const archive = await openFiles({ 'scripts.jsonl': toLines([script]) })
    const { skipped } = await planImport(archive, createBudget({ steps: 10 * stepsPerSecond }))
    expect(skipped.records.map(({ reason }) => reason)).toEqual(['script_body: takes too much work to check'])
  })

  it('DAT-13 is refused when all its records take too much work', async () => {
    const archive = await openFiles({ 'scripts.jsonl': createScripts(100, variables) })
    await expect(planImport(archive, createBudget({ steps: stepsPerSecond / 10 }))).rejects.toMatchObject({ status: 422 })
  })
})
