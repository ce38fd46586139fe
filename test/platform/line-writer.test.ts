// @module-tag mechanism
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '#local/root.ts'
import { createLineWriter } from '#platform/node/line-writer.ts'

test('The lines of one turn of the event loop are written at once, in their order.', async () => {
  const written: string[] = []
  const writeLine = createLineWriter((text) => written.push(text))
  writeLine('one')
  writeLine('two')
  expect(written).toEqual([])
  await new Promise((resolve) => setImmediate(resolve))
  writeLine('three')
  await new Promise((resolve) => setImmediate(resolve))
  expect(written).toEqual(['one\ntwo\n', 'three\n'])
})

test('A line is written although an error ends the process in the same turn.', () => {
  const script = `
    import { createLineWriter } from '#platform/node/line-writer.ts'
    createLineWriter()('the last line')
    throw new Error('stop')`
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    cwd: root,
  })
  expect({ stdout, status }).toEqual({ stdout: 'the last line\n', status: 1 })
})
