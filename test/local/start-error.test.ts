import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#local/root.ts'
import { describeStartError } from '#local/start-error.ts'

it.each([
  ["ENOSPC: no space left on device, mkdir '/x/.data'", 'The disk is full: make room'],
  ['could not write lock file "postmaster.pid": No space left on device', 'The disk is full: make room'],
  ["ENOSPC: System limit for number of file watchers reached, watch '/x'", 'start without --watch'],
  ["EROFS: read-only file system, mkdir '/x/.data'", 'The disk is read only'],
  ["EACCES: permission denied, mkdir '/x/.data'", 'start as the owner of the folder'],
  ['could not open file "/x/PG_VERSION": Permission denied', 'start as the owner of the folder'],
  ["EMFILE: too many open files, open '/x'", '`ulimit -n 4096`'],
])('INS-19 says what to do about %j', (message, remedy) => {
  const sentence = describeStartError(new Error(message))
  expect(sentence).toContain(remedy)
  expect(sentence.endsWith(`(${message})`)).toBe(true)
})

it('INS-19 keeps a sentence that names the remedy itself', () => {
  const sentence = 'Port 8787 is in use. Stop the process that uses it, or set PORT to another port.'
  expect(describeStartError(new Error(sentence))).toBe(sentence)
})

it('INS-19 ends with npm, which was killed, behind the shell in which npm runs it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'lib'))
  const watching = `
    import { watchParent } from ${JSON.stringify(join(root, 'lib/local/processes.ts'))}
    const staying = setInterval(() => {}, 1000)
    await watchParent(() => { clearInterval(staying) }, 50)
    console.log('pid', process.pid)`
  writeFileSync(join(folder, 'start.mjs'), watching)
  // The second command keeps a shell from becoming the first one.
  const script = `"${process.execPath}" start.mjs && true`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: script } }))
  const npm = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let pid = 0
  for await (const chunk of npm.stdout) {
    pid = Number(/pid (\d+)/.exec(String(chunk))?.[1] ?? 0)
    if (pid > 0) break
  }
  const isRunning = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  expect(isRunning()).toBe(true)
  const ended = once(npm, 'exit')
  npm.kill('SIGKILL')
  await ended
  await expect.poll(isRunning, { timeout: 10_000 }).toBe(false)
})
