import { spend } from '#rules/budget.ts'
import { parseTemplate } from '#rules/scripts/placeholders.ts'
import {
  type Language,
  type RiskReason,
  type ScriptParameter,
  type ScriptRisk,
  scriptRisks,
} from '#rules/scripts/schema.ts'
import { cut } from '#rules/text/clip.ts'
import { findDirectionControl } from '#rules/text/direction-controls.ts'
import { createLineCounter } from '#rules/text/lines.ts'
import { assessBash } from './bash.ts'
import { assessCmd } from './cmd.ts'
import { type FoundRisk, type RiskContext, unknownMark } from './findings.ts'
import { assessPowershell } from './powershell.ts'
import { assessDownloads } from './programs.ts'
import { assessPython } from './python.ts'

/** What a script can do at least, by its content. */
export interface ScriptAssessment {
  risk: ScriptRisk
  requires_elevation: boolean
  risk_reasons: RiskReason[]
}

const maxReasons = 20
const maxNesting = 6
const reasonLength = 300

type Finding = { position: number; risk: ScriptRisk; reason: string }

/**
 * Find what a script can do at least, with its placeholders as values that are not known. Throw 422 when that
 * takes too much work.
 */
export function assessScript({
  language,
  script_body,
  parameters_schema,
}: {
  language: Language
  script_body: string
  parameters_schema: readonly Pick<ScriptParameter, 'name' | 'type' | 'choices'>[]
}): ScriptAssessment {
  spend(script_body.length * 5)
  const parsed = parseTemplate(script_body)
  const typeByName = new Map(parameters_schema.map(({ name, type }) => [name, type]))
  let text = ''
  let copiedTo = 0
  for (const { name, start, end } of parsed.placeholders) {
    const type = typeByName.get(name)
    if (type === undefined) continue
    text +=
      parsed.text.slice(copiedTo, start) +
      toStandIn(language, name, type === 'int' || type === 'bool', end - start)
    copiedTo = end
  }
  return assessText(language, text + parsed.text.slice(copiedTo))
}

/** Find what a rendered script can do at least. */
export function assessRendered(language: Language, script: string): ScriptAssessment {
  return assessText(language, script)
}

function maxRisk(...risks: readonly ScriptRisk[]): ScriptRisk {
  return scriptRisks[Math.max(...risks.map((risk) => scriptRisks.indexOf(risk)))] ?? 'low'
}

/** Return text of the same length, so that all positions stay: a number, or a value that is not known. */
function toStandIn(language: Language, name: string, isNumber: boolean, length: number): string {
  if (isNumber) return '1'.repeat(length)
  const text = unknownMark + name
  switch (language) {
    case 'python':
      return `"${text}"`.padEnd(length).slice(0, Math.max(length, text.length + 2))
    case 'powershell':
      return `'${text}'`.padEnd(length)
    case 'bash':
      return text.padEnd(length, unknownMark)
  }
}

function assessText(language: Language, text: string): ScriptAssessment {
  const findings = new Map<string, Finding>()
  const state = { risk: 'low' as ScriptRisk, requiresElevation: false }
  const keep = (position: number, risk: ScriptRisk, reason: string) => {
    const key = `${position} ${reason}`
    const known = findings.get(key)
    if (known && !isLower(known.risk, risk)) return
    if (!known && findings.size >= maxReasons) {
      const lower = [...findings].find(([, finding]) => isLower(finding.risk, risk))
      if (!lower) return
      findings.delete(lower[0])
    }
    findings.set(key, { position, risk, reason: cut(reason.replaceAll(/\u{f8ff}/gu, '…'), reasonLength) })
  }
  const create = (depth: number, fixed?: number): RiskContext => {
    let position = fixed ?? 0
    const context: RiskContext = {
      moveTo: (next) => {
        position = fixed ?? next
      },
      add: (risk: FoundRisk, reason) => {
        state.risk = maxRisk(state.risk, risk)
        keep(position, risk, reason)
      },
      requireElevation: (reason) => {
        state.requiresElevation = true
        keep(position, 'low', reason)
      },
      assessText: (inner, innerText) => {
        if (innerText.trim() === '') return
        if (depth >= maxNesting)
          return context.add('high', 'executes text inside of text too deep to be read')
        assess[inner](create(depth + 1, position), innerText)
      },
      downloads: root?.downloads ?? new Set(),
      executed: root?.executed ?? new Set(),
    }
    return context
  }
  let root: RiskContext | undefined
  root = create(0)
  assess[language](root, text)
  root.moveTo(0)
  assessDownloads(root)
  assessHiddenCharacters(root, text)
  const getLine = createLineCounter(text)
  const risk_reasons = [...findings.values()]
    .sort((a, b) => a.position - b.position)
    .map(({ position, risk, reason }) => ({ line: getLine(position), risk, reason }))
  return { risk: state.risk, requires_elevation: state.requiresElevation, risk_reasons }
}

const isLower = (a: ScriptRisk, b: ScriptRisk) => scriptRisks.indexOf(a) < scriptRisks.indexOf(b)

const assess = {
  bash: assessBash,
  python: assessPython,
  powershell: assessPowershell,
  cmd: assessCmd,
} as const

/**
 * Return the risk and the rights that apply to a script: what its author says, but never less than what it
 * can do.
 */
export function raiseRisk<T extends { risk: ScriptRisk; requires_elevation: boolean }>(
  script: T,
  assessment: ScriptAssessment,
) {
  const { risk, requires_elevation, risk_reasons } = assessment
  return {
    ...script,
    risk: maxRisk(script.risk, risk),
    requires_elevation: script.requires_elevation || requires_elevation,
    risk_reasons,
  }
}

/** A script with these characters shows other commands than it runs. */
function assessHiddenCharacters({ moveTo, add }: RiskContext, text: string): void {
  const directionControl = findDirectionControl(text)
  if (directionControl < 0) return
  moveTo(directionControl)
  add(
    'medium',
    'contains characters that change the direction of text, so it may look different from what it runs',
  )
}
