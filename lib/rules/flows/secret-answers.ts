import { spend } from '#rules/budget.ts'
import type { IntakeField } from './structure.ts'

// Answers to secret fields of an intake form. They are stored encrypted, apart from the other variables, and
// no read returns them.

/** Texts and exports show this instead of a secret answer. */
const secretPlaceholder = '[secret]'

/** The state of a secret field. A session shows only whether it has an answer. */
export interface SecretState {
  secret: true
  set: boolean
}

/** Shorter answers are found in ordinary words and numbers. */
const minReplacedLength = 4

/** Replace each of these secret answers where a text repeats it. */
export function replaceSecretAnswers(text: string, answers: readonly string[]): string {
  const secrets = answers
    .filter(({ length }) => length >= minReplacedLength)
    .toSorted((a, b) => b.length - a.length)
  spend(text.length * secrets.length)
  return secrets.reduce((replaced, secret) => replaced.replaceAll(secret, secretPlaceholder), text)
}

type Answers<T> = Readonly<Record<string, T>>

/** Return a placeholder for each of these secret answers, by key. */
export function hideSecrets(keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, secretPlaceholder]))
}

/** Return the state of each secret field of the form. `keys` are the fields that have an answer. */
export function describeSecrets(
  form: readonly IntakeField[],
  keys: readonly string[],
): Record<string, Record<string, boolean>> {
  const fields = form.filter(({ secret }) => secret)
  return Object.fromEntries(
    fields.map(({ key }) => [key, { secret: true, set: keys.includes(key) } satisfies SecretState]),
  )
}

/** Remove the states of secret fields, so that a client can send back the variables it has read. */
export function removeSecretStates<T>(form: readonly IntakeField[], answers: Answers<T>): Record<string, T> {
  const secretKeys = getSecretKeys(form)
  return Object.fromEntries(
    Object.entries(answers).filter(([key, value]) => !(secretKeys.has(key) && isSecretState(value))),
  )
}

function isSecretState(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'secret' in value &&
    value.secret === true &&
    'set' in value
  )
}

/** Return the secret answers that are stored: those with text. */
export function findTextAnswers(secrets: Answers<unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
    ),
  )
}

/** Split answers into plain variables and answers to secret fields. */
export function splitAnswers<T>(
  form: readonly IntakeField[],
  answers: Answers<T>,
): { variables: Record<string, T>; secrets: Record<string, T> } {
  const secretKeys = getSecretKeys(form)
  const entries = Object.entries(answers)
  return {
    variables: Object.fromEntries(entries.filter(([key]) => !secretKeys.has(key))),
    secrets: Object.fromEntries(entries.filter(([key]) => secretKeys.has(key))),
  }
}

function getSecretKeys(form: readonly IntakeField[]): Set<string> {
  return new Set(form.filter(({ secret }) => secret).map(({ key }) => key))
}
