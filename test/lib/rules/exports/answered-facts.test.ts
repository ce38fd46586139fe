import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AiSessionRow } from '#db/rows/ai-session.ts'
import { aiOutcomes, fixResults, fixStatuses } from '#rules/ai/session-values.ts'
import { buildReport } from '#rules/exports/build-report.ts'
import { removeValues, renderClientEdition, toClientReport } from '#rules/exports/client-edition.ts'
import { removeDescriptions } from '#rules/exports/ticket-note.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { stepOutcomes } from '#rules/flows/step-navigation.ts'
import type { FlowNode, FlowStep, TreeStructure } from '#rules/flows/structure.ts'
import { createEnd } from '#test/support/flow-nodes.ts'
import { createSessionRow } from '#test/support/session-rows.ts'
import { renderHtml, renderMarkdown, renderText, renderTicketNote } from '#test/support/with-budget.ts'
import { writeClientResolution, writeDocumentation } from '#vendors/ai/documentation.ts'
import { toClientCase } from '#vendors/ai/facts.ts'

type Outcome = (typeof stepOutcomes)[number]
const words = { done: 'Done', skipped: 'Skipped', failed: 'Failed' } as const

/** A run: its steps, of which the first `answered` ones have their answer. */
interface Run {
  isTree: boolean
  steps: { type: FlowNode['type']; outcome: Outcome; fallbacks: Outcome[]; hasCustomStep: boolean }[]
  answered: number
  /** The run of a sub-flow of the first step. */
  subflow: Run | null
}
const outcome = fc.constantFrom(...stepOutcomes)
const { run } = fc.letrec<{ run: Run }>((tie) => ({
  run: fc.record({
    isTree: fc.boolean(),
    steps: fc.array(
      fc.record({
        type: fc.constantFrom('decision', 'action', 'solution'),
        outcome,
        fallbacks: fc.array(outcome, { maxLength: 2 }),
        hasCustomStep: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    answered: fc.nat({ max: 4 }),
    subflow: fc.option(tie('run'), { maxDepth: 2, nil: null }),
  }),
}))

/** What each title says of itself in an edition for colleagues: a word of an outcome, `Yes`, or nothing. */
type Answers = Map<string, string>

/** Return the sessions of a run, that of the run itself first, and the answers that were given in them. */
function createRun(
  { isTree, steps, answered, subflow }: Run,
  fields: Partial<SessionRow>,
  answers: Answers = new Map(),
): { sessions: SessionRow[]; answers: Answers } {
  const id = `session-${answers.size}`
  const add = (word: string) => {
    const title = `Title${answers.size}x`
    answers.set(title, word)
    return title
  }
  const isOpen = fields.state === 'in_progress'
  const rows = steps.map(({ type, outcome, fallbacks, hasCustomStep }, place) => {
    const isAnswered = place < answered && fields.state !== 'prepared'
    const isCurrent = place === answered && isOpen
    const isDecision = isTree && type === 'decision'
    const title = add(isAnswered ? (isDecision ? 'Yes' : words[outcome]) : '')
    const titles = isTree ? [] : fallbacks.map((used) => add(isAnswered || isCurrent ? words[used] : ''))
    const custom = hasCustomStep && isAnswered ? add('') : null
    return { type, title, outcome, isAnswered, isCurrent, isDecision, titles, custom, fallbacks }
  })
  const current = rows.find(({ isCurrent }) => isCurrent)
  const decided = rows.filter(({ isAnswered }) => isAnswered)
  const session = createSessionRow({
    id,
    ...fields,
    tree_type: isTree ? 'troubleshooting' : 'procedural',
    tree_structure: isTree
      ? (rows.reduceRight<FlowNode | null>(
          (child, { type, title }) => ({
            ...{ id: title, type, title, description: '', next_node_id: child?.id ?? null },
            options: type === 'decision' ? [{ id: 'y', label: 'Yes', next_node_id: child?.id ?? null }] : [],
            children: child ? [child] : [],
          }),
          null,
        ) as TreeStructure)
      : {
          steps: [
            ...rows.map(({ title, titles }): FlowStep => {
              const fallback_steps = titles.map((id) => ({ id, title: id, description: '' }))
              return { id: title, type: 'procedure_step', title, description: '', fallback_steps }
            }),
            createEnd({ title: 'The end' }),
          ],
        },
    current_step_id: current?.title ?? null,
    decisions: decided.map(({ title, isDecision, outcome }) => ({
      ...{ step_id: title, option_id: isDecision ? 'y' : null, outcome: isDecision ? null : outcome },
      ...{ note: null, started_at: '2026-11-21T09:00:00.000Z', duration_seconds: 9 },
      ...{ decided_at: '2026-11-21T09:30:00.000Z', decided_by: 'u1', decided_by_name: 'Vik Olsen' },
    })),
    fallback_decisions: rows.flatMap(({ title, titles, fallbacks, isAnswered, isCurrent }) =>
      isAnswered || isCurrent
        ? titles.map((fallback_step_id, place) => ({
            ...{ step_id: title, fallback_step_id, outcome: fallbacks[place] as Outcome },
            ...{ note: null, decided_at: '2026-11-21T09:30:00.000Z' },
            ...{ decided_by: 'u1', decided_by_name: 'Vik Olsen' },
          }))
        : [],
    ),
    custom_steps: rows.flatMap(({ title, custom }) =>
      custom === null
        ? []
        : [
            {
              ...{ id: custom, source: 'ad-hoc' as const, after_step_id: title, title: custom },
              ...{ description: '', library_step_id: null, tree_id: null, node_id: null },
              ...{ created_by: 'u1', created_by_name: 'Vik Olsen', created_at: '2026-11-21T09:30:00.000Z' },
            },
          ],
    ),
  })
  const parent = [...decided, ...(current ? [current] : [])][0]
  if (!subflow || !parent) return { sessions: [session], answers }
  // The sub-flow of an answered step has ended, that of the current step may not have.
  const state = parent.isCurrent ? ('in_progress' as const) : ('abandoned' as const)
  const below = { state, outcome: null, parent_session_id: id, parent_step_id: parent.title }
  return { sessions: [session, ...createRun(subflow, below, answers).sessions], answers }
}

const colleagueEditions = {
  note: (report: Parameters<typeof renderTicketNote>[0]) => renderTicketNote(removeDescriptions(report)),
  text: renderText,
  markdown: renderMarkdown,
  html: (report: Parameters<typeof renderHtml>[0]) => renderHtml(report).replace(/<[^>]*>/g, ' '),
}
const answerWord = /\b(?:Done|Skipped|Failed|Yes)\b/

/** Return what an edition says after each of its titles. */
function readAnswers(text: string): Answers {
  const [, ...parts] = text.split(/(?=Title\d+x)/)
  return new Map(parts.map((part) => [/^Title\d+x/.exec(part)?.[0] ?? '', answerWord.exec(part)?.[0] ?? '']))
}

const results = [
  ['prepared', null, 'Prepared'],
  ['in_progress', null, 'In progress'],
  ['abandoned', null, 'Given up'],
  ['completed', 'resolved', 'Resolved'],
  ['completed', 'unresolved', 'Not resolved'],
  ['completed', 'escalated', 'Escalated'],
  ['completed', 'cancelled', 'Cancelled'],
] as const

describe.each(results)(
  'PSA-39 the editions of a session that is %s with the outcome %s',
  (state, outcome, words) => {
    it('say the same was done: what was answered with done, and to a client nothing else', () => {
      fc.assert(
        fc.property(run, (generated) => {
          const { sessions, answers } = createRun(generated, { state, outcome })
          const [session, ...subflows] = sessions as [SessionRow, ...SessionRow[]]
          const options = { timezone: 'UTC', subflows }
          const client = renderClientEdition(
            toClientReport(
              buildReport(removeValues(session), [], { ...options, subflows: subflows.map(removeValues) }),
            ),
          )
          const [head = '', list] = client.split('\n\nWhat was done:\n')
          const done = [...answers].flatMap(([title, word]) => (word === 'Done' ? [title] : []))
          expect(head).toContain(`Outcome: ${words}`)
          expect((list?.match(/Title\d+x/g) ?? []).toSorted()).toEqual(done.toSorted())
          expect([head.includes('Title'), list === undefined]).toEqual([false, done.length === 0])
          const report = buildReport(session, [], options)
          for (const [name, render] of Object.entries(colleagueEditions)) {
            const shown = readAnswers(render(report))
            expect([name, [...shown].filter(([title, word]) => answers.get(title) !== word)]).toEqual([
              name,
              [],
            ])
            expect([name, done.filter((title) => !shown.has(title))]).toEqual([name, []])
          }
        }),
        { numRuns: 60 },
      )
    })
  },
)

describe.each(fixStatuses)('PSA-39 a fix that is %s', (status) => {
  it.each([...aiOutcomes, null])(
    'is told to the client as to colleagues, of a case with the outcome %s',
    (outcome) => {
      const fix = { title: 'Restart it', description: '', status, partial_notes: null, pending_reason: null }
      const session = {
        ...{ title: 'No print', status: outcome ? 'resolved' : 'active', outcome, problem_summary: null },
        ...{ suggested_fixes: [{ ...fix, failure_reason: null }], evidence_items: [], facts: [], steps: [] },
        ...{ messages: [], script_runs: [], triage_hypothesis: 'The spooler', environment_tags: [] },
        ...{
          pending_task_lane: { questions: [], actions: [], responses: [] },
          created_at: '2026-11-21T09:30:00Z',
        },
        ...{
          resolved_at: outcome && '2026-11-21T09:40:00Z',
          resolution_notes: null,
          resolution: null,
          follow_up: null,
        },
      } as unknown as AiSessionRow
      const { hasHelped, isApplied, words } = fixResults[status]
      const documentation = writeDocumentation(session, {}, false)
      const resolution = writeClientResolution(session)
      const facts = toClientCase(session, null)
      expect(documentation).toContain('Suspected cause\nThe spooler')
      expect(resolution + JSON.stringify(facts)).not.toContain('spooler')
      expect(resolution.includes('Restart it')).toBe(hasHelped)
      expect(resolution.includes('Restart it: worked in part')).toBe(status === 'applied_partial')
      expect([facts.status, facts.resolution]).toEqual([
        session.status,
        outcome && { outcome, told_client: null },
      ])
      expect(facts.fixes).toEqual(isApplied ? [{ title: 'Restart it', status }] : [])
      expect(documentation.includes('Restart it')).toBe(isApplied || outcome === null)
      if (documentation.includes('Restart it')) expect(documentation).toContain(`- Restart it: ${words}`)
    },
  )
})
