import { describe, expect, it } from 'vitest'
import { applyDefaults, createAnswerValidator, findDefaultProblem } from '#rules/flows/intake-answers.ts'
import type { IntakeField } from '#rules/flows/structure.ts'

const createField = (properties: Partial<IntakeField>): IntakeField => ({
  key: 'k',
  label: 'K',
  type: 'text',
  required: false,
  ...properties,
})
const findProblems = (properties: Partial<IntakeField>, value: unknown, complete = true) =>
  createAnswerValidator([createField(properties)], { complete })({ k: value }).map(({ msg }) => msg)

const options = ['A', 'B']
const fieldsWithValidAndInvalidAnswers: [Partial<IntakeField>, unknown[], unknown[]][] = [
  [{ type: 'text', min: 2, max: 3 }, ['ab', '😀😀😀'], ['a', 'abcd', 12, ['ab']]],
  [{ type: 'textarea' }, ['x\ny'], [{}]],
  [{ type: 'number', min: 0, max: 9 }, [0, 9, 1.5], ['1', -1, 10, true]],
  [{ type: 'select', options }, ['A'], ['C', ['A']]],
  [{ type: 'multiselect', options }, [['A'], ['B', 'A']], ['A', ['C'], ['A', 'A']]],
  [{ type: 'boolean' }, [true, false], ['true', 0]],
  [{ type: 'date' }, ['2028-02-29'], ['2026-02-29', '29.2.2028', '2026-11-21T09:30:00Z']],
  [{ type: 'email' }, ['dana@northwind.example'], ['dana', 'dana@', `${'x'.repeat(400)}@x.example`]],
  [{ type: 'ip' }, ['10.0.8.21', '::1', '2001:db8::8a2e:370:7334'], ['10.0.8.256', '10.0.8', 'fe80', 'srv']],
  [
    { type: 'hostname' },
    ['srv', 'srv-dc-01.contoso.example', '3com', 'srv_01', '_dmarc.contoso.example'],
    ['-srv', 'a..b', 'a b', `${'x'.repeat(64)}`, 'x'.repeat(254)],
  ],
  [
    { type: 'text', pattern: 'SRV-\\d+' },
    ['SRV-12'],
    ['xSRV-12', 'SRV-12x', 'srv-1', `SRV-${'1'.repeat(1000)}`],
  ],
  [{ type: 'hostname', pattern: 'srv.*' }, ['srv-1'], ['web-1', 'srv 1']],
]

it.each(fieldsWithValidAndInvalidAnswers)(
  'FLO-69 a default is refused if the same answer is: %j',
  (properties, validAnswers, invalidAnswers) => {
    const find = (answer: unknown) =>
      findDefaultProblem({ ...createField(properties), default: answer as never })
    for (const answer of validAnswers) expect([answer, find(answer)]).toEqual([answer, undefined])
    for (const answer of invalidAnswers) expect([answer, find(answer)]).toEqual([answer, expect.any(String)])
  },
)

describe('createAnswerValidator', () => {
  it.each(fieldsWithValidAndInvalidAnswers)(
    'SES-30 checks an answer against its field: %j',
    (properties, validAnswers, invalidAnswers) => {
      for (const answer of validAnswers)
        expect([answer, findProblems(properties, answer)]).toEqual([answer, []])
      for (const answer of invalidAnswers)
        expect([answer, findProblems(properties, answer).length]).toEqual([answer, 1])
    },
  )

  it('SES-30 reports a missing required answer only if the answers must be complete', () => {
    for (const answer of [undefined, null, '', '  ', []]) {
      expect(findProblems({ required: true }, answer)).toEqual(['K: an answer is required'])
      expect(findProblems({ required: true }, answer, false)).toEqual([])
      expect(findProblems({ required: false }, answer)).toEqual([])
    }
    expect(findProblems({ required: true, type: 'boolean' }, false)).toEqual([])
    expect(findProblems({ required: true, type: 'number' }, 0)).toEqual([])
    expect(
      createAnswerValidator([createField({ key: 'constructor', required: true })], { complete: true })({}),
    ).toHaveLength(1)
  })
})

describe('applyDefaults', () => {
  it('uses the default of a field without an answer', () => {
    const form = [
      createField({ default: 'x' }),
      createField({ key: 'n', type: 'number', default: 0 }),
      createField({ key: 'none' }),
    ]
    expect(applyDefaults(form, { k: '', other: 1 })).toEqual({ k: 'x', n: 0, other: 1 })
    expect(applyDefaults(form, { k: 'mine', n: 5 })).toEqual({ k: 'mine', n: 5 })
  })
})

describe('the limit of an answer', () => {
  it.each<[string, Partial<IntakeField>, unknown, string[]]>([
    ['a pattern of 1,000 characters', { pattern: 'x*' }, 'x'.repeat(1000), []],
    [
      'a pattern of 1,001 characters',
      { pattern: 'x*' },
      'x'.repeat(1001),
      ['K: must be at most 1000 characters'],
    ],
    ['another format', { pattern: 'x*' }, 'y', ['K: must have the required format']],
    ['a pattern that is not supported', { pattern: '(?=a)' }, 'b', []],
    [
      'an e-mail address that is too long',
      { type: 'email' },
      `${'x'.repeat(400)}@x.example`,
      ['K: must be an e-mail address'],
    ],
    ['a select without options', { type: 'select' }, 'a', ['K: must be one of ']],
    ['another date', { type: 'date' }, 'x', ['K: must be a date such as 2026-11-21']],
    ['another IP address', { type: 'ip' }, 'x', ['K: must be an IPv4 or IPv6 address']],
    ['another host name', { type: 'hostname' }, '-', ['K: must be a host name']],
  ])('is checked for %s', (_, properties, value, problems) => {
    expect(findProblems(properties, value)).toEqual(problems)
  })
})
