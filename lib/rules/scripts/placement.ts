import { createLineCounter } from '#rules/text/lines.ts'
import type { JudgedPlaceholder, ParsedTemplate, Placeholder, Placements } from './placeholders.ts'
import { judgeBashPlacements } from './placement-bash.ts'
import { judgePowershellPlacements } from './placement-powershell.ts'
import { judgePythonPlacements } from './placement-python.ts'
import { insideQuotes, partOfQuotes } from './placement-reasons.ts'
import type { Language, ScriptParameter } from './schema.ts'

const judges = {
  bash: judgeBashPlacements,
  python: judgePythonPlacements,
  powershell: judgePowershellPlacements,
}
const maxProblems = 100

/**
 * Return the placeholders where no value of their type is safe, with their lines. An unknown parameter counts
 * as text.
 */
export function findUnsafePlacements(
  language: Language,
  template: ParsedTemplate,
  parameters: readonly ScriptParameter[],
): { line: number; message: string }[] {
  const { placeholders, reasons } = judgePlacements(language, template, parameters)
  const unsafePlaceholders = placeholders.filter(({ start }) => reasons.has(start)).slice(0, maxProblems)
  const getLine = createLineCounter(template.text)
  return unsafePlaceholders.map(({ name, start }) => ({
    line: getLine(start),
    message: `{{ ${name} }} ${reasons.get(start)}`,
  }))
}

/** Decide for each placeholder what its value may be. */
export function judgePlacements(
  language: Language,
  { text, placeholders: foundPlaceholders }: ParsedTemplate,
  parameters: readonly ScriptParameter[],
): Placements & { placeholders: JudgedPlaceholder[] } {
  const typeByName = new Map(parameters.map(({ name, type }) => [name, type]))
  const placeholders = foundPlaceholders.map((placeholder) =>
    judgeType(placeholder, typeByName.get(placeholder.name)),
  )
  const { reasons, commandsByOperand } = judges[language](text, placeholders)
  for (const { start, end, isQuoted } of placeholders) {
    if (!isQuoted) reasons.delete(start)
    else if (reasons.get(start) === insideQuotes && !isWholeString(text, start, end))
      reasons.set(start, partOfQuotes[language])
  }
  return { placeholders, reasons, commandsByOperand }
}

const quote = /["'‘’‚‛“”„]/

/** Whether a placeholder in quotes is all that is in them. */
function isWholeString(text: string, start: number, end: number): boolean {
  return (
    quote.test(text.slice(0, start).trimEnd().slice(-1)) && quote.test(text.slice(end).trimStart()[0] ?? '')
  )
}

const textFilters = ['quote', 'json', 'base64']

function judgeType(placeholder: Placeholder, type: ScriptParameter['type'] | undefined): JudgedPlaceholder {
  const isNumber = type === 'int' || type === 'bool'
  const isQuoted = !isNumber || placeholder.filters.some((filter) => textFilters.includes(filter))
  return { ...placeholder, isQuoted, isUntrusted: !isNumber && type !== 'choice' }
}
