import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { buildClient } from '#local/build/build-client.ts'
import { root } from '#local/root.ts'

export const run = promisify(execFile)

/** A project that has installed the package of the client from `npm pack`, and nothing else. */
export interface Consumer {
  folder: string
  /** The folder that was packed. */
  packageFolder: string
  remove(): Promise<void>
}

/** Build, pack and install the client in an empty folder, without a network. */
export async function installPackedClient(): Promise<Consumer> {
  const top = await mkdtemp(join(tmpdir(), 'client-'))
  const [packageFolder, folder] = [join(top, 'package'), join(top, 'project')]
  await buildClient(packageFolder)
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const { stdout } = await run('npm', ['pack', '--silent', packageFolder], { cwd: folder })
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${stdout.trim()}`], { cwd: folder })
  return { folder, packageFolder, remove: () => rm(top, { recursive: true }) }
}

/** Let the project use packages of this repository. */
export async function linkPackages(folder: string, names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
}

const languages = new Set(['ts', 'tsx'])

/**
 * Write the code blocks of the client's README into a project, each into the file that its first line names.
 * Return the names of the files.
 */
export async function writeReadmeFiles(folder: string): Promise<string[]> {
  const readme = await readFile(join(folder, 'node_modules/@support-flow/client/README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, language = '']) =>
    languages.has(language),
  )
  await mkdir(join(folder, 'src'), { recursive: true })
  for (const [, , text = ''] of blocks)
    await writeFile(join(folder, 'src', basename(readFileName(text))), text)
  return blocks.map(([, , text = '']) => readFileName(text))
}

function readFileName(text: string): string {
  const name = /^\/\/ (src\/[\w-]+\.tsx?)\n/.exec(text)?.[1]
  if (!name) throw new Error(`A code block of the README names no file: ${text.split('\n')[0]}`)
  return name
}
