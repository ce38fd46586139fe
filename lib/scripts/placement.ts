import { lineOf, placeholdersOf } from './placeholders.ts'
import { bashPlaces } from './places-bash.ts'
import { powershellPlaces } from './places-powershell.ts'
import { pythonPlaces } from './places-python.ts'
import type { Language } from './schema.ts'

/** Every placeholder that stands where no quoting is safe, with its line. */
export function unsafePlaces(language: Language, body: string): { line: number; message: string }[] {
  const found = placeholdersOf(body)
  const reasons = { bash: bashPlaces, python: pythonPlaces, powershell: powershellPlaces }[language](body, found)
  const unsafe = found.filter(({ start }) => reasons.has(start)).slice(0, 100)
  return unsafe.map(({ name, start }) => ({ line: lineOf(body, start), message: `{{ ${name} }} ${reasons.get(start)}` }))
}
