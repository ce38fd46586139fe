import { describe, expect, it } from 'vitest'
import type { AiSessionRow } from '#db/rows/ai-session.ts'
import type { Candidate } from '#db/rows/candidates.ts'
import { streamJsonField } from '#rules/ai/json-field-stream.ts'
import { createDefaultTitle, toSessionTitle, toTitleOfMessage } from '#rules/ai/session-title.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { writeDocumentation } from '#vendors/ai/documentation.ts'
import { toCaseFacts, toSearchText, toWholeCase } from '#vendors/ai/facts.ts'
import { isRepeatedFix, listTriedFixes } from '#vendors/ai/repeated-fixes.ts'
import { toFlowAsRun, toRunFacts } from '#vendors/ai/session-facts.ts'
import { toCitations, toSources } from '#vendors/ai/sources.ts'

const fix = (title: string, status: string, changes: object = {}) => ({
  ...{
    title,
    status,
    description: 'd',
    partial_notes: null,
    pending_reason: null,
    failure_reason: null,
    ...changes,
  },
})
const step = (text: string, response: string | null, kind = 'fix') => ({
  kind,
  text,
  options: ['a'],
  response,
  citations: [],
  failure: null,
})
const emptySession = {
  ...{
    title: 'VPN drops',
    problem_summary: null,
    client_name: null,
    asset_name: null,
    issue_category: null,
    triage_hypothesis: null,
  },
  ...{
    environment_tags: [],
    status: 'requesting_escalation',
    outcome: null,
    resolution_notes: null,
    follow_up: null,
    evidence_items: [],
    facts: [],
  },
  ...{
    steps: [],
    suggested_fixes: [],
    script_runs: [],
    messages: [],
    pending_task_lane: { questions: [], actions: [], responses: [] },
  },
}
const toSession = (changes: object) => ({ ...emptySession, ...changes }) as unknown as AiSessionRow
const citation = { kind: 'flow', id: 'f', title: 'VPN' } as const
const fullSession = toSession({
  ...{
    problem_summary: 'It drops',
    client_name: 'Contoso',
    asset_name: 'PC-7',
    issue_category: 'Network',
    triage_hypothesis: 'MTU',
  },
  evidence_items: [{ text: 'Drops hourly' }],
  facts: [{ key: 'os', value: 'Windows' }],
  steps: [step('Lower the MTU\nto 1400', 'done'), step('Ask', null)],
  suggested_fixes: [
    fix('A', 'applied_partial', { partial_notes: 'half' }),
    fix('B', 'applied_pending', { pending_reason: 'tomorrow' }),
    fix('C', 'applied_failed', { failure_reason: 'no' }),
    fix('D', 'applied_success', { partial_notes: 'unused' }),
    fix('E', 'applied_failed'),
  ],
  messages: [
    { role: 'user', content: 'Hi', citations: [citation], failure: null },
    {
      role: 'assistant',
      content: 'Yes',
      citations: [citation, { ...citation, kind: 'article' }],
      failure: null,
    },
  ],
  pending_task_lane: {
    questions: [{ text: 'Q1', answered: true }, { text: 'Q2' }],
    actions: [
      { text: 'A1', done: true },
      { text: 'A2', done: false },
    ],
    responses: [{ text: 'R' }],
  },
})

describe('the documentation of a case', () => {
  it('has only its head when nothing else is known', () => {
    expect(writeDocumentation(toSession({}), {}, false)).toBe(
      'Status: requesting escalation\nCase: VPN drops',
    )
  })
  it('has a section for everything that is known', () => {
    const handoff = { summary: 's', reason: 'r', what_was_tried: 'w', next_steps: 'x', urgency: 'high' }
    expect(writeDocumentation(fullSession, { handoff, notes: 'n' }, false)).toBe(
      [
        'Escalated (high)\nCase: VPN drops\nClient: Contoso\nAsset: PC-7\nCategory: Network',
        ...[
          'Problem\nIt drops',
          'Summary\ns',
          'Reason\nr',
          'Suspected cause\nMTU',
          'Observed\n- Drops hourly',
          'Known\n- os: Windows',
        ],
        ...['What was tried\nw', 'Steps\n- Lower the MTU: done'],
        'Fixes\n- A: worked in part (half)\n- B: applied, no result yet (tomorrow)\n- C: did not work (no)\n- D: worked\n- E: did not work',
        ...['Sources\n- Flow “VPN”\n- Article “VPN”', 'Open\n- Q2\n- A2', 'Next steps\nx', 'Notes\nn'],
      ].join('\n\n'),
    )
  })
  it('AIS-48 of a resolved case has its cause, what was done, result, follow-up and time, and nothing that was left undecided', () => {
    const resolution = {
      status: 'resolved',
      outcome: 'not_reproducible',
      resolution_notes: null,
      follow_up: null,
    }
    const times = { created_at: '2026-11-21T09:30:00.000Z', resolved_at: '2026-11-21T10:34:30.000Z' }
    const fixes = [...fullSession.suggested_fixes, fix('F', 'proposed'), fix('G', 'dismissed')]
    const session = { ...fullSession, ...resolution, ...times, suggested_fixes: fixes } as AiSessionRow
    expect(writeDocumentation(session, {}, false)).toBe(
      [
        'Outcome: not reproducible\nCase: VPN drops\nClient: Contoso\nAsset: PC-7\nCategory: Network',
        ...['Problem\nIt drops', 'Suspected cause\nMTU', 'Observed\n- Drops hourly', 'Known\n- os: Windows'],
        'What was done\n- Lower the MTU: done\n- A1\n- A: worked in part (half)\n- C: did not work (no)\n- D: worked\n- E: did not work',
        ...[
          'Sources\n- Flow “VPN”\n- Article “VPN”',
          'Result\nNot reproducible',
          'Follow-up\n- B: applied, no result yet (tomorrow)',
          'Time\n1 h 5 min',
        ],
      ].join('\n\n'),
    )
    const other = {
      ...emptySession,
      ...resolution,
      ...times,
      resolution_notes: 'ping 10.1.2.3',
      follow_up: 'x',
      resolved_at: times.created_at,
    }
    expect(writeDocumentation(other as unknown as AiSessionRow, {}, true)).toBe(
      'Outcome: not reproducible\nCase: VPN drops\n\nResult\nping [masked IP]\n\nFollow-up\n- x\n\nTime\n1 min',
    )
    const { task_lane, fixes: factFixes } = toWholeCase(session, null)
    expect([
      task_lane.questions.length,
      task_lane.actions.length,
      factFixes.map(({ title }) => title).join(''),
    ]).toEqual([1, 1, 'ABCDEG'])
  })
  it('is masked as in exports, but for the status', () => {
    const session = toSession({ problem_summary: 'ping 10.1.2.3' })
    expect(writeDocumentation(session, {}, true)).toMatch(
      /^Status: requesting escalation\nCase: VPN drops\n\nProblem\nping (?!10\.1\.2\.3)/,
    )
    expect(writeDocumentation(session, {}, false)).toContain('ping 10.1.2.3')
  })
  it('leaves out what takes too much work to mask', () => {
    const text = runWithin(createBudget({ steps: 60_000 }), () =>
      writeDocumentation(toSession({ problem_summary: 'ping 10.1.2.3 '.repeat(120) }), {}, true),
    )
    expect([text.includes('10.1.2.3'), text.includes(`Problem\n${shortenedMark}`)]).toEqual([false, true])
  })
})

describe('the facts of a case', () => {
  it('number the fixes and the scripts', () => {
    const templates = [{ id: 't', name: 'Reset', description: 'x'.repeat(301), language: 'bash' }]
    const sources = { facts: { flows: [], articles: [], resolved_sessions: [] }, numbered: [] }
    const facts = toCaseFacts(fullSession, null, { sources, templates })
    expect(facts.fixes.map(({ number, title, notes }) => [number, title, notes])).toEqual([
      [1, 'A', 'half'],
      [2, 'B', 'tomorrow'],
      [3, 'C', 'no'],
      [4, 'D', 'unused'],
      [5, 'E', null],
    ])
    expect(facts.templates).toEqual([
      { number: 1, name: 'Reset', description: `${'x'.repeat(300)}…`, language: 'bash' },
    ])
    expect(facts.task_lane).toEqual({
      questions: [
        { text: 'Q1', answered: true },
        { text: 'Q2', answered: false },
      ],
      actions: [
        { text: 'A1', done: true },
        { text: 'A2', done: false },
      ],
      responses: ['R'],
    })
    expect([facts.triage.client_name, facts.evidence, facts.known]).toEqual([
      'Contoso',
      ['Drops hourly'],
      [{ key: 'os', value: 'Windows' }],
    ])
  })
  it('have the last 50 observations and the last 100 known values, with texts of limited length', () => {
    const session = toSession({
      evidence_items: Array.from({ length: 51 }, (_, n) => ({ text: `e${n}` })),
      facts: Array.from({ length: 101 }, (_, n) => ({ key: `k${n}`, value: 'v'.repeat(1001) })),
      steps: [step('s'.repeat(1001), null)],
      suggested_fixes: [fix('A', 'proposed', { description: 'd'.repeat(501) })],
      pending_task_lane: { questions: [], actions: [], responses: [{ text: 'r'.repeat(1001) }] },
    })
    const { evidence, known, steps, fixes, task_lane } = toCaseFacts(session, null)
    expect([evidence.length, evidence[0], known.length, known[0]?.key]).toEqual([50, 'e1', 100, 'k1'])
    expect([
      known[0]?.value.length,
      steps[0]?.text.length,
      fixes[0]?.description.length,
      task_lane.responses[0]?.length,
    ]).toEqual([1001, 1001, 501, 1001])
  })
  it('of a whole case have the resolution and the last 30 turns', () => {
    const messages = Array.from({ length: 31 }, (_, n) => ({
      role: 'user',
      content: `m${n}`,
      citations: [],
      failure: null,
    }))
    const { resolution, conversation } = toWholeCase(
      toSession({ messages, outcome: 'resolved', resolution_notes: 'n', follow_up: 'f' }),
      null,
    )
    expect([resolution, conversation.length, conversation[0]]).toEqual([
      { outcome: 'resolved', notes: 'n', follow_up: 'f' },
      30,
      { role: 'user', text: 'm1' },
    ])
    expect(toWholeCase(toSession({}), null).resolution).toBeNull()
  })
  it('AIS-50 leave out turns without an answer, but not what a technician responded', () => {
    const failure = 'unusable'
    const messages = [
      { role: 'user', content: 'Hi', citations: [], failure: null },
      { role: 'assistant', content: 'No answer', citations: [citation], failure },
    ]
    const steps = [
      { ...step('No answer', 'I restarted it'), failure, citations: [citation] },
      { ...step('No answer', null), failure },
    ]
    const session = toSession({ messages, steps, status: 'resolved' })
    expect(toWholeCase(session, null)).toMatchObject({
      conversation: [{ role: 'user', text: 'Hi' }],
      steps: [{ response: 'I restarted it' }],
    })
    const text = writeDocumentation(session, {}, false)
    expect(text).toContain('I restarted it')
    expect(text).not.toMatch(/No answer|VPN \(/)
  })
  it('are searched by at most 4,000 characters of what is known', () => {
    const session = toSession({ problem_summary: 'It drops', issue_category: 'Network' })
    expect(toSearchText(session, { summary: 'Ticket' } as never, 'latest')).toBe(
      'VPN drops It drops Network Ticket latest',
    )
    expect(toSearchText(toSession({}), null)).toBe('VPN drops')
    const named = toSession({
      title: 'Printer at Harbor (Legal) is offline',
      client_name: 'Harbor (Legal)',
      asset_name: 'PRN-2F',
    })
    expect(toSearchText(named, { company: 'HARBOR (LEGAL)' } as never, 'prn-2f hums')).toBe(
      'Printer at   is offline   hums',
    )
    expect(toSearchText(toSession({}), null, 'x'.repeat(5000))).toHaveLength(4000)
  })
})

describe('listTriedFixes', () => {
  const fixes = [
    fix('Reboot', 'applied_failed'),
    fix('Dismissed', 'dismissed'),
    fix('Works', 'applied_success'),
    fix('First', 'proposed'),
    fix('Second', 'proposed'),
  ]
  it('lists what failed, and the newest proposal that is reported to have failed', () => {
    const session = toSession({ suggested_fixes: fixes })
    expect(listTriedFixes(session)).toEqual({ titles: ['Reboot', 'Dismissed'], steps: [] })
    expect(listTriedFixes(session, true).titles).toEqual(['Reboot', 'Dismissed', 'Second'])
  })
  it('lists answered steps with a fix, unless it is recorded as helpful', () => {
    const steps = [
      step('Please do first: first.', 'done'),
      step('Try: works', 'done'),
      step('Not asked', null),
      step('A question', 'yes', 'question'),
    ]
    expect(listTriedFixes(toSession({ suggested_fixes: fixes.slice(2), steps }))).toEqual({
      titles: ['First'],
      steps: ['Please do first: first.'],
    })
  })
})

describe('isRepeatedFix', () => {
  const tried = {
    titles: ['Restart the print spooler'],
    steps: ['Open the settings of the printer and restart the print spooler'],
  }
  const wait = { title: 'Wait', description: 'Wait a day' }
  it.each([
    [null, 'Open the settings of the printer and restart the print spooler', true],
    [null, 'Replace the toner', false],
    [{ title: 'Restart the print spooler', description: 'x' }, 'y', true],
    [wait, 'Open the settings of the printer and restart the print spooler', true],
    [{ ...wait, description: 'Open the settings of the printer and restart the print spooler' }, 'y', true],
    [wait, 'y', false],
  ])('compares the title, the description and the reply: %j %j', (proposed, text, expected) => {
    expect(isRepeatedFix(proposed, text, tried)).toBe(expected)
  })
})

describe('streamJsonField', () => {
  const stream = (...pieces: string[]) => {
    const deltas: string[] = []
    const add = streamJsonField('text', (delta) => deltas.push(delta))
    pieces.forEach(add)
    return deltas
  }
  it.each([
    [
      ['{"text":"a', 'b"', ',"x":"c"}'],
      ['a', 'b'],
    ],
    [
      [' { "text" : "a\\', 'n\\u00', 'e4"}'],
      ['a', '\n', 'ä'],
    ],
    [['{"text":"\\ud83d', '\\ude00"}'], ['😀']],
    [['{"text":"\ud83d', '\ude00"}'], ['😀']],
    [['{"text":"a\\"b"}'], ['a"b']],
    [['{"text":""}', 'x"'], []],
    [['{"other":"a"}'], []],
    [['{"text":1}'], []],
    [['{"text":"\\x"}'], []],
    [[' '.repeat(4001), '{"text":"a"}'], []],
    [[' '.repeat(4000), '{"text":"a"}'], ['a']],
  ])('passes on the text of %j', (pieces, deltas) => expect(stream(...pieces)).toEqual(deltas))
})

describe('the sources of a prompt', () => {
  const article = (id: string, length: number): Candidate => ({
    ...{ kind: 'article', id, title: id, score: 1 },
    content: { text: 'x'.repeat(length) },
  })
  it('have a number across the lists, and are cited by it', () => {
    const sources = toSources([
      article('a', 10),
      {
        ...{ kind: 'session', id: 's', title: 's', score: 1 },
        content: {
          problem: 'p'.repeat(801),
          cause: null,
          notes: null,
          fixes: ['1', '2', '3', '4', '5', '6'],
        },
      },
      {
        ...{ kind: 'session', id: 'u', title: 'u', score: 1 },
        content: { problem: null, cause: 'c'.repeat(401), notes: 'n'.repeat(1501), fixes: [] },
      },
    ])
    expect(sources.facts.articles).toEqual([{ number: 1, title: 'a', text: 'x'.repeat(10) }])
    expect(sources.facts.resolved_sessions).toEqual([
      {
        number: 2,
        title: 's',
        problem: `${'p'.repeat(800)}…`,
        likely_cause: '',
        solution: '',
        fixes: ['1', '2', '3', '4', '5'],
      },
      {
        number: 3,
        title: 'u',
        problem: '',
        likely_cause: `${'c'.repeat(400)}…`,
        solution: `${'n'.repeat(1500)}…`,
        fixes: [],
      },
    ])
    expect(toCitations([2, 9, 1, 2, 0], sources)).toEqual([
      { kind: 'session', id: 's', title: 's' },
      { kind: 'article', id: 'a', title: 'a' },
    ])
  })
  it('have at most 6,000 characters each and 24,000 together', () => {
    const { facts } = toSources(Array.from({ length: 6 }, (_, n) => article(`${n}`, 9000)))
    expect(facts.articles.map(({ text }) => text.length)).toEqual([6001, 6001, 6001, 5896])
  })
  it('outline the nodes of a flow', () => {
    const tree = {
      root: {
        id: 'r',
        type: 'decision',
        title: 'Is {{ user_name | x }} away?',
        options: [{ id: 'o', label: 'Yes {{vpn_gateway}}', next_node_id: 's' }, { id: 'p' }],
        children: [],
      },
    }
    const content = (tree_structure: object, tree_type: string) =>
      ({ description: 'd'.repeat(401), category: null, tree_type, tree_structure }) as never
    const steps = {
      steps: [
        { id: 'a', type: 'procedure_step', title: 'One', description: 'd'.repeat(301) },
        { id: 'b', type: 'procedure_end' },
      ],
    }
    const { facts } = toSources([
      {
        ...{ kind: 'flow', id: 't', title: 'Tree', score: 1 },
        content: content(tree.root, 'troubleshooting'),
      },
      { ...{ kind: 'flow', id: 'l', title: 'List', score: 1 }, content: content(steps, 'procedural') },
    ])
    expect(facts.flows).toEqual([
      {
        ...{
          number: 1,
          name: 'Tree',
          description: `${'d'.repeat(400)}…`,
          category: null,
          type: 'troubleshooting',
        },
        nodes: [
          {
            ...{ id: 'r', kind: 'decision', title: 'Is [user name] away?', description: '', next: null },
            options: [
              { label: 'Yes [vpn gateway]', leads_to: 's' },
              { label: '', leads_to: '' },
            ],
          },
        ],
      },
      {
        ...{
          number: 2,
          name: 'List',
          description: `${'d'.repeat(400)}…`,
          category: null,
          type: 'procedural',
        },
        nodes: [
          {
            id: 'a',
            kind: 'procedure_step',
            title: 'One',
            description: `${'d'.repeat(300)}…`,
            options: [],
            next: 'b',
          },
          { id: 'b', kind: 'procedure_end', title: '', description: '', options: [], next: null },
        ],
      },
    ])
  })
  it('have the first 80 nodes of a flow, or those that fit into 12,000 characters', () => {
    const flow = (count: number, length: number) =>
      toSources([
        {
          ...{ kind: 'flow', id: 't', title: 'T', score: 1 },
          content: {
            ...{ description: '', category: null, tree_type: 'procedural' },
            tree_structure: {
              steps: Array.from({ length: count }, (_, n) => ({
                id: `${n}`,
                type: 'procedure_step',
                title: 'x'.repeat(length),
              })),
            },
          } as never,
        },
      ]).facts.flows[0]?.nodes.length
    expect([flow(81, 1), flow(80, 1), flow(20, 1000)]).toEqual([80, 80, 10])
  })
})

describe('the facts about a run of a flow', () => {
  const session = {
    ...{
      name: 'VPN',
      description: '',
      tree_type: 'troubleshooting',
      intake_form: [],
      custom_steps: [],
      outcome: 'resolved',
      notes: null,
      next_steps: null,
    },
    tree_structure: {
      ...{
        id: 'root',
        type: 'decision',
        title: 'Who?',
        options: [{ id: 'one', label: 'One person', next_node_id: 'fix' }],
      },
      children: [
        { id: 'fix', type: 'action', title: 'Restart', action: 'Restart', next_node_id: null, children: [] },
      ],
    },
    decisions: [
      { step_id: 'root', option_id: 'one', outcome: null, note: 'n' },
      { step_id: 'fix', option_id: null, outcome: 'failed', note: null },
      { step_id: 'gone', option_id: 'x', outcome: null, note: null },
    ],
    fallback_decisions: [
      { step_id: 'fix', fallback_step_id: 'root', outcome: 'resolved', note: 'm' },
      { step_id: 'fix', fallback_step_id: 'lost', outcome: 'failed', note: null },
    ],
  } as never
  it('have the label of each answer and the titles of its fallbacks', () => {
    const { answers, session: result } = toRunFacts(session, toFlowAsRun(session))
    expect(result).toEqual({ outcome: 'resolved', notes: null, next_steps: null })
    expect(answers).toEqual([
      { node: 'root', option: 'One person', outcome: null, note: 'n', fallbacks: [] },
      {
        ...{ node: 'fix', option: null, outcome: 'failed', note: null },
        fallbacks: [
          { title: 'Who?', outcome: 'resolved', note: 'm' },
          { title: 'lost', outcome: 'failed', note: null },
        ],
      },
      { node: 'gone', option: null, outcome: null, note: null, fallbacks: [] },
    ])
  })
})

it.each([
  ['  VPN drops \nsince today', 'VPN drops', 'VPN drops since today'],
  ['x'.repeat(100), 'x'.repeat(100), 'x'.repeat(100)],
  ['x'.repeat(101), `${'x'.repeat(100)}…`, `${'x'.repeat(100)}…`],
  ['', '', ''],
])('the title of the problem %j is %j, and of the message %j', (text, title, ofMessage) => {
  expect([toSessionTitle(text), toTitleOfMessage(text), createDefaultTitle('chat')]).toEqual([
    title,
    ofMessage,
    'New chat session',
  ])
})
