import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, realpath, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A copy of the checkout that may be changed. */
export interface Sandbox {
  root: string
  write(file: string, text: string): void
  /** Make a file the same as in the checkout again. */
  restore(file: string): void
  remove(): void
}

const copied = [
  'functions',
  'lib',
  'migrations',
  'test',
  'dist',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'wrangler.toml',
  'README.md',
  '.dependency-cruiser.cjs',
]

/** Copy a checkout into a temporary folder. Packages are linked. */
export async function createSandbox(checkout: string): Promise<Sandbox> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'mutants-')))
  for (const name of copied) await cp(join(checkout, name), join(root, name), { recursive: true })
  await symlink(await realpath(join(checkout, 'node_modules')), join(root, 'node_modules'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  process.once('exit', remove)
  const write = (file: string, text: string) => writeFileSync(join(root, file), text)
  return {
    root,
    write,
    restore: (file) => write(file, readFileSync(join(checkout, file), 'utf8')),
    remove,
  }
}
