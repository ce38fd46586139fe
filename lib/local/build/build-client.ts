import { spawnSync } from 'node:child_process'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '#local/root.ts'
import { writeClient } from './write-client.ts'

const compiler = join(root, 'node_modules/.bin/tsc')

/**
 * Write the package of the typed client into a folder: compiled code with types, package.json, README and
 * license.
 */
export async function buildClient(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await writeClient()
  const { status, stdout } = spawnSync(compiler, ['-p', join(root, 'lib/client'), '--outDir', folder], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The typed client does not compile:\n${stdout}`)
  const service = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string
    license: string
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(describePackage(service), null, 2)}\n`)
  await copyFile(join(root, 'lib/client/README.md'), join(folder, 'README.md'))
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

function describePackage({ version, license }: { version: string; license: string }): object {
  return {
    name: '@support-flow/client',
    version,
    description: 'Typed client of the Support Flow Service, for browsers and Node',
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './client.d.ts', default: './client.js' } },
    engines: { node: '>=20' },
  }
}

if (import.meta.main) await buildClient(join(root, 'dist/client'))
