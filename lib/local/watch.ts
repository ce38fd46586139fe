import { type ChildProcess, spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { root } from '#local/root.ts'

const watchedFolders = ['functions', 'lib', 'migrations']
// An editor writes several files within this time.
const settleMs = 150

/**
 * Run a script with arguments in a process of its own, and restart it whenever a source file changes. Return
 * its exit code.
 */
export function runWatched(script: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    let running: ChildProcess | undefined
    let timer: NodeJS.Timeout | undefined
    let isChanged = false
    const start = () => {
      isChanged = false
      const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' })
      child.once('exit', (code) => (isChanged ? start() : resolve(code ?? 0)))
      running = child
    }
    const restart = (file: string) => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        console.log(`\n  ${file} changed: starting again`)
        isChanged = true
        running?.kill('SIGTERM')
      }, settleMs)
    }
    for (const folder of watchedFolders)
      watch(join(root, folder), { recursive: true }, (_event, name) => {
        if (name && /\.(ts|sql|md|json|mjs)$/.test(name)) restart(join(folder, name))
      })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => running?.kill(signal))
    start()
  })
}
