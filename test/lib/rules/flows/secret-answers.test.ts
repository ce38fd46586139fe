import { expect, it } from 'vitest'
import { describeSecrets, removeSecretStates, splitAnswers } from '#rules/flows/secret-answers.ts'
import type { IntakeField } from '#rules/flows/structure.ts'

it('secret answers are split from the variables, and a client may send their states back', () => {
  const form: IntakeField[] = [
    { key: 'pin', label: 'PIN', type: 'text', required: false, secret: true },
    { key: 'user', label: 'User', type: 'text', required: false },
  ]
  const state = { secret: true, set: false }
  expect(describeSecrets(form, [])).toEqual({ pin: state })
  expect(describeSecrets(form, ['pin'])).toEqual({ pin: { secret: true, set: true } })
  expect(removeSecretStates<unknown>(form, { pin: state, user: state })).toEqual({ user: state })
  for (const pin of ['1', null, { secret: false, set: true }, { secret: true }])
    expect(removeSecretStates<unknown>(form, { pin })).toEqual({ pin })
  expect(splitAnswers(form, { pin: '1', user: 'ana' })).toEqual({
    variables: { user: 'ana' },
    secrets: { pin: '1' },
  })
})
