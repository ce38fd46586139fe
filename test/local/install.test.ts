// @module-tag night
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root } from '#local/root.ts'

// npm of the machine, because the folder has none.
const PATH = process.env.PATH?.split(delimiter)
  .filter((part) => !part.includes('node_modules'))
  .join(delimiter)
const folder = mkdtempSync(join(tmpdir(), 'install-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (command: string, ...args: string[]) =>
  spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH } })
const install = () => run(process.execPath, 'lib/local/install.mjs').stdout

/** Write a project whose packages are folders of its own, so that npm needs no network. */
function writeProject(versions: Record<string, string>, others: object = {}): void {
  const dependencies = Object.fromEntries(Object.keys(versions).map((name) => [name, `file:${name}`]))
  const project = { name: 'project', version: '1.0.0', dependencies }
  const packages: Record<string, object> = { '': project, ...others }
  for (const [name, version] of Object.entries(versions)) {
    mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ name, version }))
    packages[`node_modules/${name}`] = { resolved: name, link: true }
    packages[name] = { version }
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project))
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ ...project, lockfileVersion: 3, requires: true, packages }),
  )
}

it('INS-17 npm start installs after a change of the lock file only, whoever installed before', () => {
  mkdirSync(join(folder, 'lib/local'), { recursive: true })
  cpSync(join(root, 'lib/local/install.mjs'), join(folder, 'lib/local/install.mjs'))
  writeProject({ one: '1.0.0' })
  expect(run('npm', 'ci', '--offline').status).toBe(0)
  expect(install()).toBe('')
  const changes: Record<string, string>[] = [
    { one: '1.0.0', two: '1.0.0' },
    { one: '1.0.1', two: '1.0.0' },
    { two: '1.0.0' },
  ]
  for (const versions of changes) {
    writeProject(versions)
    expect(install()).toContain('Installing packages')
    expect(install()).toBe('')
  }
  writeProject({ two: '1.0.0' }, { 'node_modules/other': { version: '1.0.0', optional: true, os: ['aix'] } })
  expect(install()).toBe('')
})
