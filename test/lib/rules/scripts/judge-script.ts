import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { findPlacementProblems, validateTemplate } from '#rules/scripts/render.ts'
import type { Language, ScriptParameter } from '#rules/scripts/schema.ts'

const types = { p: 'string', q: 'string', h: 'hostname', n: 'int', b: 'bool', c: 'choice' } as const
const parameters_schema: ScriptParameter[] = Object.entries(types).map(([name, type]) => ({
  name,
  label: name,
  type,
  required: false,
}))
const valuesWithDash = { p: '-a', q: '-a', h: '-a', c: '-a' }

/**
 * Return the problems of a template, each as `<line> <parameter>: <reason>`, and the parameters whose value
 * must not start with a dash, each as `<parameter>: no dash for <command>`. p and q are texts, h is a host
 * name, n a number, b a boolean and c a choice.
 */
export function judgeScript(language: Language, script_body: string): string[] {
  const template = { language, script_body, parameters_schema }
  const problems = runWithin(createBudget({ steps: jobSteps }), () => validateTemplate(template)).map(
    ({ line, message }) => `${line} ${message.replace(/^\{\{ (\w+) \}\}/, '$1:')}`,
  )
  const dashProblems = [
    ...runWithin(createBudget({ steps: jobSteps }), () => findPlacementProblems(template, valuesWithDash)),
  ].flatMap(([name, problem]) => {
    const command = /^must not start with a dash, because (.*) would read it as an option$/.exec(problem)?.[1]
    return command ? [`${name}: no dash for ${command}`] : []
  })
  return [...problems, ...dashProblems]
}
