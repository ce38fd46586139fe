import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** Return whether the files of a sandbox have correct types. A name that became unused is no error. */
export function hasCorrectTypes(root: string): Promise<boolean> {
  const options = [
    '-p',
    '.',
    '--incremental',
    '--tsBuildInfoFile',
    join(root, 'types.json'),
    '--noUnusedLocals',
    'false',
    '--noUnusedParameters',
    'false',
  ]
  return new Promise((resolve) => {
    execFile(process.execPath, ['node_modules/typescript/lib/tsc.js', ...options], { cwd: root }, (error) => resolve(error === null))
  })
}
