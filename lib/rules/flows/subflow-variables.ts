import { createAnswerValidator } from './intake-answers.ts'
import { fillPlaceholders, findPlaceholderKeys } from './placeholders.ts'
import { collectVariables } from './run-view.ts'
import type { RunState } from './session-row.ts'
import { findAnswerableStep } from './step-navigation.ts'
import type { IntakeField } from './structure.ts'
import type { Subflow } from './subflow-schema.ts'

// The variables that pass between a session and the session of its sub-flow.

type Variables = RunState['variables']

/**
 * Return the variables with which a sub-flow starts. An input that is a single placeholder keeps the type of
 * its value, and is left out if there is no value. A secret answer is passed to secret fields alone.
 * `secrets` has the secret answers in clear.
 */
export function collectInputs(
  { inputs }: Subflow,
  session: RunState,
  form: readonly IntakeField[],
  secrets: Readonly<Record<string, string>>,
): Variables {
  const secretFields = new Set(form.filter(({ secret }) => secret).map(({ key }) => key))
  const plainValues = Object.fromEntries(
    Object.entries(collectVariables(session)).filter(([key]) => !session.secret_keys.includes(key)),
  )
  const entries = Object.entries(inputs ?? {}).map(([key, text]) => {
    const values = secretFields.has(key) ? { ...plainValues, ...secrets } : plainValues
    return [key, resolveInput(text, values)] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null)) as Variables
}

/** Return whether an input may contain a secret answer of the session. */
export function needsSecrets({ inputs }: Subflow, { secret_keys }: Pick<RunState, 'secret_keys'>): boolean {
  return Object.values(inputs ?? {}).some((text) =>
    findPlaceholderKeys(text).some((key) => secret_keys.includes(key)),
  )
}

function resolveInput(text: string, values: Readonly<Record<string, unknown>>): unknown {
  const [key, ...others] = findPlaceholderKeys(text)
  const isSinglePlaceholder = key !== undefined && others.length === 0 && /^\{\{\s*[\w.-]+\s*\}\}$/.test(text)
  if (!isSinglePlaceholder) return fillPlaceholders(text, values)
  return Object.hasOwn(values, key) ? values[key] : undefined
}

/**
 * Return the variables that a sub-flow sets in the session that waits for it. Secret answers never leave the
 * sub-flow, and a value that the intake form of the session does not accept is left out.
 */
export function collectOutputs(parent: RunState, { variables }: Pick<RunState, 'variables'>): Variables {
  const outputs =
    findAnswerableStep(parent.tree_structure, parent.current_step_id ?? '')?.subflow?.outputs ?? {}
  const secretFields = new Set(parent.intake_form.filter(({ secret }) => secret).map(({ key }) => key))
  const values = Object.entries(outputs).flatMap(([key, source]) => {
    const value = Object.hasOwn(variables, source) ? variables[source] : undefined
    return value === undefined || secretFields.has(key) ? [] : [[key, value] as const]
  })
  const invalidKeys = new Set(
    createAnswerValidator(parent.intake_form, { complete: false })(Object.fromEntries(values)).map(
      ({ key }) => key,
    ),
  )
  return Object.fromEntries(values.filter(([key]) => !invalidKeys.has(key)))
}
