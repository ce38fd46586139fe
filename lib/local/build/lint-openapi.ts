import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createConfig, lint } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { root } from '#local/root.ts'

const file = join(root, 'functions/openapi.json')

// The contract names this path with a slash at its end.
const allowedProblems = [{ rule: 'no-path-trailing-slash', place: '/paths/~1api~1v1~1target-lists~1' }]

/** Return the errors of Redocly's recommended rules. Warnings are ignored, because ambiguous paths are part of the contract. */
async function findRedoclyErrors(): Promise<string[]> {
  const problems = await lint({ ref: file, config: await createConfig({ extends: ['recommended'] }) })
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, message, location: [place] }) => ({ rule: ruleId, place: place?.pointer?.replace('#', '') ?? '', message }))
    .filter(({ rule, place }) => !allowedProblems.some((exception) => exception.rule === rule && exception.place === place))
    .map(({ rule, place, message }) => `redocly ${rule}: ${message} (${place})`)
}

/** Return the errors of Spectral's `oas` ruleset. */
async function findSpectralErrors(): Promise<string[]> {
  const spectral = new spectralCore.Spectral()
  spectral.setRuleset({ extends: [spectralRulesets.oas] } as never)
  const problems = await spectral.run(JSON.parse(await readFile(file, 'utf8')))
  const severityError = 0
  return problems
    .filter(({ severity }) => severity === severityError)
    .map(({ code, message, path }) => `spectral ${code}: ${message} (${path.join('/')})`)
}

const errors = [...(await findRedoclyErrors()), ...(await findSpectralErrors())]
for (const error of errors.slice(0, 50)) console.error(error)
if (errors.length > 0) process.exit(1)
