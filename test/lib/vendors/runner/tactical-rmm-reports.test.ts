// @module-tag behaviour
import { afterAll, beforeEach, expect, it } from 'vitest'
import { toPlainOutput } from '#rules/text/terminal-output.ts'
import { agentIds } from '#test/support/runner.ts'
import { type Answers, answerBy, startVendorServer } from '#test/support/vendor-server.ts'
import { createRunnerOpener } from '#vendors/runner/open.ts'

// What users of Tactical RMM and of its integrations reported, see test/reports.tsv.

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const at = (answers: Answers) => {
  vendor.answer = answerBy(answers)
  const open = createRunnerOpener({ findRefusal: async () => null })
  return open({ provider: 'tactical_rmm', baseUrl: vendor.origin, apiKey: 'key-12345' })
}
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'held',
    (error: unknown) => error,
  )
const agent = {
  agent_id: agentIds.online,
  hostname: 'SRV',
  client_name: 'A',
  site_name: 'B',
  plat: 'windows',
}
const history = (script_results: object | null) =>
  at({ 'GET /agents/scripthistory/': { body: [{ id: 1, script_results }] } }).findRun('r')
const store = async (script: string, language: 'powershell' | 'bash' = 'powershell') => {
  let stored: { name?: string; script_body?: string; shell?: string } | undefined
  const port = at({
    'GET /scripts/': () => ({ body: stored ? [{ id: 3, name: stored.name }] : [] }),
    'POST /scripts/': ({ body }) => {
      stored = JSON.parse(body)
      return { body: '"ok"' }
    },
    'GET /scripts/3/': () => ({ body: stored }),
  })
  await port.storeScript({ reference: 'r', title: 't', language, script })
  return stored?.script_body
}

const cases: Record<string, () => Promise<void>> = {
  async 'amidaware/tacticalrmm#399 reads output that is no UTF-8'() {
    const { result } = await history({
      stdout: 'Adresse\ufffd \u0000\ud800',
      stderr: null,
      retcode: 0,
      execution_time: 1,
    })
    expect(toPlainOutput(result?.output ?? '')).toMatch(/^Adresse/)
  },
  async 'amidaware/tacticalrmm#1472 writes output of special characters in UTF-8'() {
    expect(await store('Write-Output "Grüße"')).toMatch(/^\ufeff\[Console\]::OutputEncoding = .*UTF8/)
  },
  async 'amidaware/tacticalrmm#260 waits for a script that takes long'() {
    expect(await history(null)).toEqual({ isStarted: true, result: null })
  },
  async 'amidaware/tacticalrmm#191 reads the time of a machine in another zone'() {
    const port = at({
      'GET /agents/': { body: [{ ...agent, status: 'online', last_seen: '2026-01-01T01:30:00+01:00' }] },
    })
    expect(await port.listAgents(undefined)).toMatchObject([
      { is_online: true, last_seen: '2026-01-01T00:30:00.000Z' },
    ])
  },
  async 'amidaware/tacticalrmm#38 shows no time for a machine that was never seen'() {
    const port = at({
      'GET /agents/': { body: [{ ...agent, status: 'offline', last_seen: '1970-01-01T00:00:00Z' }] },
    })
    expect(await port.listAgents(undefined)).toMatchObject([{ last_seen: null }])
  },
  async 'amidaware/tacticalrmm#1673 says that the role lacks a permission'() {
    const body = { detail: 'You do not have permission to perform this action.' }
    const port = at({ 'GET /agents/*/ping/': { status: 403, body } })
    expect(await refusal(port.isOnline(agentIds.online))).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/role.*You do not have permission/),
    })
  },
  async 'amidaware/tacticalrmm#809 names the field that a script lacks'() {
    const port = at({
      'GET /scripts/': { body: [] },
      'POST /scripts/': { status: 400, body: { filename: ['This field may not be blank.'] } },
    })
    const script = { reference: 'r', title: 't', language: 'bash', script: 'echo' } as const
    expect(await refusal(port.storeScript(script))).toMatchObject({
      message: expect.stringContaining('filename: This field may not be blank'),
    })
  },
  async 'amidaware/tacticalrmm#2535 blames no role for the page of a proxy'() {
    const body = '<html><head><title>403 Forbidden</title></head><center>nginx</center></html>'
    const port = at({ 'GET /clients/': { status: 403, body } })
    expect(await refusal(port.checkCredentials())).toMatchObject({
      message: expect.stringMatching(/in front of/),
    })
  },
  async 'amidaware/tacticalrmm#331 shows why a script could not be started'() {
    const stderr = 'open C:\\WINDOWS\\TEMP\\trmm\\198018948.ps1: The system cannot find the path specified.'
    expect(await history({ stdout: '', stderr, retcode: 85, execution_time: 0 })).toMatchObject({
      result: { exitCode: 85, output: expect.stringContaining('cannot find the path') },
    })
  },
  async 'amidaware/tacticalrmm#1753 keeps the exit code as it is'() {
    expect(await history({ stdout: 'x', retcode: '2' })).toMatchObject({
      result: { exitCode: 2, seconds: 0 },
    })
  },
  async 'amidaware/tacticalrmm#1335 lists a machine that was installed twice twice'() {
    const twin = { ...agent, agent_id: agentIds.offline }
    const port = at({
      'GET /agents/': {
        body: [
          { ...agent, status: 'online' },
          { ...twin, status: 'offline' },
        ],
      },
    })
    expect((await port.listAgents(undefined)).map(({ is_online }) => is_online)).toEqual([true, false])
  },
  async 'amidaware/tacticalrmm#1521 starts nothing on a machine that is away'() {
    const port = at({ 'GET /agents/*/ping/': { body: { name: 'SRV', status: 'offline' } } })
    expect(await port.isOnline(agentIds.online)).toBe(false)
  },
  async 'amidaware/tacticalrmm#1463 counts a machine that is overdue as away'() {
    const port = at({ 'GET /agents/': { body: [{ ...agent, status: 'overdue' }] } })
    expect(await port.listAgents(undefined)).toMatchObject([{ is_online: false, last_seen: null }])
  },
  async 'agit8or1/clientst0r#4 lists machines without a client or a site'() {
    const port = at({
      'GET /agents/': { body: [{ ...agent, client_name: null, site_name: undefined, status: 'online' }] },
    })
    expect(await port.listAgents(undefined)).toMatchObject([{ client: '', site: '' }])
  },
  async 'flamingo-stack/openframe-oss-tenant#575 reads the result where the runner logs it'() {
    expect(await history({ stdout: 'ok', stderr: 'warn', retcode: 0, execution_time: 1.5 })).toMatchObject({
      result: { output: 'ok\nErrors:\nwarn', exitCode: 0, seconds: 1.5 },
    })
  },
}

it.each(Object.entries(cases))('%s', async (_, check) => check())
