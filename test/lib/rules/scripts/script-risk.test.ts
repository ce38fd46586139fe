import { expect, it } from 'vitest'
import { assessScript } from '#rules/scripts/risk/assess-script.ts'
import { type Language, scriptRisks } from '#rules/scripts/schema.ts'
import * as risks from './script-risks.ts'

const parameters_schema = [{ name: 's', type: 'string' as const }]
const assess = (language: Language, script_body: string) =>
  assessScript({ language, script_body, parameters_schema })

const dangerous = [
  ...risks.bashRisks.map(([risk, script]) => ['bash', risk, script] as const),
  ...risks.powershellRisks.map(([risk, script]) => ['powershell', risk, script] as const),
  ...risks.pythonRisks.map(([risk, script]) => ['python', risk, script] as const),
]
it.each(dangerous)('SCR-23 finds the risk of a script in %s: %s %s', (language, risk, script) => {
  const found = assess(language, script)
  expect([
    scriptRisks.indexOf(found.risk) >= scriptRisks.indexOf(risk),
    found.risk_reasons.length > 0,
  ]).toEqual([true, true])
})

const harmless = [
  ...risks.bashHarmless.map((script) => ['bash', script] as const),
  ...risks.powershellHarmless.map((script) => ['powershell', script] as const),
  ...risks.pythonHarmless.map((script) => ['python', script] as const),
]
it.each(harmless)('SCR-23 finds no risk in a harmless script in %s: %s', (language, script) => {
  const { risk, risk_reasons } = assess(language, script)
  expect([risk, risk_reasons.filter((reason) => reason.risk !== 'low')]).toEqual(['low', []])
})

it.each(risks.elevated)(
  'SCR-23 finds that a script in %s needs administrator rights: %s',
  (language, script) => {
    expect(assess(language, script).requires_elevation).toBe(true)
  },
)

it('SCR-23 gives a script that it cannot read a risk of its own', () => {
  for (const [language, script] of [
    ['python', 'f('.repeat(50_000)],
    ['bash', 'if true; then\necho'],
  ] as const)
    expect(assess(language, script).risk).toBe('medium')
})

it('SCR-23 names the line of each reason', () => {
  const script = 'echo start\n\nrm -rf /srv/x\nsudo ufw disable'
  const { risk_reasons } = assess('bash', script)
  expect(risk_reasons.map(({ line, risk, reason }) => `${line} ${risk} ${reason}`)).toEqual([
    '3 high `rm` deletes files or folders',
    '4 low `sudo` asks for administrator rights',
    '4 high `ufw` disables or empties the firewall',
  ])
})
