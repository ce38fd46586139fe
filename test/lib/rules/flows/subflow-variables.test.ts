import { describe, expect, it } from 'vitest'
import type { SessionRow } from '#rules/flows/session-row.ts'
import type { IntakeField } from '#rules/flows/structure.ts'
import { collectInputs, collectOutputs, needsSecrets } from '#rules/flows/subflow-variables.ts'
import { createEnd, createStep } from '#test/support/flow-nodes.ts'
import { createSessionRow } from '#test/support/session-rows.ts'

const secret: IntakeField = { key: 'pin', label: 'PIN', type: 'text', required: false, secret: true }
const form: IntakeField[] = [secret, { key: 'host', label: 'Host', type: 'text', required: false }]

describe('the inputs of a sub-flow', () => {
  const session = createSessionRow({
    ticket_number: 'T-1',
    client_name: null,
    target_label: 'Berlin',
    variables: { count: 3, tags: ['a', 'b'], empty: '' },
    secret_keys: ['password'],
  })
  const collect = (
    inputs: Record<string, string> | null,
    secrets: Record<string, string> = { password: 'x' },
  ) => collectInputs({ tree_id: 't', inputs }, session, form, secrets)

  it.each<[string, string, unknown]>([
    ['a text', 'plain', 'plain'],
    ['a number', '{{count}}', 3],
    ['a list', '{{ tags }}', ['a', 'b']],
    ['an empty text', '{{empty}}', ''],
    ['a text with a number', 'n={{count}}', 'n=3'],
    ['a text after a placeholder', '{{count}} n', '3 n'],
    ['two placeholders', '{{count}}{{count}}', '33'],
    ['two values', '{{count}}{{tags}}', '3a, b'],
    ['a session variable', '{{target_label}}', 'Berlin'],
    ['an unknown key in a text', 'x {{gone}}', 'x {{gone}}'],
    ['an inherited property', 'x {{constructor}}', 'x {{constructor}}'],
  ])('have %s for %j', (_, text, value) => {
    expect(collect({ host: text })).toEqual({ host: value })
  })

  it.each(['{{gone}}', '{{client_name}}', '{{constructor}}'])(
    'leave out a single placeholder without a value: %s',
    (text) => {
      expect(collect({ host: text })).toEqual({})
    },
  )

  it('pass a secret answer only to a secret field', () => {
    expect(collect({ pin: '{{password}}', host: '{{password}}' })).toEqual({ pin: 'x' })
    expect(collect({ pin: 'p={{password}} {{count}}', host: 'p={{password}}' })).toEqual({
      pin: 'p=x 3',
      host: 'p={{password}}',
    })
  })

  it('are empty without any', () => {
    expect([collect(null), collect({})]).toEqual([{}, {}])
  })
})

it.each<[Record<string, string> | null, boolean]>([
  [null, false],
  [{}, false],
  [{ a: 'x' }, false],
  [{ a: '{{count}}' }, false],
  [{ a: 'x', b: 'y {{count}} {{password}}' }, true],
])('the inputs %j need secret answers: %s', (inputs, expected) => {
  expect(needsSecrets({ tree_id: 't', inputs }, createSessionRow({ secret_keys: ['password'] }))).toBe(
    expected,
  )
})

describe('the outputs of a sub-flow', () => {
  const createParent = (outputs: Record<string, string> | null, fields: Partial<SessionRow> = {}) =>
    createSessionRow({
      tree_structure: { steps: [createStep('run', { subflow: { tree_id: 't', outputs } }), createEnd()] },
      current_step_id: 'run',
      intake_form: [...form, { key: 'count', label: 'Count', type: 'number', required: true }],
      ...fields,
    })
  const variables = { found: 'x', amount: 2, none: null }

  it('set the variables of the parent that they name', () => {
    expect(
      collectOutputs(createParent({ host: 'found', other: 'amount', count: 'amount' }), { variables }),
    ).toEqual({
      host: 'x',
      other: 2,
      count: 2,
    })
  })

  it.each<[string, Record<string, string>]>([
    ['has no value', { host: 'gone' }],
    ['is an inherited property', { host: 'constructor' }],
    ['goes to a secret field', { pin: 'found' }],
    ['does not fit its field', { count: 'found' }],
  ])('leave out a value that %s', (_, outputs) => {
    expect(collectOutputs(createParent(outputs), { variables })).toEqual({})
  })

  it('may be empty for a required field', () => {
    expect(collectOutputs(createParent({ count: 'empty' }), { variables: { empty: '' } })).toEqual({
      count: '',
    })
  })

  it('keep the valid values beside an invalid one', () => {
    expect(collectOutputs(createParent({ count: 'found', host: 'found' }), { variables })).toEqual({
      host: 'x',
    })
  })

  it('are empty without outputs, and at the end of the flow', () => {
    expect(collectOutputs(createParent(null), { variables })).toEqual({})
    expect(collectOutputs(createParent({ host: 'found' }, { current_step_id: null }), { variables })).toEqual(
      {},
    )
  })
})
