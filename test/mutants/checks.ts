import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** Return whether the files of a sandbox have correct types. A name that became unused is no error. */
export function hasCorrectTypes(root: string): Promise<boolean> {
  const options = [
    '--checkers',
    '2',
    '--incremental',
    '--tsBuildInfoFile',
    join(root, 'types.json'),
    '--noUnusedLocals',
    'false',
    '--noUnusedParameters',
    'false',
  ]
  return succeeds(root, ['node_modules/typescript/lib/tsc.js', '-p', '.', ...options])
}

/**
 * Return whether the OpenAPI document of a sandbox is the committed one. It is all that the code which writes
 * it produces.
 */
export function hasCommittedDocument(root: string): Promise<boolean> {
  return succeeds(root, ['lib/local/build/write-openapi.ts', '--check'])
}

/** Build the Worker of a sandbox. Return whether that succeeds. */
export function buildsWorker(root: string): Promise<boolean> {
  return succeeds(root, ['--eval', "import('./lib/local/build/build.ts').then(({ build }) => build())"])
}

function succeeds(cwd: string, command: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd, timeout: 120_000 }, (error) => resolve(error === null))
  })
}
