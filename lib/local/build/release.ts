import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { version } from '#config.ts'
import { root } from '#local/root.ts'
import { buildForNode } from './build.ts'
import { buildClient } from './build-client.ts'

const folder = join(root, 'dist/release')

/**
 * Return the notes of a version: its section of the changelog. Throw if it has none, or none that says how to
 * upgrade. The first version needs none.
 */
export function readReleaseNotes(changelog: string, wanted: string): string {
  const sections = changelog.split(/^## (?=\[)/m).slice(1)
  const index = sections.findIndex((section) => section.startsWith(`[${wanted}] - `))
  const notes = sections[index]?.split('\n').slice(1).join('\n').trim()
  if (!notes) throw new Error(`CHANGELOG.md has no section [${wanted}] with a date.`)
  if (index < sections.length - 1 && !/^### Upgrade$/m.test(notes))
    throw new Error(`The section [${wanted}] of CHANGELOG.md lacks “### Upgrade”.`)
  return notes
}

/**
 * Write the files of a release into dist/release: the client, the folder for Node, the notes, and the
 * checksums. Throw for a tag of another version.
 */
async function writeRelease(tag: string | undefined): Promise<void> {
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`The tag ${tag} is not v${version}, the version of package.json.`)
  const notes = readReleaseNotes(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await buildClient(join(root, 'dist/client'))
  await buildForNode()
  run('npm', ['pack', './dist/client', '--pack-destination', folder])
  // Without the native packages of this machine: `npm ci` in the folder installs those of the other one.
  const names = ['--exclude=node/node_modules', `--transform=s,^node,support-flow-${version},`]
  run('tar', [
    '-czf',
    join(folder, `support-flow-${version}.tar.gz`),
    '-C',
    join(root, 'dist'),
    ...names,
    'node',
  ])
  const files = (await readdir(folder)).sort()
  const sums = await Promise.all(
    files.map(async (name) => `${hash(await readFile(join(folder, name)))}  ${name}\n`),
  )
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
  await writeFile(join(root, 'dist/release-notes.md'), `${notes}\n`)
  console.log(`dist/release: ${files.join(', ')}, SHA256SUMS`)
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed:\n${stderr}`)
}

if (import.meta.main) await writeRelease(process.argv[2])
