import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#local/root.ts'
import { sources } from '#test/bench/costs/prices.ts'

/** What was right on a day, and has to be looked at again. */
interface DatedFact {
  name: string
  /** YYYY-MM-DD. */
  day: string
  maxAgeDays: number
}

/** List the facts in the repository that another day may make wrong. When a model ends, /ready asks its provider. */
function listDatedFacts(): DatedFact[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const { taken } = JSON.parse(read('test/security/advisories.json')) as { taken: string }
  const [, compatibility = ''] = /^compatibility_date = "(.*)"$/m.exec(read('wrangler.toml')) ?? []
  return [
    { name: 'test/security/advisories.json: run `npm run audit`, and commit it', day: taken, maxAgeDays: 90 },
    { name: 'compatibility_date in wrangler.toml', day: compatibility, maxAgeDays: 365 },
    ...sources.map(({ vendor, url, readOn }) => ({
      name: `the prices of ${vendor} in test/bench/costs/prices.ts: ${url}`,
      day: readOn,
      maxAgeDays: 180,
    })),
  ]
}

/** Return a sentence for each fact that is older than it may be. A day that is none is too old. */
export function findOldFacts(now: Date, facts: readonly DatedFact[] = listDatedFacts()): string[] {
  return facts.flatMap(({ name, day, maxAgeDays }) => {
    const ageDays = Math.floor((now.getTime() - Date.parse(day)) / 86_400_000)
    return ageDays <= maxAgeDays ? [] : [`OLD  of ${day}, and may have ${maxAgeDays} days: ${name}`]
  })
}
