import { describe, expect, it } from 'vitest'
import { collectVariables, isAtEnd, renderRun } from '#rules/flows/run-view.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { createSessionRow } from '#test/support/session-rows.ts'

const decision = (step_id: string): SessionRow['decisions'][number] => ({
  step_id,
  option_id: null,
  outcome: 'done',
  note: null,
  started_at: '2026-11-21T09:00:00.000Z',
  duration_seconds: 60,
  decided_at: '2026-11-21T09:01:00.000Z',
  decided_by: 'u1',
  decided_by_name: 'Vik Olsen',
})
const evidence = (key: string, seq: number): SessionRow['evidence'][number] => ({
  key,
  seq,
  type: 'text',
  label: key,
  value: 'x',
  upload_id: null,
})
const started = '2026-11-21T09:00:00.000Z'

describe('renderRun', () => {
  it('returns the current step with its placeholders filled', () => {
    const { current_step, procedure_end } = renderRun(createSessionRow({ variables: { server: 'srv-1' } }))
    expect([current_step?.id, current_step?.title, procedure_end]).toEqual([
      'snapshot',
      'Take a snapshot of srv-1',
      null,
    ])
  })

  it('returns the end of the procedure when no step is left', () => {
    const { current_step, procedure_end } = renderRun(createSessionRow({ current_step_id: null }))
    expect([current_step, procedure_end]).toEqual([
      null,
      { id: 'end', title: 'Done', description: '', section_headers: [] },
    ])
  })

  it('returns no end for a session that was not started', () => {
    const { current_step, procedure_end } = renderRun(
      createSessionRow({ started_at: null, current_step_id: null }),
    )
    expect([current_step, procedure_end]).toEqual([null, null])
  })

  it('returns each answer with its own evidence and the headers before its step', () => {
    const { decisions } = renderRun(
      createSessionRow({
        decisions: [decision('snapshot'), decision('patch'), decision('gone')],
        evidence: [evidence('a', 0), evidence('b', 1), evidence('c', 1)],
      }),
    )
    const provided = (key: string) => ({ key, type: 'text', label: key, value: 'x', upload_id: null })
    expect(decisions).toEqual([
      {
        ...decision('snapshot'),
        evidence: [provided('a')],
        section_headers: [{ id: 'before', title: 'Before', description: '' }],
      },
      { ...decision('patch'), evidence: [provided('b'), provided('c')], section_headers: [] },
      { ...decision('gone'), evidence: [], section_headers: [] },
    ])
  })
})

it.each<[Pick<SessionRow, 'started_at' | 'current_step_id'>, boolean]>([
  [{ started_at: started, current_step_id: null }, true],
  [{ started_at: started, current_step_id: 'a' }, false],
  [{ started_at: null, current_step_id: null }, false],
  [{ started_at: null, current_step_id: 'a' }, false],
])('a session with %j is at its end: %s', (session, expected) => {
  expect(isAtEnd(session)).toBe(expected)
})

it('the values of placeholders are those of the session and its variables, without secret answers', () => {
  const session = createSessionRow({
    target_label: 'Berlin',
    variables: { host: 'a', client_name: 'Other' },
    secret_keys: ['pin'],
  })
  expect(collectVariables(session)).toEqual({
    ticket_number: 'T-1',
    client_name: 'Other',
    target_label: 'Berlin',
    host: 'a',
    pin: '[secret]',
  })
})
