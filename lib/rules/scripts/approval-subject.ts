import { showDirectionControls } from '#rules/text/direction-controls.ts'
import { renderScript, type Template } from './render.ts'
import type { RiskReason, ScriptRisk } from './schema.ts'

/** A template whose rendering needs an approval. */
interface TemplateWithRisk extends Template {
  id: string
  name: string
  version: number
  risk: Exclude<ScriptRisk, 'low'>
  riskReasons: readonly RiskReason[]
}

/** Any engineer may approve a script of medium risk, and admins one of high risk. */
const rolesByRisk = { medium: ['engineer'], high: ['team_admin', 'account_admin'] } as const

const validMinutes = 60

/** Placeholder of a secret in the text that approvers read. */
const secretPlaceholder = '[secret]'

/**
 * Return what an approval of a rendered script covers. `digested` is the script with its secrets and the
 * template's version: a change of any value or of the template needs another approval. The text shows no
 * password and no value of `secretKeys`.
 */
export function describeScript(
  template: TemplateWithRisk,
  {
    values,
    script,
    secretKeys,
  }: { values: Readonly<Record<string, unknown>>; script: string; secretKeys: readonly string[] },
) {
  const { id, name, version, risk, riskReasons, parameters_schema } = template
  const secrets = parameters_schema.filter(
    (parameter) => parameter.type === 'password' || secretKeys.includes(parameter.name),
  )
  const shownValues = {
    ...values,
    ...Object.fromEntries(secrets.map((parameter) => [parameter.name, secretPlaceholder])),
  }
  return {
    kind: 'script' as const,
    title: name,
    subject: renderScript(template, shownValues).script,
    digested: JSON.stringify([id, version, script]),
    script: { id, version, risk },
    roles: rolesByRisk[risk],
    userIds: [],
    riskReasons,
    parameters: parameters_schema.flatMap(({ name, label }) => {
      const value: unknown = (shownValues as Record<string, unknown>)[name]
      return value === undefined || value === null
        ? []
        : [{ label, text: showDirectionControls(String(value)) }]
    }),
    validMinutes,
  }
}
