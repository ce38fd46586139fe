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

/** The machine on which a script will run, as the runner names it. */
export interface ScriptMachine {
  agent_id: string
  /** Host name. */
  target: string
  client_name: string
}

/** Any engineer may approve a script of medium risk, and admins one of high risk. */
const rolesByRisk = { medium: ['engineer'], high: ['team_admin', 'account_admin'] } as const

const validMinutes = 60

/** Placeholder of a secret in the text that approvers read. */
const secretPlaceholder = '[secret]'

/**
 * Return what an approval of a rendered script covers. `digested` is the script with its secrets, the
 * template's version and the machine: a change of any value, of the template or of the machine needs another
 * approval. Without a machine it covers the text, which runs nowhere. The text shows no password and no value
 * of `secretKeys`.
 */
export function describeScript(
  template: TemplateWithRisk,
  {
    values,
    script,
    secretKeys,
    machine,
  }: {
    values: Readonly<Record<string, unknown>>
    script: string
    secretKeys: readonly string[]
    machine: ScriptMachine | null
  },
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
    digested: JSON.stringify([id, version, script, machine]),
    script: { id, version, risk },
    machine,
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
