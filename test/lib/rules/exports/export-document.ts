import type { Report, ReportStep } from '#rules/exports/report.ts'
import { createReport, type StepFields } from '#test/support/report.ts'

/** Return a step in which everything except `fields` is empty. */
export const createStep = (fields: StepFields): ReportStep =>
  ({
    number: '1',
    headers: [],
    details: [],
    title: 'Ping it',
    description: '',
    answer: '',
    isDone: false,
    durationAndTime: '5 s, now',
    note: '',
    fallbacks: [],
    customSteps: [],
    evidence: [],
    ...fields,
  }) as ReportStep

/** Every section and every kind of block once. */
export const fullReport: Report = createReport({
  title: 'Printer\noffline',
  description:
    '# Cause **of** it\n\n> Quoted\n> ~~twice~~\n\n---\n\n![plan](https://x.example/p.png) ![](https://x.example/q.png)',
  facts: [
    { label: 'Ticket', value: 'T-1', href: 'https://psa.example/1' },
    { label: 'Client', value: 'Northwind\n\nBerlin' },
  ],
  variables: [{ label: 'A label that is wider than the column', value: 'x' }],
  steps: [
    createStep({
      headers: [{ title: 'Before', description: 'Read *this*.' }],
      description:
        'Do:\n\n7. `a|b`\n8. - [x] nested\n   - [ ] open\n\n```sh\nls -l\n```\n\n| Port | 漢字 |\n| --- | --- |\n| `a\\|b` | ok |',
      details: [{ label: 'Command', value: 'ping' }],
      answer: 'Yes',
      note: 'First\nsecond\n\n~~~\ncode\n~~~',
      fallbacks: [{ title: 'Reboot', outcome: 'Failed', isDone: false, note: 'Hangs' }],
      customSteps: [{ title: 'Cable', description: 'Changed **it**', source: 'Added' }],
      evidence: [
        { kind: 'text', title: 'Log', content: 'a ```` b\nc', image: null },
        { kind: 'screenshot', title: 'Screen', content: 'Shows the error', image: null },
      ],
    }),
    createStep({ number: '2', title: 'Look', note: 'Short' }),
  ],
  end: { headers: [{ title: 'After', description: '' }], title: 'Solved', description: 'Close it.' },
  fallbacks: [{ title: 'Other', outcome: 'Done', isDone: true, note: '' }],
  customSteps: [{ title: 'Own', description: '', source: 'Before step 1' }],
  evidence: [{ kind: 'text', title: 'Empty', content: '', image: null }],
  notes: 'Call back',
  nextSteps: 'Order a cable',
})
