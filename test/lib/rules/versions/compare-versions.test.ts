import { expect, it } from 'vitest'
import { toDiagramContent } from '#rules/diagrams/compare.ts'
import { toFlowContent } from '#rules/flows/compare.ts'
import type { FlowNode, FlowStep } from '#rules/flows/structure.ts'
import { type Content, compareVersions, type Item } from '#rules/versions/compare.ts'
import { compareTexts } from '#rules/versions/compare-texts.ts'
import { renderComparison } from '#rules/versions/html.ts'
import type { Comparison } from '#rules/versions/schema.ts'

const step = (id: string, parentId: string | null = null, fields: Item['fields'] = {}): Item => ({
  list: 'steps',
  id,
  label: id,
  parentId,
  fields,
})
const ordered = (items: Item[], fields: Content['fields'] = {}): Content => ({
  fields,
  items,
  isOrdered: true,
})
const summarize = (before: Content, after: Content) =>
  compareVersions(before, after).items.map(
    ({ id, change, moved }) => `${id} ${change}${moved ? ' moved' : ''}`,
  )

it('VER-05 finds nothing between two versions with the same content, whatever the order of the keys of their JSON', () => {
  const before = ordered([step('a', null, { style: { x: 1, y: 2 } })], { name: 'A', description: '' })
  const after = ordered([step('a', null, { style: { y: 2, x: 1 } })], { name: 'A', description: null })
  expect(compareVersions(before, after)).toEqual({ fields: [], items: [] })
})

it('VER-05 reports the one step that moved, not those that it passed', () => {
  const before = ordered(['a', 'b', 'c', 'd'].map((id) => step(id)))
  const after = ordered(['d', 'a', 'b', 'c'].map((id) => step(id)))
  expect(summarize(before, after)).toEqual(['d changed moved'])
  expect(compareVersions(before, after).items[0]).toMatchObject({
    position_before: { parent_id: null, index: 3 },
    position_after: { parent_id: null, index: 0 },
    fields: [],
  })
})

it('VER-05 reports a step below another parent as moved, and one that only follows an added step as unchanged', () => {
  const before = ordered([step('root'), step('a', 'root'), step('b', 'root')])
  const after = ordered([step('root'), step('new', 'root'), step('a', 'root'), step('b', 'a')])
  expect(summarize(before, after)).toEqual(['new added', 'b changed moved'])
})

it('VER-05 compares a long text word by word, and texts without similarity as a whole', () => {
  const compare = (before: string, after: string) =>
    compareVersions(ordered([], { text: before }), ordered([], { text: after })).fields[0]
  const words =
    'Restart the spooler and wait until the queue of the printer is empty, then print a test page.'
  expect(compare(words, words.replace('spooler', 'service'))?.parts).toEqual([
    { op: 'equal', text: 'Restart the ' },
    { op: 'delete', text: 'spooler' },
    { op: 'insert', text: 'service' },
    { op: 'equal', text: ' and wait until the queue of the printer is empty, then print a test page.' },
  ])
  const lines = (prefix: string) => Array.from({ length: 5000 }, (_, n) => `${prefix} ${n}\n`).join('')
  expect(compare(lines('a'), lines('b'))?.parts?.map(({ op }) => op)).toEqual(['delete', 'insert'])
})

it.each([
  [80, false],
  [81, true],
])('VER-05 shows the parts of a text of more than 80 characters: %i', (length, hasParts) => {
  const [before, after] = ['a'.repeat(length), 'b'.repeat(length)]
  const parts = [
    { op: 'delete', text: before },
    { op: 'insert', text: after },
  ]
  const [field] = compareVersions(ordered([], { text: before }), ordered([], { text: after })).fields
  expect(field).toEqual({
    field: 'text',
    ...(hasParts ? { before: null, after: null, parts } : { before, after, parts: null }),
  })
})

it.each([
  ['a list', ['x'], 'a\nb'],
  ['a number', 'a\nb', 7],
])('VER-05 shows a long text and %s as a whole', (_, before, after) => {
  expect(compareVersions(ordered([], { value: before }), ordered([], { value: after })).fields).toEqual([
    { field: 'value', before, after, parts: null },
  ])
})

it.each([
  ['added', null, 'a\nb', [{ op: 'insert', text: 'a\nb' }]],
  ['removed', 'a\nb', '', [{ op: 'delete', text: 'a\nb' }]],
])('VER-05 shows the parts of a long text that was %s', (_, before, after, parts) => {
  expect(compareVersions(ordered([], { text: before }), ordered([], { text: after })).fields).toEqual([
    { field: 'text', before: null, after: null, parts },
  ])
})

it.each([
  ['', ['equal', 'delete', 'insert', 'equal']],
  ['x', ['delete', 'insert']],
])(
  'VER-05 compares the words of two texts of 20,000 characters, and the lines of longer ones: %j',
  (more, ops) => {
    const words = 'w '.repeat(4999)
    expect(compareTexts(`${words}a\n`, `${words}b\n${more}`).map(({ op }) => op)).toEqual(ops)
  },
)

it('VER-05 reports no step as moved when the order has no meaning', () => {
  const [before, after] = [
    ['a', 'b'],
    ['b', 'a'],
  ].map((ids) => ({ ...ordered(ids.map((id) => step(id))), isOrdered: false }))
  expect(compareVersions(before as Content, after as Content).items).toEqual([])
})

it('VER-05 reports every step as moved when more than 1,000 have another place', () => {
  const ids = Array.from({ length: 1100 }, (_, n) => step(String(n)))
  expect(summarize(ordered(ids), ordered(ids.toReversed()))).toHaveLength(1100)
})

it('VER-06 describes where a step was moved from and to', () => {
  const before = ordered([step('a'), step('b', 'a'), step('c', 'a')])
  const after = ordered([step('a'), step('c'), step('b', 'a', { title: 'New' })])
  const page = renderComparison('A', { base: 1, version: 2, ...compareVersions(before, after) } as Comparison)
  expect([...page.matchAll(/class="badge">([^<]*)</g)].map(([, badge]) => badge)).toEqual([
    'steps c, moved from below a, place 2 to place 2',
    'steps b, changed',
  ])
})

it('VER-05 takes under 2 seconds for two texts of 200,000 characters and 500 steps in the opposite order', {
  retry: 2,
}, () => {
  const body = Array.from({ length: 10_000 }, (_, n) => `line number ${n}\n`)
  const ids = Array.from({ length: 500 }, (_, n) => step(String(n)))
  const before = ordered(ids, { body: body.join('') })
  const after = ordered(ids.toReversed(), { body: body.toReversed().join('') })
  const started = performance.now()
  expect(compareVersions(before, after).items).not.toEqual([])
  expect(performance.now() - started).toBeLessThan(2000)
})

it('VER-05 lists the steps of a tree and of a procedure with their parents', () => {
  const solution: FlowNode = { id: 's', type: 'solution', title: 'Done' }
  const root: FlowNode = { id: 'r', type: 'action', title: 'Try', next_node_id: 's', children: [solution] }
  const steps: FlowStep[] = [
    { id: 'p', type: 'procedure_step', title: 'One', fallback_steps: [{ id: 'f', title: 'Else' }] },
    { id: 'e', type: 'procedure_end' },
  ]
  const flow = { name: 'A', description: '', tree_type: 'troubleshooting' as const, intake_form: [] }
  const list = (content: Content) => content.items.map(({ id, parentId }) => [id, parentId])
  expect(list(toFlowContent({ ...flow, tree_structure: root }))).toEqual([
    ['r', null],
    ['s', 'r'],
  ])
  expect(list(toFlowContent({ ...flow, tree_structure: { steps } }))).toEqual([
    ['p', null],
    ['f', 'p'],
    ['e', null],
  ])
})

it('VER-06 shows the texts of users as texts, wherever they are in the comparison', () => {
  const text = '</dd><script>alert(1)</script>'
  const values = { field: text, before: text, after: [text], parts: null }
  const parts = (['equal', 'delete', 'insert'] as const).map((op) => ({ op, text }))
  const position = { parent_id: text, index: 0 }
  const item = {
    list: 'steps',
    id: text,
    label: text,
    change: 'changed',
    moved: true,
    position_before: position,
  } as const
  const fields = [values, { field: 'description', before: null, after: null, parts }]
  const page = renderComparison(text, {
    base: 1,
    version: 2,
    fields,
    items: [{ ...item, position_after: position, fields }],
  })
  expect(page).not.toContain('<script')
  expect(page.split('&lt;script&gt;')).toHaveLength(19)
})

it('VER-06 says that two versions have the same content', () => {
  expect(renderComparison('A', { base: 1, version: 2, fields: [], items: [] })).toContain(
    'The versions have the same content.',
  )
})

it('VER-06 shows added, removed, changed and moved parts with the old and the new values', () => {
  const before = ordered(
    [step('a', null, { title: 'A' }), step('b', null, { title: 'B' }), step('c', 'a', { tags: ['x'] })],
    {
      some_name: 'Old',
    },
  )
  const after = ordered(
    [step('a', null, { title: 'New' }), step('d', null, { title: 'D' }), step('c', 'd', { tags: ['x'] })],
    {
      some_name: '',
    },
  )
  const page = renderComparison('Flow', { base: 1, version: 2, ...compareVersions(before, after) })
  expect(
    page.slice(page.indexOf('<h1'), page.indexOf('</main>')),
  ).toBe(`<h1 dir="auto">Flow: changes from version 1 to version 2</h1>
<h2>Fields</h2>
<dl>
<dt>some name</dt>
<dd dir="auto"><del>Old</del></dd>
</dl>
<h2>Parts</h2>
<section class="item changed">
<h3 dir="auto">a <span class="badge">steps a, changed</span></h3>
<dl>
<dt>title</dt>
<dd dir="auto"><del>A</del> <ins>New</ins></dd>
</dl>
</section>
<section class="item added">
<h3 dir="auto">d <span class="badge">steps d, added</span></h3>
<dl>
<dt>title</dt>
<dd dir="auto"><ins>D</ins></dd>
</dl>
</section>
<section class="item changed">
<h3 dir="auto">c <span class="badge">steps c, moved from below a, place 1 to below d, place 1</span></h3>
</section>
<section class="item removed">
<h3 dir="auto">b <span class="badge">steps b, removed</span></h3>
<dl>
<dt>title</dt>
<dd dir="auto"><del>B</del></dd>
</dl>
</section>
`)
})

it('VER-05 compares a flow by its fields, its questions and its steps, in their order', () => {
  const flow = { name: 'N', description: 'D', tree_type: 'procedural' as const }
  const question = { key: 'k', label: 'K', type: 'text' as const, required: false }
  const steps: FlowStep[] = [
    { id: 'a', type: 'procedure_step', title: null, fallback_steps: [{ id: 'f', title: 'F' }] },
  ]
  const { key: _, ...fields } = question
  expect(toFlowContent({ ...flow, tree_structure: { steps }, intake_form: [question] })).toEqual({
    fields: flow,
    items: [
      { list: 'questions', id: 'k', label: 'K', parentId: null, fields },
      { list: 'steps', id: 'a', label: '', parentId: null, fields: { type: 'procedure_step', title: null } },
      { list: 'steps', id: 'f', label: 'F', parentId: 'a', fields: { title: 'F' } },
    ],
    isOrdered: true,
  })
  expect(toFlowContent({ ...flow, tree_structure: null, intake_form: [] })).toEqual({
    fields: flow,
    items: [],
    isOrdered: true,
  })
})

it('VER-05 compares a diagram by its fields, its nodes and its edges, whatever their order', () => {
  const fields = { name: 'N', description: 'D', client_name: null, asset_name: 'A' }
  const position = { x: 0, y: 0 }
  const nodes = [
    { id: 'a', type: 'network', position, data: { label: 'Switch' } },
    { id: 'b', type: 'network', position, data: { label: 5 } },
  ]
  const edges = [
    { id: 'e', source: 'a', target: 'b', label: '10G' },
    { id: 'f', source: 'a', target: 'b' },
  ]
  expect(toDiagramContent({ ...fields, nodes, edges })).toEqual({
    fields,
    items: [
      {
        list: 'nodes',
        id: 'a',
        label: 'Switch',
        parentId: null,
        fields: { type: 'network', position, data: { label: 'Switch' } },
      },
      {
        list: 'nodes',
        id: 'b',
        label: '',
        parentId: null,
        fields: { type: 'network', position, data: { label: 5 } },
      },
      {
        list: 'edges',
        id: 'e',
        label: '10G',
        parentId: null,
        fields: { source: 'a', target: 'b', label: '10G' },
      },
      { list: 'edges', id: 'f', label: '', parentId: null, fields: { source: 'a', target: 'b' } },
    ],
    isOrdered: false,
  })
})
