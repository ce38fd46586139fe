import { findPlaceholders, getLineNumber } from './placeholders.ts'
import { findUnsafeBashPlacements } from './placement-bash.ts'
import { findUnsafePowershellPlacements } from './placement-powershell.ts'
import { findUnsafePythonPlacements } from './placement-python.ts'
import type { Language } from './schema.ts'

const finders = { bash: findUnsafeBashPlacements, python: findUnsafePythonPlacements, powershell: findUnsafePowershellPlacements }
const maxProblems = 100

/** Return the placeholders where no value can be quoted safely, with their lines. */
export function findUnsafePlacements(language: Language, script: string): { line: number; message: string }[] {
  const placeholders = findPlaceholders(script)
  const reasons = finders[language](script, placeholders)
  const unsafePlaceholders = placeholders.filter(({ start }) => reasons.has(start)).slice(0, maxProblems)
  return unsafePlaceholders.map(({ name, start }) => ({
    line: getLineNumber(script, start),
    message: `{{ ${name} }} ${reasons.get(start)}`,
  }))
}
