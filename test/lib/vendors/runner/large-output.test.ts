// @module-tag behaviour
import { afterAll, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import { createRunnerOpener } from '#vendors/runner/open.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)
const runner = () =>
  createRunnerOpener({ findRefusal: async () => null })({
    provider: 'tactical_rmm',
    baseUrl: vendor.origin,
    apiKey: 'k',
  })

const line = 'A line with "quotes", a \\ and an é.\n'
const lines = `${line.repeat(300_000)}The last line`
it.each([
  ['stdout first', { stdout: lines, stderr: '', retcode: 3221225786, execution_time: '4.5' }],
  ['stdout last', { retcode: 3221225786, execution_time: 4.5, stderr: '', stdout: lines }],
  ['stderr', { stdout: '', retcode: 3221225786, execution_time: 4.5, stderr: lines }],
  // It is cut at any sign of `\",`.
  ...[0, 1, 2].map((n): [string, object] => [
    `quotes and commas ${n}`,
    {
      stdout: `${'a'.repeat(n)}${`${'",'.repeat(60)}\n`.repeat(70_000)}${lines.slice(-line.length * 2)}`,
      stderr: '',
      retcode: 3221225786,
      execution_time: 4.5,
    },
  ]),
])('an output of 10 MB keeps its end, its exit code and its time: %s', async (_, script_results) => {
  vendor.answer = () => ({ body: [{ id: 1, script_results }] })
  const { result } = await runner().findRun('r')
  expect(result).toMatchObject({ exitCode: -1_073_741_510, seconds: 4.5 })
  expect(result?.output).toMatch(/^\[The output is too large; this is its end\.\]\n/)
  expect(result?.output.endsWith(`${line}The last line`)).toBe(true)
})

it('an output below 8 MB is read whole', async () => {
  const script_results = { stdout: 'a'.repeat(5_000_000), stderr: null, retcode: 0, execution_time: 1 }
  vendor.answer = () => ({ body: [{ id: 1, script_results }] })
  expect((await runner().findRun('r')).result?.output).toHaveLength(5_000_000)
})
