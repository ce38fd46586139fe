import { describe, expect, it } from 'vitest'
import {
  FlowRecord,
  FlowVersionRecord,
  Manifest,
  recordSchemas,
} from '#functions/accounts/import-records/schemas.ts'
import {
  type CheckedSlice,
  checkSlice,
  firstPosition,
  openArchive,
  sliceSteps,
} from '#functions/accounts/import-records/service.ts'
import { type FieldError, Problem } from '#problem.ts'
import { createBudget, jobSteps, runWithin, stepsPerSecond } from '#rules/budget.ts'
import { createArchive, manifest } from '#test/contract/fixtures-exports.ts'
import { listLimits } from '#test/lib/rules/flows/schema-limits.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'
import { night } from '#test/support/night.ts'

const toLines = (records: readonly unknown[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
const toId = (n: number) => `01934b6e-7d1a-7c3e-9f20-${String(n).padStart(12, '0')}`
const openFiles = async (files: Record<string, string>) =>
  openArchive(await createArchive({ ...files, 'manifest.json': manifest }))

/** Check the records of an archive, slice after slice. */
async function checkFiles(files: Record<string, string>, steps?: number): Promise<CheckedSlice[]> {
  const archive = await openFiles(files)
  const slices: CheckedSlice[] = []
  for (let next: CheckedSlice['next'] = firstPosition; next; next = slices.at(-1)?.next ?? null)
    slices.push(await runWithin(createBudget({ steps: jobSteps }), () => checkSlice(archive, next, steps)))
  return slices
}

const flow = {
  id: toId(1),
  tree_type: 'troubleshooting',
  status: 'published',
  visibility: 'account',
  name: 'Printer',
  version: 1,
}
const version = {
  ...{ tree_id: toId(1), version: 1, status: 'published', name: 'Printer', tree_type: 'troubleshooting' },
  tree_structure: printerFlow(),
}
const step = { id: toId(1), title: 'Restart', step_type: 'action', visibility: 'team' }

/** Return the messages with which a promise is refused, or undefined if it is not. */
const findMessages = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) =>
      error instanceof Problem ? (error.body.errors as FieldError[]).map(({ msg }) => msg) : error,
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
    const messages = await findMessages(checkFiles({ 'teams.jsonl': text }))
    expect(messages).toEqual(place && [`must have one JSON object per line; ${place} is something else`])
  })

  const tooMany = 'must have at most 100,000 records of a kind'
  const noRecord = (line: number) =>
    `must have one JSON object per line; line ${line} of teams is something else`

  // A file that is read fails at its first line, which takes less time than to check its records.
  it.each([
    ['100,000 lines', ['\n'.repeat(100_000)], noRecord(1)],
    ['100,001 lines', ['\n'.repeat(100_001)], tooMany],
    ['100,000 lines in two files', ['{}\n', '\n'.repeat(99_999)], noRecord(2)],
    ['100,001 lines in two files', ['{}\n', '\n'.repeat(100_000)], tooMany],
  ])('DAT-11 of %s is read or refused', async (_, texts, message) => {
    const files = Object.fromEntries(texts.map((text, n) => [`teams-${n + 1}.jsonl`, text]))
    expect(await findMessages(checkFiles(files))).toEqual([message])
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
    for (const [n, size] of sizes.entries())
      view.setUint32(text.lastIndexOf(`flows-${n + 1}.jsonl`) - 46 + 24, size, true)
    return archive
  }
  const mebibytes = (count: number) => count * 2 ** 20

  it.each([
    [[12, 12, 12, 12, 12, 4].map(mebibytes), undefined],
    [
      [...[12, 12, 12, 12, 12].map(mebibytes), mebibytes(4) + 1],
      ['must have at most 64 MiB of records that can be restored, after decompression'],
    ],
  ])('DAT-11 may be 64 MiB of records: %j', async (sizes, expected) => {
    expect(await findMessages(openArchive(await declareSizes(sizes)))).toEqual(expected)
  })
})

describe('what a check leaves out', () => {
  it.each([
    ['categories', { id: toId(1) }, null, /^name: /],
    ['categories', { id: 'x', name: 7 }, null, /^id: /],
    [
      'library_steps',
      { ...step, source_tree_id: toId(2) },
      'Restart',
      /^must name its flow and node, or neither$/,
    ],
    [
      'library_steps',
      { ...step, source_tree_id: toId(2), source_node_id: 'a' },
      'Restart',
      /^must name its flow and node, or neither$/,
    ],
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
    const [slice] = await checkFiles({ [`${kind}.jsonl`]: toLines([record]) })
    expect(slice).toMatchObject({
      skipped: [{ kind, name, reason: expect.stringMatching(reason) }],
      records: [],
    })
  })

  it.each([
    ['no flow and no node', {}],
    ['a flow and a node', { source_tree_id: toId(2), source_node_id: 'a', source_tree_name: 'Printer' }],
  ])('DAT-10 keeps a library step with %s', async (_, source) => {
    const [slice] = await checkFiles({ 'library_steps.jsonl': toLines([{ ...step, ...source }]) })
    expect(slice).toMatchObject({ skipped: [], records: [{ kind: 'library_steps', place: 1 }] })
  })

  it('DAT-10 names the version whose structure has another type, and remembers it for its flow', async () => {
    const wrong = { ...version, tree_structure: patchProcedure() }
    const [slice] = await checkFiles({
      'flows.jsonl': toLines([flow]),
      'flow_versions.jsonl': toLines([wrong]),
    })
    expect(slice).toMatchObject({
      skipped: [
        { kind: 'flow_versions', name: 'Printer', reason: expect.stringMatching(/^tree_structure: /) },
      ],
      records: [{ kind: 'flow_versions', key: `${toId(1)}/1`, is_valid: false, record: null }],
    })
  })

  it('DAT-10 keeps a draft without a structure', async () => {
    const draft = { ...version, status: 'draft', tree_structure: null }
    const slices = await checkFiles({
      'flows.jsonl': toLines([{ ...flow, status: 'draft' }]),
      'flow_versions.jsonl': toLines([draft]),
    })
    expect(slices.flatMap(({ skipped }) => skipped)).toEqual([])
    expect(slices.flatMap(({ records }) => records.map(({ kind, is_valid }) => [kind, is_valid]))).toEqual([
      ['flow_versions', true],
      ['flows', true],
    ])
  })
})

it('DAT-10 the records of an archive have these limits', async () => {
  const schemas = {
    ...recordSchemas,
    flows: FlowRecord,
    flow_versions: FlowVersionRecord,
    manifest: Manifest,
  }
  const lines = Object.entries(schemas).flatMap(([kind, schema]) => listLimits(schema, kind))
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('import-records.txt')
})

describe('a slice', () => {
  const createScripts = (count: number, script_body: string) =>
    toLines(
      Array.from({ length: count }, (_, index) => ({
        id: toId(index),
        name: 'A',
        language: 'bash',
        script_body,
      })),
    )

  it('DAT-13 counts the check of each script', async () => {
    const budget = createBudget({ steps: 10 * stepsPerSecond })
    const archive = await openFiles({ 'scripts.jsonl': createScripts(3, 'echo 1\n'.repeat(1000)) })
    await runWithin(budget, () => checkSlice(archive, firstPosition))
    expect(budget.getSpent().steps).toBeGreaterThan(3 * 7000 * 5)
  })

  it('DAT-13 leaves out a script that takes too much work to check, and checks the others', async () => {
    const parameters_schema = [{ name: 'p', label: 'P', type: 'string' }]
    const body = `print({{ p }})\n${'a = '.repeat(40_000)}a`
    const script = { id: toId(1), name: 'A', language: 'python', script_body: body, parameters_schema }
    const others = [2, 3].map((n) => ({ ...script, id: toId(n), script_body: 'print({{ p }})' }))
    const slices = await checkFiles({ 'scripts.jsonl': toLines([others[0], script, others[1]]) })
    expect(slices.flatMap(({ skipped }) => skipped)).toEqual([
      { kind: 'scripts', name: 'A', reason: 'takes too much work to check' },
    ])
    expect(slices.flatMap(({ records }) => records.map(({ place }) => place))).toEqual([1, 3])
  })

  it(
    'DAT-14 ends after a quarter of a second of work, and the next one continues at the next record',
    night,
    async () => {
      const archive = await openFiles({
        'scripts-1.jsonl': createScripts(3, 'echo {{ a }}\n'.repeat(10_000)),
        'scripts-2.jsonl': createScripts(3, 'echo 1\n'.repeat(20_000)),
      })
      const places: number[] = []
      const counts: number[] = []
      let slices = 0
      for (let next: CheckedSlice['next'] = firstPosition; next; slices++) {
        const position = next
        const budget = createBudget({ steps: jobSteps })
        const slice: CheckedSlice = await runWithin(budget, () => checkSlice(archive, position))
        expect(budget.getSpent().steps).toBeLessThanOrEqual(sliceSteps)
        counts.push(slice.done)
        places.push(...slice.records.map(({ place }) => place))
        next = slice.next
        places.push(...slice.skipped.map(() => 0))
      }
      expect(slices).toBeGreaterThan(2)
      expect(places).toHaveLength(6)
      expect(counts).toEqual(counts.toSorted((a, b) => a - b))
      expect(counts.at(-1)).toBe(archive.entries.reduce((sum, { size }) => sum + size, 0))
    },
  )

  it('DAT-14 is smaller with fewer steps, and has one record at least', async () => {
    const files = { 'scripts.jsonl': createScripts(4, 'echo 1\n'.repeat(500)) }
    const budget = createBudget()
    const archive = await openFiles({ 'scripts.jsonl': createScripts(1, 'echo 1\n'.repeat(500)) })
    await runWithin(budget, () => checkSlice(archive, firstPosition))
    const { steps } = budget.getSpent()
    const count = async (limit: number) =>
      (await checkFiles(files, limit)).map(({ records }) => records.length)
    // Flows are the last slice.
    expect(await count(4 * steps)).toEqual([4, 0])
    expect(await count(2.5 * steps)).toEqual([2, 2, 0])
    expect(await count(1)).toEqual([1, 1, 1, 1, 0])
  })
})
