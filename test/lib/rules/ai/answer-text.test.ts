import { expect, it } from 'vitest'
import { createThoughtFilter, listAnswerObjects } from '#rules/ai/answer-text.ts'
import { fitToSchema } from '#rules/ai/fit-to-schema.ts'

it.each([
  ['{"a":1}', ['{"a":1}']],
  [' {"a":"}"} ', ['{"a":"}"}']],
  ['{"a":"\\"}"}', ['{"a":"\\"}"}']],
  ['x {"a":{"b":1}} y {"c":2} z', ['{"a":{"b":1}}', '{"c":2}']],
  ['{ {"a":1}', ['{"a":1}']],
  ['{"a":"</think>{}"}', ['{"a":"</think>{}"}']],
  ['<think>{}</think>{"a":1}', ['{"a":1}']],
  ['<think>{"a":1}', []],
  ['none', []],
  ['', []],
  ['{}'.repeat(9), Array(8).fill('{}')],
  ['{'.repeat(9), []],
])('AIM-10 reads the objects in %s', (text, objects) => expect(listAnswerObjects(text)).toEqual(objects))

it('AIM-10 reads the largest answer in less than a second, whatever its text is', () => {
  for (const text of ['{', '{"', '}', '{}', '<think>', '\\', ' ', '</think>{']) {
    const startedAt = performance.now()
    listAnswerObjects(text.repeat((4 * 1024 * 1024) / text.length))
    const filter = createThoughtFilter()
    for (let n = 0; n < 40_000; n++) filter(text)
    expect(performance.now() - startedAt, text).toBeLessThan(1000)
  }
})

const item = { type: 'object', properties: { a: {} } }
it.each([
  [{ a: 1, b: 2 }, item, { a: 1 }],
  [[{ a: 1, b: 2 }, 3], { type: 'array', items: item }, [{ a: 1 }, 3]],
  [
    { x: { a: 1, b: 2 } },
    { type: 'object', properties: { x: { anyOf: [item, { type: 'null' }] } } },
    { x: { a: 1 } },
  ],
  [{ x: null }, { type: 'object', properties: { x: { anyOf: [item, { type: 'null' }] } } }, { x: null }],
  [{ b: 1 }, { type: 'object' }, { b: 1 }],
  [JSON.parse('{"a":1,"__proto__":{"a":2},"constructor":3}'), item, { a: 1 }],
  [[{ b: 1 }], item, [{ b: 1 }]],
  ['text', item, 'text'],
  [{}, { type: 'object', properties: { x: { anyOf: [item, { type: 'null' }] } } }, { x: null }],
  [{}, { type: 'object', properties: { x: { type: 'string' } } }, {}],
  ['{"a":"1"}', { type: 'object', properties: { a: { type: 'integer' } } }, { a: 1 }],
  ['[1]', { type: 'string' }, '[1]'],
  ['[1', { type: 'array' }, '[1'],
])('AIM-10 reads %j as %j declares it', (value, schema, expected) =>
  expect(fitToSchema(value, schema)).toEqual(expected),
)
