import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lint, loadConfig } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { root } from '#local/root.ts'

const file = join(root, 'functions/openapi.json')

/** Return what Redocly finds, warnings too, except what redocly.yaml and .redocly.lint-ignore.yaml allow. */
async function findRedoclyProblems(): Promise<string[]> {
  const problems = await lint({
    ref: file,
    config: await loadConfig({ configPath: join(root, 'redocly.yaml') }),
  })
  return problems
    .filter(({ ignored }) => !ignored)
    .map(({ ruleId, message, location: [place] }) => `redocly ${ruleId}: ${message} (${place?.pointer})`)
}

/** Return what Spectral's `oas` ruleset finds, warnings too, except what .spectral.yaml allows. */
async function findSpectralProblems(): Promise<string[]> {
  const spectral = new spectralCore.Spectral()
  spectral.setRuleset({ extends: [spectralRulesets.oas] } as never)
  const problems = await spectral.run(JSON.parse(await readFile(file, 'utf8')))
  return problems
    .filter(
      ({ code, path }) => !(code === 'path-keys-no-trailing-slash' && path[1] === '/api/v1/target-lists/'),
    )
    .map(({ code, message, path }) => `spectral ${code}: ${message} (${path.join('/')})`)
}

const problems = [...(await findRedoclyProblems()), ...(await findSpectralProblems())]
for (const problem of problems.slice(0, 50)) console.error(problem)
if (problems.length > 0) process.exit(1)
