import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#local/root.ts'
import {
  type AdvisoryData,
  type Finding,
  findVulnerable,
  hashNames,
  isBlocking,
  type LockFile,
  listPackages,
  mergeAdvisories,
  readAuditReport,
} from './audit-lock.ts'
import { findOldFacts } from './dated-facts.ts'

// `npm run audit` asks the registry and stores what it knows. With `--check` it compares the lock file with the
// stored data, offline, and only warns of their age: a day that passes makes no change wrong. So the nightly
// workflow, which sets CI, is what fails when facts in the repository are too old.
const dataFile = join(import.meta.dirname, 'advisories.json')
const lock: LockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const data: AdvisoryData = JSON.parse(readFileSync(dataFile, 'utf8'))
const maxAgeDays = 30

/** Print the findings, and how much the stored data can be trusted. Return whether a release is blocked. */
function check({ taken, source, packages, advisories }: AdvisoryData, now: Date): boolean {
  const findings = findVulnerable(lock, advisories)
  for (const finding of findings) console.log(describe(finding))
  const ageDays = Math.floor((now.getTime() - Date.parse(taken)) / 86_400_000)
  console.log(
    `${listPackages(lock).length} packages, ${advisories.length} advisories of ${taken} (${ageDays} days old), ${findings.length} found.`,
  )
  if (!packages) console.log(source)
  else if (packages !== hashNames(lock))
    console.log('Packages were added or removed since: run npm run audit.')
  if (ageDays > maxAgeDays) console.log(`The advisories are over ${maxAgeDays} days old: run npm run audit.`)
  return findings.some(isBlocking)
}

function describe(finding: Finding): string {
  const { name, version, isDev, advisory } = finding
  const place = isDev ? 'development only' : 'runtime'
  return `${isBlocking(finding) ? 'FAIL' : 'note'} ${name} ${version} (${place}): ${advisory.severity}, ${advisory.title}, ${advisory.id}`
}

/**
 * Ask the registry about every locked package: https://docs.npmjs.com/cli/v11/commands/npm-audit. It reports
 * only what affects them now.
 */
async function refresh(now: Date): Promise<AdvisoryData> {
  const reported = readAuditReport(await runNpmAudit())
  const advisories = mergeAdvisories(data.advisories, reported)
  const taken = now.toISOString().slice(0, 10)
  return {
    taken,
    source: 'npm audit, and advisories that were known before.',
    packages: hashNames(lock),
    advisories,
  }
}

/** Run npm and return what it prints. It exits with 1 when it finds something, so its output decides. */
function runNpmAudit(): Promise<string> {
  const limits = { cwd: root, maxBuffer: 64 * 1024 * 1024, timeout: 120_000 }
  return new Promise((resolve) => {
    execFile('npm', ['audit', '--json', '--package-lock-only'], limits, (error, stdout) =>
      resolve(stdout || JSON.stringify({ message: String(error) })),
    )
  })
}

async function main(): Promise<void> {
  const now = new Date()
  if (process.argv.includes('--check')) {
    process.exitCode = check(data, now) ? 1 : 0
    return
  }
  const oldFacts = process.env.CI ? findOldFacts(now) : []
  for (const fact of oldFacts) console.error(fact)
  const refreshed = await refresh(now).catch((error: Error) => {
    console.error(
      `The registry could not be asked, and the stored advisories stay as they are. ${error.message}`,
    )
    return undefined
  })
  if (refreshed) writeFileSync(dataFile, `${JSON.stringify(refreshed, null, 2)}\n`)
  const isBlocked = check(refreshed ?? data, now)
  process.exitCode = isBlocked || !refreshed || oldFacts.length > 0 ? 1 : 0
}

await main()
