import { createHash } from 'node:crypto'
import semver from 'semver'

export type Severity = 'low' | 'moderate' | 'high' | 'critical'

/** A known vulnerability of an npm package. */
export interface Advisory {
  /** Id in the GitHub Advisory Database. */
  id: string
  package: string
  /** Range of vulnerable versions, as npm writes it. */
  vulnerable: string
  severity: Severity
  title: string
}

/** What advisories.json contains. */
export interface AdvisoryData {
  /** Day up to which the data is known to be right, as YYYY-MM-DD. */
  taken: string
  source: string
  /** Hash of the package names for which the registry was asked; empty if it was not. */
  packages: string
  advisories: Advisory[]
}

interface LockEntry {
  version?: string
  /** The name, if it differs from the folder's. */
  name?: string
  dev?: boolean
}

/** The part of package-lock.json that the audit reads. */
export interface LockFile {
  packages: Record<string, LockEntry>
}

interface LockedPackage {
  name: string
  version: string
  /** Whether only development needs it. */
  isDev: boolean
}

export interface Finding extends LockedPackage {
  advisory: Advisory
}

/** List the packages of a lock file. A package may be there in several versions. */
export function listPackages({ packages }: LockFile): LockedPackage[] {
  return Object.entries(packages).flatMap(([folder, { name, version, dev = false }]) =>
    folder && version
      ? [{ name: name ?? folder.slice(folder.lastIndexOf('node_modules/') + 13), version, isDev: dev }]
      : [],
  )
}

/** Return the hash of the names of a lock file's packages. */
export function hashNames(lock: LockFile): string {
  const names = [...new Set(listPackages(lock).map(({ name }) => name))].sort()
  return createHash('sha256').update(names.join('\n')).digest('hex')
}

/**
 * Find the packages of a lock file that have an advisory, each version once. Throw for a range or a version
 * that cannot be read.
 */
export function findVulnerable(lock: LockFile, advisories: readonly Advisory[]): Finding[] {
  const byName = Map.groupBy(advisories, (advisory) => advisory.package)
  const found = listPackages(lock).flatMap((locked) =>
    (byName.get(locked.name) ?? [])
      .filter(({ vulnerable }) => isInRange(locked, vulnerable))
      .map((advisory) => ({ ...locked, advisory })),
  )
  return [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()]
}

/**
 * A prerelease counts as its place in the order of versions, as for npm's own audit: `2.0.0-rc.1` is before
 * `2.0.0`.
 */
function isInRange({ name, version }: LockedPackage, range: string): boolean {
  if (semver.validRange(range) === null)
    throw new Error(`The range "${range}" of an advisory for ${name} cannot be read`)
  if (semver.valid(version) === null) throw new Error(`The version "${version}" of ${name} cannot be read`)
  return semver.satisfies(version, range, { includePrerelease: true })
}

/**
 * Return whether a finding must be fixed before a release: it is high or critical, and the running service
 * contains the package.
 */
export function isBlocking({ isDev, advisory }: Finding): boolean {
  return !isDev && (advisory.severity === 'high' || advisory.severity === 'critical')
}

/** Return known advisories and those that `npm audit --json` reports, the latter in place of known ones. */
export function mergeAdvisories(known: readonly Advisory[], reported: readonly Advisory[]): Advisory[] {
  const byKey = new Map(
    [...known, ...reported].map((advisory) => [`${advisory.package} ${advisory.id}`, advisory]),
  )
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, advisory]) => advisory)
}

/**
 * Read the advisories of a report of `npm audit --json`. Throw if it is none, such as when the registry
 * offers no audit.
 */
export function readAuditReport(text: string): Advisory[] {
  const report = JSON.parse(text) as {
    vulnerabilities?: Record<string, { via: (string | ReportedAdvisory)[] }>
    message?: string
  }
  if (!report.vulnerabilities) throw new Error(report.message ?? 'npm audit printed no report')
  // A text in `via` names another package of the report.
  const reported = Object.values(report.vulnerabilities).flatMap(({ via }) =>
    via.filter((cause) => typeof cause !== 'string'),
  )
  return reported.map(({ name, range, url, severity, title }) => ({
    id: url.slice(url.lastIndexOf('/') + 1),
    package: name,
    vulnerable: range,
    severity: severity === 'info' ? 'low' : severity,
    title,
  }))
}

interface ReportedAdvisory {
  name: string
  title: string
  url: string
  severity: Severity | 'info'
  range: string
}
