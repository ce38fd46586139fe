// @module-tag attack
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '#local/root.ts'
import { sources } from '#test/bench/costs/prices.ts'
import packageJson from '../../package.json' with { type: 'json' }
import {
  type Advisory,
  type AdvisoryData,
  findVulnerable,
  hashNames,
  isBlocking,
  type LockFile,
  listPackages,
  mergeAdvisories,
  readAuditReport,
} from './audit-lock.ts'
import { findOldFacts } from './dated-facts.ts'

const advisory = (fields: Partial<Advisory> = {}): Advisory => ({
  id: 'GHSA-xxxx',
  package: 'left',
  vulnerable: '<1.2.3',
  severity: 'high',
  title: 'A hole',
  ...fields,
})
const lockOf = (packages: LockFile['packages']): LockFile => ({
  packages: { '': { version: '0.1.0' }, ...packages },
})
const findVersions = (versions: string[], vulnerable: string) =>
  versions.filter(
    (version) =>
      findVulnerable(lockOf({ 'node_modules/left': { version } }), [advisory({ vulnerable })]).length > 0,
  )

it.each([
  ['<1.2.3', ['0.0.1', '1.2.2', '1.2.3-rc.1'], ['1.2.3', '1.2.4', '2.0.0-rc.1', '10.0.0']],
  ['<=1.2.3', ['1.2.3'], ['1.2.4']],
  ['>=2.0.0 <2.1.4', ['2.0.0', '2.1.3', '2.1.4-beta'], ['1.9.9', '2.1.4', '2.0.0-rc.1']],
  ['<1.0.0 || >=2.0.0 <2.0.5', ['0.9.0', '2.0.4'], ['1.0.0', '1.9.0', '2.0.5']],
  ['4.4.2', ['4.4.2'], ['4.4.1', '4.4.3']],
  ['*', ['0.0.1', '3.0.0-rc.1'], []],
])('the range %s contains %j and not %j', (range, inside, outside) => {
  expect(findVersions([...inside, ...outside], range)).toEqual(inside)
})

it('a package is found in every folder, under its scope and under another name', () => {
  const lock = lockOf({
    'node_modules/left': { version: '1.0.0' },
    'node_modules/right/node_modules/left': { version: '1.1.0', dev: true },
    'node_modules/@scope/left': { version: '1.0.0' },
    'node_modules/renamed': { name: 'left', version: '1.2.0' },
  })
  const found = findVulnerable(lock, [advisory()])
  expect(found.map(({ name, version, isDev }) => [name, version, isDev])).toEqual([
    ['left', '1.0.0', false],
    ['left', '1.1.0', true],
    ['left', '1.2.0', false],
  ])
  expect(findVulnerable(lock, [advisory({ package: '@scope/left' })])).toHaveLength(1)
})

it('only a high or critical advisory of a package of the running service blocks a release', () => {
  const blocked = (['low', 'moderate', 'high', 'critical'] as const).flatMap((severity) =>
    [{}, { dev: true }, { optional: true }, { devOptional: true }].flatMap((flags) => {
      const lock = lockOf({ 'node_modules/left': { version: '1.0.0', ...flags } })
      return findVulnerable(lock, [advisory({ severity })])
        .filter(isBlocking)
        .map(() => [severity, Object.keys(flags)[0] ?? 'runtime'])
    }),
  )
  const runtime = ['runtime', 'optional', 'devOptional']
  expect(blocked).toEqual([
    ...runtime.map((flag) => ['high', flag]),
    ...runtime.map((flag) => ['critical', flag]),
  ])
})

it.each([
  ['a range', '1.0.0', 'below two'],
  ['a version', 'one', '<2.0.0'],
])('%s that cannot be read fails the audit instead of passing it', (_, version, vulnerable) => {
  const lock = lockOf({ 'node_modules/left': { version } })
  expect(() => findVulnerable(lock, [advisory({ vulnerable })])).toThrow('cannot be read')
})

it('a report of the registry replaces what was known of an advisory and keeps the rest', () => {
  const via = {
    source: 1,
    name: 'left',
    dependency: 'left',
    title: 'Worse',
    url: 'https://github.com/advisories/GHSA-xxxx',
    severity: 'critical',
    range: '<9.0.0',
  }
  const report = { vulnerabilities: { left: { via: [via] }, right: { via: ['left'] } } }
  const merged = mergeAdvisories(
    [advisory(), advisory({ id: 'GHSA-aaaa' })],
    readAuditReport(JSON.stringify(report)),
  )
  expect(merged).toEqual([
    advisory({ id: 'GHSA-aaaa' }),
    { id: 'GHSA-xxxx', package: 'left', vulnerable: '<9.0.0', severity: 'critical', title: 'Worse' },
  ])
})

it('a registry without audits leaves the stored advisories alone', () => {
  expect(() => readAuditReport('{"message": "405 Method Not Allowed", "statusCode": 405}')).toThrow(
    '405 Method Not Allowed',
  )
})

it('a lock file with another package has another hash, and one with another version has the same', () => {
  const hash = hashNames(lockOf({ 'node_modules/left': { version: '1.0.0' } }))
  expect(hashNames(lockOf({ 'node_modules/left': { version: '2.0.0' } }))).toBe(hash)
  expect(
    hashNames(
      lockOf({ 'node_modules/left': { version: '1.0.0' }, 'node_modules/right': { version: '1.0.0' } }),
    ),
  ).not.toBe(hash)
})

it('OPS-14 a fact of the repository that is too old is named, and so is one without a day', () => {
  const facts = [
    { name: 'a', day: '2026-01-01', maxAgeDays: 30 },
    { name: 'b', day: '2026-01-01', maxAgeDays: 31 },
    { name: 'c', day: '', maxAgeDays: 31 },
  ]
  const old = findOldFacts(new Date('2026-02-01T12:00:00Z'), facts)
  expect(old.map((line) => line.slice(-1))).toEqual(['a', 'c'])
  // Each dated fact is found where it stands.
  expect(findOldFacts(new Date('2020-01-01'))).toEqual([])
  expect(findOldFacts(new Date('2040-01-01')).length).toBe(2 + sources.length)
})

it('OPS-14 the nightly workflow asks the registry and tries the alert rules, and runs only scripts that exist', () => {
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/nightly.yml'), 'utf8'))
  const commands: string[] = jobs.prove.strategy.matrix.command
  const scripts = commands.flatMap((command) => /npm (?:run )?([\w:]+)/.exec(command)?.[1] ?? [])
  expect(scripts).toContain('audit')
  expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([])
  const files = commands.flatMap((command) => command.match(/[\w./-]+\.yml/g) ?? [])
  expect(files).toContain('test/lib/ops/prometheus-alerts.test.yml')
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

it('every stored advisory can be read, and none blocks a release', () => {
  const data: AdvisoryData = JSON.parse(readFileSync(new URL('advisories.json', import.meta.url), 'utf8'))
  expect(Date.parse(data.taken)).not.toBeNaN()
  expect(data.advisories.length).toBeGreaterThan(30)
  const lock: LockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  expect(listPackages(lock).length).toBeGreaterThan(500)
  expect(findVulnerable(lock, data.advisories).filter(isBlocking)).toEqual([])
})
