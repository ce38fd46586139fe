import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadContent } from '#db/content.ts'
import { readContent } from '#db/content-files.ts'
import { columnDefaults } from '#rules/flows/rfflow.ts'

const categoryId = '00000000-0000-7000-8000-000000000401'
const flowId = '00000000-0000-7000-8000-000000000101'

/** Write content files into a temporary folder, which is removed when the test ends. */
async function writeContent(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'content-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of ['device-types', 'flows'])
    await mkdir(join(folder, 'content', name), { recursive: true })
  const categories = JSON.stringify([{ id: categoryId, name: 'Printing' }])
  for (const [name, text] of Object.entries({ 'categories.json': categories, ...files })) {
    await mkdir(dirname(join(folder, 'content', name)), { recursive: true })
    await writeFile(join(folder, 'content', name), text)
  }
  return folder
}

const writeFlow = (category: string) => `---
id: ${flowId}
name: Printer offline
type: troubleshooting
${category}---

## Solution: Restart it {#restart}

Switch the printer off and on.
`

it('a flow without a line with its category is reported at its first line', async () => {
  const folder = await writeContent({ 'flows/printer.md': writeFlow('') })
  await expect(readContent(folder)).rejects.toThrow(
    "The platform's content is not valid:\ncontent/flows/printer.md:1: The flow needs a category that is in content/categories.json",
  )
})

it('only files with the extension of their folder are read, in the order of their names', async () => {
  const type = (n: number) =>
    JSON.stringify([{ id: `00000000-0000-7000-8000-00000000050${n}`, name: `Type ${n}`, icon: 'x' }])
  const folder = await writeContent({
    'device-types/network.json': type(2),
    'device-types/compute.json': type(1),
    'device-types/notes.txt': 'no JSON',
    'flows/README.txt': 'no flow',
  })
  expect(await readContent(folder)).toMatchObject({
    categories: [{ id: categoryId, name: 'Printing', file: 'content/categories.json' }],
    deviceTypes: [
      { name: 'Type 1', category: 'compute', file: 'content/device-types/compute.json' },
      { name: 'Type 2', category: 'network', file: 'content/device-types/network.json' },
    ],
    flows: [],
  })
})

it.each([
  ['{}', 'content/categories.json:1: The list: '],
  ['[\n{"id":"x","name":"a"}]', 'content/categories.json:2: id: '],
  ['[{', 'content/categories.json:1: The file is not valid JSON: '],
])('the categories %j are reported', async (text, problem) => {
  await expect(readContent(await writeContent({ 'categories.json': text }))).rejects.toThrow(problem)
})

it('a minimal flow is loaded without description, tags and intake fields', async () => {
  const { flows } = await readContent(
    await writeContent({ 'flows/printer.md': writeFlow('category: Printing\n') }),
  )
  const [flow] = flows
  if (!flow) throw new Error('The flow was not read')
  const { description: _, tags: __, intake_form: ___, ...minimal } = flow
  const statements: unknown[][] = []
  const client = {
    query: async (_sql: string, values: unknown[]) => {
      statements.push(values)
      return { rowCount: 1 }
    },
  }
  expect(
    await loadContent(client, { categories: [], deviceTypes: [], flows: [minimal as typeof flow] }),
  ).toEqual(['content/flows/printer.md'])
  const tree = JSON.stringify(minimal.tree_structure)
  const [[id, row] = [], version] = statements
  const columns = {
    ...columnDefaults,
    name: 'Printer offline',
    tree_type: minimal.tree_type,
    category_id: categoryId,
  }
  expect([id, JSON.parse(String(row))]).toEqual([flowId, columns])
  expect(version).toEqual([flowId, 'Printing', tree, '[]'])
})

it.each([
  [0, 1, ['content/a.json'], 3],
  [0, 0, [], 2],
  [1, 0, ['content/a.json'], 2],
  [null, 0, [], 2],
])(
  'a flow of which %j rows are inserted and %j updated is loaded with %j',
  async (inserted, updated, files, calls) => {
    const counts = [inserted, ...(inserted ? [] : [updated]), 1]
    let statements = 0
    const client = { query: async () => ({ rowCount: counts[statements++] ?? null }) }
    const flow = {
      id: flowId,
      categoryId,
      file: 'content/a.json',
      tags: [],
      intake_form: [],
      tree_structure: {},
    } as never
    expect([
      await loadContent(client, { categories: [], deviceTypes: [], flows: [flow] }),
      statements,
    ]).toEqual([files, calls])
  },
)
