import { describe, expect, it } from 'vitest'
import { type Content, compareVersions, type Item } from '#rules/versions/compare.ts'
import { compareTexts, isLongText } from '#rules/versions/compare-texts.ts'
import { renderComparison } from '#rules/versions/html.ts'

describe('isLongText', () => {
  it.each([
    ['x'.repeat(80), false],
    ['x'.repeat(81), true],
    ['a\nb', true],
    ['', false],
    [null, false],
    [['a\nb'], false],
  ])('of %j is %s', (value, expected) => {
    expect(isLongText(value)).toBe(expected)
  })
})

describe('compareTexts', () => {
  it('compares words up to 20,000 characters, and else lines', () => {
    const compare = (length: number) => {
      const text = 'x'.repeat(length)
      return compareTexts(`${text} a\n`, `${text} b\n`).map((part) => part.op)
    }
    expect(compare(9997)).toEqual(['equal', 'delete', 'insert', 'equal'])
    expect(compare(9998)).toEqual(['delete', 'insert'])
  })

  it('shows texts with more than 1,000 differences as replaced', () => {
    const words = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${prefix}${n}`).join(' ')
    expect(compareTexts(words('a', 500), words('b', 500)).length).toBeGreaterThan(2)
    const [before, after] = [words('a', 501), words('b', 501)]
    expect(compareTexts(before, after)).toEqual([
      { op: 'delete', text: before },
      { op: 'insert', text: after },
    ])
  })

  it('leaves out an empty text', () => {
    const text = Array.from({ length: 1001 }, (_, n) => `a${n}`).join(' ')
    expect(compareTexts('', text)).toEqual([{ op: 'insert', text }])
    expect(compareTexts(text, '')).toEqual([{ op: 'delete', text }])
  })
})

const content = (fields: Content['fields'], items: Item[] = [], isOrdered = true): Content => ({
  fields,
  items,
  isOrdered,
})

describe('compareVersions', () => {
  const long = 'x'.repeat(81)
  it.each<[unknown, unknown, unknown]>([
    ['a', 'b', { before: 'a', after: 'b', parts: null }],
    [null, 'b', { before: null, after: 'b', parts: null }],
    [[], [1], { before: null, after: [1], parts: null }],
    [0, '', { before: 0, after: null, parts: null }],
    [false, undefined, { before: false, after: null, parts: null }],
    [
      'a',
      long,
      {
        before: null,
        after: null,
        parts: [
          { op: 'delete', text: 'a' },
          { op: 'insert', text: long },
        ],
      },
    ],
    ['', long, { before: null, after: null, parts: [{ op: 'insert', text: long }] }],
    [long, null, { before: null, after: null, parts: [{ op: 'delete', text: long }] }],
    [[1], long, { before: [1], after: long, parts: null }],
    [long, 1, { before: long, after: 1, parts: null }],
    [[], '', undefined],
    [null, undefined, undefined],
    [{ a: { c: 1, b: 2 } }, { a: { b: 2, c: 1 } }, undefined],
    [[1, 2], [2, 1], { before: [1, 2], after: [2, 1], parts: null }],
    [[null], [], { before: [null], after: null, parts: null }],
  ])('compares the value %j with %j', (before, after, expected) => {
    const { fields } = compareVersions(content({ x: before }), content({ x: after }))
    expect(fields).toEqual(expected ? [{ field: 'x', ...(expected as object) }] : [])
  })

  const item = (id: string, parentId: string | null = null, list = 'steps', label = id): Item => ({
    list,
    id,
    label,
    parentId,
    fields: {},
  })
  const listMoved = (before: Item[], after: Item[], isOrdered = true) =>
    compareVersions(content({}, before), content({}, after, isOrdered)).items.map(
      ({ id, change }) => `${id} ${change}`,
    )

  it('ignores the order of items where it has no meaning', () => {
    const [before, after] = [
      [item('a'), item('b')],
      [item('b'), item('a')],
    ]
    expect([listMoved(before, after), listMoved(before, after, false)]).toEqual([['a changed'], []])
  })

  it('takes items of two lists with the same id for different ones', () => {
    expect(listMoved([item('a')], [item('a', null, 'nodes')])).toEqual(['a added', 'a removed'])
  })

  it('reports the places and the newer label', () => {
    const { items } = compareVersions(
      content({}, [item('a'), item('p'), item('b', 'p')]),
      content({}, [item('p'), item('b', null, 'steps', 'New')]),
    )
    expect(items).toEqual(
      [
        ...[
          {
            id: 'b',
            label: 'New',
            change: 'changed',
            moved: true,
            position_before: { parent_id: 'p', index: 0 },
            position_after: { parent_id: null, index: 1 },
          },
        ],
        ...[
          {
            id: 'a',
            label: 'a',
            change: 'removed',
            moved: false,
            position_before: { parent_id: null, index: 0 },
            position_after: null,
          },
        ],
      ].map((change) => ({ list: 'steps', fields: [], ...change })),
    )
  })

  it('takes all items with the same parent for moved when more than 1,000 changed their order', () => {
    const ids = Array.from({ length: 600 }, (_, n) => item(`${n}`))
    expect(listMoved(ids, ids.toReversed())).toHaveLength(600)
  })
})

describe('renderComparison', () => {
  const position = (parent_id: string | null, index: number) => ({ parent_id, index })
  const change = {
    list: 'steps',
    id: 'a',
    label: '',
    change: 'changed',
    position_before: position(null, 0),
    position_after: position('b', 2),
  } as const
  const renderHeading = (fields: object) => {
    const page = renderComparison('A', {
      base: 1,
      version: 2,
      fields: [],
      items: [{ ...change, moved: true, fields: [], ...fields }],
    })
    return /<h3 dir="auto">(.*)<\/h3>/.exec(page)?.[1]
  }
  const title = { field: 'a_b_c', before: { x: 1 }, after: 'y', parts: null }

  it('names a part by its id if it has no label, and says where it was', () => {
    expect(renderHeading({})).toBe(
      'a <span class="badge">steps a, moved from place 1 to below b, place 3</span>',
    )
    expect(renderHeading({ label: 'L', fields: [title] })).toBe(
      'L <span class="badge">steps a, changed and moved from place 1 to below b, place 3</span>',
    )
    expect(renderHeading({ moved: false, change: 'added' })).toBe(
      'a <span class="badge">steps a, added</span>',
    )
  })

  it('writes values that are no texts as JSON, and parts in their order', () => {
    const parts = [
      { op: 'equal', text: 'a ' },
      { op: 'delete', text: 'b' },
      { op: 'insert', text: 'c' },
    ] as const
    const fields = [title, { field: 'text', before: null, after: null, parts: [...parts] }]
    const page = renderComparison('A', { base: 1, version: 2, fields, items: [] })
    expect(page.slice(page.indexOf('<dl>'), page.indexOf('</dl>'))).toBe(`<dl>
<dt>a b c</dt>
<dd dir="auto"><del>{
  &quot;x&quot;: 1
}</del> <ins>y</ins></dd>
<dt>text</dt>
<dd dir="auto">a <del>b</del><ins>c</ins></dd>
`)
    expect(page).not.toContain('<h2>Parts</h2>')
  })
})
