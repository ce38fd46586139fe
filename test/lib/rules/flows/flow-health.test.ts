import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitFindings } from '#rules/flows/health/by-metrics.ts'
import { type FlowState, findFlowFindings } from '#rules/flows/health/findings.ts'
import { listLinks } from '#rules/flows/health/links.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'
import { createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'
import { patchProcedure, printerFlow } from '#test/support/flows.ts'
import { outboundGuard } from '#vendors/net/guard.ts'
import { createLinkChecker } from '#vendors/net/link-checker.ts'

const tree = printerFlow() as TreeStructure
const steps = patchProcedure() as TreeStructure
const state = (fields: Partial<FlowState> = {}): FlowState => ({
  ...{
    tree_structure: tree,
    intake_form: [],
    sessions: 40,
    ended: 0,
    resolved: 0,
    answers: [],
    open_steps: [],
    is_author_active: true,
  },
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
    expect(
      findReasons({ tree_structure: steps, open_steps: [{ step_id: 'snapshot', sessions: 40 }] }),
    ).toEqual([['never_reached', 'patch', null]])
    const chosen = [
      answer('ping', { option_id: 'yes', answers: 30 }),
      answer('ping', { option_id: 'no', answers: 10 }),
    ]
    expect(findReasons({ answers: chosen, open_steps: [{ step_id: 'queue', sessions: 30 }] })).toEqual([
      ['never_reached', 'works', null],
    ])
  })

  it('HEA-03 names the steps of a draft that no answer leads to', () => {
    const draft = {
      ...printerFlow(),
      options: [{ id: 'yes', label: 'Yes', next_node_id: 'queue' }],
    } as TreeStructure
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
    expect(findReasons({ tree_structure: steps, answers: answers(11) })).toEqual([
      ['skipped_step', 'snapshot', null],
    ])
    expect(findReasons({ tree_structure: steps, answers: answers(10) })).toEqual([])
  })

  it('HEA-02 says once that all answers to a question with more than two options were the same', () => {
    const { options, children, ...question } = printerFlow()
    const structure = {
      ...question,
      options: [...options, { id: 'maybe', label: 'Maybe', next_node_id: 'wait' }],
      children: [...children, createSolution('wait')],
    } as TreeStructure
    const answers = (...chosen: string[]) => [
      ...chosen.map((option_id) => answer('ping', { option_id, answers: 20 })),
      answer('queue', { outcome: 'done', answers: 5 }),
    ]
    const find = (...chosen: string[]) =>
      findFlowFindings(state({ tree_structure: structure, answers: answers(...chosen) }))
    expect(find('yes')).toMatchObject([
      {
        reason: 'same_answer',
        option_id: 'yes',
        message: 'All 20 answers to “Does {{printer_ip}} answer a ping?” were “Yes”',
        patch: [{ op: 'move', from: '/tree_structure/children/0', path: '/tree_structure' }],
      },
    ])
    expect(find('yes', 'no')).toMatchObject([
      {
        reason: 'dead_option',
        option_id: 'maybe',
        patch: [
          { op: 'remove', path: '/tree_structure/options/2' },
          { op: 'remove', path: '/tree_structure/children/2' },
        ],
      },
    ])
  })

  it('HEA-04 names a step that failed more often than it was done', () => {
    const answers = (failed: number) => [
      answer('snapshot', { outcome: 'failed', answers: failed }),
      answer('snapshot', { outcome: 'done', answers: 21 - failed }),
      answer('patch', { outcome: 'done', answers: 21 }),
    ]
    expect(findFlowFindings(state({ tree_structure: steps, answers: answers(11) }))).toMatchObject([
      {
        reason: 'failing_step',
        step_id: 'snapshot',
        metrics: { answers: 21, failed: 11, done: 10 },
        patch: [{ op: 'remove', path: '/tree_structure/steps/1' }],
      },
    ])
    expect(findReasons({ tree_structure: steps, answers: answers(10) })).toEqual([])
  })

  it('HEA-18 shows the three findings of sessions that count most, and all others', () => {
    const many = {
      steps: [...Array.from({ length: 5 }, (_, n) => createStep(`s${n}`)), createEnd()],
    } as TreeStructure
    const answers = Array.from({ length: 5 }, (_, n) =>
      answer(`s${n}`, { outcome: 'skipped', answers: 20 + n }),
    )
    const findings = findFlowFindings(
      state({ tree_structure: many, answers, is_author_active: false, ended: 20, resolved: 0 }),
    )
    expect(findings).toHaveLength(7)
    expect(limitFindings(findings).map(({ reason, step_id }) => [reason, step_id])).toEqual([
      ['stale_owner', null],
      ['low_success', null],
      ['skipped_step', 's2'],
      ['skipped_step', 's3'],
      ['skipped_step', 's4'],
    ])
  })

  it('HEA-05 says that there are not enough sessions instead of judging the steps', () => {
    const [finding, ...others] = findFlowFindings(
      state({ sessions: 19, answers: [answer('ping', { option_id: 'yes', answers: 19 })] }),
    )
    expect([finding, others]).toEqual([
      expect.objectContaining({ reason: 'not_enough_sessions', metrics: { sessions: 19, needed: 20 } }),
      [],
    ])
  })

  it('HEA-06 names an author who left, and a share of resolved sessions below a half', () => {
    const full = [
      answer('ping', { option_id: 'yes', answers: 1 }),
      answer('queue', { outcome: 'done', answers: 1 }),
    ]
    expect(findReasons({ answers: full, is_author_active: false, ended: 20, resolved: 9 })).toEqual([
      ['stale_owner', null, null],
      ['low_success', null, null],
    ])
    expect(findReasons({ answers: full, is_author_active: null, ended: 20, resolved: 10 })).toEqual([])
    expect(findReasons({ answers: full, ended: 19, resolved: 0 })).toEqual([])
  })

  it('HEA-07 names a link whose page is gone at once, and one whose server fails at the second time', () => {
    const structure = { ...printerFlow(), description: 'See https://a.example/kb.' } as TreeStructure
    const link = (status: number | null, failures: number) => [
      { url: 'https://a.example/kb', state: 'broken' as const, status, failures },
    ]
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
    expect(findReasons({ tree_structure: structure, sessions: 0 })[0]).toEqual([
      'subflow_unavailable',
      'ping',
      null,
    ])
    expect(
      findReasons({ tree_structure: structure, sessions: 0, runnable_ids: new Set(['x']) }),
    ).toHaveLength(1)
  })
})

describe('a finding', () => {
  const find = (fields: Partial<FlowState>) => findFlowFindings(state(fields))
  const finding = (fields: object) => ({
    ...{ step_id: null, option_id: null, url: null, metrics: {}, ...fields },
    ...{
      patch: expect.toSatisfy(() => true),
      path: expect.any(String),
      subject: expect.toSatisfy(() => true),
    },
  })

  it('HEA-02 has the numbers and the names of what it is about', () => {
    const structure = {
      ...printerFlow(),
      title: ' ',
      options: [{ label: 'Yes', next_node_id: 'queue' }],
    } as TreeStructure
    const answers = [
      answer('ping', { option_id: 'x', answers: 5 }),
      answer('ping', { option_id: 'x', answers: 15 }),
    ]
    expect(find({ tree_structure: structure, answers })).toEqual([
      finding({
        reason: 'unreachable_step',
        message: 'No answer leads to “Reseat the network cable”, so it can never be reached',
        step_id: 'cable',
      }),
      finding({
        reason: 'dead_option',
        message: 'Nobody chose “Yes” in 20 answers to “ping”',
        step_id: 'ping',
        metrics: { answers: 20, chosen: 0 },
      }),
    ])
  })

  it('HEA-03 HEA-04 has the sessions or the answers that it counts', () => {
    const answers = [
      answer('snapshot', { outcome: 'skipped', answers: 15 }),
      answer('snapshot', { outcome: 'done', answers: 5 }),
    ]
    expect(find({ tree_structure: steps, answers })).toEqual([
      finding({
        reason: 'never_reached',
        message: 'No session of 40 reached “Install the updates”',
        step_id: 'patch',
        metrics: { sessions: 40, reached: 0 },
      }),
      finding({
        reason: 'skipped_step',
        message: '“Take a snapshot of {{server}}” was skipped in 15 of 20 answers',
        step_id: 'snapshot',
        metrics: { answers: 20, skipped: 15 },
      }),
    ])
  })

  it.each([
    [19, []],
    [20, ['works']],
  ])('HEA-03 names the step after an action that %i sessions visited: %j', (visits, ids) => {
    const answers = [
      answer('ping', { option_id: 'yes', answers: 10 }),
      answer('ping', { option_id: 'no', answers: 10 }),
    ]
    expect(
      find({ answers, open_steps: [{ step_id: 'queue', sessions: visits }] }).map(({ step_id }) => step_id),
    ).toEqual(ids)
  })

  it('HEA-03 counts answers and open sessions of a step together', () => {
    const answers = [
      answer('queue', { outcome: 'done', answers: 12 }),
      answer('ping', { option_id: 'yes', answers: 12 }),
    ]
    expect(
      find({ answers, open_steps: [{ step_id: 'queue', sessions: 8 }] }).map(({ reason, step_id }) => [
        reason,
        step_id,
      ]),
    ).toEqual([['never_reached', 'works']])
  })

  it('HEA-03 names the steps after the end of a procedure, and none without an end', () => {
    const names = (list: TreeStructure) =>
      find({ tree_structure: list, sessions: 0 }).map(({ step_id }) => step_id)
    expect(names({ steps: [createEnd(), createStep('a'), createStep('b')] })).toEqual(['a', 'b', null])
    expect(names({ steps: [createStep('a'), createStep('b')] })).toEqual([null])
  })

  it('HEA-05 is the number of sessions for a flow without steps', () => {
    expect(find({ tree_structure: null, sessions: 3 })).toEqual([
      finding({
        reason: 'not_enough_sessions',
        message: 'Not enough sessions to judge the steps: 3 of 20 in 90 days with these steps and options',
        metrics: { sessions: 3, needed: 20 },
      }),
    ])
    expect(find({ tree_structure: null, sessions: 20 })).toEqual([])
  })

  it('HEA-06 has the share of resolved sessions', () => {
    expect(find({ tree_structure: null, ended: 20, resolved: 9 })).toEqual([
      finding({
        reason: 'low_success',
        message: '9 of 20 sessions that ended in 90 days were resolved',
        metrics: { sessions: 20, resolved: 9 },
      }),
    ])
  })

  it.each([
    [404, 1, 'returns 404', { status: 404, failures: 1 }],
    [null, 2, 'cannot be reached', { failures: 2 }],
  ])('HEA-07 has the address of a link with the status %s', (status, failures, result, metrics) => {
    const structure = createSolution('s', { title: 'https://a.example/x' })
    const links = [{ url: 'https://a.example/x', state: 'broken' as const, status, failures }]
    expect(find({ tree_structure: structure, links })).toEqual([
      finding({
        reason: 'broken_link',
        message: `A link of this step ${result}`,
        step_id: 's',
        url: 'https://a.example/x',
        metrics,
      }),
    ])
    expect(
      find({ tree_structure: structure, links: links.map((link) => ({ ...link, state: 'ok' as const })) }),
    ).toEqual([])
  })
})

describe('a link of a flow', () => {
  const listUrls = (description: string | null) =>
    listLinks(createSolution('s', { title: null, description, attachments: null })).map(({ url }) => url)

  it.each([
    ['https://a.example/x.', ['https://a.example/x']],
    ['(https://a.example/x)', ['https://a.example/x']],
    ['https://a.example/x_(y)', ['https://a.example/x_(y)']],
    ['https://a.example/x_(y))', ['https://a.example/x_(y)']],
    ['**https://a.example/x**', ['https://a.example/x']],
    ['<https://a.example/x>', ['https://a.example/x']],
    ['HTTP://a.example/x', ['HTTP://a.example/x']],
    ['ftp://a.example/x', []],
    ['https://a.example/{{host}}', []],
    ['https://a.example/x{', []],
    ['https://', []],
    [`https://a.example/${'x'.repeat(1982)}`, [`https://a.example/${'x'.repeat(1982)}`]],
    [`https://a.example/${'x'.repeat(1983)}`, []],
    [null, []],
  ])('HEA-09 is found in %j', (description, urls) => {
    expect(listUrls(description)).toEqual(urls)
  })

  it('HEA-09 belongs to the first step that has it', () => {
    const url = 'https://a.example/x'
    const steps = [
      createStep('a', { title: url, description: null }),
      createStep('b', { description: `${url} https://b.example/` }),
    ]
    expect(listLinks({ steps })).toEqual([
      { url, step_id: 'a' },
      { url: 'https://b.example/', step_id: 'b' },
    ])
  })
})

it('HEA-09 lists the links of texts and attachments once, without punctuation and placeholders, at most 50', () => {
  const texts =
    'https://a.example/x, (https://b.example/y_(z)) [t](https://c.example/1). https://d.example/{{host}} https://a.example/x'
  const attachments = ['https://e.example/', 'https://f.example/{{host}}'].map((url) => ({
    title: 'KB',
    url,
  }))
  const urls = (structure: unknown) => listLinks(structure as TreeStructure).map(({ url }) => url)
  const found = urls({ ...printerFlow(), description: texts, attachments })
  expect(found).toEqual([
    'https://e.example/',
    'https://a.example/x',
    'https://b.example/y_(z)',
    'https://c.example/1',
  ])
  expect(
    urls({
      ...printerFlow(),
      description: Array.from({ length: 60 }, (_, n) => `https://a.example/${n}`).join(' '),
    }),
  ).toHaveLength(50)
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
