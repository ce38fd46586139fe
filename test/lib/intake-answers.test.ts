import { describe, expect, it } from 'vitest'
import { answerProblems, withDefaults } from '../../lib/flows/answers.ts'
import type { IntakeField } from '../../lib/flows/structure.ts'

const field = (change: Partial<IntakeField>): IntakeField => ({ key: 'k', label: 'K', type: 'text', required: false, ...change })
const problems = (change: Partial<IntakeField>, value: unknown, complete = true) =>
  answerProblems([field(change)], { k: value }, { complete }).map(({ msg }) => msg)

const options = ['A', 'B']
const tables: [Partial<IntakeField>, unknown[], unknown[]][] = [
  [{ type: 'text', min: 2, max: 3 }, ['ab', '😀😀😀'], ['a', 'abcd', 12, ['ab']]],
  [{ type: 'textarea' }, ['x\ny'], [{}]],
  [{ type: 'number', min: 0, max: 9 }, [0, 9, 1.5], ['1', -1, 10, true]],
  [{ type: 'select', options }, ['A'], ['C', ['A']]],
  [{ type: 'multiselect', options }, [['A'], ['B', 'A']], ['A', ['C'], ['A', 'A']]],
  [{ type: 'boolean' }, [true, false], ['true', 0]],
  [{ type: 'date' }, ['2028-02-29'], ['2026-02-29', '29.2.2028', '2026-11-21T09:30:00Z']],
  [{ type: 'email' }, ['dana@northwind.example'], ['dana', 'dana@', `${'x'.repeat(400)}@x.example`]],
  [{ type: 'ip' }, ['10.0.8.21', '::1', '2001:db8::8a2e:370:7334'], ['10.0.8.256', '10.0.8', 'fe80', 'srv']],
  [{ type: 'hostname' }, ['srv', 'srv-dc-01.contoso.example', '3com'], ['-srv', 'a..b', 'a b', `${'x'.repeat(64)}`, 'x'.repeat(254)]],
  [{ type: 'text', pattern: 'SRV-\\d+' }, ['SRV-12'], ['xSRV-12', 'SRV-12x', 'srv-1', `SRV-${'1'.repeat(1000)}`]],
  [{ type: 'hostname', pattern: 'srv.*' }, ['srv-1'], ['web-1', 'srv 1']],
]

describe('an answer', () => {
  it.each(tables)('SES-30 fits its field: %j', (change, fitting, others) => {
    for (const value of fitting) expect([value, problems(change, value)]).toEqual([value, []])
    for (const value of others) expect([value, problems(change, value).length]).toEqual([value, 1])
  })

  it('SES-30 is missed where it is required, and only when all is to be complete', () => {
    for (const value of [undefined, null, '', '  ', []]) {
      expect(problems({ required: true }, value)).toEqual(['K: an answer is required'])
      expect(problems({ required: true }, value, false)).toEqual([])
      expect(problems({ required: false }, value)).toEqual([])
    }
    expect(problems({ required: true, type: 'boolean' }, false)).toEqual([])
    expect(problems({ required: true, type: 'number' }, 0)).toEqual([])
    expect(answerProblems([field({ key: 'constructor', required: true })], {}, { complete: true })).toHaveLength(1)
  })

  it('is the default where none is given', () => {
    const form = [field({ default: 'x' }), field({ key: 'n', type: 'number', default: 0 }), field({ key: 'none' })]
    expect(withDefaults(form, { k: '', other: 1 })).toEqual({ k: 'x', n: 0, other: 1 })
    expect(withDefaults(form, { k: 'mine', n: 5 })).toEqual({ k: 'mine', n: 5 })
  })
})
