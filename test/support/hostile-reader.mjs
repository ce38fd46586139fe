// A reader of files whose counts protect nothing. The input says what it does.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

const attempt = (act) => {
  try {
    act()
    return 'done'
  } catch (error) {
    return error.code ?? error.message
  }
}

const acts = {
  loop() {
    for (;;);
  },
  buffers() {
    const kept = []
    for (;;) kept.push(new Uint8Array(1_000_000).fill(1))
  },
  heap() {
    const map = new Map()
    for (let n = 0; ; n++) map.set(n, [n])
  },
  exit: () => process.exit(1),
  crash: () => process.abort(),
  killed: () => process.kill(process.pid, 'SIGKILL'),
  silence: () => new Promise(() => {}),
  answer: () => 'read',
  busy() {
    const end = performance.now() + 300
    while (performance.now() < end);
    return 'read'
  },
  environment: () => Object.keys(process.env),
  thread: () => attempt(() => new Worker('0', { eval: true })),
  program: () => attempt(() => spawn('/bin/true')),
  write: () => attempt(() => writeFileSync('/tmp/written-by-a-reader', '')),
  read: () => attempt(() => readFileSync('/etc/hostname')),
}

process.on('disconnect', () => process.exit())
process.on('message', async ({ input }) =>
  process.send({ steps: 1, json: JSON.stringify((await acts[input]()) ?? null) }),
)
process.send('ready')
