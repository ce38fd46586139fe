import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FlowState, findFlowFindings } from '../../lib/flows/health/findings.ts'
import { listLinks } from '../../lib/flows/health/links.ts'
import type { TreeStructure } from '../../lib/flows/structure.ts'
import { outboundGuard } from '../../lib/net/guard.ts'
import { createLinkChecker } from '../../lib/net/link-checker.ts'
import { patchProcedure, printerFlow } from '../support/flows.ts'

const tree = printerFlow() as TreeStructure
const steps = patchProcedure() as TreeStructure
const state = (fields: Partial<FlowState> = {}): FlowState => ({
  ...{ tree_structure: tree, sessions: 40, ended: 0, resolved: 0, answers: [], open_steps: [], is_author_active: true },
  ...{ links: [], runnable_ids: new Set<string>(), ...fields },
})
const answer = (step_id: string, fields: { option_id?: string; outcome?: string; answers: number }) => ({
  ...{ step_id, option_id: null, outcome: null, ...fields },
})
const findReasons = (fields: Partial<FlowState>) =>
  findFlowFindings(state(fields)).map(({ reason, step_id, option_id }) => [reason, step_id, option_id])

describe('findings of a flow', () => {
  it('HEA-02 names an option that nobody chose in 20 answers, and not one in 19', () => {
    const answers = (count: number) => [
      answer('ping', { option_id: 'yes', answers: count }),
      answer('queue', { outcome: 'done', answers: 5 }),
    ]
    expect(findReasons({ answers: answers(20) })).toEqual([['dead_option', 'ping', 'no']])
    expect(findReasons({ answers: answers(19) })).toEqual([])
  })

  it('HEA-03 names the first step of a list, and the step after an often visited action, that nobody reached', () => {
    expect(findReasons({ tree_structure: steps, open_steps: [{ step_id: 'snapshot', sessions: 40 }] })).toEqual([
      ['never_reached', 'patch', null],
    ])
    const chosen = [answer('ping', { option_id: 'yes', answers: 30 }), answer('ping', { option_id: 'no', answers: 10 })]
    expect(findReasons({ answers: chosen, open_steps: [{ step_id: 'queue', sessions: 30 }] })).toEqual([['never_reached', 'works', null]])
  })

  it('HEA-03 names the steps of a draft that no answer leads to', () => {
    const draft = { ...printerFlow(), options: [{ id: 'yes', label: 'Yes', next_node_id: 'queue' }] } as TreeStructure
    expect(findReasons({ tree_structure: draft, sessions: 0 })).toEqual([
      ['unreachable_step', 'cable', null],
      ['not_enough_sessions', null, null],
    ])
  })

  it('HEA-04 names a step that more than half of 20 answers skipped', () => {
    const answers = (skipped: number) => [
      answer('snapshot', { outcome: 'skipped', answers: skipped }),
      answer('snapshot', { outcome: 'done', answers: 20 - skipped }),
      answer('patch', { outcome: 'done', answers: 20 }),
    ]
    expect(findReasons({ tree_structure: steps, answers: answers(11) })).toEqual([['skipped_step', 'snapshot', null]])
    expect(findReasons({ tree_structure: steps, answers: answers(10) })).toEqual([])
  })

  it('HEA-05 says that there are not enough sessions instead of judging the steps', () => {
    const [finding, ...others] = findFlowFindings(state({ sessions: 19, answers: [answer('ping', { option_id: 'yes', answers: 19 })] }))
    expect([finding, others]).toEqual([
      expect.objectContaining({ reason: 'not_enough_sessions', metrics: { sessions: 19, needed: 20 } }),
      [],
    ])
  })

  it('HEA-06 names an author who left, and a share of resolved sessions below a half', () => {
    const full = [answer('ping', { option_id: 'yes', answers: 1 }), answer('queue', { outcome: 'done', answers: 1 })]
    expect(findReasons({ answers: full, is_author_active: false, ended: 20, resolved: 9 })).toEqual([
      ['stale_owner', null, null],
      ['low_success', null, null],
    ])
    expect(findReasons({ answers: full, is_author_active: null, ended: 20, resolved: 10 })).toEqual([])
    expect(findReasons({ answers: full, ended: 19, resolved: 0 })).toEqual([])
  })

  it('HEA-07 names a link whose page is gone at once, and one whose server fails at the second time', () => {
    const structure = { ...printerFlow(), description: 'See https://a.example/kb.' } as TreeStructure
    const link = (status: number | null, failures: number) => [{ url: 'https://a.example/kb', state: 'broken' as const, status, failures }]
    const find = (links: FlowState['links']) => findReasons({ tree_structure: structure, sessions: 0, links })
    const [broken, few] = [
      ['broken_link', 'ping', null],
      ['not_enough_sessions', null, null],
    ]
    for (const gone of [404, 410]) expect(find(link(gone, 1))).toEqual([broken, few])
    expect(find(link(503, 1))).toEqual([few])
    expect(find(link(503, 2))).toEqual([broken, few])
    expect(find(link(null, 2))).toEqual([broken, few])
  })

  it('HEA-08 names a step whose sub-flow cannot be run', () => {
    const structure = { ...printerFlow(), subflow: { tree_id: 'x' } } as TreeStructure
    expect(findReasons({ tree_structure: structure, sessions: 0 })[0]).toEqual(['subflow_unavailable', 'ping', null])
    expect(findReasons({ tree_structure: structure, sessions: 0, runnable_ids: new Set(['x']) })).toHaveLength(1)
  })
})

it('HEA-09 lists the links of texts and attachments once, without punctuation and placeholders, at most 50', () => {
  const texts = 'https://a.example/x, (https://b.example/y_(z)) [t](https://c.example/1). https://d.example/{{host}} https://a.example/x'
  const attachments = ['https://e.example/', 'https://f.example/{{host}}'].map((url) => ({ title: 'KB', url }))
  const urls = (structure: unknown) => listLinks(structure as TreeStructure).map(({ url }) => url)
  const found = urls({ ...printerFlow(), description: texts, attachments })
  expect(found).toEqual(['https://e.example/', 'https://a.example/x', 'https://b.example/y_(z)', 'https://c.example/1'])
  expect(urls({ ...printerFlow(), description: Array.from({ length: 60 }, (_, n) => `https://a.example/${n}`).join(' ') })).toHaveLength(50)
  // A part of a long link is another link, and may end in half of a character, which cannot be stored.
  expect(urls({ ...printerFlow(), description: `https://a.example/${'a'.repeat(1981)}😀😀` })).toEqual([])
})

describe('a check of a link', () => {
  const paths: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    paths.push(path)
    const [status = 200, location] = path === '/loop' ? [302, path] : path.slice(1).split('?to=')
    response.writeHead(Number(status), location ? { location: decodeURIComponent(location) } : {})
    response.end(path === '/200' ? 'x'.repeat(1_000_000) : '')
  })
  let origin = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())
  const check = (path: string) => {
    const guard = outboundGuard({ resolve: async () => [] }, { allowedOrigin: origin })
    return createLinkChecker(guard)(path.startsWith('http') ? path : `${origin}${path}`)
  }

  it.each([
    ['/200', { state: 'ok', status: 200 }],
    ['/403', { state: 'ok', status: 403 }],
    ['/404', { state: 'broken', status: 404 }],
    ['/500', { state: 'broken', status: 500 }],
    ['/302?to=%2F404', { state: 'broken', status: 404 }],
    ['/302?to=%2F200', { state: 'ok', status: 200 }],
    ['https://nowhere.example/', { state: 'broken', status: null }],
    ['http://10.0.0.8/wiki', { state: 'not_checked', status: null }],
    ['https://wiki.internal/', { state: 'not_checked', status: null }],
  ])('HEA-10 of %s returns its state', async (path, result) => {
    expect(await check(path)).toEqual(result)
  })

  it('HEA-10 does not follow a redirect to an internal address, nor more than three redirects', async () => {
    expect(await check(`/302?to=${encodeURIComponent('http://169.254.169.254/latest/meta-data')}`)).toEqual({
      state: 'not_checked',
      status: null,
    })
    paths.length = 0
    expect(await check('/loop')).toMatchObject({ state: 'broken' })
    expect(paths).toHaveLength(4)
  })
})
