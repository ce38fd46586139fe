import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the benchmark finds that the Fastify peer answers like both entries, and prints its results', async () => {
  const env = { ...process.env, BENCH_ROUNDS: '1', BENCH_SECONDS: '0.2' }
  // It ends with code 1 when a bound is broken, which says little after such short rounds.
  const bench = promisify(execFile)(process.execPath, ['test/bench/bench.ts', '--peers'], { env })
  const { stdout } = await bench.catch((error: { stdout: string }) => error)
  expect(stdout).toContain('All services answer alike and insert the same rows.')
  expect(stdout).toContain('Took ')
}, 300_000)
