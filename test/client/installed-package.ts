import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '#local/root.ts'
import packageJson from '../../package.json' with { type: 'json' }

const run = promisify(execFile)

/** Run the TypeScript compiler. Reject with its messages when it finds an error. */
export function compile(options: string[], folder = root): Promise<unknown> {
  return run(join(root, 'node_modules/.bin/tsc'), options, { cwd: folder })
}

/** Run `work` with the folder of a project that has installed the package. */
export async function inConsumerProject<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  const installed = join(folder, 'node_modules/support-flow-service')
  try {
    await mkdir(installed, { recursive: true })
    await writeFile(join(installed, 'package.json'), JSON.stringify({ type: 'module', exports: packageJson.exports }))
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    await compile(['-p', join(root, 'lib/client'), '--outDir', join(installed, 'dist/client')])
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
