// @module-tag mechanism
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  flag,
  id,
  list,
  object,
  optionalFlag,
  optionalId,
  optionalNumber,
  part,
  readItems,
  text,
} from '#vendors/net/wire.ts'

describe('a part of an answer', () => {
  it.each([
    [text, ' a\u0000b ', 'ab'],
    [text, 7, '7'],
    [text, '', null],
    [text, true, null],
    [optionalNumber, '7.5', 7.5],
    [optionalNumber, ' ', null],
    [optionalNumber, 'seven', null],
    [optionalNumber, 'Infinity', null],
    [flag, 'True', true],
    [flag, 1, true],
    [flag, 'maybe', false],
    [optionalFlag, 'no', false],
    [optionalFlag, 'maybe', null],
    [optionalId, 'x', null],
    [optionalId, 7, '7'],
    [list, '[1,2]', [1, 2]],
    [list, '[1,', []],
    [list, { 0: 1 }, []],
    [part(z.object({ a: optionalNumber })), '{"a":"1"}', { a: 1 }],
    [part(z.object({ a: id })), { a: 'x' }, null],
  ])('%# is read from %j', (schema, value, expected) => {
    expect(schema.parse(value)).toEqual(expected)
  })

  it.each([text, optionalNumber, optionalFlag, optionalId, part(z.object({ id }))])(
    '%# is null when it is null or missing',
    (schema) => {
      const Answer = z.object({ key: schema })
      expect([Answer.parse({}), Answer.parse({ key: null })]).toEqual([{ key: null }, { key: null }])
    },
  )

  it('is refused if the answer is none without it', () => {
    const Answer = z.object({ data: object({ id }) })
    expect(
      [{}, { data: null }, { data: [] }, { data: { id: '7' } }].map(
        (value) => Answer.safeParse(value).success,
      ),
    ).toEqual([false, false, false, true])
  })
})

it('reads a list item by item, and no more items than it may have', () => {
  expect(readItems('psa', object({ id }), [null, 7, {}, '{"id":1}', { id: '2' }, { id: 3 }], 5)).toEqual([
    { id: '1' },
    { id: '2' },
  ])
})
