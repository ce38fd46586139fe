import { expect, it } from 'vitest'
import { streamJsonField } from '#rules/ai/json-field-stream.ts'

/** Return what is passed on after each piece. */
function stream(...pieces: string[]): string[] {
  let passedOn = ''
  const read = streamJsonField('reply', (delta) => {
    passedOn += delta
  })
  return pieces.map((piece) => {
    passedOn = ''
    read(piece)
    return passedOn
  })
}

it.each<[string[], string[]]>([
  [
    ['{"reply":"ab', 'c', '","x":"d"}', 'e'],
    ['ab', 'c', '', ''],
  ],
  [
    ['{', '"reply', '" : "a'],
    ['', '', 'a'],
  ],
  [['\n{ "reply"\t:\n"a"'], ['a']],
  [['{"x":1,"reply":"a"}'], ['']],
  [['{"reply":5}'], ['']],
  [
    ['{"reply":"a\\', 'n', 'b"'],
    ['a', '\n', 'b'],
  ],
  [
    ['{"reply":"a\\u00', 'e', '9b'],
    ['a', '', 'éb'],
  ],
  [
    ['{"reply":"\\"a\\\\"', 'b'],
    ['"a\\', ''],
  ],
  [
    ['{"reply":"😀', 'a'],
    ['😀', 'a'],
  ],
  [
    ['{"reply":"a\ud83d', '\ude00'],
    ['a', '😀'],
  ],
  [
    ['{"reply":"\\ud83d', '\\ude0', '0'],
    ['', '', '😀'],
  ],
  [
    ['{"reply":"\\ud7ff', 'a'],
    ['\ud7ff', 'a'],
  ],
  [
    ['{"reply":"\\ud800', 'abcdef'],
    ['', '\ud800abcdef'],
  ],
  [
    ['{"reply":"\\udbff', 'abcdef'],
    ['', '\udbffabcdef'],
  ],
  [
    ['{"reply":"\\udc00', 'a'],
    ['\udc00', 'a'],
  ],
  [
    ['{"reply":"a\\x', 'b'],
    ['', 'b'],
  ],
  [
    [' '.repeat(4000), '{"reply":"a'],
    ['', 'a'],
  ],
  [
    [' '.repeat(4001), '{"reply":"a'],
    ['', ''],
  ],
  [
    ['\n<thi', 'nk>{"reply":"x"', '</thin', 'k>\n```json\n', '{"reply":"a'],
    ['', '', '', '', 'a'],
  ],
  [
    ['Sure! ```', 'json\n{"reply":"a"}```'],
    ['', 'a'],
  ],
  [['Sure, {x}: {"reply":"a"}'], ['']],
  [
    ['<thinks {"reply":"', 'a'],
    ['', 'a'],
  ],
  [
    [`<think>${'x'.repeat(100_000)}`, '</think>{"reply":"a'],
    ['', 'a'],
  ],
])('streamJsonField passes on for the pieces %j: %j', (pieces, expected) => {
  expect(stream(...pieces)).toEqual(expected)
})
