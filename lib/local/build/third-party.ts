import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { root } from '#local/root.ts'

/** Packages whose files are copied into the static files, and not bundled. */
const copiedPackages = /^node_modules\/(?:@fontsource\/[^/]+|@scalar\/fastify-api-reference)$/
const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

interface Package {
  name: string
  version: string
  license?: string
  author?: string | { name?: string }
}

/**
 * Write THIRD-PARTY-LICENSES.txt: the name, the version and the licence of each package that is a part of a bundle or
 * of the static files, as their licences ask for.
 */
export async function writeThirdPartyLicenses(folder: string, { inputs }: Metafile): Promise<void> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { packages: object }
  const bundled = Object.keys(inputs).flatMap((path) => packageFolder.exec(path)?.[0] ?? [])
  const copied = Object.keys(lock.packages).filter((path) => copiedPackages.test(path))
  const paths = [...new Set([...bundled, ...copied])].sort()
  const texts = await Promise.all(paths.map(describePackage))
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
}

async function describePackage(path: string): Promise<string> {
  const { name, version, license, author } = JSON.parse(
    await readFile(join(root, path, 'package.json'), 'utf8'),
  ) as Package
  const names = (await readdir(join(root, path))).filter((file) =>
    /^(?:licen[cs]e|copying|notice)/i.test(file),
  )
  const files = await Promise.all(names.sort().map((file) => readFile(join(root, path, file), 'utf8')))
  const holder = typeof author === 'string' ? author : author?.name
  // Some packages only name their licence: https://spdx.org/licenses/
  const text = files.length > 0 ? files.map((file) => file.trim()).join('\n\n') : (holder ?? '')
  return `${name} ${version}, ${license ?? 'see below'}\n\n${text}\n`
}
