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
  it('OBS-18 has what a package prints, without what it may quote', () => {
    const { warn, error } = console
    onTestFinished(() => void Object.assign(console, { warn, error }))
    const lines: string[] = []
    const log = createConsoleLog((line) => lines.push(line))
    log({ a: 1 })
    log({ error: { name: 'Error' } })
    console.warn('[Upstash Redis] the request to https://secret.example/x failed')
    console.warn("serveStatic: root path 'secret' is not found, are you sure it's correct?")
    console.error(new Error(`refused for secret@people.example: {"secret":1}\nsecret`))
    console.error('Bearer secret.0123456789.secret was refused with 401')
    console.error('', 'secret')
    expect(lines.map((line) => ({ ...JSON.parse(line), at: undefined }))).toEqual([
      { level: 'info', a: 1 },
      { level: 'error', error: { name: 'Error' } },
      { level: 'warn', client: 'Upstash Redis', text: 'the request to … failed' },
      {
        level: 'warn',
        client: 'unnamed',
        text: "serveStatic: root path … is not found, are you sure it's correct?",
      },
      { level: 'error', client: 'unnamed', text: 'Error: refused for …: …' },
      { level: 'error', client: 'unnamed', text: 'Bearer … was refused with 401' },
      { level: 'error', client: 'unnamed', text: '' },
    ])
  })
})
