import { describe, expect, it } from 'vitest'
import { buildReport } from '#rules/exports/build-report.ts'
import type { ReportOptions, SupportingDataRow } from '#rules/exports/report.ts'
import { selectImages } from '#rules/exports/select-images.ts'
import { formatDuration } from '#rules/exports/time-format.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { createEnd, createStep } from '#test/support/flow-nodes.ts'
import { printerFlow } from '#test/support/flows.ts'
import { createReport } from '#test/support/report.ts'
import { createSessionRow } from '#test/support/session-rows.ts'
import { renderTicketNote } from '#test/support/with-budget.ts'

/** The user of the session. */
const decidedBy = { decided_by: 'u1', decided_by_name: 'Vik Olsen' }
type Decision = SessionRow['decisions'][number]
const decision = (step_id: string, fields: Partial<Decision> = {}): Decision => ({
  step_id,
  option_id: null,
  outcome: 'done',
  note: null,
  started_at: '2026-11-21T09:00:00.000Z',
  duration_seconds: 90,
  decided_at: '2026-11-21T09:30:00.000Z',
  ...decidedBy,
  ...fields,
})
const fallback = (step_id: string, fallback_step_id: string, note: string | null = null) => ({
  ...{ step_id, fallback_step_id, outcome: 'failed' as const, note, decided_at: '2026-11-21T09:30:00.000Z' },
  ...decidedBy,
})
const customStep = (after_step_id: string, source: SessionRow['custom_steps'][number]['source']) => ({
  ...{
    id: 'c',
    source,
    after_step_id,
    title: source,
    description: 'D',
    library_step_id: null,
    tree_id: null,
    node_id: null,
  },
  created_by: 'u1',
  created_by_name: 'Vik Olsen',
  created_at: '2026-11-21T09:30:00.000Z',
})
const data = (title: string, fields: Partial<SupportingDataRow> = {}): SupportingDataRow => ({
  ...{ kind: 'text', title, content: 'C', step_id: null, image: null },
  ...fields,
})
const build = (
  fields: Partial<SessionRow> = {},
  rows: SupportingDataRow[] = [],
  options: Partial<ReportOptions> = {},
) => buildReport(createSessionRow(fields), rows, { timezone: 'Europe/Berlin', ...options })
const answered = [decision('snapshot'), decision('patch')]
const header = { title: 'Before', description: '' }
const snapshot = {
  number: '1',
  headers: [header],
  title: 'Take a snapshot of {{server}}',
  description: 'In the hypervisor.',
  details: [{ label: 'Group', value: 'Safety' }],
  answer: 'Done',
  isDone: true,
  durationAndTime: '1 min 30 s, 21 Nov 2026, 10:30',
  note: '',
  fallbacks: [],
  customSteps: [],
  evidence: [],
}
const patch = {
  ...snapshot,
  number: '2',
  headers: [],
  title: 'Install the updates',
  description: 'Reboot when asked.',
  details: [],
}
const pending = { answer: '', isDone: false, durationAndTime: '' }

describe('the head of a report', () => {
  it('has the facts that are known, and filled texts', () => {
    const { facts, title, description, notes, nextSteps } = build({
      ...{
        description: 'For {{client_name}}',
        target_label: 'SRV',
        outcome: 'unresolved',
        notes: 'N',
        next_steps: 'X',
      },
      completed_at: '2026-11-21T10:05:00.000Z',
    })
    expect([title, description, notes, nextSteps]).toEqual(['Patch a server', 'For Contoso', 'N', 'X'])
    expect(facts.map(({ label, value }) => `${label}: ${value}`)).toEqual([
      'Ticket: T-1',
      'Client: Contoso',
      'Target: SRV',
      'Outcome: Not resolved',
      'Technician: Dana',
      'Started: 21 Nov 2026, 10:00',
      'Completed: 21 Nov 2026, 11:05',
      'Time taken: 1 h 5 min',
      'Time zone: Europe/Berlin',
    ])
  })

  it('PSA-57 has a time of at least a second', () => {
    const { facts } = build({ completed_at: '2026-11-21T09:00:00.400Z' })
    expect(facts.find(({ label }) => label === 'Time taken')?.value).toBe('1 s')
  })

  it.each([0, 1, 59, 60, 61, 3600, 86_400])(
    'SES-72 a ticket note has no time of less than a minute: %d s',
    (seconds) => {
      const completed_at = new Date(Date.parse('2026-11-21T09:00:00Z') + seconds * 1000).toISOString()
      const report = build({
        started_at: '2026-11-21T09:00:00.000Z',
        completed_at,
        decisions: [decision('a', { duration_seconds: seconds })],
      })
      const note = renderTicketNote(report)
      expect(report.steps[0]?.durationAndTime).toMatch(new RegExp(`^${formatDuration(seconds)},`))
      expect([note.includes('Time taken: '), note.includes(`-> Done (${formatDuration(seconds)})`)]).toEqual([
        seconds >= 60,
        seconds >= 60,
      ])
      expect(note).toContain('-> Done')
      expect(note).not.toMatch(/(?<!min )\b\d+ s\b/)
    },
  )

  it('leaves out what is not known', () => {
    const { facts, notes, nextSteps } = build({
      ticket_number: null,
      client_name: '',
      user_name: null,
      started_at: null,
      state: 'prepared',
    })
    expect([facts, notes, nextSteps]).toEqual([[{ label: 'Outcome', value: 'Prepared' }], '', ''])
  })

  it.each<[Partial<SessionRow>, string]>([
    [{ outcome: 'resolved' }, 'Resolved'],
    [{ outcome: 'escalated' }, 'Escalated'],
    [{ outcome: 'cancelled' }, 'Cancelled'],
    [{ state: 'in_progress' }, 'In progress'],
    [{ state: 'completed' }, 'Completed'],
    [{ state: 'abandoned' }, 'Given up'],
  ])('says how a session with %j ended', (fields, outcome) => {
    expect(build(fields).facts).toContainEqual({ label: 'Outcome', value: outcome })
  })

  it('lists the answers of the form in its order, then other variables, without secrets', () => {
    const field = (key: string, label: string) => ({ key, label, type: 'text' as const, required: false })
    const { variables } = build({
      intake_form: [field('b', 'B?'), field('pin', 'PIN'), field('none', 'None'), field('e', '')],
      variables: { a: true, b: false, c: null, d: '', e: 0, f: ['x', true, null], g: { h: 1 } },
      secret_keys: ['pin'],
    })
    expect(variables.map(({ label, value }) => `${label}: ${value}`)).toEqual([
      ...['B?: No', 'PIN: [secret]', 'e: 0', 'a: Yes', 'c: –', 'd: –', 'f: x, Yes, –', 'g: {"h":1}'],
    ])
  })
})

describe('the steps of a report', () => {
  it('are the answers, then the current step', () => {
    const { steps, pendingStep, end } = build({ decisions: answered.slice(0, 1), current_step_id: 'patch' })
    expect([steps, pendingStep, end]).toEqual([[snapshot], { ...patch, ...pending }, null])
  })

  it('have no current step in a session that has ended', () => {
    const { steps, pendingStep } = build({
      decisions: answered.slice(0, 1),
      current_step_id: 'patch',
      state: 'abandoned',
    })
    expect([steps, pendingStep]).toEqual([[snapshot], null])
  })

  it('are followed by the end of the procedure', () => {
    const { steps, pendingStep, end } = build({ decisions: answered, current_step_id: null })
    expect([steps, pendingStep, end]).toEqual([
      [snapshot, patch],
      null,
      { title: 'Done', description: '', headers: [] },
    ])
  })

  it('end at the last decision that is asked for', () => {
    const fields = {
      decisions: answered,
      current_step_id: null,
      fallback_decisions: [fallback('patch', 'x')],
    }
    const rest = { custom_steps: [customStep('patch', 'ad-hoc')] }
    const rows = [data('a', { step_id: 'patch' }), data('b')]
    const shortened = build({ ...fields, ...rest }, rows, { lastDecision: 0 })
    expect([shortened.steps, shortened.end, shortened.fallbacks, shortened.customSteps]).toEqual([
      [snapshot],
      null,
      [],
      [],
    ])
    expect(shortened.evidence.map(({ title }) => title)).toEqual(['b'])
    const whole = build({ ...fields, ...rest }, rows, { lastDecision: 1 })
    expect([whole.steps.length, whole.end?.title, whole.steps[1]?.fallbacks.length]).toEqual([2, 'Done', 1])
    expect(
      build({ decisions: answered, current_step_id: 'patch' }, [], { lastDecision: 0 }).pendingStep,
    ).toBe(null)
    expect(
      build({ decisions: answered, current_step_id: 'patch' }, [], { lastDecision: 1 }).pendingStep?.number,
    ).toBe('3')
  })

  it('show headers, fallbacks, added steps and evidence once, and what belongs to no step at the end', () => {
    const decisions = [
      decision('snapshot', { outcome: 'skipped', note: 'N' }),
      decision('snapshot', { outcome: 'failed' }),
    ]
    const report = build(
      {
        ...{ decisions, current_step_id: null },
        fallback_decisions: [
          fallback('snapshot', 'backup', 'FN'),
          fallback('snapshot', 'gone'),
          fallback('other', 'ask'),
        ],
        custom_steps: [
          customStep('snapshot', 'ad-hoc'),
          customStep('snapshot', 'step-library'),
          customStep('x', 'forked-tree'),
        ],
      },
      [
        data('a', { step_id: 'snapshot' }),
        data('b', { content: null }),
        data('c', { session_id: 'other' }),
        data('d', { session_id: 's1' }),
      ],
    )
    const [ask, backup] = ['Ask the client to accept the risk', 'Take a backup instead']
    expect(report.steps).toEqual([
      {
        ...snapshot,
        answer: 'Skipped',
        isDone: false,
        note: 'N',
        fallbacks: [
          { title: backup, outcome: 'Failed', isDone: false, note: 'FN' },
          { title: 'gone', outcome: 'Failed', isDone: false, note: '' },
        ],
        customSteps: [
          { title: 'ad-hoc', description: 'D', source: 'Added during the session' },
          { title: 'step-library', description: 'D', source: 'From the step library' },
        ],
        evidence: [{ kind: 'text', title: 'a', content: 'C', image: null }],
      },
      { ...snapshot, number: '2', headers: [], answer: 'Failed', isDone: false },
    ])
    expect([report.fallbacks, report.customSteps]).toEqual([
      [{ title: ask, outcome: 'Failed', isDone: false, note: '' }],
      [{ title: 'forked-tree', description: 'D', source: 'From another flow' }],
    ])
    expect(report.evidence).toEqual([
      { kind: 'text', title: 'b', content: '', image: null },
      { kind: 'text', title: 'd', content: 'C', image: null },
    ])
  })

  it('have the label of the chosen option, or its id', () => {
    const tree_structure = printerFlow() as never
    const variables = { printer_ip: '10.0.0.8' }
    const decisions = [
      decision('ping', { option_id: 'yes' }),
      decision('ping', { option_id: 'x' }),
      decision('gone', { outcome: null }),
    ]
    const { steps } = build({ tree_structure, decisions, current_step_id: null, variables })
    expect(steps.map(({ title, answer }) => `${title} ${answer}`)).toEqual([
      'Does 10.0.0.8 answer a ping? Yes',
      'Does 10.0.0.8 answer a ping? x',
      'gone ',
    ])
  })

  it('have the details of the step', () => {
    const step = createStep('a', {
      ...{ estimated_minutes: 0, script_template_id: 's', group_label: 'G' },
      attachments: [{ title: 'T', url: 'https://x.example' }],
    })
    const listDetails = (options: Partial<ReportOptions> = {}) =>
      build({ tree_structure: { steps: [step, createEnd()] }, decisions: [decision('a')] }, [], options)
        .steps[0]?.details
    expect(listDetails()).toEqual([
      { label: 'Group', value: 'G' },
      { label: 'Estimated time', value: '0 s' },
      { label: 'Script', value: 's' },
      { label: 'Attachment', value: 'T', href: 'https://x.example' },
    ])
    expect(listDetails({ scriptNames: new Map([['s', 'Restart']]) })?.[2]).toEqual({
      label: 'Script',
      value: 'Restart',
    })
  })

  it('are followed by those of their sub-flows, whose numbers continue', () => {
    const subflow = (id: string, fields: Partial<SessionRow>) =>
      createSessionRow({
        ...{ id, name: id, parent_session_id: 's1', parent_step_id: 'snapshot', ...fields },
      })
    const subflows = [
      subflow('first', {
        decisions: answered,
        current_step_id: null,
        state: 'completed',
        outcome: 'resolved',
        notes: 'N',
      }),
      subflow('second', { current_step_id: 'patch', next_steps: 'X' }),
      subflow('other', { parent_session_id: 'x' }),
      subflow('lost', { parent_step_id: null }),
    ]
    const { steps, pendingStep } = build(
      { current_step_id: 'snapshot' },
      [data('a', { session_id: 'second' })],
      { subflows },
    )
    expect(pendingStep?.details.map(({ label, value }) => `${label}: ${value}`)).toEqual([
      'Group: Safety',
      'Sub-flow: first: Resolved',
      'Notes of the sub-flow: N',
      'Sub-flow: second: In progress',
      'Next steps of the sub-flow: X',
    ])
    expect(pendingStep?.evidence.map(({ title }) => title)).toEqual(['a'])
    expect(steps.map(({ number, answer }) => [number, answer])).toEqual([
      ['1.1', 'Done'],
      ['1.2', 'Done'],
      ['1.3', ''],
    ])
  })
})

describe('the images of a report', () => {
  const mebibyte = 1024 * 1024
  const image = (size: number) =>
    data('I', { kind: 'screenshot', image: { key: `${size}`, width: 3, height: 4, size } })
  const select = (rows: SupportingDataRow[]) => {
    const evidence = rows.map((row, place) => ({
      kind: row.kind,
      title: '',
      content: '',
      image: row.image ? place : null,
    }))
    return selectImages(createReport({ evidence }), rows)
  }

  it('are those of its steps, the current step and the rest, in this order', () => {
    const rows = [image(1), image(2), image(3), data('t')]
    const show = (place: number) => ({
      evidence: [{ kind: 'screenshot' as const, title: '', content: '', image: place }],
    })
    const report = createReport({
      steps: [{ ...snapshot, ...show(2) }],
      pendingStep: { ...patch, ...show(1) },
      ...show(0),
    })
    expect(selectImages(report, rows)).toEqual([
      { place: 2, key: '3', width: 3, height: 4 },
      { place: 1, key: '2', width: 3, height: 4 },
      { place: 0, key: '1', width: 3, height: 4 },
    ])
    expect(selectImages(createReport(show(3)), rows)).toEqual([])
  })

  it('are at most twenty', () => {
    expect(select(Array.from({ length: 21 }, () => image(1))).map(({ place }) => place)).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    )
  })

  it('have at most 5 MiB together, and a smaller one can follow one that is too large', () => {
    expect(select([image(3 * mebibyte), image(2 * mebibyte)])).toHaveLength(2)
    expect(
      select([image(3 * mebibyte), image(2 * mebibyte + 1), image(1)]).map(({ place }) => place),
    ).toEqual([0, 2])
  })
})
