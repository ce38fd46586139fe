import { describe, expect, it, onTestFinished } from 'vitest'
import { createConsoleLog, withTraceId } from '#log.ts'
import { runInTrace } from '#trace.ts'

describe('the log', () => {
  it('has the trace of the work', () => {
    const lines: unknown[] = []
    const log = withTraceId((line) => lines.push(line))
    log({ a: 1 })
    runInTrace(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, () => log({ a: 2 }))
    expect(lines).toEqual([{ a: 1 }, { a: 2, trace_id: 'a'.repeat(32) }])
  })
  it('names the client that prints a warning, and not what it prints', () => {
    const { warn, error } = console
    onTestFinished(() => void Object.assign(console, { warn, error }))
    const lines: string[] = []
    const log = createConsoleLog((line) => lines.push(line))
    log({ a: 1 })
    console.warn('[Upstash Redis] secret')
    console.error(new Error('secret'))
    console.error('[] secret')
    expect(lines.map((line) => ({ ...JSON.parse(line), at: undefined }))).toEqual([
      { a: 1 },
      { level: 'warn', client: 'Upstash Redis' },
      { level: 'error', client: 'unnamed' },
      { level: 'error', client: 'unnamed' },
    ])
  })
})
